"""`torchsoak-runner run` and `preflight`: verdict, words, numbers, exit code."""
import gzip
import json
import pathlib
import re
import subprocess

import pytest

from kit import Local, checked, environment, gate, inference, metric, training, wrap

TESTDATA = pathlib.Path(__file__).resolve().parents[1] / "testdata"


def test_a_healthy_training_passes_with_every_number(runner, tmp_path):
    run = Local(runner, tmp_path, training())  # ten epochs of thirteen steps
    assert run.code == 0, run.text
    assert "verdict: Passed (AllGatesMet)" in run.text
    assert f"report: {run.out}/report.json" in run.text
    report = run.report
    assert report["schema"] == "torchsoak/v1"
    assert report["outcome"]["steps"] == 130
    assert [epoch["epoch"] for epoch in report["epochs"]] == list(range(1, 11))
    assert all(epoch["seconds"] > 0 and epoch["peakAllocated"] > 0 for epoch in report["epochs"])
    assert [row["step"] for row in report["trace"]] == [50, 100]
    assert metric(report, "training.stepTime", "P50")["value"] > 0
    assert metric(report, "memory.peakAllocated", "Max")["value"] > 0
    assert gate(report, "ExactLeak")["result"] == "Passed"
    assert report["environment"]["threads"] == 1
    assert report["environment"]["libraries"]["libtorch"].startswith("2.")
    assert sum(count for _, count in report["histograms"][0]["buckets"]) == 130
    measured = report["timeline"]
    wall = sum(measured.values())
    assert measured["measured"] > 0 and wall < 60


def test_every_verdict_is_verified_and_an_edit_is_not(runner, tmp_path):
    for name, test in {"short": training(maxIterations=5), "gpu": training(gpu={"perPod": 1}),
                       "slow": training(thresholds=[{"name": "fast", "max": "1ns",
                                                     "metric": "training.stepTime"}])}.items():
        (tmp_path / name).mkdir()
        run = Local(runner, tmp_path / name, test)
        assert run.code != 0 and run.verified.returncode == 0, run.verified.stdout
    edited = tmp_path / "edited.json"
    edited.write_text((run.out / "report.json").read_text().replace('"Failed"', '"Passed"'))
    answer = subprocess.run([runner, "verify", edited], timeout=60, capture_output=True, text=True)
    assert answer.returncode == 1
    assert "its seal does not fit" in answer.stdout and "gate fast" in answer.stdout
    other = subprocess.run([runner, "verify", run.out / "report.json", "--sha256", "0" * 64],
                           timeout=60, capture_output=True, text=True)
    assert other.returncode == 1 and "sha256" in other.stdout
    none = subprocess.run([runner, "verify", run.out / "junit.xml"], timeout=60,
                          capture_output=True, text=True)
    assert none.returncode == 2 and "junit.xml" in none.stderr


def test_a_stored_report_becomes_a_page_and_junit(runner, tmp_path):
    run = Local(runner, tmp_path, training(maxIterations=25))
    stored = tmp_path / "report.json.gz"
    stored.write_bytes(gzip.compress((run.out / "report.json").read_bytes()))
    out = tmp_path / "again"
    made = subprocess.run([runner, "report", stored, "--out", out], timeout=60,
                          capture_output=True, text=True)
    assert made.returncode == 0, made.stderr
    for name in ("report.json", "report.html", "junit.xml"):
        assert (out / name).read_bytes() == (run.out / name).read_bytes(), name
        assert str(out / name) in made.stdout
    for wrong in (tmp_path, tmp_path / "absent", tmp_path / "test.json"):
        refused = subprocess.run([runner, "report", wrong, "--out", out], timeout=60,
                                 capture_output=True, text=True)
        assert refused.returncode == 2 and str(wrong) in refused.stderr


def test_a_breached_threshold_fails_with_number_and_limit(runner, tmp_path):
    bound = [{"name": "step-p50", "metric": "training.stepTime", "statistic": "P50", "max": "1ns"}]
    run = Local(runner, tmp_path, training(thresholds=bound))
    assert run.code == 1
    assert run.report["outcome"]["reason"] == "ThresholdBreached"
    assert re.search(r"step-p50: training.stepTime P50 \d[\d.]*(us|ms|s) > 1ns", run.text), run.text


def test_a_gpu_that_is_not_there_is_never_a_cpu_run(runner, tmp_path):
    run = Local(runner, tmp_path, training(gpu={"perPod": 1}))
    assert run.code == 4
    assert run.report["outcome"]["reason"] == "DeviceCountMismatch"
    assert "asks for 1 GPU, this process sees 0: this LibTorch is built without CUDA" in run.text
    assert run.report["outcome"]["steps"] == 0


def test_a_loss_that_explodes_is_found_at_its_step(runner, tmp_path):
    test = training(maxIterations=500)
    test["spec"]["training"].update(learningRate="100", optimizer="SGD")
    run = Local(runner, tmp_path, test)
    assert run.code == 1
    assert run.report["outcome"]["reason"] == "NonFiniteLoss"
    step = run.report["nonFiniteLoss"]["step"]
    assert run.report["outcome"]["steps"] == step + 1 < 500
    assert f"step {step}" in run.report["outcome"]["message"]


def test_loss_decreases_when_asked_for(runner, tmp_path):
    test = training(maxIterations=400)
    test["spec"]["training"].update(checks=["FiniteLoss", "LossDecreases"], learningRate="0.01")
    run = Local(runner, tmp_path, test)
    assert run.code == 0, run.text
    assert gate(run.report, "LossDecreases")["result"] == "Passed"


def test_too_few_steps_are_no_evidence(runner, tmp_path):
    run = Local(runner, tmp_path, training(maxIterations=5))
    assert run.code == 3
    assert run.report["outcome"]["reason"] == "TooFewSamples"


def test_the_first_limit_ends_the_run(runner, tmp_path):
    run = Local(runner, tmp_path, training(maxIterations=25, duration="10m"))
    assert run.code == 0
    assert run.report["outcome"]["steps"] == 25


def test_warm_up_is_not_measured(runner, tmp_path):
    run = Local(runner, tmp_path, training(maxIterations=30, warmup="200ms"))
    assert run.report["warmupSteps"] > 0
    assert run.report["outcome"]["steps"] == 30
    assert run.report["timeline"]["warmup"] >= 0.2


def test_the_local_run_timeout_is_inconclusive(runner, tmp_path):
    run = Local(runner, tmp_path, training(maxIterations=10**9, timeouts={"run": "2s"}))
    assert run.code == 124
    assert run.report["outcome"]["reason"] == "RunTimeout"
    assert run.report["outcome"]["partial"] is True


@pytest.mark.parametrize("numbers", [
    {"precision": "BF16"}, {"precision": "BF16", "amp": True}, {"precision": "FP16", "amp": True},
    {"accumulationSteps": 4, "optimizer": "AdamW"}])
def test_training_in_other_numbers(runner, tmp_path, numbers):
    test = training(maxIterations=60)
    test["spec"]["training"].update(numbers)
    run = Local(runner, tmp_path, test)
    assert run.code == 0, run.text
    assert gate(run.report, "ExactLeak")["result"] == "Passed"


@pytest.mark.parametrize("options", [{}, {"streams": 3, "batchSize": 4, "precision": "BF16"}])
def test_inference_counts_every_request(runner, tmp_path, options):
    run = Local(runner, tmp_path, inference(**options))
    assert run.code == 0, run.text
    assert run.report["outcome"]["steps"] == 300
    latency = metric(run.report, "inference.latency", "P99")
    assert latency["samples"] == 300 and latency["value"] > 0
    assert metric(run.report, "inference.errorRate", "Mean")["value"] == 0


def test_the_seed_decides_the_losses(runner, tmp_path):
    def losses(seed, **fields):
        folder = tmp_path / str(seed)
        folder.mkdir(exist_ok=True)
        test = training(maxIterations=30, seed=seed)
        test["spec"]["training"].update(fields)
        report = Local(runner, folder, test).report
        assert report["lossChecksum"]["steps"] == 30
        return report["series"]["training.loss"]["value"], report["lossChecksum"]["sha256"]

    first, again, other = losses(1), losses(1), losses(2)
    assert first == again
    assert first[0] != other[0] and first[1] != other[1]
    assert losses(1, deterministic=True) == losses(1, deterministic=True)


def test_preflight_checks_this_machine(runner, tmp_path):
    out = tmp_path / "out"
    run = subprocess.run([runner, "preflight", "--out", out], env=environment(),
                         capture_output=True, text=True, timeout=60)
    assert run.returncode == 0, run.stdout
    report = json.loads((out / "report.json").read_text())
    names = [g["name"] for g in report["gates"]]
    for item in ("DeviceCount", "SharedMemory", "MemoryLimit", "CpuLimit", "Threads", "Gemm"):
        assert item in names
        assert item in run.stdout
    assert "GFLOP/s" in gate(report, "Gemm")["observed"]


def test_a_file_that_is_not_there(runner, tmp_path):
    run = subprocess.run([runner, "run", "-f", tmp_path / "none.yaml"], capture_output=True,
                         text=True, env=environment())
    assert run.returncode == 2
    assert "none.yaml" in run.stderr


def test_a_folder_that_cannot_be_written_is_refused_before_the_run(runner, tmp_path):
    blocker = tmp_path / "blocker"
    blocker.write_text("a file")
    file = tmp_path / "test.json"
    file.write_text(json.dumps(training()))
    run = subprocess.run([runner, "run", "-f", file, "--out", blocker / "sub"],
                         capture_output=True, text=True, env=environment())
    assert run.returncode == 2
    assert "--out" in run.stderr


def test_the_default_folder_has_name_and_time(runner, tmp_path):
    file = tmp_path / "test.json"
    file.write_text(json.dumps(wrap({"mode": "Preflight", "preflight": {"matrixSize": 64},
                                     "gpu": {"perPod": 0}}, name="default-folder")))
    run = subprocess.run([runner, "run", "-f", file], cwd=tmp_path, capture_output=True, text=True,
                         env=environment())
    assert run.returncode == 0, run.stdout
    folders = [p.name for p in tmp_path.iterdir() if p.is_dir()]
    assert len(folders) == 1 and re.fullmatch(r"default-folder-\d{8}T\d{6}Z", folders[0])


# Every file of tests/testdata/invalid goes through the same command in runner_app_test; here a few
# go through the binary, whose start takes half a second.
@pytest.mark.parametrize("name", ["duration-days", "duplicate-key", "batch-size-zero", "anchor"])
def test_a_mistake_is_refused_with_its_field(runner, tmp_path, name):
    file = TESTDATA / "invalid" / f"{name}.yaml"
    field = file.read_text().splitlines()[0].removeprefix("# field:").strip()
    run = subprocess.run([runner, "run", "-f", file, "--out", tmp_path / "out"],
                         capture_output=True, text=True, env=environment(), timeout=60)
    assert run.returncode == 2, run.stdout + run.stderr
    assert field in run.stderr
    assert not (tmp_path / "out").exists()


def test_version_and_help(runner):
    for argument in ("--version", "--help"):
        run = subprocess.run([runner, argument], capture_output=True, text=True)
        assert run.returncode == 0 and "torchsoak-runner" in run.stdout


def test_a_model_file_that_is_not_there_is_the_specs_fault(runner, tmp_path):
    test = inference(model={"torchScript": {"path": "/models/none.pt", "inputs": [{"shape": [3]}]}})
    local = Local(runner, tmp_path, test)
    assert local.code == 2, local.text
    assert local.report["outcome"]["reason"] == "InvalidSpec"
    assert "/models/none.pt: No such file" in local.report["outcome"]["message"]


VISIBLE = ["", "0", "0,2", "GPU-8932a2c1-0000-4000-8000-000000000001", "GPU-8932", "MIG-8932a2c1-0000",
           "MIG-GPU-8932a2c1/1/2", "all", "none", "void", "-1", "0,0", "0, 1", "\u00e4\"{}\\\x01"]


@pytest.mark.parametrize("value", VISIBLE)
def test_whatever_the_visible_devices_say_nothing_crashes(runner, tmp_path, value):  # D17
    for gpus, code in (("0", 0), ("2", 4)):
        out = tmp_path / gpus
        run = subprocess.run([runner, "preflight", "--gpus", gpus, "--out", out], timeout=60,
                             env=environment(CUDA_VISIBLE_DEVICES=value), capture_output=True, text=True)
        assert run.returncode == code, run.stdout + run.stderr
        report = checked((out / "report.json").read_text(encoding="utf-8"))
        assert report["environment"]["variables"]["CUDA_VISIBLE_DEVICES"] is not None
        wanted = "AllGatesMet" if gpus == "0" else "DeviceCountMismatch"
        assert report["outcome"]["reason"] == wanted


def test_latency_is_the_time_of_the_work(runner, tmp_path):  # D18
    model = {"params": {"inputs": 1024, "hidden": 2048, "outputs": 16}}
    test = inference(model=model, batchSize=256)
    report = Local(runner, tmp_path, test).report
    mean = metric(report, "inference.latency", "Mean")["value"]
    steps, seconds = report["measured"]["steps"], report["measured"]["seconds"]
    assert steps == 300
    # One stream: what is between the requests is little, and nothing of the work is left out.
    assert 0.8 * seconds < mean * steps <= seconds
    rate = metric(report, "inference.samplesPerSecond", "Mean")["value"]
    assert 0.8 < rate / 256 * mean < 1.1, "throughput times latency is the concurrency, 1"
    assert "device wait" in report["workload"]["latencyIncludes"]
