# shellcheck shell=bash
# Says what the machine lacks, before anything is made on it.

preflight() {
  local program missing=()
  need_root
  for program in containerd ctr runc ip nft iptables openssl curl busybox flock nsenter unshare setsid sysctl; do
    command -v "$program" >/dev/null || missing+=("$program")
  done
  [[ -x /usr/lib/cni/ptp ]] || missing+=("/usr/lib/cni/ptp")
  ((${#missing[@]} == 0)) ||
    die "missing on this machine: ${missing[*]}" \
      "Install the packages: sed 's/#.*//' $CLUSTER_DIR/packages.txt | xargs apt-get install -y"
  [[ -n $(cgroup_mounts) ]] || die "no cgroups are mounted"
}
