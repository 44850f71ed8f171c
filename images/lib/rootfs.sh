# shellcheck shell=bash
# What goes into an image: programs, the shared libraries that they load, and the few files that
# every image has. Used by build-local.sh and inside both Dockerfiles, so that an image made here
# and one made there differ in the versions of what they hold, not in how it is chosen.

# skeleton ROOT: users, certificates, a UTF-8 locale, and the folders that Debian's programs expect.
skeleton() {
  local root=$1 dir
  mkdir -p "$root"/{dev,etc/ssl/certs,proc,sys,tmp,usr/bin,usr/lib/locale,usr/lib/ssl,usr/lib64,usr/local/bin,var}
  chmod 1777 "$root/tmp"
  for dir in bin lib lib64; do ln -sfn "usr/$dir" "$root/$dir"; done
  printf '%s\n' 'root:x:0:0:root:/:/usr/sbin/nologin' \
    'nonroot:x:65532:65532:nonroot:/tmp:/usr/sbin/nologin' >"$root/etc/passwd"
  printf '%s\n' 'root:x:0:' 'nonroot:x:65532:' >"$root/etc/group"
  printf 'hosts: files dns\n' >"$root/etc/nsswitch.conf"
  cp -L /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/"
  # Where Debian's OpenSSL looks when a program asks for the usual certificates.
  ln -sfn /etc/ssl/certs "$root/usr/lib/ssl/certs"
  ln -sfn /etc/ssl/certs/ca-certificates.crt "$root/usr/lib/ssl/cert.pem"
  cp -rL /usr/lib/locale/C.utf8 "$root/usr/lib/locale/"
}

# libraries FILE...: the shared libraries that the files load, as paths of this machine, one a line.
# Fails when one is missing. Looks at the closure at link time; what a program opens by name while it
# runs (dlopen) must be given as a FILE of its own.
libraries() {
  local output
  output=$(ldd "$@") || { echo "ldd failed for: $*" >&2 && return 1; }
  if grep -q 'not found' <<<"$output"; then
    grep -B20 'not found' <<<"$output" >&2
    return 1
  fi
  # "name => /path (0x…)" and the loader's own "/path (0x…)"; the kernel's vdso has no path.
  { grep -oE '(=> |^[[:space:]]+)/[^ ]+ \(0x' <<<"$output" || true; } |
    sed -E 's/^(=> |[[:space:]]+)//; s/ \(0x$//' | LC_ALL=C sort -u
}

# library_place FILE: where a library of this machine goes in an image. Only the folders that the
# loader searches by itself: no RPATH, no LD_LIBRARY_PATH and no cache file is needed.
library_place() {
  case ${1#/usr} in
    /lib64/*) printf 'usr/lib64/%s\n' "${1##*/}" ;;
    *) printf 'usr/lib/%s-linux-gnu/%s\n' "$(uname -m)" "${1##*/}" ;;
  esac
}

# add_libraries ROOT FILE...: copies libraries, without debug information.
add_libraries() {
  local root=$1 file place
  shift
  for file in "$@"; do
    place=$root/$(library_place "$file")
    [[ ! -e $place ]] || continue
    mkdir -p "${place%/*}"
    # Debian's and LibTorch's are stripped already; strip would only rewrite hundreds of megabytes.
    cp -L "$file" "$place"
    ! has_debug_information "$place" || strip --strip-debug "$place"
    chmod 755 "$place"
  done
}

has_debug_information() { readelf --section-headers --wide "$1" 2>/dev/null | grep -q ' \.debug_info '; }

# add_program ROOT FILE NAME: a program of ours as /usr/local/bin/NAME.
add_program() {
  local place=$1/usr/local/bin/$3
  mkdir -p "${place%/*}"
  cp -L "$2" "$place"
  strip --strip-all "$place"
  chmod 755 "$place"
}
