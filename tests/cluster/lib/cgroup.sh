# shellcheck shell=bash
# The cgroup below which the kubelet puts every pod of this cluster: /$CLUSTER, in each hierarchy that is mounted
# (version 1 and hybrid: one a controller; version 2: one).

cgroup_mounts() { awk '$3 == "cgroup" || $3 == "cgroup2" { print $2 }' /proc/self/mounts; }

cgroup_up() {
  local mount controller
  while read -r mount; do
    # Version 2: a controller works in a group only where its parent hands it down.
    if [[ $mount == /sys/fs/cgroup ]]; then
      for controller in cpu cpuset io memory pids; do
        grep -qw "$controller" "$mount/cgroup.subtree_control" ||
          { echo "+$controller" >"$mount/cgroup.subtree_control"; } 2>/dev/null ||
          die "the cgroup controller '$controller' is not to be had" \
            "In a container, first: mkdir /sys/fs/cgroup/init; for p in \$(cat /sys/fs/cgroup/cgroup.procs); do echo \$p >/sys/fs/cgroup/init/cgroup.procs; done"
      done
    fi
    mkdir -p "$mount/$CLUSTER" || die "cannot make a cgroup in $mount" "Is it mounted read-only, as in an unprivileged container?"
    # Version 1: a cpuset takes no process before it has processors and memory nodes.
    for controller in cpus mems; do
      [[ ! -e $mount/$CLUSTER/cpuset.$controller || -e $mount/$CLUSTER/cgroup.controllers ]] ||
        cat "$mount/cpuset.$controller" >"$mount/$CLUSTER/cpuset.$controller"
    done
  done < <(cgroup_mounts)
}

# The numbers of all processes below the cluster's cgroup.
cgroup_processes() {
  local mount
  while read -r mount; do
    [[ ! -d $mount/$CLUSTER ]] || find "$mount/$CLUSTER" -name cgroup.procs -exec cat {} + 2>/dev/null || true
  done < <(cgroup_mounts)
}

# A group can be removed a moment after its last process has ended, hence the attempts.
cgroup_down() {
  local mount
  while read -r mount; do
    for _ in {1..50}; do
      [[ -d $mount/$CLUSTER ]] || break
      find "$mount/$CLUSTER" -depth -type d -exec rmdir {} + 2>/dev/null || sleep 0.1
    done
    [[ ! -d $mount/$CLUSTER ]] || die "cannot remove the cgroup $mount/$CLUSTER"
  done < <(cgroup_mounts)
}
