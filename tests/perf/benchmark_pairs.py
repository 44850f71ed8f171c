"""Mode Benchmark against torch.utils.benchmark (timer.py), with the same LibTorch, in pairs that alternate.
One thread each.

    benchmark_pairs.py RUNNER PYTHON [PAIRS]     PYTHON has torch 2.11.0 and torchvision; PAIRS: at least 15

Prints the median of the pairs' ratios of medians, ours to torch's, and their quartiles. Ours is right when
the median ratio is within 3 % of 1, or within the pairs' own interquartile range; else it ends with 1.
"""
import statistics
import sys

import pairs

SECONDS = 3
CASES = [("ConvNet, batch 32, forward", {"model": "ConvNet", "batch": 32}),
         ("ResNet18, batch 1, forward", {"model": "ResNet18", "batch": 1})]


def ours(runner, case):
    report = pairs.ours(runner, {
        "mode": "Benchmark",
        "benchmark": {"model": {"builtin": case["model"]}, "batchSize": case["batch"],
                      "timer": {"minRunTime": f"{SECONDS}s"}}})
    return report["benchmark"]["median"]


def main():
    runner, python = sys.argv[1:3]
    count = int(sys.argv[3]) if len(sys.argv) > 3 else 15
    print(f"median time, ours : torch.utils.benchmark's; {count} alternated pairs each of {SECONDS} s, one thread")
    wrong = 0
    for name, case in CASES:
        found = pairs.ratios(lambda: ours(runner, case),
                             lambda: pairs.theirs(python, "timer.py", {**case, "seconds": SECONDS}), count)
        low, median, high = statistics.quantiles(found, n=4)
        agree = abs(median - 1) <= max(0.03, high - low)
        wrong += not agree
        print(pairs.line(name, found), "agree" if agree else "DIFFER", flush=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
