"""Two programs that measure the same thing in turns, so that what the machine does meanwhile hits both."""
import json
import os
import pathlib
import statistics
import subprocess
import tempfile

HERE = pathlib.Path(__file__).parent


def environment():
    """The same for both: one thread, the allocator as it comes."""
    return {"PATH": os.environ["PATH"], "HOME": os.environ.get("HOME", "/"), "OMP_NUM_THREADS": "1"}


def ours(runner, spec):
    """The report of a run of `spec` on the CPU."""
    test = {"apiVersion": "torchsoak.dev/v1alpha1", "kind": "StressTest", "metadata": {"name": "pair"},
            "spec": {"gpu": {"perPod": 0}, **spec}}
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "test.json"
        file.write_text(json.dumps(test), encoding="utf-8")
        subprocess.run([runner, "run", "-f", file, "--out", f"{folder}/out"], env=environment(), check=False,
                       stdout=subprocess.DEVNULL)
        return json.loads((pathlib.Path(folder) / "out/report.json").read_text(encoding="utf-8"))


def theirs(python, script, want):
    """The number that a script of this folder prints."""
    reply = subprocess.run([python, HERE / script, json.dumps(want)], env=environment(), check=True,
                           capture_output=True, text=True)
    return float(reply.stdout)


def ratios(first, second, pairs):
    """`pairs` ratios of first() to second(), each called first every other time."""
    found = []
    for n in range(pairs):
        if n % 2 == 0:
            above, below = first(), second()
        else:
            below, above = second(), first()
        found.append(above / below)
    return found


def line(name, found):
    low, median, high = statistics.quantiles(found, n=4)
    return f"{name + ':':42} {median:.3f}  (quartiles {low:.3f} to {high:.3f})"
