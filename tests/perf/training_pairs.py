"""Training against the PyTorch script that does the same (train.py), with the same LibTorch, in pairs that
alternate, so that what the machine does meanwhile hits both. One thread each.

    training_pairs.py RUNNER PYTHON [PAIRS]      PYTHON has torch 2.11.0; PAIRS: at least 15 for the README

Prints the median of the pairs' ratios of samples a second, ours to PyTorch's, and their quartiles.
"""
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
SECONDS = 3
MLP = {"inputs": 784, "hidden": 1024, "outputs": 10}
SMALL = {"inputs": 64, "hidden": 64, "outputs": 10}
CASES = [("MLP 784-1024-10, batch 128, Adam", {**MLP, "batch": 128, "fused": False}),
         ("MLP 784-1024-10, batch 128, fused Adam", {**MLP, "batch": 128, "fused": True}),
         ("MLP 784-1024-10, batch 1, Adam", {**MLP, "batch": 1, "fused": False}),
         ("MLP 64-64-10, batch 1, Adam", {**SMALL, "batch": 1, "fused": False})]


def environment():
    return {"PATH": os.environ["PATH"], "HOME": os.environ.get("HOME", "/"), "OMP_NUM_THREADS": "1"}


def ours(runner, case):
    params = {name: case[name] for name in ("inputs", "hidden", "outputs")}
    test = {"apiVersion": "torchsoak.dev/v1alpha1", "kind": "StressTest", "metadata": {"name": "pair"},
            "spec": {"mode": "Training", "gpu": {"perPod": 0}, "duration": f"{SECONDS}s", "warmup": "500ms",
                     "training": {"model": {"builtin": "MLP", "params": params},
                                  "batchSize": case["batch"], "fused": case["fused"]}}}
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "test.json"
        file.write_text(json.dumps(test), encoding="utf-8")
        subprocess.run([runner, "run", "-f", file, "--out", f"{folder}/out"], env=environment(), check=False,
                       stdout=subprocess.DEVNULL)
        report = json.loads((pathlib.Path(folder) / "out/report.json").read_text(encoding="utf-8"))
    return next(metric["value"] for metric in report["metrics"]
                if (metric["name"], metric["statistic"]) == ("training.samplesPerSecond", "Mean"))


def theirs(python, case):
    reply = subprocess.run([python, HERE / "train.py", json.dumps({**case, "seconds": SECONDS})],
                           env=environment(), check=True, capture_output=True, text=True)
    return float(reply.stdout)


def main():
    runner, python = sys.argv[1:3]
    pairs = int(sys.argv[3]) if len(sys.argv) > 3 else 15
    print(f"samples/s, ours : PyTorch's; {pairs} alternated pairs each of {SECONDS} s, one thread")
    for name, case in CASES:
        ratios = []
        for n in range(pairs):
            first, second = (ours, theirs) if n % 2 == 0 else (theirs, ours)
            rates = {first: first(runner if first is ours else python, case),
                     second: second(runner if second is ours else python, case)}
            ratios.append(rates[ours] / rates[theirs])
        low, median, high = statistics.quantiles(ratios, n=4)
        print(f"{name + ':':42} {median:.2f}  (quartiles {low:.2f} to {high:.2f})", flush=True)


if __name__ == "__main__":
    main()
