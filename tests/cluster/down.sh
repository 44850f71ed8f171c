#!/usr/bin/env bash
# Stops this checkout's test cluster and removes all that belongs to it: processes, pods, mounts, network, cgroup, and
# the folder build/cluster. What ran in the cluster's network (build/cluster/enter) ends too. Built programs stay.
#
#   usage: down.sh
#
# Works whatever state the cluster is in, also when it was never started.

set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib/all.sh"

[[ $# -eq 0 ]] || die "unknown argument: $1" "usage: down.sh"
need_root
must_be_outside
lock_cluster
[[ ! -d $STATE ]] || for name in "${COMPONENTS[@]}" holder; do stop "$name" KILL; done
kill_cluster_processes
network_down
cgroup_down
rm -rf "$STATE"
[[ ! -d ${STATE%/*} ]] || rmdir --ignore-fail-on-non-empty "${STATE%/*}"
say "The cluster is down"
