"""The runner as process 1 of a pod (D20), and the pod as the spec asks for it."""

import time

from kit.case import ended, faulty, training
from kit.kube import PODS, eventually


def test_sigterm_in_a_step_flushes_first(case):
    case.apply("term", training(duration="300s"))
    case.measuring("term")
    pod = case.pod("term")["metadata"]["name"]
    begun = time.monotonic()
    case.kube.delete(case.path(PODS, pod))
    status = case.finished("term")
    assert time.monotonic() - begun < 25, "well within the grace period of 30 s"
    assert status["runs"][0]["exitCode"] == 3
    ended(status, "Inconclusive")
    assert status["metrics"]


def test_sigterm_in_a_hung_step_still_ends_in_time(case):
    case.apply("stuck", training(duration="300s", timeouts={"stall": "10m"},
                                 **faulty(after=5, FAULT_HANG=1)))
    case.running("stuck")
    time.sleep(8)
    pod = case.pod("stuck")["metadata"]["name"]
    case.kube.delete(case.path(PODS, pod))
    status = case.finished("stuck", timeout=40)
    assert status["runs"][0]["exitCode"] == 3, status
    assert status["metrics"]


def test_the_pod_is_what_the_spec_says(case):
    spec = training(duration="1s", resources={"cpu": "1", "memory": "2Gi"})
    spec["pod"]["labels"] = {"team": "x"}
    spec["pod"]["shmSize"] = "128Mi"
    case.apply("looks", spec)
    pod = eventually(lambda: case.pod("looks"), what="the pod")
    container = pod["spec"]["containers"][0]
    assert container["resources"]["limits"] == {"cpu": "1", "memory": "2Gi"}
    assert pod["metadata"]["labels"]["team"] == "x"
    assert not pod["spec"].get("automountServiceAccountToken", True)
    shm = next(v for v in pod["spec"]["volumes"] if v["name"] == "torchsoak-shm")
    assert shm["emptyDir"] == {"medium": "Memory", "sizeLimit": "128Mi"}
    ended(case.finished("looks"), "Passed")


def test_results_are_the_same_however_often_they_are_read(case):
    case.apply("same", training(duration="1s"))
    first = case.finished("same")
    report = case.report("same")
    for _ in range(20):
        assert case.status("same")["metrics"] == first["metrics"]
    case.operator.restart()
    time.sleep(3)
    assert case.status("same") == first
    assert case.report("same") == report
