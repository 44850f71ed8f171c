# shellcheck shell=bash
# The configuration files of containerd, CNI and the kubelet. Paths are those of the node's own view (namespaces.sh).

config_up() {
  local config=$STATE/config
  mkdir -p "$config/cni" "$config/manifests"

  # A cable from each pod to the node (ptp), not a bridge: so all that pods say to each other passes the node's rules, and
  # services work among neighbours whatever the bridge filter module of this machine does.
  cat >"$config/cni/10-pods.conflist" <<EOF
{
  "cniVersion": "0.4.0",
  "name": "pods",
  "plugins": [
    {
      "type": "ptp",
      "ipam": {"type": "host-local", "ranges": [[{"subnet": "$POD_CIDR"}]], "routes": [{"dst": "0.0.0.0/0"}]}
    },
    {"type": "portmap", "capabilities": {"portMappings": true}}
  ]
}
EOF

  # restrict_oom_score_adj: root without CAP_SYS_RESOURCE cannot make a sandbox otherwise.
  cat >"$config/containerd.toml" <<EOF
version = 2
disabled_plugins = ["io.containerd.snapshotter.v1.aufs", "io.containerd.snapshotter.v1.btrfs", "io.containerd.snapshotter.v1.devmapper", "io.containerd.snapshotter.v1.zfs"]
[plugins."io.containerd.internal.v1.opt"]
path = "/var/lib/containerd/opt"
[plugins."io.containerd.grpc.v1.cri"]
sandbox_image = "$PAUSE_IMAGE"
restrict_oom_score_adj = true
[plugins."io.containerd.grpc.v1.cri".cni]
bin_dir = "/usr/lib/cni"
conf_dir = "$config/cni"
[plugins."io.containerd.grpc.v1.cri".containerd]
snapshotter = "$(snapshotter)"
[plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
runtime_type = "io.containerd.runc.v2"
[plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]
BinaryName = "$(command -v runc)"
EOF

  # Tests want to see a change of the node within a second or two. Nothing is evicted or collected before the disk or the
  # memory is nearly full. clusterDNS: no server answers there, but without an address every pod gets a warning event.
  cat >"$config/kubelet.yaml" <<EOF
apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
address: $NODE_IP
containerRuntimeEndpoint: unix:///run/containerd/containerd.sock
staticPodPath: $config/manifests
volumePluginDir: /var/lib/kubelet/volume-plugins
authentication:
  anonymous: {enabled: false}
  webhook: {enabled: true}
  x509: {clientCAFile: $STATE/pki/ca.crt}
authorization: {mode: Webhook}
tlsCertFile: $STATE/pki/kubelet.crt
tlsPrivateKeyFile: $STATE/pki/kubelet.key
cgroupDriver: cgroupfs
cgroupRoot: /$CLUSTER
enforceNodeAllocatable: []
failCgroupV1: false
failSwapOn: false
clusterDomain: cluster.local
clusterDNS: [10.96.0.10]
resolvConf: ""
nodeStatusUpdateFrequency: 1s
nodeStatusReportFrequency: 30s
syncFrequency: 5s
imageGCHighThresholdPercent: 100
evictionHard:
  memory.available: 50Mi
  nodefs.available: "1%"
  nodefs.inodesFree: "1%"
  imagefs.available: "1%"
EOF
}

# Overlay needs a file system below that bears it; a container's own does not.
snapshotter() {
  local probe=$STATE/overlay-probe
  mkdir -p "$probe"/{lower,upper,work,merged}
  if in_node mount -t overlay -o "lowerdir=$probe/lower,upperdir=$probe/upper,workdir=$probe/work" \
    overlay "$probe/merged" &>/dev/null; then
    in_node umount "$probe/merged"
    echo overlayfs
  else
    echo native
  fi
  rm -rf "$probe"
}
