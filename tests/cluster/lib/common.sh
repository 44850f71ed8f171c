# shellcheck shell=bash
# Names and words that every script of the test cluster shares. Sourced first, by all of them; does nothing on its own.
#
# Everything that belongs to one cluster is named by the checkout it was started from, so that two checkouts on one
# machine never meet: the network namespace and the cgroup by $CLUSTER, all files by $STATE.

CLUSTER_DIR=$(cd "${BASH_SOURCE[0]%/*}/.." && pwd -P)
REPO=$(cd "$CLUSTER_DIR/../.." && pwd -P)
STATE=$REPO/build/cluster
CACHE=${XDG_CACHE_HOME:-$HOME/.cache}/torchsoak/cluster-tools
CLUSTER=torchsoak-$(printf %s "$REPO" | sha256sum | cut -c1-8)

export CLUSTER_DIR REPO STATE CACHE CLUSTER

say() { printf '%s\n' "$*"; }

# die MESSAGE [WHAT TO DO NEXT]
die() {
  printf '%s: %s\n' "${0##*/}" "$1" >&2
  [[ -z ${2:-} ]] || printf '  %s\n' "$2" >&2
  exit 1
}

# Shows the end of a log file, indented, so that a reader of a failure need not open another file.
show_log() {
  printf '  last lines of %s:\n' "$1" >&2
  tail -n "${2:-30}" -- "$1" 2>/dev/null | sed 's/^/    /' >&2
}

need_root() {
  [[ $EUID -eq 0 ]] || die "must run as root: it makes namespaces, cgroups and mounts"
}

# Holds the cluster for this script until it ends: a second `up` waits for the first. The lock is on the folder of these
# scripts rather than on a file, so that there is nothing to clean up. Daemons are started with descriptor 9 closed.
lock_cluster() {
  exec 9<"$CLUSTER_DIR"
  if ! flock --nonblock 9; then
    say "Waiting for another command on this cluster to end"
    flock 9
  fi
}
