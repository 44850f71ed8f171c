"""report.html in a real browser: the script runs, draws what the report has, and text stays text."""
import json
import re
import shutil
import subprocess

import pytest

from kit import Local, inference, training, wrap

HOSTILE = "<img src=x onerror=alert(1)></script><script>alert(2)</script>"


def dom(tmp_path, page):
    """The document after its script has run."""
    browser = shutil.which("chromium")
    assert browser, "chromium is not installed: .ci/install.sh does that"
    command = [browser, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic",
               "--no-first-run", "--disable-background-networking", "--disable-component-update",
               "--disable-sync", f"--user-data-dir={tmp_path / 'profile'}", "--dump-dom",
               f"file://{page}"]
    done = subprocess.run(command, timeout=120, capture_output=True, text=True)
    assert 'data-rendered="yes"' in done.stdout, done.stdout[-2000:] + done.stderr[-2000:]
    return re.sub(r"<script.*?</script>", "", done.stdout, flags=re.DOTALL)


@pytest.mark.parametrize("test, charts", [
    (training(duration="3s"), ["Throughput", "Step time", "Memory of tensors", "Loss"]),
    (inference(), ["Latency"]),
    (wrap({"mode": "Preflight", "preflight": {"matrixSize": 64}, "gpu": {"perPod": 0}}), [])])
def test_the_page_shows_what_the_report_has(runner, tmp_path, test, charts):
    run = Local(runner, tmp_path, test)
    page = dom(tmp_path, run.out / "report.html")
    assert f'<strong>{run.report["outcome"]["verdict"]}</strong>' in page
    for gate in run.report["gates"]:
        assert f'>{gate["name"]}</td>' in page, gate
    for title in charts:
        figure = page[page.index(f"<figcaption>{title}</figcaption>"):]
        assert "<svg" in figure[:figure.index("</figure>")], title
    assert page.count("<svg") == page.count("<figure>") >= len(charts)
    page = page.replace("a loss that is NaN", "")  # what a canary shows
    assert "NaN" not in page and "undefined" not in page


def test_hostile_and_broken_reports_are_shown_as_text(runner, tmp_path):
    run = Local(runner, tmp_path, training(maxIterations=30))
    shown = (run.out / "report.html").read_text()
    data = re.search(r'id="data">(.*?)</script>', shown, re.DOTALL).group(1)
    report = json.loads(data)
    report["test"]["name"] = report["outcome"]["message"] = HOSTILE
    report["gates"] = [{"name": HOSTILE, "result": HOSTILE, "message": 7}, None, "x"]
    report["metrics"] = [None, {"name": None, "value": "x"}, {"name": "a.loss", "value": 1e300}]
    report["series"] = {"training.loss": {"x": [1, None, 3], "value": [1, 2]}, "process.rss": 3}
    report["histograms"] = [{"buckets": [[0, 1], None, [5, 1]]}, None]
    report["timeline"] = report["canaries"] = report["leaks"] = "nothing"
    page = tmp_path / "hostile.html"
    page.write_text(shown.replace(data, json.dumps(report).replace("<", "\\u003c")))
    text = dom(tmp_path, page)
    assert "&lt;img src=x" in text and "<img" not in text
    for broken in ["{}", "[]", "null", '{"outcome":3,"series":[],"metrics":{}}']:
        page.write_text(shown.replace(data, broken))
        dom(tmp_path, page)
