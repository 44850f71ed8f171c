"""The operator dies after each write of a run's life, not knowing that the write happened (D13)."""

import threading
import time
import uuid

import pytest

from kit.case import Case, conditions, ended, training
from kit.fault_proxy import FaultProxy
from kit.kube import CONFIG_MAPS, PODS, eventually
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
    ended(status, expected["verdict"], expected["reason"])
    assert conditions(status) == conditions(expected)
    assert len(pods) == 1, "one pod, ever"
    assert status["runs"][0]["podUID"] in pods


class PodLife(Life):
    """The same with the operator as a Deployment: the crash is its pod, killed without grace."""

    NODE = "10.200.0.1"

    def __init__(self, kube, ns, crash_after):
        self.died = threading.Event()
        self.kube, self.ns = kube, ns
        self.proxy = FaultProxy(kube, crash_after, self.crash, self.NODE)
        self.operator = None
        self.case = Case(kube, ns, None)

    def crash(self):
        pods = self.operator_pods()
        for pod in pods:
            self.kube.delete(f"{PODS.format(ns=self.ns)}/{pod}", gracePeriodSeconds=0)
        self.died.set()
        # The reply is held back until the process is gone: its connection breaks.
        eventually(lambda: not set(pods) & set(self.operator_pods()), 30)
        time.sleep(1)

    def operator_pods(self):
        return [pod["metadata"]["name"] for pod in self.kube.list(PODS.format(ns=self.ns), "app=op")]

    def run(self):
        self.kube.create(CONFIG_MAPS.format(ns=self.ns), {
            "metadata": {"name": "kubeconfig"}, "data": {"config": self.proxy.kubeconfig_text()}})
        self.kube.create(f"/apis/apps/v1/namespaces/{self.ns}/deployments", self.deployment())
        self.case.apply("life", SPEC)
        status = self.case.finished("life", timeout=180)
        pods = {pod["metadata"]["uid"] for pod in self.case.pods("life")}
        self.kube.delete(f"/apis/apps/v1/namespaces/{self.ns}/deployments/op",
                         propagationPolicy="Foreground")
        eventually(lambda: not self.operator_pods(), 60)
        self.proxy.close()
        return status, pods

    def deployment(self):
        container = {
            "name": "controller", "image": "localhost/torchsoak/operator:dev",
            "args": ["controller", "--kubeconfig", "/etc/op/config", "--watch-namespaces", self.ns,
                     "--runner-image", "localhost/torchsoak/runner:dev"],
            "volumeMounts": [{"name": "kubeconfig", "mountPath": "/etc/op"}],
            "securityContext": {"allowPrivilegeEscalation": False,
                                "capabilities": {"drop": ["ALL"]}}}
        labels = {"app": "op"}
        return {"metadata": {"name": "op"}, "spec": {
            "selector": {"matchLabels": labels},
            "template": {"metadata": {"labels": labels}, "spec": {
                "containers": [container], "automountServiceAccountToken": False,
                "securityContext": {"runAsNonRoot": True,
                                    "seccompProfile": {"type": "RuntimeDefault"}},
                "volumes": [{"name": "kubeconfig", "configMap": {"name": "kubeconfig"}}]}}}}


@pytest.mark.parametrize("k", [1, 2, 4])
def test_crash_of_the_pod_after_write(kube, ns, undisturbed, k):
    expected, _ = undisturbed
    life = PodLife(kube, ns, k)
    status, pods = life.run()
    assert life.died.is_set()
    ended(status, expected["verdict"], expected["reason"])
    assert conditions(status) == conditions(expected)
    assert len(pods) == 1, "one pod, ever"
