# shellcheck shell=bash
# Container images as files: layers, and archives in the form of `docker save`, made with tar alone.
# The same content gives the same bytes: sorted names, no times, no owners of this machine.

# pack_layer FOLDER FILE: FOLDER as an uncompressed layer; its sha256 goes to FILE.sha256.
pack_layer() {
  tar --sort=name --owner=0 --group=0 --numeric-owner --mtime=@0 --format=gnu -C "$1" -cf "$2.new" .
  sha256sum "$2.new" | cut -d' ' -f1 >"$2.sha256"
  mv "$2.new" "$2"
}

# json_list WORD...: ["a", "b"]. The words hold no quotes and no backslashes.
json_list() {
  local list
  list=$(printf ', "%s"' "$@")
  printf '[%s]' "${list:2}"
}

# json_map NAME=VALUE...
json_map() {
  local pair map=""
  for pair in "$@"; do map+=$(printf ', "%s": "%s"' "${pair%%=*}" "${pair#*=}"); done
  printf '{%s}' "${map:2}"
}

# image_config ENTRYPOINT ENVIRONMENT LABELS CREATED LAYER...: the last three as JSON; prints the
# image's configuration. User and home are the same for all of our images.
image_config() {
  local entrypoint=$1 environment=$2 labels=$3 created=$4 layer digests=()
  shift 4
  for layer in "$@"; do digests+=("sha256:$(<"$layer.sha256")"); done
  cat <<JSON
{"architecture": "$(dpkg --print-architecture)", "os": "linux", "created": "$created",
 "config": {"User": "65532:65532", "WorkingDir": "/tmp", "Entrypoint": $(json_list "$entrypoint"),
  "Env": $environment,
  "Labels": $labels},
 "rootfs": {"type": "layers", "diff_ids": $(json_list "${digests[@]}")}}
JSON
}

# pack_image NAME CONFIG ARCHIVE LAYER...: an archive that holds the image under that name.
pack_image() {
  local name=$1 config=$2 archive=$3 work layer digest layers=()
  shift 3
  work=$(mktemp -d "${archive%/*}/.image-XXXXXX")
  for layer in "$@"; do
    digest=$(<"$layer.sha256")
    ln -s "$(realpath "$layer")" "$work/$digest.tar"
    layers+=("$digest.tar")
  done
  cp "$config" "$work/config.json"
  printf '[{"Config": "config.json", "RepoTags": ["%s"], "Layers": %s}]\n' \
    "$name" "$(json_list "${layers[@]}")" >"$work/manifest.json"
  tar --sort=name --owner=0 --group=0 --numeric-owner --mtime=@0 --format=gnu --dereference \
    -C "$work" -cf "$archive.new" manifest.json config.json "${layers[@]}"
  rm -r "$work"
  mv "$archive.new" "$archive"
}
