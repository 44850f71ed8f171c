"""Each way in which a run can end, once undisturbed and once with the operator killed midway."""

import re
import time

from kit.case import condition, conditions, ended, faulty, training
from kit.kube import EVENTS, PODS, QUOTAS, eventually


def test_cpu_training_passes(case, midway):
    case.apply("pass", training(thresholds=[
        {"name": "fast", "metric": "training.samplesPerSecond", "min": "1"}]),
        annotations={"torchsoak.dev/source-revision": "4f2a9c1"})
    case.running("pass")
    midway()
    status = case.finished("pass")
    ended(status, "Passed", "AllGatesMet")
    assert status["headline"].endswith(" samples/s") and float(status["headline"].split()[0]) > 0
    assert {("Finished", "True", "AllGatesMet"), ("Passed", "True", "AllGatesMet"),
            ("ResultComplete", "True", "ReportStored"),
            ("ResourcesReleased", "True", "NoPodRuns")} <= conditions(status)
    assert status["environment"]["sourceRevision"] == "4f2a9c1"
    report = case.report("pass")
    assert report["sourceRevision"] == "4f2a9c1"
    assert len(case.pods("pass")) == 1


def test_threshold_breach_fails_with_the_sentence(case, midway):
    case.apply("breach", training(thresholds=[
        {"name": "too-fast", "metric": "training.samplesPerSecond", "min": "1000000000"}]))
    case.running("breach")
    midway()
    status = case.finished("breach")
    ended(status, "Failed", "ThresholdBreached")
    assert status["message"].startswith("too-fast: "), status["message"]
    assert "node1" in status["message"]
    gate = next(g for g in status["thresholds"] if g["name"] == "too-fast")
    assert gate["result"] == "Failed" and gate["observed"] and gate["limit"]


def test_a_gpu_that_is_not_there_is_an_error(case, midway):
    case.apply("gpu", training(gpu={"perPod": 1}))
    pod = eventually(lambda: case.pod("gpu"), what="the pod")
    limits = pod["spec"]["containers"][0]["resources"]["limits"]
    assert limits["nvidia.com/gpu"] == "1"
    midway()
    status = case.finished("gpu")
    ended(status, "Error", "DeviceCountMismatch")


def test_more_gpus_than_the_cluster_has(case, midway):
    case.apply("greedy", training(gpu={"perPod": 3}, timeouts={"scheduling": "6s"}))
    status = case.until("greedy", reason="Unschedulable")
    since = condition(status, "Scheduled")["lastTransitionTime"]
    midway()
    status = case.finished("greedy", timeout=30)
    ended(status, "Inconclusive", "Unschedulable")
    assert "nvidia.com/gpu" in status["message"]
    assert condition(status, "Scheduled")["status"] == "False"
    assert condition(status, "Scheduled")["lastTransitionTime"] == since


def test_control_characters_do_not_keep_the_status_out(case):
    case.apply("image", training(image="x\x7fy"))
    status = case.finished("image", timeout=30)
    ended(status, "Error", "InvalidSpec")
    assert "x?y" in status["message"]


def test_a_quota_that_refuses_the_pod_is_hinted_at(case):
    case.kube.create(case.path(QUOTAS), {"metadata": {"name": "none"},
                                         "spec": {"hard": {"pods": "0"}}})
    eventually(lambda: case.kube.get(case.path(QUOTAS, "none")).get("status", {}).get("hard"),
               what="the quota")
    case.apply("refused", training(timeouts={"scheduling": "5s"}))
    status = case.finished("refused", timeout=30)
    ended(status, "Inconclusive", "Unschedulable")
    assert "no pod was created" in status["message"] and "quota" in status["message"]


def test_memory_too_small_from_the_start(case, midway):
    case.apply("tiny", training(resources={"memory": "40Mi"}))
    eventually(lambda: case.pod("tiny"), what="the pod")
    midway()
    status = case.finished("tiny")
    ended(status, "Error", "OOMKilled")
    assert "40Mi" in status["message"]


def test_memory_that_grows_until_the_kill(case, midway):
    case.apply("grows", training(duration="120s", resources={"memory": "700Mi"},
                                 **faulty(after=6, FAULT_GROW_MIB_PER_S=150)))
    case.running("grows")
    midway()
    status = case.finished("grows")
    ended(status, "Failed", "OOMKilled")
    assert "measured steps" in status["message"]
    assert status["metrics"], "the last numbers are there"


def test_wrong_image(case, midway):
    case.apply("image", training(image="localhost/torchsoak/no-such:1",
                                 timeouts={"startup": "8s"}))
    case.until("image", phase="Starting")
    midway()
    status = case.finished("image", timeout=60)
    ended(status, "Error", "ImagePull")
    assert "no-such" in status["message"]


def test_pod_deleted_mid_run(case, midway):
    case.apply("gone", training(duration="60s"))
    case.running("gone")
    pod = case.pod("gone")["metadata"]["name"]
    time.sleep(2)
    midway()
    case.kube.delete(case.path(PODS, pod))
    status = case.finished("gone")
    ended(status, "Inconclusive", "PodDeleted")
    assert len(case.jobs("gone")) == 1


def test_abort_keeps_partial_results(case, midway):
    case.apply("abort", training(duration="300s"))
    case.measuring("abort")
    case.change("abort", abort=True)
    midway()
    status = case.finished("abort")
    ended(status, "Aborted", "Aborted")
    assert status["metrics"], "partial numbers are kept"
    assert case.until("abort")["runs"][0]["exitCode"] == 3
    eventually(lambda: condition(case.status("abort"), "ResourcesReleased")["status"] == "True")


def test_suspend_and_resume_start_a_second_attempt(case, midway):
    case.apply("pause", training())
    case.running("pause")
    first = case.pod("pause")["metadata"]["uid"]
    case.change("pause", suspend=True)
    midway()
    status = case.until("pause", phase="Suspended")
    assert ("Suspended", "True", "SuspendedByUser") in conditions(status)
    assert not case.pods("pause") and not case.jobs("pause")
    case.change("pause", suspend=False)
    status = case.finished("pause")
    ended(status, "Passed")
    assert status["attempt"] == 2
    assert status["runs"][0]["podUID"] != first
    told = [event["reason"] for event in case.kube.list(case.path(EVENTS))
            if event["regarding"]["name"] == "pause"]
    assert told.count("JobCreated") == 2 and "Resumed" in told, told


def test_hung_step(case, midway):
    case.apply("hung", training(duration="300s", timeouts={"stall": "5s"},
                                **faulty(after=6, FAULT_HANG=1)))
    case.running("hung")
    midway()
    status = case.finished("hung")
    ended(status, "Failed", "Stalled")
    assert status["runs"][0]["exitCode"] == 124


def test_crash_while_measuring(case, midway):
    case.apply("crash", training(duration="300s", **faulty(after=6, FAULT_ABORT=1)))
    case.running("crash")
    midway()
    status = case.finished("crash")
    ended(status, "Failed", "RunnerCrashed")
    # 134 is SIGABRT; in process 1 abort() ends in an illegal instruction or SIGSEGV instead.
    assert re.search(r"exit code 13[249]", status["message"]), status["message"]


def test_run_timeout_stops_with_partial_results(case, midway):
    case.apply("long", training(duration="300s", maxIterations=10**9, timeouts={"run": "12s"}))
    case.running("long")
    midway()
    status = case.finished("long")
    ended(status, "Inconclusive", "RunTimeout")
    assert status["metrics"]


def test_ttl_removes_the_test_and_its_children(case, midway):
    case.apply("ttl", training(retention={"ttlAfterPassed": "3s"}))
    case.finished("ttl")
    midway()
    eventually(lambda: case.test("ttl") is None, 30, "the test is deleted")
    eventually(lambda: not case.jobs("ttl") and not case.pods("ttl"), 60, "its children too")


def test_inference_passes(case, midway):
    case.apply("ask", {
        "mode": "Inference", "duration": "3s", "gpu": {"perPod": 0},
        "inference": {"target": "InProcess", "inProcess": {
            "model": {"builtin": "MLP"}, "batchSize": 4, "streams": 2}},
        "pod": {"env": [{"name": "OMP_NUM_THREADS", "value": "1"}]},
        "thresholds": [{"name": "median", "metric": "inference.latency", "statistic": "P50",
                        "max": "60s"}]})
    case.running("ask")
    midway()
    status = case.finished("ask")
    ended(status, "Passed")


def test_products_pass(case, midway):
    case.apply("gemm", {"mode": "Gemm", "gemm": {"size": 256}, "maxIterations": 300, "gpu": {"perPod": 0}})
    midway()
    status = case.finished("gemm")
    ended(status, "Passed", "AllGatesMet")
    assert re.fullmatch(r"[0-9.]+[MGT]FLOP/s", status["headline"])
    report = case.report("gemm")
    assert report["checks"]["results"] == report["outcome"]["steps"] > 0


def test_memory_passes(case, midway):
    case.apply("memory", {"mode": "Memory", "memory": {"size": "64Mi"}, "maxIterations": 24, "gpu": {"perPod": 0}})
    midway()
    status = case.finished("memory")
    ended(status, "Passed", "AllGatesMet")
    assert re.fullmatch(r"[0-9.]+[MGT]B/s", status["headline"])
    assert case.report("memory")["checks"]["covered"] == 1


def test_benchmark_passes(case, midway):
    case.apply("timed", {"mode": "Benchmark", "gpu": {"perPod": 0}, "benchmark": {
        "model": {"params": {"hidden": 64}}, "timer": {"minRunTime": "2s"}}})
    midway()
    status = case.finished("timed")
    ended(status, "Passed")
    assert re.fullmatch(r"stepTime [0-9.]+(us|ms)", status["headline"])
    assert case.report("timed")["benchmark"]["settled"]


def test_preflight_passes(case, midway):
    case.apply("check", {"mode": "Preflight", "preflight": {}, "gpu": {"perPod": 0}})
    midway()
    status = case.finished("check")
    ended(status, "Passed")
    assert " checks" in status["headline"]
