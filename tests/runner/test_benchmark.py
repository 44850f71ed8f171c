"""Mode Benchmark under the real binary: each timer ends by itself and says what its blocks say."""
import json
import signal
import statistics
import subprocess

import pytest

from kit import Local, checked, environment, gate, metric, wrap

MODEL = {"params": {"inputs": 16, "hidden": 32, "outputs": 4}}


def benchmark(timer, **fields):
    return wrap({"mode": "Benchmark", "gpu": {"perPod": 0},
                 "benchmark": {"model": MODEL, "batchSize": 8, "timer": timer, **fields}}, "timed")


@pytest.mark.parametrize("measure", ["Forward", "Backward", "Step"])
def test_blocks_add_up_to_the_report(runner, tmp_path, measure):
    run = Local(runner, tmp_path, benchmark({"minRunTime": "500ms"}, measure=measure))
    assert run.code == 0, run.text + run.run.stderr
    report, timed = run.report, run.report["benchmark"]
    assert timed["blocks"] == len(timed["times"]) >= 4 and timed["settled"]
    assert report["outcome"]["steps"] == timed["blocks"] * timed["runsPerBlock"]
    assert sum(timed["times"]) * timed["runsPerBlock"] >= 0.5
    assert timed["median"] == pytest.approx(statistics.median(timed["times"]))
    assert timed["stdDev"] == pytest.approx(statistics.stdev(timed["times"]))
    assert metric(report, "benchmark.stepTime", "P50")["value"] == pytest.approx(timed["median"], rel=0.02)
    assert metric(report, "benchmark.samplesPerSecond", "Mean")["value"] > 0
    assert report["measured"]["samples"] == 8 * report["outcome"]["steps"]
    assert report["workload"]["measure"] == measure
    assert "step time p50" in run.text and run.verified.returncode == 0


def test_timeit_makes_exactly_its_number(runner, tmp_path):
    run = Local(runner, tmp_path, benchmark({"method": "Timeit", "number": 321}))
    assert run.code == 0, run.text + run.run.stderr
    assert run.report["outcome"]["steps"] == 321
    assert run.verified.returncode == 0


def test_adaptive_that_cannot_settle_is_unstable(runner, tmp_path):
    run = Local(runner, tmp_path, benchmark({"method": "AdaptiveAutorange", "minRunTime": "10ms",
                                             "maxRunTime": "300ms", "threshold": "0.000001"}))
    assert run.code == 3, run.text
    assert run.report["outcome"]["reason"] == "Unstable"
    assert not run.report["benchmark"]["settled"]
    assert "raise maxRunTime or threshold" in gate(run.report, "Timing")["message"]
    assert run.verified.returncode == 0


def test_adaptive_settles(runner, tmp_path):
    run = Local(runner, tmp_path, benchmark({"method": "AdaptiveAutorange", "threshold": "0.9"}))
    assert run.code == 0, run.text
    assert run.report["benchmark"]["settled"] and run.verified.returncode == 0


def test_grad_modes_are_told_apart(runner, tmp_path):
    for mode in ("InferenceMode", "NoGrad", "Grad"):
        (tmp_path / mode).mkdir()
        run = Local(runner, tmp_path / mode, benchmark({"minRunTime": "50ms"}, gradMode=mode))
        assert run.code == 0, run.text
        assert run.report["workload"]["gradMode"] == mode


def test_a_stop_in_the_middle_is_no_pass(runner, tmp_path):
    file = tmp_path / "test.json"
    file.write_text(json.dumps(benchmark({"minRunTime": "10m"})))
    out = tmp_path / "out"
    with subprocess.Popen([runner, "run", "-f", file, "--out", out], env=environment(), text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as process:
        for line in process.stdout:
            if '"phase":"measured"' in line:
                break
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=30)
    report = checked((out / "report.json").read_text())
    assert report["outcome"]["verdict"] == "Inconclusive" and report["outcome"]["partial"]
