# One command each; `make` alone lists them. All of it works on a bare Debian 12 with root and Go.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

# Compiler results are shared between clones of this repository.
export CCACHE_BASEDIR := $(CURDIR)
export CCACHE_NOHASHDIR := 1
export CCACHE_MAXSIZE := 4G
# LibTorch's threads on a busy machine with few cores only get into each other's way.
export OMP_NUM_THREADS := 1
# Debian's Python, with Debian's pytest, whatever else is in PATH.
PYTEST := /usr/bin/python3 -m pytest -q -p no:cacheprovider

.PHONY: help
help: ## this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F':.*## ' '{printf "  %-16s %s\n", $$1, $$2}'

.PHONY: deps
deps: ## install what is missing from Debian, and fetch LibTorch (544 MB, once)
	@.ci/install.sh
	@cmake/fetch-libtorch.sh

# ---------------------------------------------------------------------------------- building
.PHONY: build release
build: deps ## the everyday build, in build/dev
	@cmake --preset dev >/dev/null && cmake --build --preset dev

release: deps ## what the images ship, in build/release
	@cmake --preset release >/dev/null && cmake --build --preset release

# ---------------------------------------------------------------------------------- trying it
.PHONY: local demo
local: build ## the quickstart without a cluster
	@build/dev/runner/torchsoak-runner run -f examples/quickstart.yaml --out build/local

demo: release ## the quickstart on a real one-node cluster, from nothing to a verdict
	@tests/demo.sh

# ---------------------------------------------------------------------------------- the cluster
.PHONY: cluster-up cluster-down images
cluster-up: deps ## start the one-node cluster (builds Kubernetes the first time)
	@tests/cluster/up.sh

cluster-down: ## stop it; leaves no process, mount, namespace or folder
	@tests/cluster/down.sh

images: build ## container images of the everyday build, as archives in build/images
	@images/build-local.sh --operator-build build/dev --runner-build build/dev

# ---------------------------------------------------------------------------------- testing
.PHONY: test test-unit test-runner test-chart test-cluster test-sanitizers test-fuzz fuzz bench bench-demo
test: test-unit test-runner test-cluster test-sanitizers test-fuzz ## everything CI runs

test-unit: build ## unit tests and lint (under a minute once built)
	@ctest --preset dev -j2
	@$(PYTEST) tests/docs tests/cluster

test-runner: build ## the runner's binary, without a cluster
	@.ci/install.sh tests/runner/packages.txt
	@TORCHSOAK_RUNNER=$(CURDIR)/build/dev/runner/torchsoak-runner $(PYTEST) tests/runner tests/faults

test-chart: deps ## the chart: rendering, schema, rights; part of test-cluster
	@tests/cluster/build-tools.sh
	@$(PYTEST) tests/chart

test-cluster: build ## chart and scenarios on the real cluster, several at a time
	@tests/e2e/run.sh

test-sanitizers: asan tsan ## unit tests under ASan+UBSan and under TSan

.PHONY: asan tsan
asan tsan: deps
	@cmake --preset $@ >/dev/null && cmake --build --preset $@ && ctest --preset $@ -j2 -LE lint

test-fuzz: deps ## each fuzzer for some seconds
	@tests/fuzz/run.sh 15

fuzz: deps ## each fuzzer for a million inputs, or FUZZ_SECONDS (default 1800)
	@tests/fuzz/run.sh $(or $(FUZZ_SECONDS),1800)

bench: release ## the figures in the README, and Benchmark against torch.utils.benchmark
	@tests/perf/run.sh

bench-demo: ## how long make demo takes from nothing, and what it loads
	@tests/perf/demo.sh

# ---------------------------------------------------------------------------------- housekeeping
.PHONY: format crd clean
format: ## clang-format over the sources
	@git ls-files '*.cc' '*.h' | xargs clang-format-14 -i

crd: ## copy the CRD into the chart
	@cp crds/stresstests.yaml charts/torchsoak/files/stresstests.yaml

clean: cluster-down ## remove everything that was built in this folder
	@rm -rf build
