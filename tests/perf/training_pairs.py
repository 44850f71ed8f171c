"""Training against the PyTorch script that does the same (train.py), with the same LibTorch, in pairs that
alternate. One thread each.

    training_pairs.py RUNNER PYTHON [PAIRS]      PYTHON has torch 2.11.0; PAIRS: at least 15 for the README

Prints the median of the pairs' ratios of samples a second, ours to PyTorch's, and their quartiles.
"""
import sys

import pairs

SECONDS = 3
MLP = {"inputs": 784, "hidden": 1024, "outputs": 10}
SMALL = {"inputs": 64, "hidden": 64, "outputs": 10}
CASES = [("MLP 784-1024-10, batch 128, Adam", {**MLP, "batch": 128, "fused": False}),
         ("MLP 784-1024-10, batch 128, fused Adam", {**MLP, "batch": 128, "fused": True}),
         ("MLP 784-1024-10, batch 1, Adam", {**MLP, "batch": 1, "fused": False}),
         ("MLP 64-64-10, batch 1, Adam", {**SMALL, "batch": 1, "fused": False})]


def ours(runner, case):
    params = {name: case[name] for name in ("inputs", "hidden", "outputs")}
    report = pairs.ours(runner, {
        "mode": "Training", "duration": f"{SECONDS}s", "warmup": "500ms",
        "training": {"model": {"builtin": "MLP", "params": params}, "batchSize": case["batch"],
                     "fused": case["fused"]}})
    return next(metric["value"] for metric in report["metrics"]
                if (metric["name"], metric["statistic"]) == ("training.samplesPerSecond", "Mean"))


def main():
    runner, python = sys.argv[1:3]
    count = int(sys.argv[3]) if len(sys.argv) > 3 else 15
    print(f"samples/s, ours : PyTorch's; {count} alternated pairs each of {SECONDS} s, one thread")
    for name, case in CASES:
        found = pairs.ratios(lambda: ours(runner, case),
                             lambda: pairs.theirs(python, "train.py", {**case, "seconds": SECONDS}), count)
        print(pairs.line(name, found), flush=True)


if __name__ == "__main__":
    main()
