#!/usr/bin/env bash
# Gives container images to the test cluster, so that pods can use them without a registry (imagePullPolicy Never or
# IfNotPresent).
#
#   usage: load-image.sh ARCHIVE...     each a tar file in docker-archive or oci-archive form, with the image's name in it
#
# Prints the names under which pods find the images. An image of the same name is replaced.

set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib/all.sh"

[[ $# -gt 0 ]] || die "no archive given" "usage: load-image.sh ARCHIVE..."
need_root
pid_of containerd >/dev/null || die "the cluster is not running" "Start it with $CLUSTER_DIR/up.sh"
for archive in "$@"; do
  [[ -r $archive ]] || die "cannot read $archive"
  import_image "$(realpath "$archive")" ||
    die "could not import $archive" "Is it an image archive with a name in it?"
done
