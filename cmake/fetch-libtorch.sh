#!/usr/bin/env bash
# Makes a LibTorch 2.11.0 prefix for development and CI that needs no GPU and no CUDA toolkit.
#
#   cmake/fetch-libtorch.sh [PREFIX]     default: <cache>/torchsoak/libtorch-2.11.0-cpu
#
# <cache> is $XDG_CACHE_HOME, else ~/.cache. Needs python3 with pip, and a C compiler. Downloads
# 544 MB of wheels once (kept in <cache>/torchsoak/wheels, checked by sha256), then makes 505 MB.
# Safe to run again, to interrupt, and to run twice at once: the prefix appears whole or not at all.
# Why this way: there is no CPU-only x86-64 LibTorch with headers in a package registry of this
# version; the CUDA wheel, trimmed, runs on the CPU and has the headers of the GPU builds.
set -euo pipefail

version=2.11.0
cache=${XDG_CACHE_HOME:-$HOME/.cache}/torchsoak
prefix=${1:-$cache/libtorch-$version-cpu}
wheels=$cache/wheels
stamp=.libtorch-$version
[ -f "$prefix/$stamp" ] && exit 0

say() { echo "fetch-libtorch: $*" >&2; }
die() { say "$*"; exit 1; }

[ "$(uname -m)" = x86_64 ] || die "only x86-64 is supported, this is $(uname -m)"
command -v python3 >/dev/null || die "python3 is missing (Debian: python3, python3-pip)"
command -v cc >/dev/null || die "a C compiler named cc is missing (Debian: gcc)"

mkdir -p "$wheels" "$(dirname "$prefix")"
tmp=$(mktemp -d "$(dirname "$prefix")/.libtorch-XXXXXX")
trap 'rm -rf "$tmp"' EXIT

intact() { [ -f "$1" ] && echo "$2  $1" | sha256sum --check --status; }

# fetch REQUIREMENT FILE SHA256: FILE in $wheels, downloaded unless it is there and intact.
fetch() {
  local file=$wheels/$2
  intact "$file" "$3" && return
  say "downloading $1"
  rm -rf "$tmp/dl"
  python3 -m pip download -q --disable-pip-version-check --no-deps --only-binary=:all: \
    --python-version 3.11 --implementation cp --abi cp311 --abi none \
    --platform manylinux_2_28_x86_64 --platform manylinux_2_25_x86_64 \
    --platform manylinux2014_x86_64 --platform manylinux_2_17_x86_64 -d "$tmp/dl" "$1" ||
    die "pip could not download $1"
  intact "$tmp/dl/$2" "$3" || die "$1: the file is not the one that was pinned (sha256 differs)"
  mv -f "$tmp/dl/$2" "$file"
}

torch=torch-$version-cp311-cp311-manylinux_2_28_x86_64.whl
cudart=nvidia_cuda_runtime-13.0.96-py3-none-manylinux2014_x86_64.manylinux_2_17_x86_64.whl
cupti=nvidia_cuda_cupti-13.0.85-py3-none-manylinux_2_25_x86_64.whl
crt=nvidia_cuda_crt-13.0.88-py3-none-manylinux2014_x86_64.manylinux_2_17_x86_64.whl
fetch torch==$version $torch 7aa2f9bbc6d4595ba72138026b2074be1233186150e9292865e04b7a63b8c67a
fetch nvidia-cuda-runtime==13.0.96 $cudart 7f82250d7782aa23b6cfe765ecc7db554bd3c2870c43f3d1821f1d18aebf0548
fetch nvidia-cuda-cupti==13.0.85 $cupti 4eb01c08e859bf924d222250d2e8f8b8ff6d3db4721288cf35d14252a4d933c8
fetch nvidia-cuda-crt==13.0.88 $crt 2c8043c7c9e02492716426e9919fc78d2c5b3b2a7a768a88e952676b08aa55a4

say "unpacking into $prefix"
python3 - "$tmp/x" "$wheels/$torch" "$wheels/$cudart" "$wheels/$cupti" "$wheels/$crt" <<'PY'
import sys, zipfile
wanted = ("torch/include/", "torch/lib/libc10.so", "torch/lib/libtorch_cpu.so",
          "torch/lib/libgomp.so.1", "nvidia/cu13/include/", "nvidia/cu13/lib/libcudart.so.13",
          "nvidia/cu13/lib/libcupti.so.13")
for wheel in sys.argv[2:]:
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(sys.argv[1], [n for n in archive.namelist() if n.startswith(wanted)])
PY
new=$tmp/prefix
mkdir -p "$new/lib" "$new/share/cmake/Torch"
mv "$tmp/x/torch/include" "$new/include"
mv "$tmp"/x/torch/lib/*.so* "$tmp"/x/nvidia/cu13/lib/*.so.* "$new/lib/"  # their RPATH ends in $ORIGIN
mv "$tmp/x/nvidia/cu13/include" "$new/cuda-include"  # only to compile-check CUDA sources

# An empty libtorch.so over libtorch_cpu.so: the wheel's own needs libtorch_cuda.so, and AOTInductor
# packages ask for this soname.
echo 'int libtorch_cpu_only;' | cc -shared -fPIC -x c - -o "$new/lib/libtorch.so" \
  -Wl,-soname,libtorch.so -Wl,--no-as-needed -L"$new/lib" -ltorch_cpu \
  -Wl,-rpath,'$ORIGIN' -Wl,-rpath-link,"$new/lib"

cat > "$new/share/cmake/Torch/TorchConfig.cmake" <<'CMAKE'
get_filename_component(_p "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
if(NOT TARGET torch)
  foreach(_l c10 torch_cpu)
    add_library(${_l} SHARED IMPORTED)
    set_target_properties(${_l} PROPERTIES IMPORTED_LOCATION "${_p}/lib/lib${_l}.so")
  endforeach()
  add_library(torch INTERFACE IMPORTED)
  set_target_properties(torch PROPERTIES
    INTERFACE_INCLUDE_DIRECTORIES "${_p}/include;${_p}/include/torch/csrc/api/include"
    INTERFACE_LINK_LIBRARIES "-Wl,--push-state,--no-as-needed,${_p}/lib/libtorch.so,--pop-state;torch_cpu;c10"
    INTERFACE_LINK_OPTIONS "LINKER:-rpath-link,${_p}/lib"
    INTERFACE_COMPILE_FEATURES cxx_std_17)
endif()
set(TORCH_INCLUDE_DIRS "${_p}/include" "${_p}/include/torch/csrc/api/include")
set(TORCH_LIBRARIES torch)
set(TORCH_CUDA_FOUND OFF)
set(TORCH_FOUND ON)
CMAKE
cat > "$new/share/cmake/Torch/TorchConfigVersion.cmake" <<CMAKE
set(PACKAGE_VERSION $version)
if(PACKAGE_FIND_VERSION VERSION_LESS_EQUAL PACKAGE_VERSION)
  set(PACKAGE_VERSION_COMPATIBLE TRUE)
endif()
CMAKE
touch "$new/$stamp"

# A folder without the stamp is none of ours to delete unless it is empty.
rmdir "$prefix" 2>/dev/null || true
if ! mv -T "$new" "$prefix" 2>/dev/null; then
  [ -f "$prefix/$stamp" ] || die "$prefix exists and is not a prefix made by this script; remove it"
fi
say "done"
