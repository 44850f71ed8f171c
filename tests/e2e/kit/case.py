"""One test's namespace with an operator of its own, and the words in which scenarios are told."""

import base64
import gzip
import json
import os
import subprocess
import tempfile

import jsonschema

from kit.kube import CONFIG_MAPS, JOBS, PODS, TESTS, eventually
from kit.operator import ROOT

RUNNER = os.path.join(ROOT, "build/dev/runner/torchsoak-runner")
FAULTS_IMAGE = "localhost/torchsoak/runner-faults:dev"
SMALL = {"inputs": 32, "hidden": 32, "outputs": 4}


def training(**changes):
    """A training spec for the CPU that measures for about three seconds."""
    spec = {
        "mode": "Training",
        "training": {"model": {"builtin": "MLP", "params": dict(SMALL)}, "batchSize": 32,
                     "samplesPerEpoch": 1000},
        "duration": "3s",
        "gpu": {"perPod": 0},
        "resources": {"memory": "1Gi"},
        "pod": {"env": [{"name": "OMP_NUM_THREADS", "value": "1"}]},
        "timeouts": {"stall": "60s"},
    }
    for key, value in changes.items():
        if isinstance(value, dict) and isinstance(spec.get(key), dict) and key != "training":
            spec[key] = {**spec[key], **value}
        else:
            spec[key] = value
    return spec


def faulty(after=4, **faults):
    """The changes that make the real runner misbehave: a library of the tests, preloaded."""
    env = [{"name": "OMP_NUM_THREADS", "value": "1"},
           {"name": "LD_PRELOAD", "value": "/faults/libfaults.so"},
           {"name": "FAULT_AFTER", "value": str(after)}]
    env += [{"name": name, "value": str(value)} for name, value in faults.items()]
    return {"image": FAULTS_IMAGE, "pod": {"env": env}}


class Case:
    def __init__(self, kube, ns, operator):
        self.kube, self.ns, self.operator = kube, ns, operator

    def path(self, kind, name=""):
        return kind.format(ns=self.ns) + ("/" + name if name else "")

    def apply(self, name, spec, **metadata):
        return self.kube.create(self.path(TESTS), {
            "apiVersion": "torchsoak.dev/v1alpha1", "kind": "StressTest",
            "metadata": {"name": name, "namespace": self.ns, **metadata}, "spec": spec})

    def change(self, name, **spec):
        return self.kube.merge(self.path(TESTS, name), {"spec": spec})

    def test(self, name):
        return self.kube.get(self.path(TESTS, name))

    def status(self, name):
        return (self.test(name) or {}).get("status") or {}

    def until(self, name, timeout=90, **wanted):
        """Waits until these members of the status have these values; returns the status."""
        def check():
            status = self.status(name)
            return status if all(status.get(k) == v for k, v in wanted.items()) else None
        try:
            return eventually(check, timeout)
        except AssertionError:
            raise AssertionError(
                f"{name} did not reach {wanted} within {timeout} s; status: "
                f"{json.dumps(self.status(name), indent=1)}; operator: "
                f"{self.operator.text()[-3000:] if self.operator else ''}") from None

    def finished(self, name, timeout=120):
        return self.until(name, timeout, phase="Finished")

    def running(self, name, timeout=60):
        return self.until(name, timeout, phase="Running")

    def measuring(self, name, timeout=90):
        """Waits for a first percent: Running is said already while LibTorch is still loading."""
        def check():
            status = self.status(name)
            return status if status.get("progress", {}).get("percent", 0) >= 1 else None
        return eventually(check, timeout, what=f"{name} to measure")

    def pods(self, name):
        return self.kube.list(self.path(PODS), f"torchsoak.dev/stresstest={name}")

    def pod(self, name):
        pods = self.pods(name)
        return pods[0] if pods else None

    def jobs(self, name):
        return self.kube.list(self.path(JOBS), f"torchsoak.dev/stresstest={name}")

    def report(self, name):
        """The stored report, unpacked; the runner's `verify` agrees with it."""
        status = self.status(name)
        config_map = self.kube.get(
            self.path(CONFIG_MAPS, status["results"]["configMaps"][0]))
        packed = base64.b64decode(config_map["binaryData"]["report.json.gz"])
        with tempfile.NamedTemporaryFile(suffix=".json.gz") as file:
            file.write(packed)
            file.flush()
            checked = subprocess.run(
                [RUNNER, "verify", file.name, "--sha256", status["results"]["sha256"]],
                timeout=60, capture_output=True, text=True)
        assert checked.returncode == 0, checked.stdout + checked.stderr
        report = json.loads(gzip.decompress(packed))
        with open(os.path.join(ROOT, "common/contract/report.schema.json"), encoding="utf-8") as file:
            jsonschema.Draft202012Validator(json.load(file)).validate(report)
        return report


def ended(status, verdict, reason=None):
    """Asserts how a test ended; the whole status is shown when it ended otherwise."""
    wrong = status["verdict"] != verdict or reason not in (None, status["reason"])
    assert not wrong, f"wanted {verdict} {reason or ''}, got {json.dumps(status, indent=1)}"


def conditions(status):
    """The set of (condition, status, reason)."""
    return {(c["type"], c["status"], c["reason"]) for c in status["conditions"]}


def condition(status, kind):
    return next((c for c in status["conditions"] if c["type"] == kind), None)
