#!/usr/bin/env bash
# Starts the cluster, loads the images, installs the CRD, and runs the scenarios inside the
# cluster's network: first those that can run side by side, then those that disturb everybody.
# usage: run.sh [pytest arguments]; TEST_WORKERS=n scenarios at a time (default 6)
set -euo pipefail
cd "$(dirname "$0")/../.."

images/build-local.sh --operator-build build/dev --runner-build build/dev
tests/cluster/up.sh
tests/cluster/load-image.sh build/images/operator.tar build/images/runner.tar build/images/runner-faults.tar
build/cluster/kubectl apply --server-side --force-conflicts -f crds/stresstests.yaml >/dev/null
build/cluster/kubectl wait --for=condition=Established crd/stresstests.torchsoak.dev --timeout=30s >/dev/null

pytest() { build/cluster/enter /usr/bin/python3 -m pytest -q -p no:cacheprovider "$@"; }
if [ $# -gt 0 ]; then
  pytest "$@"
  exit
fi
/usr/bin/python3 -m pytest -q -p no:cacheprovider tests/chart # some of it asks the API server
pytest -n "${TEST_WORKERS:-6}" tests/e2e --ignore=tests/e2e/disruptive
pytest tests/e2e/disruptive
