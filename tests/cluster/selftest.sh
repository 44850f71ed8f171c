#!/usr/bin/env bash
# Tests the test cluster itself: that it starts, runs pods as a real one does, survives failures and leaves nothing.
#
#   usage: selftest.sh
#
# Takes some three minutes once the programs are built. Ends at the first failure with a non-zero exit code. The cluster
# is taken down at the end in any case; so this refuses to begin while one is in use.

# shellcheck disable=SC2016 # Scripts in single quotes are for the shells in pods.

set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib/all.sh"

IMAGE=localhost/torchsoak/selftest:1
work=$(mktemp -d)
step="start"

finish() {
  local code=$?
  trap - EXIT
  ((code == 0)) || printf 'FAILED: %s\n' "$step" >&2
  "$CLUSTER_DIR/down.sh" >"$work/down.log" 2>&1 || { cat "$work/down.log" >&2 && code=1; }
  rm -rf "$work"
  ((code != 0)) || say "All passed"
  exit "$code"
}

# check WHAT COMMAND...: the command, a function below, must succeed; what it printed is shown only when it does not.
check() {
  local began=$SECONDS
  step=$1
  shift
  # In a subshell of its own, with -e on: after || or in `if` the shell would ignore a failure in the middle.
  set +e
  (
    set -ex
    "$@"
  ) >"$work/output" 2>&1
  local code=$?
  set -e
  ((code == 0)) || { tail -n 40 "$work/output" >&2 && exit 1; }
  printf 'ok  %-66s %3d s\n' "$step" "$((SECONDS - began))"
}

# The opposite of a command that must succeed. The shell's own ! would not end the test.
refused() { if "$@"; then return 1; fi; }

kubectl() { "$STATE/kubectl" "$@"; }
up() { "$CLUSTER_DIR/up.sh"; }
restart() { "$CLUSTER_DIR/restart.sh" "$@"; }

# manifest KIND NAME LIMITS SCRIPT: a pod or a job that meets the restricted pod security standard.
manifest() {
  local kind=$1 name=$2 limits=$3 script=$4 pod
  pod=$(
    cat <<EOF
{"restartPolicy": "Never",
 "securityContext": {"runAsNonRoot": true, "runAsUser": 65532, "seccompProfile": {"type": "RuntimeDefault"}},
 "containers": [{"name": "main", "image": "$IMAGE", "imagePullPolicy": "Never", "resources": {"limits": {$limits}},
   "command": ["sh", "-c", "$script"],
   "securityContext": {"allowPrivilegeEscalation": false, "capabilities": {"drop": ["ALL"]}}}]}
EOF
  )
  case $kind in
    Pod) echo "{\"apiVersion\": \"v1\", \"kind\": \"Pod\", \"metadata\": {\"name\": \"$name\"}, \"spec\": $pod}" ;;
    Job) echo "{\"apiVersion\": \"batch/v1\", \"kind\": \"Job\", \"metadata\": {\"name\": \"$name\"},
           \"spec\": {\"backoffLimit\": 0, \"template\": {\"spec\": $pod}}}" ;;
  esac
}

run() { manifest "$@" | kubectl -n selftest apply -f -; }

terminated() { # POD FIELD
  kubectl -n selftest get pod "$1" -o jsonpath="{.status.containerStatuses[0].state.terminated.$2}"
}

wait_phase() { kubectl -n selftest wait "pod/$1" --for="jsonpath={.status.phase}=$2" --timeout=60s; }

allocatable() { kubectl get node -o jsonpath='{.items[0].status.allocatable.nvidia\.com/gpu}'; }

first_up() {
  up
  [[ $(kubectl version | awk '/^Server/ { print $3 }') == "$(pinned tools/kubernetes k8s.io/kubernetes)" ]]
}

second_up() {
  local began
  began=$(date +%s%N)
  up
  (($(date +%s%N) - began < 3000000000))
}

two_ups() {
  local first second
  up & first=$!
  up & second=$!
  wait "$first"
  wait "$second"
}

commands() {
  cd /
  [[ $(env -i PATH="$PATH" "$STATE/kubectl" get nodes -o name) == node/node1 ]]
  [[ $(env -i PATH="$PATH" "$STATE/helm" version --template '{{.Version}}') == "$(pinned tools/helm helm.sh/helm/v3)" ]]
  "$STATE/helm" list --all-namespaces
  "$STATE/enter" sh -c '[ -f "$KUBECONFIG" ] && ip link show node0'
  "$STATE/node" ctr --namespace k8s.io images ls --quiet
}

image() {
  busybox_folder "$work/root" sh echo env id nc sleep
  make_image "$IMAGE" "$work/root" "$work/image.tar" /bin/sh
  [[ $("$CLUSTER_DIR/load-image.sh" "$work/image.tar") == "$IMAGE" ]]
  [[ $("$CLUSTER_DIR/load-image.sh" "$work/image.tar") == "$IMAGE" ]]
}

restricted_namespace() {
  kubectl create namespace selftest
  kubectl label namespace selftest pod-security.kubernetes.io/enforce=restricted
  refused kubectl -n selftest run refused --image="$IMAGE"
}

job() {
  run Job job '' 'id -u; echo message >/dev/termination-log'
  kubectl -n selftest wait job/job --for=condition=Complete --timeout=60s
  [[ $(kubectl -n selftest logs job/job) == 65532 ]]
  pod=$(kubectl -n selftest get pod -l job-name=job -o jsonpath='{.items[0].metadata.name}')
  [[ $(terminated "$pod" message) == message ]]
  [[ $(terminated "$pod" exitCode) == 0 ]]
}

exit_code() {
  run Pod exit-code '' 'exit 42'
  wait_phase exit-code Failed
  [[ $(terminated exit-code exitCode) == 42 ]]
}

out_of_memory() {
  run Pod oom '"memory": "32Mi"' 'a=aaaaaaaa; while :; do a=$a$a; done'
  wait_phase oom Failed
  [[ $(terminated oom reason) == OOMKilled ]]
  [[ $(terminated oom exitCode) == 137 ]]
}

service_address() {
  run Pod client '' 'echo $KUBERNETES_SERVICE_HOST; echo | nc -w 5 $KUBERNETES_SERVICE_HOST $KUBERNETES_SERVICE_PORT'
  wait_phase client Succeeded
  [[ $(kubectl -n selftest logs client | head -n 1) == "$SERVICE_IP" ]]
}

# Also to itself, which takes another way than to a neighbour.
service_of_pods() {
  run Pod server '' 'exec nc -ll -p 8080 -e echo hello'
  kubectl -n selftest label pod server app=server
  kubectl -n selftest expose pod server --port 80 --target-port 8080
  wait_phase server Running
  run Pod neighbour '' 'for i in 1 2 3 4 5; do nc -w 2 $SERVER_SERVICE_HOST 80 && exit; sleep 1; done; exit 1'
  wait_phase neighbour Succeeded
  [[ $(kubectl -n selftest logs neighbour) == hello ]]
  kubectl -n selftest exec server -- sh -c 'nc -w 2 $0 80' \
    "$(kubectl -n selftest get service server -o jsonpath='{.spec.clusterIP}')" | grep -x hello
}

gpus() {
  [[ $(allocatable) == 2 ]]
  run Pod gpu '"nvidia.com/gpu": 1' 'env; exec sleep 3600'
  wait_phase gpu Running
  kubectl -n selftest logs gpu | grep '^NVIDIA_VISIBLE_DEVICES=GPU-[-0-9a-f]*$'
  kubectl -n selftest exec gpu -- id -u | grep -x 65532
  run Pod too-many '"nvidia.com/gpu": 2' 'exit 0'
  kubectl -n selftest wait pod/too-many --for=jsonpath='{.status.conditions[?(@.type=="PodScheduled")].reason}'=Unschedulable --timeout=30s
}

# The pod that was started before must not notice.
pod_still_runs() {
  [[ $(kubectl -n selftest get pod gpu -o jsonpath='{.status.phase} {.status.containerStatuses[0].restartCount}') == "Running 0" ]]
}

kubelet_restart() {
  local before
  before=$(grep -c registered "$STATE/log/device-plugin.log")
  restart kubelet "$1"
  [[ $(allocatable) == 2 ]]
  (($(grep -c registered "$STATE/log/device-plugin.log") > before))
  pod_still_runs
}

other_restart() {
  restart "$@"
  [[ $(allocatable) == 2 ]]
  pod_still_runs
}

stop_and_start() {
  restart apiserver stop
  refused kubectl get --raw /readyz
  restart apiserver start
  kubectl get --raw /readyz
}

# A stopped process exists but does not answer.
repair() {
  kill -STOP "$(pid_of scheduler)"
  kill -KILL "$(pid_of proxy)"
  up
  up | grep 'The cluster is up: '
  pod_still_runs
}

after_crash() {
  up
  kubectl -n selftest get job job
  [[ $(allocatable) == 2 ]]
  run Pod "$1" '' 'exit 0'
  wait_phase "$1" Succeeded
}

# The containers and their shims live on, as orphans.
daemons_crash() {
  local name
  for name in "${COMPONENTS[@]}" holder; do kill -KILL "$(pid_of "$name")"; done
  cluster_processes | grep .
  after_crash after-daemons-crash
}

everything_crashes() {
  kill_cluster_processes
  after_crash after-crash
}

# As when somebody empties the build folder. The kubelet writes to it all the while.
folder_removed() {
  for _ in {1..20}; do ! rm -rf "$STATE" || break; done
  up
  [[ $(allocatable) == 2 ]]
}

nothing_left() {
  local file
  "$CLUSTER_DIR/down.sh"
  [[ ! -e $STATE ]]
  [[ ! -e $NETNS ]]
  [[ -z $(cluster_processes) ]]
  while read -r file; do [[ ! -e $file/$CLUSTER ]]; done < <(cgroup_mounts)
  for file in /proc/[0-9]*; do
    refused grep -qF "$STATE" "$file/cmdline" 2>/dev/null
    refused grep -qF "$STATE" "$file/mountinfo" 2>/dev/null
  done
  diff "$work/before" <(machine)
}

# What a cluster could leave behind on the machine; nothing that others may change meanwhile.
machine() {
  ls -d /run/netns/cni-* /run/containerd /var/lib/{kubelet,cni,containerd} /var/log/{pods,containers} /etc/cni \
    /opt/{cni,containerd} /usr/libexec/kubernetes /sys/class/net/node0 2>/dev/null || true
  cut -d' ' -f5 /proc/self/mountinfo | grep -e /kubelet -e /containerd -e /cni- -e /proc/sys/ -e "$CLUSTER" || true
  sysctl vm.overcommit_memory vm.panic_on_oom kernel.panic kernel.panic_on_oops kernel.keys net.ipv4.ip_forward
}

need_root
! pid_of holder >/dev/null || die "the cluster is in use" "To test it, first: $CLUSTER_DIR/down.sh"
trap finish EXIT
trap 'exit 130' INT TERM
"$CLUSTER_DIR/build-tools.sh"
"$CLUSTER_DIR/down.sh" >/dev/null
machine >"$work/before"

check "starts" first_up
check "a second start finds it healthy, within 3 s" second_up
check "two starts at once agree" two_ups
check "kubectl, helm, enter and node work from any folder" commands
check "an image is loaded, and loaded again" image
check "pod security refuses an unsafe pod" restricted_namespace
check "a restricted job completes, with log and termination message" job
check "an exit code is seen" exit_code
check "too much memory is OOMKilled" out_of_memory
check "a pod reaches the API server by the service address" service_address
check "a pod reaches a neighbour and itself by a service address" service_of_pods
check "two GPUs: one is given to a pod, two more are not to be had" gpus
check "kubelet killed: GPUs are registered again" kubelet_restart KILL
check "kubelet ended: GPUs are registered again" kubelet_restart TERM
for name in device-plugin containerd etcd apiserver kcm scheduler proxy; do
  check "$name killed: the pod runs on" other_restart "$name"
done
check "apiserver stopped and started" stop_and_start
check "a start repairs one component that hangs and one that is gone" repair
check "all daemons killed: a start goes on with the objects that were there" daemons_crash
check "all processes killed: a start goes on with the objects that were there" everything_crashes
check "folder removed under a running cluster: a start makes a new one" folder_removed
check "nothing is left after the end" nothing_left
check "a second end is harmless" nothing_left
