"""Mode Memory: what comes back as written passes, a bit that flips under the real binary is found."""
import json
import re
import subprocess
from time import sleep

from kit import Local, checked, environment, gate, metric, wrap


def memory(size="64Mi", **spec):
    return wrap({"mode": "Memory", "gpu": {"perPod": 0}, "memory": {"size": size}, "maxIterations": 40,
                 **spec}, "patterns")


def test_memory_that_keeps_what_it_is_told_passes(runner, tmp_path):
    run = Local(runner, tmp_path, memory())
    assert run.code == 0, run.text + run.run.stderr
    report = run.report
    assert report["checks"]["results"] == 42 and report["checks"]["wrong"] == 0
    assert report["checks"]["covered"] == 1
    assert report["measured"]["bytes"] == 40 * 2 * (16 << 20)
    assert report["measured"]["asideSeconds"] < report["measured"]["seconds"]
    assert report["workload"]["regions"] == [{"device": "cpu", "bytes": 64 << 20, "slots": 2,
                                              "slotBytes": 16 << 20, "passesChecked": 21}]
    assert gate(report, "WrongResult")["result"] == "Passed"
    assert re.search(r"[MGT]B/s$", metric(report, "memory.bytesPerSecond", "Mean")["text"])
    assert metric(report, "memory.allocated", "Max")["value"] >= 64 << 20
    assert {"detector": "WrongResult", "state": "proven",
            "detail": "one bit of the memory changed, on each device"} in report["canaries"]
    assert "copied" in run.text and run.verified.returncode == 0


def test_a_run_too_short_for_every_pattern_is_no_pass(runner, tmp_path):
    run = Local(runner, tmp_path, memory(size="1Gi", maxIterations=20))  # four slots: 4 + 20 of 6 · 4
    assert run.code == 0, run.text + run.run.stderr
    (tmp_path / "short").mkdir()
    run = Local(runner, tmp_path / "short", memory(size="1280Mi", maxIterations=20))  # five: 5 + 20 of 30
    assert run.code == 3 and run.report["outcome"]["verdict"] == "Inconclusive", run.text
    assert "of what there is to check was checked" in gate(run.report, "WrongResult")["message"]
    assert run.verified.returncode == 0


def flip(pid, offset):
    """Flips one bit near the middle of the largest piece of the process's own memory; says where."""
    with open(f"/proc/{pid}/maps", encoding="ascii") as maps, open(f"/proc/{pid}/mem", "r+b", 0) as mem:
        pieces = [(int(low, 16), int(high, 16)) for low, high in
                  re.findall(r"^(\w+)-(\w+) rw-p \S+ 00:00 0 *$", maps.read(), re.M)]
        low, high = max(pieces, key=lambda piece: piece[1] - piece[0])
        assert high - low >= 32 << 20
        at = (low + high) // 2 + offset
        mem.seek(at)
        byte = mem.read(1)[0]
        mem.seek(at)
        mem.write(bytes([byte ^ 0x40]))
    return f"{at:x} of {low:x}-{high:x}: {byte:02x}"


def test_a_bit_that_flips_in_the_middle_is_a_wrong_result(runner, tmp_path):
    file = tmp_path / "test.json"
    spec = memory(size="128Mi", duration="8s")
    del spec["spec"]["maxIterations"]
    file.write_text(json.dumps(spec))
    out = tmp_path / "out"
    process = subprocess.Popen([runner, "run", "-f", file, "--out", out], env=environment(),
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        for line in process.stdout:
            if '"phase":"measured"' in line:
                break
        # One that lands in what is about to be overwritten is lost: the next has other luck.
        touched = []
        for time in range(5):
            touched.append(flip(process.pid, 4096 * time + 1001))
            sleep(0.3)
        text, _ = process.communicate(timeout=60)
    finally:
        process.kill()
        process.wait(timeout=10)
    assert process.returncode == 1, f"{text}{touched}"
    report = checked((out / "report.json").read_text())
    assert report["outcome"]["reason"] == "WrongResult", text
    assert 0 < report["checks"]["wrong"] < report["checks"]["results"]
    message = gate(report, "WrongResult")["message"]
    assert re.match(r"cpu, pass \d+: \d+ words? of pattern \S+ came back otherwise; read again, word \d+ "
                    r"of the (first|second) half is 0x[0-9a-f]{16}, not 0x[0-9a-f]{16}$", message), message
    held, right = (int(word, 16) for word in re.findall("0x[0-9a-f]{16}", message))
    assert bin(held ^ right).count("1") == 1
    assert subprocess.run([runner, "verify", out / "report.json"], timeout=60).returncode == 0
