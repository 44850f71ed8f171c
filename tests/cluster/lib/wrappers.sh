# shellcheck shell=bash
# The commands that `up` leaves in build/cluster for people and tests, and the links to the programs there.

links_up() {
  local name
  mkdir -p "$STATE/bin"
  while read -r name _; do
    [[ -z $name ]] || ln -sfn "$(tool "$name")" "$STATE/bin/$name"
  done <<<"$TOOLS"
}

# wrapper NAME WHAT: reads the body from standard input.
wrapper() {
  local file=$STATE/$1
  {
    printf '#!/usr/bin/env bash\n# %s. Works from any folder; needs root.\n' "$2"
    cat
  } >"$file.new"
  chmod +x "$file.new"
  mv "$file.new" "$file"
}

wrappers_up() {
  wrapper enter "Runs a command in the cluster's network, with KUBECONFIG set: enter COMMAND..." <<EOF
[[ -e '$NETNS' ]] || { echo "The cluster is not running; start it with $CLUSTER_DIR/up.sh" >&2; exit 1; }
export KUBECONFIG='$STATE/admin.conf' KUBECACHEDIR='$STATE/cache/kubectl'
exec nsenter --net='$NETNS' -- "\$@"
EOF
  wrapper node "Runs a command as on the cluster's node, with its /run, /var/lib and /var/log: node COMMAND..." <<EOF
read -r pid _ <'$STATE/pids/holder' && [[ -e '$NETNS' && -d /proc/\$pid ]] ||
  { echo "The cluster is not running; start it with $CLUSTER_DIR/up.sh" >&2; exit 1; }
exec nsenter --mount=/proc/\$pid/ns/mnt --net='$NETNS' -- "\$@"
EOF
  wrapper kubectl "kubectl for this cluster" <<EOF
exec '$STATE/enter' '$STATE/bin/kubectl' "\$@"
EOF
  wrapper helm "Helm for this cluster, with repositories and caches of its own" <<EOF
export HELM_CACHE_HOME='$STATE/cache/helm' HELM_CONFIG_HOME='$STATE/cache/helm' HELM_DATA_HOME='$STATE/cache/helm'
exec '$STATE/enter' '$STATE/bin/helm' "\$@"
EOF
}
