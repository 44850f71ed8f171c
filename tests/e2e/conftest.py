"""Cluster tests: a real API server, scheduler, kubelet and containerd, and the real runner image.

Run by `make test-cluster`, inside the cluster's network (build/cluster/enter). Each test has a
namespace that enforces PodSecurity `restricted`, and an operator process of its own.
"""

import os
import sys
import uuid

import pytest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from kit.case import Case  # noqa: E402
from kit.kube import Kube  # noqa: E402
from kit.operator import OperatorProcess  # noqa: E402


@pytest.fixture(scope="session")
def kube():
    return Kube()


@pytest.fixture
def ns(kube):
    name = "t-" + uuid.uuid4().hex[:10]
    kube.create("/api/v1/namespaces", {"metadata": {"name": name, "labels": {
        "pod-security.kubernetes.io/enforce": "restricted"}}})
    yield name
    kube.delete(f"/api/v1/namespaces/{name}")


@pytest.fixture
def case(kube, ns):
    """A namespace with its operator running; it must still run, and stop cleanly, at the end."""
    operator = OperatorProcess(ns).start()
    yield Case(kube, ns, operator)
    alive = operator.running()
    code = operator.stop()
    assert alive, f"the operator died: {operator.text()[-3000:]}"
    assert code == 0, f"the operator stopped with {code}: {operator.text()[-3000:]}"


@pytest.fixture(params=["undisturbed", "operator-killed"])
def midway(request, case):
    """Called in the middle of a scenario: does nothing, or kills the operator and starts it anew."""
    if request.param == "undisturbed":
        return lambda: None
    return case.operator.restart
