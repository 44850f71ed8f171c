"""Scenarios that disturb the whole cluster: they run alone, after the others."""

import os
import signal
import subprocess
import time

import pytest

from kit.case import Case, condition, conditions, ended, training
from kit.kube import LEASES, PODS, eventually
from kit.operator import ROOT, OperatorProcess

RESTART = os.path.join(ROOT, "tests/cluster/restart.sh")


@pytest.mark.parametrize("component", ["apiserver", "etcd", "kubelet"])
def test_restart_mid_run(case, component):
    case.apply("steady", training(duration="12s"))
    case.running("steady")
    subprocess.run([RESTART, component], check=True, timeout=120)
    status = case.finished("steady", timeout=150)
    ended(status, "Passed", "AllGatesMet")
    assert len(case.pods("steady")) == 1


def test_a_finished_test_survives_a_kubelet_restart(case):
    case.apply("kept", training(duration="1s"))
    before = case.finished("kept")
    subprocess.run([RESTART, "kubelet"], check=True, timeout=120)
    time.sleep(8)
    assert case.status("kept") == before


@pytest.fixture
def pair(kube, ns):
    flags = ["--leader-elect", "--lease-duration", "3s"]
    replicas = [OperatorProcess(ns, flags=flags, name=f"replica-{n}").start() for n in (1, 2)]
    yield replicas
    for replica in replicas:
        if replica.running():
            replica.process.send_signal(signal.SIGCONT)
            replica.stop()


def holder(kube, ns):
    lease = kube.get(LEASES.format(ns=ns) + "/torchsoak-controller")
    return (lease or {}).get("spec", {}).get("holderIdentity") or ""


def split(kube, ns, replicas):
    """(leader, standby) once there is a leader."""
    name = eventually(lambda: holder(kube, ns), what="a leader").split("_")[0]
    leader = next(r for r in replicas if r.name == name)
    return leader, next(r for r in replicas if r is not leader)


def test_failover_after_the_leader_is_killed(kube, ns, pair):
    case = Case(kube, ns, pair[0])
    leader, standby = split(kube, ns, pair)
    case.apply("over", training(duration="8s"))
    case.running("over")
    leader.kill()
    status = case.finished("over")
    ended(status, "Passed", "AllGatesMet")
    assert holder(kube, ns).startswith(standby.name)
    assert len(case.pods("over")) == 1


def test_a_frozen_leader_wakes_up_and_goes(kube, ns, pair):
    case = Case(kube, ns, pair[0])
    leader, standby = split(kube, ns, pair)
    leader.process.send_signal(signal.SIGSTOP)
    eventually(lambda: holder(kube, ns).startswith(standby.name), what="the standby leads")
    case.apply("thaw", training(duration="2s"))
    leader.process.send_signal(signal.SIGCONT)
    eventually(lambda: leader.process.poll() is not None, what="the old leader ends itself")
    assert leader.process.returncode == 1
    ended(case.finished("thaw"), "Passed")
    assert ("Finished", "True", "AllGatesMet") in conditions(case.status("thaw"))


def test_a_stopped_leader_hands_over_at_once(kube, ns, pair):
    leader, standby = split(kube, ns, pair)
    assert leader.stop() == 0
    eventually(lambda: holder(kube, ns).startswith(standby.name), timeout=10,
               what="the standby takes the released Lease")


# D12: waiting for a device is not running; the wait survives a restart of the operator.
def test_a_gpu_that_becomes_free(case):
    blocker = case.kube.create(case.path(PODS), {
        "metadata": {"name": "blocker"},
        "spec": {"terminationGracePeriodSeconds": 1, "securityContext": {
            "runAsNonRoot": True, "runAsUser": 65532,
            "seccompProfile": {"type": "RuntimeDefault"}},
            "containers": [{"name": "c", "image": "localhost/torchsoak/pause:1", "resources": {
                "limits": {"nvidia.com/gpu": "2"}}, "securityContext": {
                "allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}}}]}})
    eventually(lambda: (case.kube.get(case.path(PODS, "blocker"))["status"].get("phase")
                        == "Running"), what="the blocker")
    case.apply("waits", training(gpu={"perPod": 1}, timeouts={"scheduling": "60s"}))
    status = case.until("waits", reason="Unschedulable")
    since = condition(status, "Scheduled")["lastTransitionTime"]
    time.sleep(4)
    case.operator.restart()
    time.sleep(4)
    status = case.status("waits")
    assert status["phase"] == "Pending" and "verdict" not in status
    assert condition(status, "Scheduled")["lastTransitionTime"] == since
    case.kube.delete(case.path(PODS, blocker["metadata"]["name"]))
    status = case.finished("waits")
    assert condition(status, "Scheduled")["status"] == "True"
    assert status["reason"] == "DeviceCountMismatch", "it ran, and no real GPU was there"


def test_an_unsatisfiable_node_selector(case):
    spec = training(timeouts={"scheduling": "4s"})
    spec["pod"]["nodeSelector"] = {"no-such": "label"}
    case.apply("nowhere", spec)
    status = case.finished("nowhere")
    ended(status, "Inconclusive", "Unschedulable")
    assert "node" in status["message"]
