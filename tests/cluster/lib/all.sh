# shellcheck shell=bash
# Everything in this folder, for the scripts that run the cluster.

lib=${BASH_SOURCE[0]%/*}
source "$lib/common.sh"
source "$lib/tools.sh"
source "$lib/process.sh"
source "$lib/namespaces.sh"
source "$lib/cgroup.sh"
source "$lib/pki.sh"
source "$lib/config.sh"
source "$lib/images.sh"
source "$lib/components.sh"
source "$lib/wrappers.sh"
source "$lib/preflight.sh"
unset lib
