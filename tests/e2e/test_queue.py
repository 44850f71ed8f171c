"""A queue that suspends Jobs (as Kueue does): waiting is not running, preemption is no failure (S2)."""

import time

from kit.case import ended, training
from kit.kube import JOBS, QUOTAS, eventually

QUEUED = {"spec": {"suspend": True}}
RELEASED = {"spec": {"suspend": False}}


def queue(case, name, job):
    """Suspends the Job as soon as it is there."""
    path = case.path(JOBS, job)
    eventually(lambda: case.kube.get(path), what="the Job")
    case.kube.merge(path, QUEUED)
    case.until(name, phase="Queued")


def test_time_in_a_queue_starts_no_clock(case, midway):
    # Three GPUs of two: no pod can start before the queue takes the Job.
    case.apply("wait", training(gpu={"perPod": 3}, timeouts={"scheduling": "5s", "run": "30s"}))
    queue(case, "wait", "wait-r000-a1")
    time.sleep(8)
    midway()
    time.sleep(3)
    status = case.status("wait")
    assert status["phase"] == "Queued" and "verdict" not in status
    job = next(j["metadata"]["name"] for j in case.jobs("wait"))
    case.kube.merge(case.path(JOBS, job), RELEASED)
    status = case.finished("wait", timeout=40)
    ended(status, "Inconclusive", "Unschedulable")


def test_a_released_run_has_all_its_time(case, midway):
    # No pod may be made until the queue has taken the Job: a quota sees to it.
    case.kube.create(case.path(QUOTAS), {"metadata": {"name": "none"},
                                         "spec": {"hard": {"pods": "0"}}})
    eventually(lambda: case.kube.get(case.path(QUOTAS, "none")).get("status", {}).get("hard"),
               what="the quota")
    case.apply("later", training(timeouts={"scheduling": "10s", "startup": "10s", "run": "10s"}))
    queue(case, "later", "later-r000-a1")
    case.kube.delete(case.path(QUOTAS, "none"))
    time.sleep(20)
    midway()
    time.sleep(10)
    status = case.status("later")
    assert status["phase"] == "Queued" and "startTime" not in status
    assert "queue" in status["message"]
    case.kube.merge(case.path(JOBS, "later-r000-a1"), RELEASED)
    status = case.finished("later")
    ended(status, "Passed")
    assert status["attempt"] == 1


def test_never_released_ends_by_total(case):
    case.apply("held", training(gpu={"perPod": 3}, timeouts={"scheduling": "5m", "total": "12s"}))
    queue(case, "held", "held-r000-a1")
    status = case.finished("held", timeout=40)
    ended(status, "Inconclusive", "Unschedulable")


def test_a_preempted_run_is_repeated(case, midway):
    case.apply("busy", training(duration="8s"))
    case.running("busy")
    time.sleep(1)
    case.kube.merge(case.path(JOBS, "busy-r000-a1"), QUEUED)
    midway()
    status = case.finished("busy", timeout=120)
    ended(status, "Passed")
    assert status["attempt"] == 2
