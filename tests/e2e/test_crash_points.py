"""The operator dies after each write of a run's life, not knowing that the write happened (D13)."""

import threading
import uuid

import pytest

from kit.case import Case, conditions, training
from kit.fault_proxy import FaultProxy
from kit.operator import OperatorProcess

SPEC = training(thresholds=[{"name": "fast", "metric": "training.samplesPerSecond", "min": "1"}])
MOST_WRITES = 12


class Life:
    """A run through the proxy, with a crash after write k and a restart."""

    def __init__(self, kube, ns, tmp_path, crash_after):
        self.died = threading.Event()
        self.proxy = FaultProxy(kube, crash_after, self.crash)
        config = self.proxy.kubeconfig(tmp_path / "kubeconfig")
        # Long enough for a busy machine to renew in time, short enough to wait for after a crash.
        flags = ["--leader-elect", "--lease-duration", "6s"]
        self.operator = OperatorProcess(ns, config, flags)
        self.case = Case(kube, ns, self.operator)

    def crash(self):
        self.operator.kill()
        self.died.set()
        self.operator.start()

    def run(self):
        self.operator.start()
        self.case.apply("life", SPEC)
        status = self.case.finished("life")
        pods = {pod["metadata"]["uid"] for pod in self.case.pods("life")}
        self.operator.stop()
        self.proxy.close()
        return status, pods


@pytest.fixture(scope="module")
def undisturbed(kube, tmp_path_factory):
    name = "t-life-" + uuid.uuid4().hex[:8]
    kube.create("/api/v1/namespaces", {"metadata": {"name": name}})
    life = Life(kube, name, tmp_path_factory.mktemp("proxy"), None)
    status, _ = life.run()
    kube.delete(f"/api/v1/namespaces/{name}")
    assert 4 <= len(life.proxy.writes) <= MOST_WRITES, life.proxy.writes
    return status, life.proxy.writes


@pytest.mark.parametrize("k", range(1, MOST_WRITES + 1))
def test_crash_after_write(kube, ns, tmp_path, undisturbed, k):
    expected, writes = undisturbed
    if k > len(writes):
        pytest.skip(f"a run's life has {len(writes)} writes")
    life = Life(kube, ns, tmp_path, k)
    status, pods = life.run()
    if not life.died.is_set():  # status writes may be joined, so lives differ by a write or two
        pytest.skip(f"this run's life had {len(life.proxy.writes)} writes")
    assert (status["verdict"], status["reason"]) == (expected["verdict"], expected["reason"])
    assert conditions(status) == conditions(expected)
    assert len(pods) == 1, "one pod, ever"
    assert status["runs"][0]["podUID"] in pods
