"""Mode Gemm: right products pass, and memory that goes bad under the real binary is found."""
import array
import json
import re
import subprocess

import pytest

from kit import Local, checked, environment, gate, metric, wrap


def gemm(size=64, precision="FP32", **spec):
    return wrap({"mode": "Gemm", "gpu": {"perPod": 0}, "gemm": {"size": size, "precision": precision},
                 "maxIterations": 50, **spec}, "products")


@pytest.mark.parametrize("precision", ["FP64", "FP32", "BF16", "FP16"])
def test_right_products_pass(runner, tmp_path, precision):
    run = Local(runner, tmp_path, gemm(precision=precision))
    assert run.code == 0, run.text + run.run.stderr
    report = run.report
    assert report["checks"] == {"results": 50, "wrong": 0, "unchecked": 0, "covered": 1, "wrongPer1e15FlopAtMost":
                                pytest.approx(2.9957 / (50 * 2 * 64**3) * 1e15, rel=1e-4)}
    assert gate(report, "WrongResult")["result"] == "Passed"
    assert report["measured"]["flops"] == 50 * 2 * 64**3
    assert 0 < report["measured"]["asideSeconds"] < report["measured"]["seconds"]
    assert metric(report, "gemm.flopsPerSecond", "Mean")["text"].endswith("FLOP/s")
    assert {"detector": "WrongResult", "state": "proven",
            "detail": "one bit of a product changed, on each device"} in report["canaries"]
    assert "computed sustained" in run.text and run.verified.returncode == 0


def test_the_same_seed_has_the_same_fingerprint(runner, tmp_path):
    prints = []
    for name, seed in (("one", 0), ("two", 0), ("three", 1)):
        (tmp_path / name).mkdir()
        run = Local(runner, tmp_path / name, gemm(seed=seed))
        prints.append(run.report["workload"]["fingerprints"]["cpu"])
    assert prints[0] == prints[1] != prints[2]


def spoil(pid):
    """Flips a bit here and there in whatever of the process's memory looks like normal numbers."""
    flipped = 0
    with open(f"/proc/{pid}/maps", encoding="ascii") as maps, open(f"/proc/{pid}/mem", "r+b", 0) as memory:
        for low, high, name in re.findall(r"^(\w+)-(\w+) rw-p \S+ \S+ \d+ *(.*)$", maps.read(), re.M):
            if name not in ("", "[heap]"):
                continue
            for at in range(int(low, 16), int(high, 16) - 4096, 1 << 18):
                memory.seek(at)
                numbers = array.array("f", memory.read(4096))
                if not all(abs(x) < 7 for x in numbers) or sum(abs(x) > 1e-3 for x in numbers) < 1000:
                    continue
                memory.seek(at + 2)
                high_bits = memory.read(1)[0]
                memory.seek(at + 2)
                memory.write(bytes([high_bits ^ 0x10]))
                flipped += 1
    return flipped


def test_memory_that_goes_bad_in_the_middle_is_a_wrong_result(runner, tmp_path):
    file = tmp_path / "test.json"
    file.write_text(json.dumps(gemm(size=1024, maxIterations=None, duration="12s")
                               ).replace('"maxIterations": null, ', ""))
    out = tmp_path / "out"
    process = subprocess.Popen([runner, "run", "-f", file, "--out", out], env=environment(),
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        for line in process.stdout:
            if '"phase":"measured"' in line:
                break
        assert spoil(process.pid) > 8
        text, _ = process.communicate(timeout=60)
    finally:
        process.kill()
        process.wait(timeout=10)
    assert process.returncode == 1, text
    report = checked((out / "report.json").read_text())
    assert report["outcome"]["reason"] == "WrongResult", text
    assert 0 < report["checks"]["wrong"] < report["checks"]["results"]
    message = gate(report, "WrongResult")["message"]
    assert re.match(r"cpu: product \d+ has other bits than the golden one: \d+ rows? and \d+ columns? differ",
                    message), message
    assert message.endswith("made again, it is wrong again"), message
    assert subprocess.run([runner, "verify", out / "report.json"], timeout=60).returncode == 0
