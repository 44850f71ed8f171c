"""The runner as process 1 of a pod (D20), and the pod as the spec asks for it."""

import base64
import os
import time

import pytest

from kit.case import ended, faulty, training
from kit.kube import CONFIG_MAPS, PODS, eventually
from kit.operator import ROOT


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


def test_results_are_the_same_however_often_they_are_read(case):  # S3
    case.apply("same", training(duration="1s"))
    first = case.finished("same")
    report = case.report("same")
    for _ in range(20):
        assert case.status("same")["metrics"] == first["metrics"]
    case.operator.restart()
    time.sleep(3)
    assert case.status("same") == first
    assert case.report("same") == report


@pytest.mark.parametrize("kind, name", [("torchScript", "two-inputs.pt"),
                                        ("aotInductor", "two-inputs.pt2")])
def test_a_model_from_a_volume(case, kind, name):
    with open(os.path.join(ROOT, "tests/testdata/models", name), "rb") as file:
        packed = base64.b64encode(file.read()).decode()
    case.kube.create(case.path(CONFIG_MAPS),
                     {"metadata": {"name": "models"}, "binaryData": {name: packed}})
    model = {kind: {"path": f"/models/{name}", "inputs": [
        {"shape": [12]}, {"shape": [6], "type": "INT64", "below": 100}]}}
    case.apply("own", {
        "mode": "Inference", "gpu": {"perPod": 0}, "maxIterations": 500,
        "inference": {"target": "InProcess", "inProcess": {"model": model, "streams": 2}},
        "pod": {"env": [{"name": "OMP_NUM_THREADS", "value": "1"}],
                "volumes": [{"name": "models", "configMap": {"name": "models"}}],
                "volumeMounts": [{"name": "models", "mountPath": "/models", "readOnly": True}]}})
    ended(case.finished("own"), "Passed", "AllGatesMet")
