# shellcheck shell=bash
# The daemons of the cluster: how each is started, and how one knows that it works. Order is the order of starting.

COMPONENTS=(etcd apiserver kcm scheduler containerd kubelet proxy device-plugin)

# command_of NAME: sets the array `command`. Inside the node's own view of the file system, hence the default folders.
command_of() {
  local pki=$STATE/pki bin=$STATE/bin
  case $1 in
    etcd)
      # Without fsync a crash of the machine, not of etcd, may lose data; a test cluster is worth no wait.
      command=("$bin/etcd" --data-dir "$STATE/etcd" --unsafe-no-fsync --log-level warn
        --listen-client-urls http://127.0.0.1:2379 --advertise-client-urls http://127.0.0.1:2379
        --listen-peer-urls http://127.0.0.1:2380 --initial-advertise-peer-urls http://127.0.0.1:2380
        --initial-cluster default=http://127.0.0.1:2380)
      ;;
    apiserver)
      # The last option: when told to end, it does not wait half a minute for the watches of others.
      # shellcheck disable=SC2054 # The comma is the option's own.
      command=("$bin/kube-apiserver" --etcd-servers http://127.0.0.1:2379
        --secure-port 6443 --advertise-address "$NODE_IP" --service-cluster-ip-range "$SERVICE_CIDR"
        --tls-cert-file "$pki/apiserver.crt" --tls-private-key-file "$pki/apiserver.key"
        --client-ca-file "$pki/ca.crt" --authorization-mode Node,RBAC --enable-admission-plugins NodeRestriction
        --service-account-issuer https://kubernetes.default.svc
        --service-account-key-file "$pki/service-accounts.pub"
        --service-account-signing-key-file "$pki/service-accounts.key"
        --kubelet-preferred-address-types InternalIP --kubelet-certificate-authority "$pki/ca.crt"
        --kubelet-client-certificate "$pki/apiserver-kubelet-client.crt"
        --kubelet-client-key "$pki/apiserver-kubelet-client.key" --allow-privileged
        --shutdown-watch-termination-grace-period 1s)
      ;;
    kcm)
      command=("$bin/kube-controller-manager" --leader-elect=false --use-service-account-credentials
        --kubeconfig "$pki/kcm.conf" --authentication-kubeconfig "$pki/kcm.conf"
        --authorization-kubeconfig "$pki/kcm.conf" --root-ca-file "$pki/ca.crt"
        --service-account-private-key-file "$pki/service-accounts.key"
        --cluster-signing-cert-file "$pki/ca.crt" --cluster-signing-key-file "$pki/ca.key"
        --flex-volume-plugin-dir /var/lib/kubelet/volume-plugins)
      ;;
    scheduler)
      command=("$bin/kube-scheduler" --leader-elect=false --kubeconfig "$pki/scheduler.conf"
        --authentication-kubeconfig "$pki/scheduler.conf" --authorization-kubeconfig "$pki/scheduler.conf")
      ;;
    containerd) command=("$(command -v containerd)" --config "$STATE/config/containerd.toml") ;;
    kubelet)
      command=("$bin/kubelet" --config "$STATE/config/kubelet.yaml" --kubeconfig "$pki/kubelet.conf"
        --hostname-override "$NODE_NAME" --node-ip "$NODE_IP")
      ;;
    proxy)
      # Zero: leave alone the connection limits, which a network namespace may not set.
      command=("$bin/kube-proxy" --kubeconfig "$pki/proxy.conf" --hostname-override "$NODE_NAME"
        --proxy-mode nftables --cluster-cidr "$POD_CIDR"
        --conntrack-max-per-core 0 --conntrack-tcp-timeout-established 0 --conntrack-tcp-timeout-close-wait 0)
      ;;
    device-plugin) command=("$bin/device-plugin" --dir /var/lib/kubelet/device-plugins) ;;
    *) die "no such component: $1" "One of: ${COMPONENTS[*]}" ;;
  esac
}

# get URL: the answer of a health page on the node, whatever its certificate.
get() { in_network curl --fail --silent --insecure --noproxy '*' --max-time 3 "$1"; }

admin() { in_network "$STATE/bin/kubectl" --kubeconfig="$STATE/admin.conf" --request-timeout=5s "$@"; }

# healthy NAME: quietly says whether a component works.
healthy() {
  pid_of "$1" >/dev/null || return 1
  case $1 in
    etcd) get http://127.0.0.1:2379/health ;;
    apiserver) get https://127.0.0.1:6443/readyz ;;
    kcm) get https://127.0.0.1:10257/healthz ;;
    scheduler) get https://127.0.0.1:10259/readyz ;;
    containerd) in_node ctr version ;;
    kubelet) get http://127.0.0.1:10248/healthz ;;
    proxy) get http://127.0.0.1:10256/healthz ;;
    device-plugin) [[ $(tail -n 1 "$STATE/log/device-plugin.log") == *" registered "* ]] ;;
  esac &>/dev/null
}

# The node is ready and counts two GPUs, said by the kubelet that runs now rather than left over from one before.
node_ready() {
  local ready heartbeat gpus
  read -r ready heartbeat gpus < <(
    admin get node "$NODE_NAME" -o jsonpath='{range .status.conditions[?(@.type=="Ready")]}{.status} {.lastHeartbeatTime}{end} {.status.allocatable.nvidia\.com/gpu}' 2>/dev/null
    echo
  )
  [[ $ready == True && $gpus == 2 ]] && (($(date -d "$heartbeat" +%s) >= $(started_at kubelet)))
}

# Pods of the default namespace are refused until the controller manager has made this account.
pods_allowed() { admin get serviceaccount default &>/dev/null; }

# failed NAME MESSAGE: ends the script with what a reader needs to go on.
failed() {
  printf '%s: %s\n' "${0##*/}" "$2" >&2
  show_log "$STATE/log/$1.log"
  printf '  All logs are in %s. To clean up: tests/cluster/down.sh\n' "$STATE/log" >&2
  exit 1
}

# The node's heartbeat counts whole seconds: started in a second of its own, a kubelet's are told from those of the
# kubelet before.
await_next_second() {
  local second
  second=$(date +%s)
  until (($(date +%s) > second)); do sleep 0.05; done
}

# launch NAME: starts it unless it runs, and runs the program that is wanted now.
launch() {
  local name=$1 command pid
  command_of "$name"
  if pid=$(pid_of "$name"); then
    [[ ! /proc/$pid/exe -ef ${command[0]} ]] || return 0
    stop "$name"
  fi
  [[ $name != kubelet ]] || await_next_second
  start "$name" nsenter --mount="/proc/$(pid_of holder)/ns/mnt" --net="$NETNS" -- "${command[@]}"
}

# wait_for NAME SECONDS CHECK...: until CHECK succeeds; ends the script if the component NAME ends or the time is over.
wait_for() {
  local name=$1 seconds=$2 deadline=$((SECONDS + $2))
  shift 2
  until "$@"; do
    pid_of "$name" >/dev/null || failed "$name" "$name ended right after its start"
    ((SECONDS < deadline)) || failed "$name" "$name did not become ready within $seconds s"
    sleep 0.2
  done
}

# restart_if_stuck NAME: ends a component that runs but does not answer, and leaves the start to others.
restart_if_stuck() {
  pid_of "$1" >/dev/null || return 0
  for _ in 1 2 3; do
    ! healthy "$1" || return 0
    sleep 0.5
  done
  stop "$1" TERM 2
}

wait_healthy() { wait_for "$1" "${2:-120}" healthy "$1"; }
