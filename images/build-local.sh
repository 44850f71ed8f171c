#!/usr/bin/env bash
# Builds the images of this checkout without a registry, for the local cluster and for tests:
# FROM scratch, our programs, this machine's shared libraries (Debian 12), and for the runner the
# LibTorch of cmake/fetch-libtorch.sh. What users get is built by the Dockerfiles (README.md).
#
#   images/build-local.sh [operator|runner|runner-faults]...     default: all three
#     --operator-build DIR    build folder with operator/torchsoak       default: build/release
#     --runner-build DIR      build folder with runner/torchsoak-runner*  default: build/release
#     --force                 also when nothing has changed
#
# Writes build/images/NAME.tar (docker-archive), for tests/cluster/load-image.sh:
#   operator.tar       localhost/torchsoak/operator:dev
#   runner.tar         localhost/torchsoak/runner:dev
#   runner-faults.tar  localhost/torchsoak/runner-faults:dev: the same runner with
#                      tests/faults/libfaults.c preloaded; does nothing unless FAULT_… is set
#
# An image whose inputs have the same content as before is left as it is. LibTorch's layer, half a
# gigabyte, is kept in the user's cache folder and made once.
set -euo pipefail

here=$(cd "${BASH_SOURCE[0]%/*}" && pwd -P)
repo=${here%/*}
# shellcheck source=images/lib/rootfs.sh
source "$here/lib/rootfs.sh"
# shellcheck source=images/lib/archive.sh
source "$here/lib/archive.sh"

operator_build=$repo/build/release runner_build=$repo/build/release
out=$repo/build/images
cache=${XDG_CACHE_HOME:-$HOME/.cache}/torchsoak
torch=$cache/libtorch-2.11.0-cpu
force=false wanted=()

die() { printf 'build-local: %s\n' "$1" >&2; exit 1; }
usage() { sed -n '/^#!/d; /^#/!q; s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; }

while (($#)); do
  case $1 in
    operator | runner | runner-faults) wanted+=("$1") ;;
    --operator-build) operator_build=${2:?DIR} && shift ;;
    --runner-build) runner_build=${2:?DIR} && shift ;;
    --force) force=true ;;
    -h | --help) usage && exit 0 ;;
    *) usage >&2 && die "unknown argument: $1" ;;
  esac
  shift
done
((${#wanted[@]})) || wanted=(operator runner runner-faults)

for tool in cmake tar ldd strip readelf sha256sum dpkg; do
  command -v "$tool" >/dev/null || die "$tool is missing (Debian: cmake, tar, libc-bin, binutils, coreutils, dpkg)"
done
umask 022
mkdir -p "$out" "$cache/images"
# Two builds of one checkout, or of two that share the cache, must not write the same files.
exec 9>"$cache/images/.lock"
flock 9
work=$(mktemp -d "$out/.build-XXXXXX")
trap 'rm -rf "$work"' EXIT

version=$(sed -nE 's/^project\(torchsoak VERSION ([0-9.]+).*/\1/p' "$repo/CMakeLists.txt")
environment=(PATH=/usr/local/bin HOME=/tmp TMPDIR=/tmp LC_ALL=C.UTF-8 TZ=UTC)
runner_environment=("${environment[@]}" XDG_CACHE_HOME=/tmp TORCHINDUCTOR_CACHE_DIR=/tmp/torchinductor
  TRITON_CACHE_DIR=/tmp/triton CUDA_CACHE_PATH=/tmp/cuda
  'NVIDIA_DRIVER_CAPABILITIES=compute,utility' NVIDIA_VISIBLE_DEVICES=void)

# program FOLDER/NAME: a program that was built, or an end with the words to build it.
program() {
  [[ -x $1 ]] || die "$1 does not exist; build it first, or name the build folder (--help)"
  printf '%s\n' "$1"
}

digest() { cat "$@" | sha256sum | cut -c1-12; }

# The commit that a build folder was configured at, which its binaries also print.
revision() { sed -nE 's/.*kCommit = "([^"]*)".*/\1/p' "$1/generated/version.cc" 2>/dev/null || true; }

# unchanged NAME KEY: true when the image was made from the same inputs.
unchanged() {
  ! $force && [[ -f $out/$1.tar && -f $out/$1.key && $(<"$out/$1.key") == "$2" ]]
}

# The build folder's program looks for LibTorch in this user's home; in the image the loader finds it.
forget_rpath() {
  # shellcheck disable=SC2016 # CMake's variable
  echo 'file(RPATH_REMOVE FILE "${PROGRAM}")' >"$work/rpath.cmake"
  cmake -D PROGRAM="$1" -P "$work/rpath.cmake" >"$work/rpath.log" || die "the RPATH of $1 could not be removed: $(<"$work/rpath.log")"
}

# layer FOLDER NAME: packs $work/NAME.tar.
layer() {
  pack_layer "$1" "$work/$2.tar"
  printf '%s\n' "$work/$2.tar"
}

# image NAME KEY TITLE ENTRYPOINT REVISION ENVIRONMENT LAYER...: ENVIRONMENT is an array's name.
image() {
  local name=$1 key=$2 title=$3 entrypoint=$4 commit=$5 created labels
  local -n values=$6
  shift 6
  created=$(date -u -d "@${SOURCE_DATE_EPOCH:-0}" +%Y-%m-%dT%H:%M:%SZ)
  labels=$(json_map "org.opencontainers.image.title=torchsoak $title" \
    "org.opencontainers.image.version=$version" "org.opencontainers.image.revision=$commit" \
    "org.opencontainers.image.licenses=Apache-2.0" \
    "org.opencontainers.image.description=Local build for tests, from this machine's libraries; not for publishing")
  image_config "$entrypoint" "$(json_list "${values[@]}")" "$labels" "$created" "$@" >"$work/config.json"
  rm -f "$out/$name.key" # an interrupted build must not look finished
  pack_image "localhost/torchsoak/$name:dev" "$work/config.json" "$out/$name.tar" "$@"
  printf '%s\n' "$key" >"$out/$name.key"
  printf 'built      %-13s %4d MB  %s\n' "$name" "$(($(stat -c %s "$out/$name.tar") / 1000000))" "$key"
}

build_operator() {
  local binary key libs
  binary=$(program "$operator_build/operator/torchsoak")
  mapfile -t libs < <(libraries "$binary")
  ((${#libs[@]})) || die "the libraries of $binary could not be listed"
  key="binary $(digest "$binary"), libraries $(digest "${libs[@]}"), scripts $(digest "$here"/{,lib/}*.sh)"
  unchanged operator "$key" && { printf 'unchanged  %-13s          %s\n' operator "$key" && return; }
  skeleton "$work/operator-base"
  add_libraries "$work/operator-base" "${libs[@]}"
  add_program "$work/operator" "$binary" torchsoak
  ln -s torchsoak "$work/operator/usr/local/bin/kubectl-torchsoak"
  image operator "$key" operator /usr/local/bin/torchsoak "$(revision "$operator_build")" environment \
    "$(layer "$work/operator-base" operator-base)" "$(layer "$work/operator" operator)"
}

# The layer of LibTorch and all that it loads, in the cache; sets torch_layer and torch_libs. Its name
# says what is in it. LibTorch goes in by size and time: reading 450 MB takes longer than the rest.
torch_base() {
  local key libs
  [[ -f $torch/.libtorch-2.11.0 ]] || die "LibTorch is missing: run cmake/fetch-libtorch.sh"
  mapfile -t libs < <(libraries "$torch"/lib/*.so* | grep -v "^$torch/")
  ((${#libs[@]})) || die "the libraries of $torch could not be listed"
  torch_libs=("$torch"/lib/*.so* "${libs[@]}")
  key=$({ stat -c '%n %s %Y' "$torch"/lib/*.so* && cat "${libs[@]}" "$here"/lib/*.sh; } | sha256sum | cut -c1-12)
  torch_layer=$cache/images/torch-base-$key.tar
  [[ ! -f $torch_layer ]] || return 0
  echo "making the layer of LibTorch, once"
  skeleton "$work/torch-base"
  add_libraries "$work/torch-base" "${torch_libs[@]}"
  rm -f "$cache"/images/torch-base-*.tar* # the one before this, of other inputs
  pack_layer "$work/torch-base" "$torch_layer"
}

build_runner() {
  local name=$1 program soak key libs extra lib layers variables=("${runner_environment[@]}")
  program=$(program "$runner_build/runner/torchsoak-runner")
  soak=$(program "$runner_build/runner/torchsoak-runner-torch")
  torch_base
  mapfile -t libs < <(libraries "$program" "$soak")
  ((${#libs[@]})) || die "the libraries of $soak could not be listed"
  extra=()
  for lib in "${libs[@]}"; do # what is not in LibTorch's layer yet
    [[ " ${torch_libs[*]##*/} " == *" ${lib##*/} "* ]] || extra+=("$lib")
  done
  key="binaries $(digest "$program" "$soak"), LibTorch layer $(basename "${torch_layer##*-}" .tar)"
  key+=", other libraries $(digest /dev/null "${extra[@]}"), scripts $(digest "$here"/{,lib/}*.sh)"
  [[ $name == runner ]] || key+=", faults $(digest "$repo/tests/faults/libfaults.c")"
  unchanged "$name" "$key" && { printf 'unchanged  %-13s          %s\n' "$name" "$key" && return; }
  if [[ ! -d $work/runner ]]; then
    add_program "$work/runner" "$program" torchsoak-runner
    add_program "$work/runner" "$soak" torchsoak-runner-torch
    forget_rpath "$work/runner/usr/local/bin/torchsoak-runner-torch"
    add_libraries "$work/runner" "${extra[@]}"
    pack_layer "$work/runner" "$work/runner.tar"
  fi
  layers=("$torch_layer" "$work/runner.tar")
  if [[ $name == runner-faults ]]; then
    mkdir -p "$work/faults/faults"
    "${CC:-cc}" -std=c11 -O2 -Wall -Wextra -Werror -shared -fPIC "$repo/tests/faults/libfaults.c" \
      -o "$work/faults/faults/libfaults.so" -pthread
    layers+=("$(layer "$work/faults" faults)")
    variables+=(LD_PRELOAD=/faults/libfaults.so)
  fi
  image "$name" "$key" "$name" /usr/local/bin/torchsoak-runner "$(revision "$runner_build")" variables \
    "${layers[@]}"
}

for name in "${wanted[@]}"; do
  case $name in
    operator) build_operator ;;
    *) build_runner "$name" ;;
  esac
done
