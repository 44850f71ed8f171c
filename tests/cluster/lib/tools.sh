# shellcheck shell=bash
# What the cluster's programs are built from, how, and where they are kept.

# One program a line: its name, the folder of the Go module that pins it, the package.
TOOLS="
kube-apiserver           tools/kubernetes  k8s.io/kubernetes/cmd/kube-apiserver
kube-controller-manager  tools/kubernetes  k8s.io/kubernetes/cmd/kube-controller-manager
kube-scheduler           tools/kubernetes  k8s.io/kubernetes/cmd/kube-scheduler
kubelet                  tools/kubernetes  k8s.io/kubernetes/cmd/kubelet
kube-proxy               tools/kubernetes  k8s.io/kubernetes/cmd/kube-proxy
kubectl                  tools/kubernetes  k8s.io/kubernetes/cmd/kubectl
etcd                     tools/etcd        go.etcd.io/etcd/server/v3
helm                     tools/helm        helm.sh/helm/v3/cmd/helm
device-plugin            device-plugin     torchsoak.dev/tests/cluster/device-plugin
"

# Programs of their own: no C library, no paths of this machine.
BUILD_FLAGS=(-trimpath -buildvcs=false)

# The version that a module's go.mod pins: pinned tools/helm helm.sh/helm/v3
pinned() {
  awk -v module="$2" '{ sub(/^require /, "") } $1 == module && $2 ~ /^v/ { print $2; exit }' "$CLUSTER_DIR/$1/go.mod"
}

# Release builds get their version from the linker; without it Kubernetes calls itself v0.0.0-master and Helm renders
# charts for an ancient cluster.
link_flags() {
  local kubernetes helm major minor
  kubernetes=$(pinned tools/kubernetes k8s.io/kubernetes)
  IFS=. read -r major minor _ <<<"${kubernetes#v}"
  case $1 in
    tools/kubernetes)
      for package in k8s.io/component-base/version k8s.io/client-go/pkg/version; do
        printf -- '-X %s.%s ' "$package" "gitVersion=$kubernetes" "$package" "gitMajor=$major" \
          "$package" "gitMinor=$minor" "$package" "gitTreeState=archive"
      done
      ;;
    tools/helm)
      helm=$(pinned tools/helm helm.sh/helm/v3)
      printf -- '-X helm.sh/helm/v3/%s ' "internal/version.version=$helm" \
        "pkg/chartutil.k8sVersionMajor=$major" "pkg/chartutil.k8sVersionMinor=$minor" \
        "pkg/lint/rules.k8sVersionMajor=$major" "pkg/lint/rules.k8sVersionMinor=$minor"
      ;;
  esac
}

# The cache folder of one module's programs. Its name holds everything that decides what is built.
tool_folder() {
  local module=$1 hash
  hash=$(
    {
      uname -m
      awk -v module="$module" '$2 == module' <<<"$TOOLS"
      printf '%s\n' "${BUILD_FLAGS[@]}" "$(link_flags "$module")"
      find "$CLUSTER_DIR/$module" -type f ! -name "*_test.go" -print0 | LC_ALL=C sort -z | xargs -0 cat
    } | sha256sum
  )
  printf '%s/%s-%s\n' "$CACHE" "${module##*/}" "${hash:0:12}"
}

# The path of one program: tool kubectl
tool() {
  local module
  module=$(awk -v name="$1" '$1 == name { print $2 }' <<<"$TOOLS")
  printf '%s/%s\n' "$(tool_folder "$module")" "$1"
}
