#!/usr/bin/env bash
# Ends one component of the test cluster and starts it again, for tests of failures.
#
#   usage: restart.sh COMPONENT [SIGNAL]
#
# COMPONENT is one of etcd apiserver kcm scheduler containerd kubelet proxy device-plugin. SIGNAL is KILL, as in a crash,
# unless TERM, as in an orderly stop, is given. Returns when the component works again; for kubelet and device-plugin,
# when the node counts its GPUs again. Pods keep running.
#
# To leave a component ended for a while, use the words stop and start instead of a signal:
#
#   restart.sh apiserver stop; ...; restart.sh apiserver start

set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib/all.sh"

usage="usage: restart.sh COMPONENT [KILL|TERM|stop|start]"
[[ $# -eq 1 || $# -eq 2 ]] || die "$usage"
name=$1 how=${2:-KILL}
command_of "$name"
need_root
lock_cluster
pid_of holder >/dev/null || die "the cluster is not running" "Start it with $CLUSTER_DIR/up.sh"

case ${how#-} in
  KILL | stop) stop "$name" KILL ;;
  TERM) stop "$name" TERM 20 ;;
  start) ;;
  *) die "$usage" ;;
esac
[[ $how != stop ]] || exit 0
launch "$name"
wait_healthy "$name"
case $name in
  kubelet | device-plugin)
    wait_for "$name" 60 node_ready
    wait_healthy device-plugin
    ;;
esac
