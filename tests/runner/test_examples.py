"""Each file of examples/ runs, made small: on the CPU, for a few steps, without its bounds, which are
for the GPU that it was written for. A mode whose example does not work does not get through."""
import pathlib
from xml.etree import ElementTree

import pytest
import yaml

from kit import Local

EXAMPLES = sorted((pathlib.Path(__file__).resolve().parents[2] / "examples").glob("*.yaml"))
MODELS = pathlib.Path(__file__).resolve().parents[1] / "testdata/models"
STEPS = 25
SMALL = {"batchSize": 4, "samplesPerEpoch": 1000, "hidden": 64, "imageSize": 32, "matrixSize": 64,
         "heads": 4, "layers": 2, "sequence": 8, "vocabulary": 100, "rows": 100, "size": 64}


def small(value):
    """The same with the sizes that take time replaced, and without what takes hundreds of steps."""
    if not isinstance(value, dict):
        return value
    if "path" in value:
        value = {**value, "path": str(MODELS / pathlib.Path(value["path"]).name)}
    if value.get("model", {}).get("builtin") == "ResNet50":  # in BF16 four seconds a step on a CPU
        model = {"builtin": "ResNet50", "params": {"imageSize": 32}}
        value = {**value, "model": model, "precision": "FP32", "amp": False}
    return {key: SMALL.get(key, small(inner)) for key, inner in value.items() if key != "checks"}


@pytest.mark.parametrize("path", EXAMPLES, ids=[path.stem for path in EXAMPLES])
def test_example_runs(runner, tmp_path, path):
    test = yaml.safe_load(path.read_text(encoding="utf-8"))
    spec = small(test["spec"])
    limits = [key for key in ("duration", "maxIterations") if spec.pop(key, None)]
    for key in ("warmup", "thresholds"):
        spec.pop(key, None)
    spec["gpu"] = {"perPod": 0}
    if "memory" in spec:
        spec["memory"] = {"size": "64Mi"}
    if "benchmark" in spec:
        spec["benchmark"].pop("amp")
        spec["benchmark"].update(precision="FP32", backend={}, model={"params": {"hidden": 64}},
                                 timer={"method": "Timeit", "number": STEPS})
    if limits:
        spec["maxIterations"] = STEPS
    run = Local(runner, tmp_path, {**test, "spec": spec})
    assert run.report, run.run.stderr
    assert run.report["outcome"]["verdict"] == "Passed", run.text
    assert run.verified.returncode == 0, run.verified.stdout
    suite = ElementTree.parse(run.out / "junit.xml").getroot()
    assert suite.get("failures") == suite.get("errors") == "0"
    assert int(suite.get("tests")) == 1 + len(run.report["gates"])
    assert run.report["outcome"]["steps"] == (STEPS if limits or "benchmark" in spec else 0)
