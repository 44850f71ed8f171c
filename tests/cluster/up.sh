#!/usr/bin/env bash
# Starts a real one-node Kubernetes cluster on this machine, for the demo and for tests.
#
#   usage: up.sh
#
# Needs root, the packages in packages.txt and, the first time, Go to build Kubernetes (build-tools.sh; ten minutes).
# Afterwards a start takes some ten seconds. If the cluster runs already, this checks it and starts again what is broken;
# after a crash it goes on with the objects that were there. Two cannot run at once: the second waits.
#
# Everything is in build/cluster: the commands kubectl, helm, enter and node, the kubeconfig admin.conf, and log/. No
# process, mount, address or rule is outside the cluster's own namespaces and cgroup. down.sh removes it all.

set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib/all.sh"

works() {
  local name jobs=() job
  for name in "${COMPONENTS[@]}"; do
    healthy "$name" &
    jobs+=($!)
  done
  node_ready &
  jobs+=($!)
  for job in "${jobs[@]}"; do wait "$job" || return 1; done
}

[[ $# -eq 0 ]] || die "unknown argument: $1" "usage: up.sh"
preflight
lock_cluster
"$CLUSTER_DIR/build-tools.sh"

if pid_of holder >/dev/null; then
  if works; then
    say "The cluster is up: $STATE/kubectl get node"
    exit
  fi
  say "Repairing the cluster"
else
  # After a crash, as after a boot: no process and no pod's cgroup, for which the kubelet would wait in vain. The mounts
  # went with the last process.
  kill_cluster_processes
  cgroup_down
  say "Starting the cluster"
fi

began=$SECONDS
mkdir -p "$STATE"
links_up
wrappers_up
pki_up
cgroup_up
network_up
mounts_up
config_up

for name in "${COMPONENTS[@]}"; do restart_if_stuck "$name"; done
launch etcd
launch containerd
wait_healthy etcd
launch apiserver
wait_healthy containerd
pause_image_up
wait_healthy apiserver
for name in kcm scheduler kubelet proxy device-plugin; do launch "$name"; done
for name in kcm scheduler kubelet proxy; do wait_healthy "$name"; done
wait_for kubelet 120 node_ready
wait_healthy device-plugin
wait_for kcm 60 pods_allowed
say "The cluster is up after $((SECONDS - began)) s: $STATE/kubectl get node"
