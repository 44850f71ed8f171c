"""The chart as the tests see it: where it is, and what Helm makes of it."""

import functools
import json
import os
import pathlib
import subprocess

import yaml

REPO = pathlib.Path(__file__).resolve().parents[2]
CHART = REPO / "charts" / "torchsoak"
KUBECTL = REPO / "build" / "cluster" / "kubectl"
CLUSTER_HELM = REPO / "build" / "cluster" / "helm"
NAMESPACE = "torchsoak-system"


@functools.lru_cache()
def helm_binary():
    """The Helm that tests/cluster/build-tools.sh makes: of a known version, whatever is installed."""
    script = 'source "$1"/tests/cluster/lib/all.sh && tool helm'
    path = subprocess.run(["bash", "-c", script, "-", REPO], check=True, capture_output=True, text=True).stdout.strip()
    assert os.access(path, os.X_OK), f"{path} is missing; tests/cluster/build-tools.sh makes it"
    return path


def helm(*arguments):
    """Runs Helm away from any cluster and any configuration of the user."""
    environment = {"PATH": os.environ["PATH"], "HOME": "/nonexistent", "KUBECONFIG": "/dev/null"}
    return subprocess.run([helm_binary(), *map(str, arguments)], env=environment, capture_output=True, text=True)


@functools.lru_cache(maxsize=None)
def template(*arguments, chart=CHART, namespace=NAMESPACE):
    done = helm("template", "torchsoak", chart, "--namespace", namespace, *arguments)
    assert done.returncode == 0, done.stderr
    return done.stdout


def objects(*arguments, **options):
    """The rendered objects, by kind and name."""
    documents = yaml.load_all(template(*arguments, **options), Loader=yaml.CSafeLoader)
    return {(found["kind"], found["metadata"]["name"]): found for found in documents if found}


def controller(found):
    """The Deployment's one container."""
    (container,) = found["Deployment", "torchsoak-controller"]["spec"]["template"]["spec"]["containers"]
    return container


def schema():
    return json.loads((CHART / "values.schema.json").read_text())


def values_table():
    """README.md's table of values, made from values.yaml and the schema's descriptions."""
    rows = ["| Value | Default | Meaning |", "| --- | --- | --- |"]

    def walk(path, value, rule):
        if isinstance(value, dict) and "properties" in rule:
            for name, inner in value.items():
                walk(f"{path}.{name}".lstrip("."), inner, rule["properties"][name])
        else:
            meaning = rule["description"].replace("|", "\\|")
            rows.append(f"| `{path}` | `{json.dumps(value)}` | {meaning} |")

    walk("", yaml.safe_load((CHART / "values.yaml").read_text()), schema())
    return "\n".join(rows) + "\n"


if __name__ == "__main__":  # after a change of values: python3 tests/chart/chart.py
    readme = CHART / "README.md"
    begin, end = "<!-- values -->\n", "<!-- end of values -->\n"
    head, rest = readme.read_text().split(begin)
    readme.write_text(head + begin + values_table() + end + rest.split(end)[1])
