"""What the documents say about the code must be so."""

import json
import pathlib
import re

import pytest
import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
CRD = yaml.safe_load((ROOT / "crds/stresstests.yaml").read_text(encoding="utf-8"))
SPEC = CRD["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"]


def table(path):
    """Rows of a page's tables, as lists of cells."""
    rows = re.findall(r"^\|(.+)\|$", (ROOT / path).read_text(encoding="utf-8"), re.MULTILINE)
    return [[cell.strip() for cell in row.split(" | ")] for row in rows]


def test_every_metric_has_its_row():
    listed = {row[0].strip("`"): row for row in table("docs/metrics.md") if row[0].startswith("`")}
    threshold = SPEC["thresholds"]["items"]["properties"]
    assert sorted(listed) == sorted(threshold["metric"]["enum"])
    for name, row in listed.items():
        statistics = re.split(r",\s*", row[3])
        assert set(statistics) <= set(threshold["statistic"]["enum"]), name


def test_words_of_the_report_schema_are_those_of_the_crd_and_the_code():
    schema = json.loads((ROOT / "common/contract/report.schema.json").read_text(encoding="utf-8"))
    outcome = schema["properties"]["outcome"]["properties"]
    status = CRD["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["status"]["properties"]
    assert sorted(outcome["verdict"]["enum"]) == sorted(status["verdict"]["enum"])
    source = (ROOT / "common/contract/verdict.cc").read_text(encoding="utf-8")
    assert outcome["reason"]["enum"] == re.findall(r'Reason::k\w+, "(\w+)"', source)
    statistics = SPEC["thresholds"]["items"]["properties"]["statistic"]["enum"]
    assert sorted(schema["$defs"]["metric"]["properties"]["statistic"]["enum"]) == sorted(statistics)


def test_every_reason_of_the_code_is_documented():
    source = (ROOT / "common/contract/verdict.cc").read_text(encoding="utf-8")
    page = (ROOT / "docs/contract.md").read_text(encoding="utf-8")
    for reason in re.findall(r'Reason::k\w+, "(\w+)"', source) or re.findall(r'"([A-Z]\w+)"', source):
        assert reason in page, reason


def test_models_of_the_page_are_those_of_the_crd():
    """Unit tests hold the code against the CRD."""
    model = SPEC["training"]["properties"]["model"]["properties"]
    rows = {row[0].strip("`"): row for row in table("docs/models.md") if row[0].startswith("`")}
    assert list(rows) == model["builtin"]["enum"]
    of_page = {param for row in rows.values() for param in re.findall(r"(\w+) \(", row[1])}
    assert of_page == set(model["params"]["properties"])
    for name, row in rows.items():
        for param, usual in re.findall(r"(\w+) \(([\d.]+)\)", row[1]):
            described = model["params"]["properties"][param]["description"]
            assert re.search(rf'\("?{re.escape(usual)}"?\)', described), (name, param, described)


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md"])
def test_make_targets_that_are_named_exist(page):
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    text = (ROOT / page).read_text(encoding="utf-8")
    targets = set(re.findall(r"^ {4}make ([a-z-]+)", text, re.MULTILINE)) | set(
        re.findall(r"`make ([a-z-]+)`", text))
    assert targets
    for target in targets:
        assert re.search(rf"^{target}[ :]|^[a-z ]*\b{target}\b[^=]*:", makefile, re.MULTILINE), target


def test_the_files_that_a_new_mode_changes_exist():
    page = (ROOT / "docs/architecture.md").read_text(encoding="utf-8")
    section = page[page.index("## Adding a mode"):]
    named = {path for path in re.findall(r"`([\w.-]+(?:/[\w.-]+)+)`", section)
             if "sleep" not in path}
    assert len(named) > 10
    for path in named:
        assert (ROOT / path).exists(), path


def fields(schema, path):
    """(path, schema) of each field below."""
    for name, inner in schema.get("properties", {}).items():
        yield f"{path}.{name}", inner
        yield from fields(inner, f"{path}.{name}")
    for key in ("items", "additionalProperties"):
        if isinstance(schema.get(key), dict):
            yield from fields(schema[key], path + "[]")


def test_kubectl_explain_has_a_sentence_and_the_default_of_every_field():
    for path, schema in fields({"properties": SPEC}, "spec"):
        sentence = schema.get("description", "")
        assert sentence, path
        default = schema.get("default", {})
        if not isinstance(default, (dict, list)):
            word = str(default).lower() if isinstance(default, bool) else str(default)
            assert re.search(rf"\b{re.escape(word)}\b", sentence), (path, default)


def test_the_chart_has_the_same_crd():
    chart = (ROOT / "charts/torchsoak/files/stresstests.yaml").read_bytes()
    assert chart == (ROOT / "crds/stresstests.yaml").read_bytes(), "make crd"


def test_each_mode_has_its_line_in_the_readme():
    page = (ROOT / "README.md").read_text(encoding="utf-8")
    section = page[page.index("## What it measures"):]
    for mode in SPEC["mode"]["enum"]:
        assert f"- **{mode}**" in section, mode


def test_example_of_each_mode():
    modes = {yaml.safe_load(path.read_text(encoding="utf-8"))["spec"]["mode"]
             for path in (ROOT / "examples").glob("*.yaml")}
    assert modes == set(SPEC["mode"]["enum"])
