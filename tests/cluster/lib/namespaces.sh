# shellcheck shell=bash
# The two namespaces that a cluster lives in, and the processes inside.
#
# Network: named $CLUSTER; a bridge carries the node's address and, by a default route, is where every packet to a
# service sets out to be rewritten by kube-proxy. No way leads out of it.
#
# Mounts: a private view of the file system, in which /run, /var/lib and /var/log are this cluster's own. So kubelet,
# containerd and CNI keep the paths that are compiled into them, beside any other cluster of the machine; and all that
# they mount is gone from the machine with the last process that has this view. One process, the holder, keeps it.

NODE_NAME=node1
NODE_IP=10.200.0.1
POD_CIDR=10.201.0.0/24
SERVICE_CIDR=10.96.0.0/16
SERVICE_IP=10.96.0.1
export NODE_NAME NODE_IP POD_CIDR SERVICE_CIDR SERVICE_IP

NETNS=/run/netns/$CLUSTER

# Not `ip netns exec`: that mounts /sys anew and hides the cgroups.
in_network() { nsenter --net="$NETNS" -- "$@"; }

# As on the node itself: in both namespaces. Starts in the folder /.
in_node() { nsenter --mount="/proc/$(pid_of holder)/ns/mnt" --net="$NETNS" -- "$@"; }

network_up() {
  [[ -e $NETNS ]] || ip netns add "$CLUSTER"
  ip -n "$CLUSTER" link set lo up
  ip -n "$CLUSTER" link show node0 &>/dev/null || ip -n "$CLUSTER" link add node0 type bridge
  ip -n "$CLUSTER" address replace "$NODE_IP/24" dev node0
  ip -n "$CLUSTER" link set node0 up
  ip -n "$CLUSTER" route replace default via "$NODE_IP" dev node0
  in_network sysctl -qw net.ipv4.ip_forward=1
}

network_down() {
  [[ ! -e $NETNS ]] || ip netns delete "$CLUSTER"
}

mounts_up() {
  pid_of holder >/dev/null && return
  rm -f "$STATE/private/ready"
  mkdir -p "$STATE/private"
  start holder nsenter --net="$NETNS" -- unshare --mount --propagation slave -- \
    bash "$CLUSTER_DIR/lib/holder.sh" "$STATE" "$CACHE"
  for _ in {1..100}; do
    [[ ! -e $STATE/private/ready ]] || return 0
    sleep 0.1
  done
  failed holder "the cluster's private mounts could not be made"
}

# All processes that belong to this cluster, however they got there: those in its cgroups (pods) and those in its
# network namespace (daemons, container shims, commands given to build/cluster/enter).
cluster_processes() {
  {
    [[ ! -e $NETNS ]] || ip netns pids "$CLUSTER"
    cgroup_processes
  } | sort -u
}

# A script that ends all processes of the cluster must not be one of them.
must_be_outside() {
  [[ ! $NETNS -ef /proc/self/ns/net ]] ||
    die "runs in the cluster's own network" "Call it from outside build/cluster/enter."
}

# Kills them until none is left; a process that is being killed may just have made another.
kill_cluster_processes() {
  local pids
  must_be_outside
  for _ in {1..100}; do
    mapfile -t pids < <(cluster_processes)
    ((${#pids[@]})) || return 0
    kill -KILL "${pids[@]}" 2>/dev/null || true
    sleep 0.1
  done
  die "processes of the cluster do not end: ${pids[*]}"
}
