# shellcheck shell=bash
# Container images: made from a folder without any tool but tar, and imported into the cluster's containerd.

PAUSE_IMAGE=localhost/torchsoak/pause:1

# make_image NAME FOLDER ARCHIVE COMMAND...: packs FOLDER as an image of one layer, in the form of `docker save`.
make_image() {
  local name=$1 folder=$2 archive=$3 work layer command
  shift 3
  work=$(mktemp -d)
  tar --sort=name --owner=0 --group=0 --numeric-owner --mtime=@0 -C "$folder" -cf "$work/layer.tar" .
  layer=$(sha256sum "$work/layer.tar" | cut -d' ' -f1)
  command=$(printf ',"%s"' "$@")
  cat >"$work/config.json" <<EOF
{"architecture": "$(dpkg --print-architecture)", "os": "linux",
 "config": {"Cmd": [${command:1}], "Env": ["PATH=/bin"]}, "rootfs": {"type": "layers", "diff_ids": ["sha256:$layer"]}}
EOF
  echo "[{\"Config\": \"config.json\", \"RepoTags\": [\"$name\"], \"Layers\": [\"layer.tar\"]}]" >"$work/manifest.json"
  tar -C "$work" -cf "$archive" manifest.json config.json layer.tar
  rm -r "$work"
}

# A folder with nothing but a static busybox and its names for the commands given: busybox_folder FOLDER COMMAND...
busybox_folder() {
  local folder=$1 name
  shift
  mkdir -p "$folder/bin"
  cp "$(command -v busybox)" "$folder/bin/busybox"
  for name in "$@"; do ln -s busybox "$folder/bin/$name"; done
}

has_image() { in_node ctr -n k8s.io images ls -q | grep -qxF "$1"; }

# import_image ARCHIVE: prints the names of the images in it, one a line, once the kubelet can use them.
import_image() {
  local archive=$1 output names name
  output=$(in_node ctr -n k8s.io images import --snapshotter "$(snapshotter_in_use)" "$archive" 2>&1) || true
  printf '%s\n' "$archive" "$output" >>"$STATE/log/images.log"
  names=$(awk '$1 == "unpacking" && /done/ { print $2 }' <<<"$output")
  [[ -n $names ]] || { printf '%s\n' "$output" >&2 && return 1; }
  # containerd tells its Kubernetes side of a new image a moment later, which then puts this label on it.
  while read -r name; do
    for _ in {1..50}; do
      in_node ctr -n k8s.io images ls -q "name==$name,labels.\"io.cri-containerd.image\"==managed" | grep -q . && break
      sleep 0.1
    done
  done <<<"$names"
  printf '%s\n' "$names"
}

snapshotter_in_use() { awk -F'"' '/^snapshotter/ { print $2 }' "$STATE/config/containerd.toml"; }

# The pause container holds a pod's namespaces and only has to sleep.
pause_image_up() {
  local folder
  ! has_image "$PAUSE_IMAGE" || return 0
  folder=$(mktemp -d)
  busybox_folder "$folder/root"
  make_image "$PAUSE_IMAGE" "$folder/root" "$folder/pause.tar" /bin/busybox sleep infinity
  import_image "$folder/pause.tar" >/dev/null || failed images "the pause image could not be imported"
  rm -r "$folder"
}
