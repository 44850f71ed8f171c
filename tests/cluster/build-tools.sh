#!/usr/bin/env bash
# Builds the programs that the test cluster runs: Kubernetes, etcd, Helm and the GPU device plugin.
#
#   usage: build-tools.sh             builds what is missing
#          build-tools.sh --path NAME only says where the program NAME is kept, builds nothing
#
# Needs Go 1.24 or newer and a Go module proxy; no C compiler. Versions are pinned by go.mod and go.sum in tools/*/ and
# device-plugin/. Where a pinned program wants a newer Go than the one installed, Go gets that from the same proxy.
#
# The programs are kept outside the checkout, in ${XDG_CACHE_HOME:-~/.cache}/torchsoak/cluster-tools/, in folders named
# by a hash of what they are built from: a second checkout, or a second run, builds nothing. The first build takes some
# ten minutes on two cores. It may be interrupted and goes on where it stopped. Delete the folder to build anew.

set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib/common.sh"
source "$(dirname "${BASH_SOURCE[0]}")/lib/tools.sh"

build() {
  local name=$1 module=$2 package=$3 folder log
  folder=$(tool_folder "$module")
  log=$CACHE/log/$name.log
  mkdir -p "$folder"
  if ! (
    cd "$CLUSTER_DIR/$module"
    export CGO_ENABLED=0 GOWORK=off GOFLAGS=-mod=readonly GOTOOLCHAIN=auto
    nice -n 10 go build -p 2 "${BUILD_FLAGS[@]}" -ldflags "-s -w $(link_flags "$module")" \
      -o "$folder/.$name.new" "$package"
  ) >"$log" 2>&1; then
    say "failed"
    show_log "$log"
    die "could not build $name" "When the cause is gone, run it again: programs that are built already are kept."
  fi
  mv "$folder/.$name.new" "$folder/$name"
}

missing() {
  local name module package
  while read -r name module package; do
    [[ -z $name || -x $(tool_folder "$module")/$name ]] || say "$name $module $package"
  done <<<"$TOOLS"
}

case $# in
  0) ;;
  2) [[ $1 == --path ]] || die "unknown argument: $1" && tool "$2" && exit ;;
  *) die "usage: build-tools.sh [--path NAME]" ;;
esac

mkdir -p "$CACHE/log"
# One build at a time a machine: a second one would only do the same work beside the first.
exec 8<"$CACHE"
if ! flock --nonblock 8; then
  say "Waiting for another build of the cluster's programs to end"
  flock 8
fi

mapfile -t todo < <(missing)
((${#todo[@]})) || exit 0
command -v go >/dev/null || die "Go is not installed or not in PATH" "Install Go 1.24 or newer."
say "Building the cluster's programs from source, once a machine: ${#todo[@]} to build"
done_count=0 all_began=$SECONDS
for line in "${todo[@]}"; do
  read -r name module package <<<"$line"
  began=$SECONDS done_count=$((done_count + 1))
  printf '  %d of %d  %-24s ' "$done_count" "${#todo[@]}" "$name"
  build "$name" "$module" "$package"
  say "$((SECONDS - began)) s"
done
say "Built in $((SECONDS - all_began)) s; kept in $CACHE"
