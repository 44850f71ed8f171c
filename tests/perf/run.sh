#!/usr/bin/env bash
# The figures in the README: the operator's, on the real cluster, with the release build.
set -euo pipefail
cd "$(dirname "$0")/../.."
tests/cluster/up.sh
build/cluster/kubectl apply --server-side --force-conflicts -f crds/stresstests.yaml >/dev/null
TORCHSOAK_OPERATOR=$PWD/build/release/operator/torchsoak build/cluster/enter /usr/bin/python3 tests/perf/operator_bench.py
