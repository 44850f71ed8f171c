#!/usr/bin/env bash
# The file system of the operator's image, made in the Dockerfile's build stage.
#   usage: root.sh PROGRAM ROOT
set -euo pipefail
# shellcheck source=images/lib/rootfs.sh
source "${BASH_SOURCE[0]%/*}/../lib/rootfs.sh"
program=$1 root=$2

"$program" --version
mapfile -t found < <(libraries "$program")
((${#found[@]})) || { echo "the libraries of $program could not be listed" >&2 && exit 1; }
skeleton "$root"
add_libraries "$root" "${found[@]}"
add_program "$root" "$program" torchsoak
ln -s torchsoak "$root/usr/local/bin/kubectl-torchsoak"
mkdir -p "$root/usr/share/torchsoak"
# shellcheck disable=SC2016 # dpkg's variables
dpkg-query -W -f '${Package} ${Version} ${Architecture}\n' >"$root/usr/share/torchsoak/debian-packages.txt"
