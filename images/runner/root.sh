#!/usr/bin/env bash
# The file system of the runner's image, made in the Dockerfile's build stage.
#   usage: root.sh FOLDER PREFIX ROOT      FOLDER: of the runner's two programs; PREFIX: the conda environment;
#                                          in the image at the same place
set -euo pipefail
# shellcheck source=images/lib/rootfs.sh
source "${BASH_SOURCE[0]%/*}/../lib/rootfs.sh"
prefix=$2 root=$3
programs=("$prefix"/bin/torchsoak-runner{,-torch}) # beside ../lib, which their RPATH names

install -D -t "$prefix/bin" "$1"/torchsoak-runner{,-torch}
for program in "${programs[@]}"; do "$program" --version; done
mapfile -t found < <(libraries "${programs[@]}")
if ! printf '%s\n' "${found[@]}" | grep -q libtorch_cuda; then
  echo "the runner was linked without CUDA: it would see no GPU" >&2
  exit 1
fi
skeleton "$root"

# Of the system: the C library, whole, since libraries of the environment may ask for its other parts.
mapfile -t system < <(printf '%s\n' "${found[@]}" | grep -v "^$prefix/")
add_libraries "$root" "${system[@]}" "/lib/$(uname -m)-linux-gnu"/lib{dl.so.2,pthread.so.0,resolv.so.2,rt.so.1,util.so.1}

# Of the environment: every shared library (cuDNN, MKL and NVRTC open theirs by name while they run, so
# that no list of dependencies has them all), but no compiler's, and no stub of the driver.
mkdir -p "$root$prefix/bin" "$root$prefix/share/torchsoak"
(
  cd "$prefix"
  find . \( -type f -o -type l \) -name '*.so*' ! -path './x86_64-conda-linux-gnu/*' ! -path './lib/gcc/*' \
    ! -path './lib/python*' ! -path './libexec/*' ! -path './nvvm/*' ! -path '*/stubs/*' -print0 |
    tar --null --files-from=- -cf -
) | tar -C "$root$prefix" -xf -

for program in "${programs[@]}"; do
  strip --strip-all -o "$root$program" "$program"
  ln -s "$program" "$root/usr/local/bin/"
done

# What the image holds: for people, and for making the same environment again without solving.
conda list --prefix "$prefix" --explicit --md5 >"$root$prefix/share/torchsoak/conda-explicit.txt"
conda list --prefix "$prefix" --json >"$root$prefix/share/torchsoak/conda-packages.json"
cp "${BASH_SOURCE[0]%/*}/environment.yml" "$root$prefix/share/torchsoak/"
