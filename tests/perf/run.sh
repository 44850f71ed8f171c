#!/usr/bin/env bash
# The figures in the README, with the release build: the operator's on the real cluster, and the runner's
# against PyTorch in a venv that is thrown away (it takes 5 GB while it lasts).
set -euo pipefail
cd "$(dirname "$0")/../.."
tests/cluster/up.sh
build/cluster/kubectl apply --server-side --force-conflicts -f crds/stresstests.yaml >/dev/null
TORCHSOAK_OPERATOR=$PWD/build/release/operator/torchsoak build/cluster/enter /usr/bin/python3 tests/perf/operator_bench.py

.ci/install.sh tests/perf/packages.txt
venv=$(mktemp -d)
trap 'rm -rf "$venv"' EXIT
python3 -m venv "$venv"
"$venv/bin/pip" install --quiet --disable-pip-version-check torch==2.11.0 torchvision==0.26.0 numpy
python3 tests/perf/training_pairs.py build/release/runner/torchsoak-runner "$venv/bin/python"
python3 tests/perf/benchmark_pairs.py build/release/runner/torchsoak-runner "$venv/bin/python"
