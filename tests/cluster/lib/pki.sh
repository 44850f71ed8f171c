# shellcheck shell=bash
# The cluster's certificates, all signed by its own authority, and the kubeconfig files that hold them.

# certificate NAME SUBJECT [ALTERNATIVE NAMES]
certificate() {
  local name=$1 subject=$2 names=${3:-DNS:localhost}
  openssl ecparam -name prime256v1 -genkey -noout -out "$name.key"
  openssl req -new -key "$name.key" -subj "$subject" -out "$name.csr"
  openssl x509 -req -in "$name.csr" -CA ca.crt -CAkey ca.key -CAcreateserial -days 3650 -out "$name.crt" -extfile <(
    printf 'subjectAltName=%s\nextendedKeyUsage=serverAuth,clientAuth\n' "$names"
  )
  rm "$name.csr"
}

# kubeconfig NAME FILE: a file that stands on its own, for the user of certificate NAME.
kubeconfig() {
  cat >"$2" <<EOF
apiVersion: v1
kind: Config
current-context: $CLUSTER
contexts:
- name: $CLUSTER
  context: {cluster: $CLUSTER, user: $1}
clusters:
- name: $CLUSTER
  cluster:
    server: https://$NODE_IP:6443
    certificate-authority-data: $(base64 -w0 ca.crt)
users:
- name: $1
  user:
    client-certificate-data: $(base64 -w0 "$1.crt")
    client-key-data: $(base64 -w0 "$1.key")
EOF
}

# Makes all of them once, or none: the folder gets its name when it is complete.
pki_up() (
  [[ ! -d $STATE/pki ]] || return 0
  umask 077
  rm -rf "$STATE/pki.new"
  mkdir -p "$STATE/pki.new" "$STATE/log"
  cd "$STATE/pki.new" || exit
  exec 2>"$STATE/log/pki.log"
  openssl ecparam -name prime256v1 -genkey -noout -out ca.key
  openssl req -x509 -new -key ca.key -subj "/CN=$CLUSTER" -days 3650 -out ca.crt
  openssl ecparam -name prime256v1 -genkey -noout -out service-accounts.key
  openssl ec -in service-accounts.key -pubout -out service-accounts.pub

  certificate apiserver /CN=kube-apiserver "IP:$NODE_IP,IP:127.0.0.1,IP:$SERVICE_IP,DNS:localhost,DNS:kubernetes.default.svc"
  certificate apiserver-kubelet-client /O=system:masters/CN=apiserver-kubelet-client
  certificate kubelet "/O=system:nodes/CN=system:node:$NODE_NAME" "IP:$NODE_IP,DNS:$NODE_NAME"
  certificate kcm /CN=system:kube-controller-manager
  certificate scheduler /CN=system:kube-scheduler
  certificate proxy /CN=system:kube-proxy
  certificate admin /O=system:masters/CN=admin
  for user in kubelet kcm scheduler proxy; do kubeconfig "$user" "$user.conf"; done
  kubeconfig admin "$STATE/admin.conf"
  mv "$STATE/pki.new" "$STATE/pki"
)
