"""Somebody deletes, orphans or relabels what a test owns while it runs."""

import time

from kit.case import condition, ended, training
from kit.kube import JOBS, PODS, TESTS, eventually

HOLD = {"metadata": {"finalizers": ["example.com/hold"]}}
STRIPPED = {"metadata": {"labels": {
    "app.kubernetes.io/name": None, "app.kubernetes.io/managed-by": None,
    "torchsoak.dev/stresstest": None, "torchsoak.dev/stresstest-uid": None}}}
UNOWNED = {"metadata": {"ownerReferences": None}}


def started(case, name, until="measuring", duration="300s"):
    """A run that is under way; returns the paths of its Job and pod."""
    case.apply(name, training(duration=duration))
    getattr(case, until)(name)
    run = case.status(name)["runs"][0]
    return case.path(JOBS, run["name"]), case.path(PODS, run["pod"])


def test_a_deletion_that_a_finalizer_holds_ends_the_run(case):
    _, pod = started(case, "held")
    case.kube.merge(case.path(TESTS, "held"), HOLD)
    case.kube.delete(case.path(TESTS, "held"))
    status = case.finished("held")
    ended(status, "Aborted", "Aborted")
    assert status["message"].startswith("ended by the deletion of the test"), status["message"]
    assert status["metrics"], "partial numbers are kept for whoever holds it"
    eventually(lambda: case.kube.get(pod) is None, what="the pod to go")
    case.kube.merge(case.path(TESTS, "held"), {"metadata": {"finalizers": []}})
    eventually(lambda: case.test("held") is None, what="the test to go")


def test_orphaning_leaves_the_job_alone(case):
    job, _ = started(case, "orphans", "running", "20s")
    case.kube.request("DELETE", case.path(TESTS, "orphans"), {"propagationPolicy": "Orphan"})
    eventually(lambda: case.test("orphans") is None, what="the test to go")
    time.sleep(2)
    assert case.kube.get(job)["metadata"].get("deletionTimestamp") is None
    case.kube.request("DELETE", job, {"propagationPolicy": "Background"})


def test_a_deletion_in_the_foreground_takes_everything_along(case):
    job, pod = started(case, "foreground", "running")
    case.kube.request("DELETE", case.path(TESTS, "foreground"), {"propagationPolicy": "Foreground"})
    eventually(lambda: case.test("foreground") is None, what="the test to go")
    assert case.kube.get(job) is None and case.kube.get(pod) is None


def test_a_job_without_owner_can_still_be_aborted(case):
    job, pod = started(case, "unowned", "running")
    case.kube.merge(job, UNOWNED)
    eventually(lambda: "lost its owner" in case.status("unowned")["message"])
    case.kube.merge(job, STRIPPED)
    case.change("unowned", abort=True)
    ended(case.finished("unowned"), "Aborted", "Aborted")
    eventually(lambda: case.kube.get(job) is None and case.kube.get(pod) is None)


def test_a_pod_without_labels_still_passes(case):
    _, pod = started(case, "stripped", "running", "6s")
    case.kube.merge(pod, STRIPPED)
    time.sleep(1)
    assert case.status("stripped").get("phase") == "Running"
    status = case.finished("stripped")
    ended(status, "Passed")
    assert condition(status, "ResourcesReleased")["status"] == "True"


def test_an_abort_overtakes_a_suspend(case):
    started(case, "both")
    case.change("both", suspend=True)
    case.change("both", abort=True)
    status = case.finished("both")
    ended(status, "Aborted", "Aborted")
    assert status["metrics"]


def test_a_scheduler_that_does_not_run_is_named(case):
    spec = training(timeouts={"scheduling": "5s"})
    spec["pod"]["schedulerName"] = "nobody"
    case.apply("nobody", spec)
    status = case.finished("nobody", timeout=40)
    ended(status, "Inconclusive", "Unschedulable")
    assert "no scheduler looked at the pod" in status["message"] and "nobody" in status["message"]
