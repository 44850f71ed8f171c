"""The chart: what it renders, what it refuses, and that it asks for no more rights than the operator uses."""

import itertools
import pathlib
import re
import shutil
import subprocess

import pytest
import yaml

from chart import (CHART, CLUSTER_HELM, KUBECTL, NAMESPACE, REPO, controller, helm, objects, schema, template,
                   values_table)

HERE = pathlib.Path(__file__).parent
GOOD = sorted((HERE / "good").glob("*.yaml"))
BAD = sorted((HERE / "bad").glob("*.yaml"))


def name_of(path):
    return path.stem


def everything():
    """The objects of the defaults and of every values file that is accepted."""
    for values in [None, *GOOD]:
        yield objects(*(["--values", values] if values else []))


# --- rendering ---

@pytest.mark.parametrize("values", GOOD, ids=name_of)
def test_lint(values):
    done = helm("lint", "--strict", CHART, "--values", values)
    assert done.returncode == 0, done.stdout + done.stderr


def test_lint_of_the_defaults():
    done = helm("lint", "--strict", CHART)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("values", GOOD, ids=name_of)
def test_rendering_twice_gives_the_same(values):
    assert template.__wrapped__("--values", values) == template.__wrapped__("--values", values)


def test_older_kubernetes_is_refused():
    assert helm("template", "t", CHART, "--kube-version", "1.31.0").returncode == 0
    done = helm("template", "t", CHART, "--kube-version", "1.30.9")
    assert done.returncode != 0 and "kubeVersion" in done.stderr


def test_part_of_another_chart(tmp_path):
    parent = tmp_path / "parent"
    shutil.copytree(CHART, parent / "charts" / "torchsoak")
    (parent / "Chart.yaml").write_text("apiVersion: v2\nname: parent\nversion: 1.0.0\n")
    (parent / "values.yaml").write_text("global: {region: north}\ntorchsoak: {workers: 2}\n")
    assert "--workers=2" in controller(objects(chart=parent))["args"]


# --- the resource definition ---

def test_the_chart_has_the_bytes_of_crds():
    assert (CHART / "files" / "stresstests.yaml").read_bytes() == (REPO / "crds" / "stresstests.yaml").read_bytes()


def test_crd_kept_and_not_kept():
    source = yaml.safe_load((REPO / "crds" / "stresstests.yaml").read_text())
    key = ("CustomResourceDefinition", "stresstests.torchsoak.dev")
    assert objects("--set", "crds.keep=false")[key] == source
    kept = objects()[key]
    assert kept["metadata"].pop("annotations") == {"helm.sh/resource-policy": "keep"}
    assert kept == source
    assert key not in objects("--set", "crds.install=false")


def test_crd_text_passes_unchanged():
    """As text, not only as parsed: anchors and long numbers must not take a way through Helm's own YAML."""
    assert (REPO / "crds" / "stresstests.yaml").read_text().strip() in template("--set", "crds.keep=false")


# --- what values are refused ---

@pytest.mark.parametrize("values", BAD, ids=name_of)
def test_refused_with_the_path(values):
    """Each file says in its first line where the fault is."""
    where = re.match(r"# at: ?(.*)\n", values.read_text()).group(1)
    done = helm("template", "t", CHART, "--values", values)
    assert done.returncode != 0
    assert f"at '{where}'" in done.stderr, done.stderr


def test_every_object_of_the_schema_is_closed():
    def walk(path, rule):
        if rule.get("type") == "object" and "properties" in rule:
            assert rule.get("additionalProperties") is False, path
        for name, inner in rule.get("properties", {}).items():
            walk(f"{path}.{name}", inner)
        if isinstance(rule.get("items"), dict):
            walk(path + "[]", rule["items"])

    walk("", schema())


# --- D01: text stays text ---

REFUSED = ["no", "off", "yes", "y", "null", "1e3", "0x1F", "1_000"]  # to Helm no text at all
SPELLINGS = [*REFUSED, "2024-01-01", "on", "~", "true", "007", " "]


def pod(found):
    return found["Deployment", "torchsoak-controller"]["spec"]["template"]


def test_quoted_text_arrives_unchanged(tmp_path):
    texts = {f"key{number}": text for number, text in enumerate(SPELLINGS)}
    values = tmp_path / "values.yaml"
    values.write_text(yaml.safe_dump(
        {"extraEnv": [{"name": name, "value": text} for name, text in texts.items()],
         "podAnnotations": texts, "podLabels": texts, "nodeSelector": texts,
         "serviceAccount": {"annotations": texts}}, default_style='"'))
    found = objects("--values", values)
    environment = {entry["name"]: entry.get("value") for entry in controller(found)["env"]}
    for place in [environment, pod(found)["metadata"]["annotations"], pod(found)["metadata"]["labels"],
                  pod(found)["spec"]["nodeSelector"],
                  found["ServiceAccount", "torchsoak-controller"]["metadata"]["annotations"]]:
        assert {name: place[name] for name in texts} == texts


@pytest.mark.parametrize("text", SPELLINGS[:-1])
def test_bare_words_are_refused_or_arrive_unchanged(text, tmp_path):
    """Helm's YAML decides what is still text; nothing of ours turns a boolean into a word."""
    values = tmp_path / "values.yaml"
    values.write_text(f"extraEnv:\n- name: A\n  value: {text}\n")
    done = helm("template", "t", CHART, "--values", values)
    if done.returncode == 0:
        assert text not in REFUSED
        assert controller(objects("--values", values))["env"][-1]["value"] == text
    else:
        assert "at '/extraEnv/0/value': got " in done.stderr


def test_digits_as_a_tag():
    """A commit such as 1234567 or 12345e7 as a tag must not become a number."""
    for tag in ["1234567", "12345e7", "1.10"]:
        found = objects("--set-string", f"image.tag={tag},runner.image.tag={tag}")
        assert controller(found)["image"] == f"torchsoak/operator:{tag}"
        assert f"--runner-image=torchsoak/runner:{tag}" in controller(found)["args"]


# --- rights ---

NAMESPACED = {
    ("torchsoak.dev", "stresstests"): {"get", "list", "watch", "delete"},
    ("torchsoak.dev", "stresstests/status"): {"get", "update", "patch"},
    ("torchsoak.dev", "stresstests/finalizers"): {"update"},
    ("batch", "jobs"): {"get", "list", "watch", "create", "delete"},
    ("", "pods"): {"get", "list", "watch"},
    ("", "pods/log"): {"get"},
    ("", "configmaps"): {"get", "create"},
    ("events.k8s.io", "events"): {"create", "patch"},
}


def rights(role):
    found = {}
    for rule in role["rules"]:
        assert set(rule) <= {"apiGroups", "resources", "verbs", "resourceNames"}
        for group, resource in itertools.product(rule["apiGroups"], rule["resources"]):
            found.setdefault((group, resource), set()).update(rule["verbs"])
    return found


def test_cluster_wide_rights():
    found = objects()
    role = found["ClusterRole", f"{NAMESPACE}:torchsoak-controller"]
    assert rights(role) == NAMESPACED
    binding = found["ClusterRoleBinding", f"{NAMESPACE}:torchsoak-controller"]
    assert binding["roleRef"]["name"] == role["metadata"]["name"]
    assert binding["subjects"] == [{"kind": "ServiceAccount", "name": "torchsoak-controller", "namespace": NAMESPACE}]


def test_rights_in_some_namespaces():
    found = objects("--set", "watchNamespaces={team-a,team-b}")
    assert not [name for kind, name in found if kind.startswith("ClusterRole") and "controller" in name]
    # Both are named torchsoak-controller; the dictionary keeps the last.
    text = template("--set", "watchNamespaces={team-a,team-b}")
    roles = [entry for entry in yaml.safe_load_all(text) if entry and entry["kind"] in ("Role", "RoleBinding")
             and entry["metadata"]["name"] == "torchsoak-controller"]
    assert sorted((entry["kind"], entry["metadata"]["namespace"]) for entry in roles) == [
        ("Role", "team-a"), ("Role", "team-b"), ("RoleBinding", "team-a"), ("RoleBinding", "team-b")]
    for role in roles:
        assert role["kind"] != "Role" or rights(role) == NAMESPACED
    assert "--watch-namespaces=team-a,team-b" in controller(found)["args"]


def test_logs_are_read_only_when_asked_for():
    role = objects("--set", "results.detail=None")["ClusterRole", f"{NAMESPACE}:torchsoak-controller"]
    assert rights(role) == {key: verbs for key, verbs in NAMESPACED.items() if key != ("", "pods/log")}


def test_rights_on_the_lease():
    role = objects()["Role", "torchsoak-controller-lease"]
    assert role["metadata"]["namespace"] == NAMESPACE
    create, rest = role["rules"]
    assert create == {"apiGroups": ["coordination.k8s.io"], "resources": ["leases"], "verbs": ["create"]}
    assert rest["resourceNames"] == ["torchsoak-controller"]
    assert set(rest["verbs"]) == {"get", "update", "patch"}
    assert ("Role", "torchsoak-controller-lease") not in objects("--set", "leaderElection.enabled=false")


def test_nothing_that_nobody_should_have():
    never = {"*", "secrets", "pods/exec", "nodes/proxy", "escalate", "bind", "impersonate"}
    for found in everything():
        for (kind, name), entry in found.items():
            for rule in entry.get("rules", []) if kind.endswith("Role") else []:
                assert not never & {word for words in rule.values() for word in words}, name


def test_roles_for_people():
    found = objects()
    assert rights(found["ClusterRole", "stresstest-view"]) == {
        ("torchsoak.dev", "stresstests"): {"get", "list", "watch"}}
    assert rights(found["ClusterRole", "stresstest-edit"]) == {
        ("torchsoak.dev", "stresstests"): {"create", "update", "patch", "delete", "deletecollection"}}
    assert not [name for kind, name in objects("--set", "rbac.userRoles=false") if name.startswith("stresstest-")]


# --- the pod ---

def test_every_container_is_restricted():
    """Pod Security Standard `restricted`, and a read-only root."""
    for found in everything():
        for kind, name in found:
            template_of_pod = found[kind, name].get("spec", {}).get("template")
            if template_of_pod is None:
                continue
            spec = template_of_pod["spec"]
            assert spec["securityContext"]["runAsNonRoot"] is True
            assert spec["securityContext"]["runAsUser"] > 0
            assert spec["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
            assert not {"hostNetwork", "hostPID", "hostIPC", "volumes"} & set(spec)
            for container in spec["containers"] + spec.get("initContainers", []):
                assert container["securityContext"] == {"allowPrivilegeEscalation": False,
                                                        "readOnlyRootFilesystem": True,
                                                        "capabilities": {"drop": ["ALL"]}}
                assert not any("hostPort" in port for port in container["ports"])


def test_names_of_the_contract():
    found = objects()
    deployment = found["Deployment", "torchsoak-controller"]
    assert deployment["metadata"]["namespace"] == NAMESPACE
    labels = deployment["spec"]["template"]["metadata"]["labels"]
    assert labels["app.kubernetes.io/name"] == "torchsoak"
    assert labels["app.kubernetes.io/component"] == "controller"
    assert labels["app.kubernetes.io/managed-by"] == "torchsoak"
    assert deployment["spec"]["selector"]["matchLabels"].items() <= labels.items()
    assert deployment["spec"]["template"]["spec"]["serviceAccountName"] == "torchsoak-controller"
    assert ("ServiceAccount", "torchsoak-controller") in found
    container = controller(found)
    assert container["image"] == "torchsoak/operator:0.1.0"
    assert container["args"][:2] == ["controller", "--leader-elect"]
    for flag in ["--lease-duration=15s", "--runner-image=torchsoak/runner:0.1.0", "--metrics-bind-address=:8080",
                 "--health-probe-bind-address=:8081"]:
        assert flag in container["args"]
    paths = [container[probe]["httpGet"] for probe in ("livenessProbe", "readinessProbe")]
    assert paths == [{"path": "/healthz", "port": "health"}, {"path": "/readyz", "port": "health"}]
    fields = {entry["name"]: entry["valueFrom"]["fieldRef"]["fieldPath"] for entry in container["env"]}
    assert fields == {"POD_NAME": "metadata.name", "POD_NAMESPACE": "metadata.namespace"}
    assert deployment["spec"]["template"]["spec"]["terminationGracePeriodSeconds"] == 45


def test_the_operator_knows_every_flag():
    known = set(re.findall(r'"(--[a-z-]+)"', (REPO / "operator" / "app" / "options.cc").read_text()))
    for found in everything():
        flags = {argument.split("=")[0] for argument in controller(found)["args"] if argument.startswith("--")}
        assert flags <= known


def test_versions_agree():
    cmake = re.search(r"project\(torchsoak VERSION (\S+)", (REPO / "CMakeLists.txt").read_text()).group(1)
    chart = yaml.safe_load((CHART / "Chart.yaml").read_text())
    assert chart["appVersion"] == cmake


def test_images():
    digest = "sha256:" + "a" * 64
    found = objects("--set", f"image.registry=registry.example:5000,image.digest={digest}",
                    "--set", "runner.image.repository=localhost/torchsoak/runner,runner.image.tag=dev",
                    "--set", "runner.allowedImages={one:1,two/*}")
    assert controller(found)["image"] == f"registry.example:5000/torchsoak/operator@{digest}"
    assert "--runner-image=localhost/torchsoak/runner:dev" in controller(found)["args"]
    assert "--allowed-images=one:1,two/*" in controller(found)["args"]


def test_replacing_the_pod():
    elected = objects()["Deployment", "torchsoak-controller"]["spec"]["strategy"]
    assert elected["rollingUpdate"] == {"maxSurge": 1, "maxUnavailable": 0}
    alone = objects("--set", "leaderElection.enabled=false")
    assert alone["Deployment", "torchsoak-controller"]["spec"]["strategy"] == {"type": "Recreate"}
    assert not [flag for flag in controller(alone)["args"] if "lease" in flag or "leader" in flag]


def test_metrics_service_and_budget_find_the_pod():
    found = objects("--set", "metrics.service.enabled=true,podDisruptionBudget.enabled=true,replicaCount=2")
    labels = pod(found)["metadata"]["labels"]
    service = found["Service", "torchsoak-metrics"]["spec"]
    assert service["selector"].items() <= labels.items()
    assert service["ports"] == [{"name": "metrics", "port": 8080, "targetPort": "metrics"}]
    budget = found["PodDisruptionBudget", "torchsoak-controller"]["spec"]
    assert budget["selector"]["matchLabels"].items() <= labels.items()
    assert budget["maxUnavailable"] == 1
    assert not {"Service", "PodDisruptionBudget"} & {kind for kind, _ in objects()}


# --- what people read ---

def test_readme_has_the_table_of_values():
    readme = (CHART / "README.md").read_text()
    assert values_table() in readme, "run: python3 tests/chart/chart.py"


def notes(tmp_path, *arguments):
    """NOTES.txt, which `helm template` leaves out, rendered through an object that is made for it."""
    chart = tmp_path / "torchsoak"
    shutil.copytree(CHART, chart)
    text = (chart / "templates" / "NOTES.txt").read_text()
    (chart / "templates" / "_notes.tpl").write_text('{{- define "notes" -}}\n' + text + "{{- end }}\n")
    (chart / "templates" / "notes.yaml").write_text(
        'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: notes}\ndata: {text: {{ include "notes" . | quote }}}\n')
    return objects(*arguments, chart=chart)["ConfigMap", "notes"]["data"]["text"]


def test_notes_are_commands_that_fit(tmp_path):
    text = notes(tmp_path)
    commands = re.findall(r"^  (kubectl .*)$", text, re.MULTILINE)
    assert [command.split()[1] for command in commands] == ["apply", "wait", "get"]
    manifest = yaml.safe_load(re.search(r"<<'END'\n(.*?)\n  END\n", text, re.DOTALL).group(1))
    assert manifest["apiVersion"] == "torchsoak.dev/v1alpha1"
    assert manifest["kind"] == "StressTest"
    assert all(f"stresstest/{manifest['metadata']['name']}" in command for command in commands[1:])
    assert "keeps the StressTests" in text


def test_notes_warn_of_loss_and_name_the_namespace(tmp_path):
    text = notes(tmp_path, "--set", "crds.keep=false,watchNamespaces={team-a,team-b}")
    assert "DELETES ALL StressTests" in text
    assert "works in team-a, team-b" in text
    assert text.count("kubectl") == text.count("-n team-a") == 3


# --- against a real API server, when one is up ---

cluster = pytest.mark.skipif(not KUBECTL.exists(), reason="no cluster; tests/cluster/up.sh starts one")


@cluster
@pytest.mark.parametrize("values", [None, *GOOD], ids=lambda path: path.stem if path else "defaults")
def test_the_api_server_accepts_it(values):
    # In a namespace that is always there; nothing is written.
    text = template(*(["--values", values] if values else []), namespace="default")
    text = re.sub(r'"team-[ab]"', '"default"', text)
    done = subprocess.run([KUBECTL, "apply", "--dry-run=server", "--validate=strict", "-f", "-"], input=text,
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "deployment.apps/torchsoak-controller" in done.stdout


@cluster
def test_helm_would_install_it():
    done = subprocess.run([CLUSTER_HELM, "install", "chart-test", CHART, "--namespace", "chart-test",
                           "--create-namespace", "--dry-run=server", "--set", "crds.install=false,rbac.userRoles=false"],
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "NOTES:" in done.stdout
