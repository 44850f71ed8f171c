"""What the API server itself refuses, shows and keeps: schema, CEL, names, columns, history."""

import pathlib
import re
import subprocess

import pytest

from kit.case import condition, ended, training
from kit.kube import JOBS, TESTS, ApiError, eventually
from kit.operator import ROOT

INVALID = sorted(pathlib.Path(ROOT, "tests/testdata/invalid").glob("*.yaml"))
VALID = sorted(pathlib.Path(ROOT, "tests/testdata/valid").glob("*.yaml"))
EXAMPLES = sorted(pathlib.Path(ROOT, "examples").glob("*.yaml"))
KUBECTL = str(pathlib.Path(ROOT, "build/cluster/kubectl"))


def kubectl(*args, stdin=None):
    return subprocess.run([KUBECTL, *args], input=stdin, capture_output=True, text=True,
                          check=False, timeout=60)


def header(path, key):
    """The value of '# key: …' at the top of a test file."""
    found = re.search(rf"^# {key}: *(.+)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    return found.group(1).strip() if found else None


@pytest.mark.parametrize("path", INVALID, ids=[p.stem for p in INVALID])
def test_invalid_file_is_refused_with_its_field(path):
    if header(path, "only") == "local":
        pytest.skip("kubectl keeps the last of two equal keys; only the local reader refuses")
    field = header(path, "field")
    assert field, f"{path} does not say which field is wrong"
    reply = kubectl("apply", "--dry-run=server", "-f", str(path))
    assert reply.returncode != 0, f"accepted: {reply.stdout}"
    if header(path, "kubectl") is None:  # the few that kubectl stops itself, in its own words, say so
        assert field in reply.stderr, reply.stderr


@pytest.mark.parametrize("path", VALID + EXAMPLES,
                         ids=[p.stem for p in VALID + EXAMPLES])
def test_valid_file_is_accepted(path):
    reply = kubectl("apply", "--dry-run=server", "-f", str(path))
    assert reply.returncode == 0, reply.stderr


def test_there_are_files_to_refuse():
    assert len(INVALID) >= 25 and len(VALID) >= 5 and len(EXAMPLES) >= 3


# D04: what the schema lets pass must be a duration, and the other way round.
@pytest.mark.parametrize("text,ok", [
    ("2d", False), ("1h30m", True), ("90m", True), ("5400", False), ("5400s", True), ("1.5h", True),
    ("PT1H", False), ("1h-30m", False), ("0s", False), ("-1m", False), ("100000h", False),
    ("1h 30m", False), ("1H", False), ("٣٠m", False), ("300ms", True), ("720h", True),
    ("720h1s", False), ("", False)])
def test_durations(kube, ns, text, ok):
    body = {"apiVersion": "torchsoak.dev/v1alpha1", "kind": "StressTest",
            "metadata": {"name": "d"}, "spec": {"mode": "Training", "training": {},
                                               "duration": text}}
    if ok:
        kube.create(TESTS.format(ns=ns) + "?dryRun=All", body)
        return
    with pytest.raises(ApiError, match="spec.duration"):
        kube.create(TESTS.format(ns=ns) + "?dryRun=All", body)


# D06: refused at apply with the limit in the message, or the run works. Never silent.
@pytest.mark.parametrize("name,ok", [
    ("a", True), ("a" * 40, True), ("a" * 41, False), ("a" * 53, False), ("a" * 63, False),
    ("a" * 253, False), ("a.b", False), ("run-9", True), ("9run", False), ("Aa", False)])
def test_names(kube, ns, name, ok):
    body = {"apiVersion": "torchsoak.dev/v1alpha1", "kind": "StressTest",
            "metadata": {"name": name}, "spec": {"mode": "Training", "training": {}}}
    if ok:
        kube.create(TESTS.format(ns=ns) + "?dryRun=All", body)
        return
    with pytest.raises(ApiError, match="metadata.name|name part|RFC 1123|40 characters"):
        kube.create(TESTS.format(ns=ns) + "?dryRun=All", body)


def test_the_longest_name_runs(case):
    name = "a-name-of-exactly-forty-characters-12345"
    assert len(name) == 40
    case.apply(name, training(duration="1s"))
    ended(case.finished(name), "Passed")
    assert all(len(pod["metadata"]["name"]) <= 63 for pod in case.pods(name))


def test_spec_is_immutable_but_for_operation(kube, ns):
    kube.create(TESTS.format(ns=ns), {
        "apiVersion": "torchsoak.dev/v1alpha1", "kind": "StressTest", "metadata": {"name": "fixed"},
        "spec": {"mode": "Training", "training": {}, "suspend": True}})
    path = TESTS.format(ns=ns) + "/fixed"
    for change in ({"duration": "5m"}, {"seed": 7}, {"training": {"batchSize": 1}},
                   {"gpu": {"perPod": 0}}, {"image": "x"}, {"mode": "Preflight"},
                   {"thresholds": [{"name": "a", "metric": "process.rss", "max": "1GiB"}]}):
        with pytest.raises(ApiError, match="immutable|must be set exactly"):
            kube.merge(path, {"spec": change})
    kube.merge(path, {"spec": {"timeouts": {"total": "1h"}, "retention": {"ttlAfterPassed": "1h"}}})
    kube.merge(path, {"spec": {"abort": True}})
    with pytest.raises(ApiError, match="abort cannot be taken back"):
        kube.merge(path, {"spec": {"abort": False}})


def test_an_old_leader_cannot_rewrite_history(case):
    case.apply("done", training(duration="1s"))
    case.finished("done")
    path = case.path(TESTS, "done") + "/status"
    for change in ({"verdict": "Failed"}, {"phase": "Running"}, {"verdict": None}):
        with pytest.raises(ApiError, match="keeps its phase and verdict"):
            case.kube.merge(path, {"status": change})
    with pytest.raises(ApiError, match="keeps its phase and verdict"):
        case.kube.request("PATCH", path, [{"op": "remove", "path": "/status"}],
                          "application/json-patch+json")


def test_columns_and_field_selectors(case):
    case.apply("shown", training(duration="1s"))
    case.finished("shown")
    reply = kubectl("get", "st", "-n", case.ns, "-o", "wide")
    assert reply.returncode == 0, reply.stderr
    head, row = reply.stdout.splitlines()
    assert head.split() == ["NAME", "MODE", "PHASE", "VERDICT", "PROGRESS", "HEADLINE", "AGE",
                            "REASON", "NODE", "GPU"]
    assert "Passed" in row and " samples/s" in row and "AllGatesMet" in row and "node1" in row
    for selector, count in (("status.verdict=Passed", 1), ("status.verdict=Failed", 0),
                            ("spec.mode=Training", 1), ("status.phase=Finished", 1)):
        reply = kubectl("get", "st", "-n", case.ns, "--field-selector", selector, "-o", "name")
        assert len(reply.stdout.split()) == count, selector
    reply = kubectl("get", "stress", "-n", case.ns, "-o", "name")
    assert reply.stdout.strip().endswith("/shown")


def test_every_field_is_explained():
    reply = kubectl("explain", "stresstest.spec", "--recursive")
    assert reply.returncode == 0
    for field in ("spec.training", "spec.thresholds.metric", "spec.pod.shmSize", "spec.timeouts.run",
                  "status.verdict"):
        text = kubectl("explain", "stresstest." + field).stdout
        assert "DESCRIPTION:" in text and "<empty>" not in text, field


# D13: a Job of the same name that is not ours is named and left alone.
def test_a_foreign_job_is_a_name_conflict(case):
    foreign = case.kube.create(case.path(JOBS), {
        "metadata": {"name": "taken-r000-a1"},
        "spec": {"suspend": True, "template": {"spec": {
            "restartPolicy": "Never", "securityContext": {
                "runAsNonRoot": True, "seccompProfile": {"type": "RuntimeDefault"}},
            "containers": [{"name": "c", "image": "x", "securityContext": {
                "allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}}}]}}}})
    case.apply("taken", training())
    status = case.finished("taken", timeout=20)
    ended(status, "Error", "NameConflict")
    assert "taken-r000-a1" in status["message"]
    kept = case.kube.get(case.path(JOBS, "taken-r000-a1"))
    assert kept["metadata"]["uid"] == foreign["metadata"]["uid"]


def test_an_image_that_is_not_allowed(case):
    case.apply("evil", training(image="docker.io/library/busybox:1"))
    status = case.finished("evil", timeout=20)
    ended(status, "Error", "InvalidSpec")
    assert condition(status, "Accepted")["status"] == "False"
    assert not case.jobs("evil")


def test_a_job_that_the_api_server_refuses(case):
    spec = training()
    spec["pod"]["affinity"] = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {
        "nodeSelectorTerms": [{"matchExpressions": [{"key": "a", "operator": "Sometimes"}]}]}}}
    case.apply("odd", spec)
    status = case.finished("odd", timeout=20)
    ended(status, "Error", "InvalidSpec")
    assert "Sometimes" in status["message"]


def test_deleting_a_running_test_leaves_nothing(case):
    case.apply("away", training(duration="60s"))
    case.running("away")
    case.kube.delete(case.path(TESTS, "away"), propagationPolicy="Foreground")
    eventually(lambda: case.test("away") is None and not case.pods("away"), 60)
