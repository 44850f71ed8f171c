#!/usr/bin/env bash
# Makes the cluster's private mounts in the mount namespace it was started in, then stays, to keep that namespace.
# Started by namespaces.sh only.
#
#   usage: holder.sh STATE CACHE

set -euo pipefail
state=$1 cache=$2

# Kept open: they may lie below a folder that is about to be covered.
exec {state_folder}<"$state" {cache_folder}<"$cache"

mount -t tmpfs -o mode=755 tmpfs /run
for folder in /var/lib /var/log; do
  mkdir -p "$state/private$folder"
  mount --bind "$state/private$folder" "$folder"
done
uncover() {
  [[ $1 == /run/* || $1 == /var/lib/* || $1 == /var/log/* ]] || return 0
  mkdir -p "$1"
  mount --no-canonicalize --bind "/proc/self/fd/$2" "$1"
}
uncover "$state" "$state_folder"
uncover "$cache" "$cache_folder"

# The kubelet sets these for the whole machine when it finds other values. In this view it finds what it wants.
while read -r setting value; do
  file=$state/private/sysctl/$setting
  mkdir -p "${file%/*}"
  echo "$value" >"$file"
  mount --bind "$file" "/proc/sys/$setting"
done <<'EOF'
vm/overcommit_memory 1
vm/panic_on_oom 0
kernel/panic 10
kernel/panic_on_oops 1
kernel/keys/root_maxkeys 1000000
kernel/keys/root_maxbytes 25000000
EOF

touch "$state/private/ready"
exec {state_folder}<&- {cache_folder}<&-
exec -a "torchsoak-cluster-holder $state" sleep infinity
