#!/usr/bin/env bash
# The README's figures for `make demo`: from nothing in any cache, then once more.
#
#   tests/perf/demo.sh [FOLDER]
#
# Clones this checkout into a new folder in FOLDER (default /tmp; about 12 GB while it runs) with
# caches of its own, runs `make demo` twice and prints minutes and megabytes. Debian packages are
# installed only once a machine, so what they would load is counted from the package lists.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
folder=$(mktemp -d "${1:-/tmp}/torchsoak-demo.XXXXXX")
clone=$folder/torchsoak
export XDG_CACHE_HOME=$folder/cache CCACHE_DIR=$folder/ccache GOPATH=$folder/go

received() { awk 'NR > 2 && $1 != "lo:" {sum += $2} END {print sum}' /proc/net/dev; }

# Names and sizes of what apt would load for these packages if nothing at all were installed.
archives() {
  apt-get -o Dir::State::status=/dev/null --no-install-recommends --print-uris -y install "$@" 2>/dev/null |
    awk '/\.deb/ {print $2, $3}' | sort
}

packages_mb() {
  local wanted base
  wanted=$(sed 's/#.*//' "$root/.ci/packages.txt" "$root/tests/cluster/packages.txt" | awk 'NF {print $1}' | sort -u)
  base=$(apt-cache dumpavail | awk '/^Package:/ {p = $2} /^Priority: (required|important)/ {print p}' | sort -u)
  # shellcheck disable=SC2086  # one word a package
  join -v1 <(archives $wanted) <(archives $base) | awk '{sum += $2} END {printf "%.0f", sum / 1e6}'
}

run_demo() {
  local before=$SECONDS bytes
  bytes=$(received)
  make -C "$clone" demo >"$folder/$1.log" 2>&1 || { tail -n 20 "$folder/$1.log"; exit 1; }
  printf '%-6s %5d s, %5d MB received\n' "$1" $((SECONDS - before)) $((($(received) - bytes) / 1000000))
}

git clone -q "$root" "$clone"
trap '"$clone/tests/cluster/down.sh" >/dev/null 2>&1 || true; rm -rf "$folder"' EXIT
run_demo cold
"$clone/tests/cluster/down.sh" >/dev/null 2>&1
run_demo warm
echo "Debian packages beyond a minimal Debian 12: $(packages_mb) MB"
