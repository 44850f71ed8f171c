#!/usr/bin/env bash
# make demo: from a built tree to a finished StressTest on a real one-node cluster.
set -euo pipefail
cd "$(dirname "$0")/.."
kubectl=build/cluster/kubectl
say() { printf '\n== %s\n' "$*"; }

say "Images (from the release build, without a registry)"
images/build-local.sh operator runner

say "Cluster (etcd, API server, scheduler, containerd, kubelet on this machine)"
tests/cluster/up.sh
tests/cluster/load-image.sh build/images/operator.tar build/images/runner.tar

say "Operator (helm install)"
build/cluster/helm upgrade --install torchsoak charts/torchsoak --take-ownership \
  --namespace torchsoak-system --create-namespace --wait --timeout 120s \
  --set image.registry=localhost --set image.tag=dev \
  --set runner.image.registry=localhost --set runner.image.tag=dev >/dev/null
$kubectl -n torchsoak-system get pods

say "A StressTest (examples/quickstart.yaml)"
$kubectl delete st quickstart --ignore-not-found --wait >/dev/null
$kubectl apply -f examples/quickstart.yaml
$kubectl wait st/quickstart --for=jsonpath='{.status.phase}'=Finished --timeout=300s >/dev/null

mkdir -p build/demo
$kubectl get cm "$($kubectl get st quickstart -o jsonpath='{.status.results.configMaps[0]}')" -o jsonpath='{.binaryData.report\.json\.gz}' |
  base64 -d >build/demo/report.json.gz

say "Its verdict"
$kubectl get st quickstart -o jsonpath='{.status.message}{"\n"}'
build/release/runner/torchsoak-runner report build/demo/report.json.gz --out "$PWD/build/demo"
echo
$kubectl get st -o wide
echo
echo "Look around: $kubectl describe st quickstart    Take it down: make cluster-down"
test "$($kubectl get st quickstart -o jsonpath='{.status.verdict}')" = Passed
