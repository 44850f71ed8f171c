"""What the tests share: small StressTests, starting the binary, reading its answers."""
import base64
import datetime
import gzip
import hashlib
import json
import os
import pathlib
import re
import subprocess
import time
import zlib

import jsonschema

SCHEMA = json.loads((pathlib.Path(__file__).resolve().parents[2]
                     / "common/contract/report.schema.json").read_text(encoding="utf-8"))


def training(**spec):
    """A StressTest that trains a tiny model on the CPU; `spec` overrides or adds fields."""
    tiny = {
        "mode": "Training",
        "gpu": {"perPod": 0},
        "training": {
            "model": {"params": {"inputs": 16, "hidden": 32, "outputs": 4}},
            "batchSize": 16,
            "samplesPerEpoch": 200,
        },
    }
    return wrap({**tiny, **spec})


def endless(**spec):
    """The same with ten minutes to go."""
    return training(duration="10m", **spec)


def inference(**in_process):
    model = {"params": {"inputs": 16, "hidden": 32, "outputs": 4}}
    return wrap({
        "mode": "Inference",
        "gpu": {"perPod": 0},
        "maxIterations": 300,
        "inference": {"target": "InProcess", "inProcess": {"model": model, **in_process}},
    })


def wrap(spec, name="tiny"):
    return {"apiVersion": "torchsoak.dev/v1alpha1", "kind": "StressTest",
            "metadata": {"name": name}, "spec": spec}


def environment(**extra):
    return {"PATH": os.environ["PATH"], "OMP_NUM_THREADS": "1", **extra}


class Local:
    """`torchsoak-runner run` to its end."""

    def __init__(self, runner, tmp_path, test, timeout=60):
        file = tmp_path / "test.json"
        file.write_text(test if isinstance(test, str) else json.dumps(test))
        self.out = tmp_path / "out"
        self.run = subprocess.run([runner, "run", "-f", file, "--out", self.out], timeout=timeout,
                                  env=environment(), capture_output=True, text=True)
        self.code = self.run.returncode
        self.text = self.run.stdout
        path = self.out / "report.json"
        self.report = checked(path.read_text()) if path.exists() else None
        self.verified = subprocess.run([runner, "verify", path], timeout=60, capture_output=True,
                                       text=True) if path.exists() else None


def refuse(constant):
    raise ValueError(f"{constant} is no JSON")


def checked(text):
    """A report, which is as its schema says and whose phases add up to its time."""
    report = json.loads(text, parse_constant=refuse)
    jsonschema.Draft202012Validator(SCHEMA).validate(report)
    times = [datetime.datetime.fromisoformat(report["times"][at].replace("Z", "+00:00"))
             for at in ("started", "ended")]
    wall = (times[1] - times[0]).total_seconds()
    assert abs(sum(report["timeline"].values()) - wall) < 0.01, report["timeline"]
    return report


def metric(report, name, statistic):
    return next(m for m in report["metrics"] if (m["name"], m["statistic"]) == (name, statistic))


def gate(report, name):
    return next(g for g in report["gates"] if g["name"] == name)


def run_spec(test, **fields):
    """What the operator would put into TORCHSOAK_RUN. The schema's defaults that the runner reads
    are its own, too."""
    return json.dumps({"v": 1, "namespace": "ml", "test": test["metadata"]["name"],
                       "uid": "0c9b9bd8-0000-4000-8000-000000000001", "run": 0, "attempt": 1,
                       "spec": test["spec"], **fields})


class Pod:
    """`torchsoak-runner pod`, started and perhaps still running."""

    def __init__(self, runner, tmp_path, test, wrapper=(), **extra):
        self.message = tmp_path / "termination-log"
        self.message.write_text("")
        self.log_path = tmp_path / "log"
        env = environment(**{"TORCHSOAK_RUN": test if isinstance(test, str) else run_spec(test),
                             "TORCHSOAK_TERMINATION_LOG": str(self.message), **extra})
        with open(self.log_path, "wb") as log:
            self.process = subprocess.Popen([*wrapper, runner, "pod"], env=env, stdout=log,
                                            stderr=subprocess.STDOUT)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()

    def wait(self, timeout=60):
        self.code = self.process.wait(timeout)
        return self.code

    def sections(self):
        return decode_message(self.message.read_bytes())

    def core(self):
        return self.sections().get("core")

    def until_measuring(self, timeout=40):
        deadline = time.monotonic() + timeout
        while time.monotonic() < deadline:
            assert self.process.poll() is None, self.log_path.read_text()
            core = self.core()
            if core and core["measuring"]:
                return core
            time.sleep(0.02)
        raise AssertionError("measuring did not begin: " + self.log_path.read_text())

    def log(self):
        return self.log_path.read_text().splitlines()

    def report(self):
        return decode_frames(self.log(), self.core()["report"])


def decode_message(raw):
    """Sections by name, each of which must prove itself."""
    sections = {}
    while raw:
        head, _, rest = raw.partition(b"\n")
        match = re.fullmatch(rb"ts1 (\w+) (\d+) ([0-9a-f]{8})", head)
        if not match:
            break
        name, size = match[1].decode(), int(match[2])
        body = rest[:size]
        if zlib.crc32(match[1] + b" " + body) != int(match[3], 16) or rest[size:size + 1] != b"\n":
            break
        sections[name] = json.loads(body, parse_constant=refuse)
        raw = rest[size + 1:]
    return sections


def decode_frames(lines, reference):
    parts = {}
    for line in lines:
        match = re.fullmatch(r"@ts-report (\d+)/(\d+) ([0-9a-f]{8}) (\S{1,8000})", line)
        if match:
            assert zlib.crc32(match[4].encode()) == int(match[3], 16)
            assert int(match[2]) == reference["frames"]
            parts[int(match[1])] = base64.b64decode(match[4])
    assert sorted(parts) == list(range(1, reference["frames"] + 1))
    packed = b"".join(parts[i] for i in sorted(parts))
    assert len(packed) == reference["bytes"]
    assert hashlib.sha256(packed).hexdigest() == reference["sha256"]
    return checked(gzip.decompress(packed))
