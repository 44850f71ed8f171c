"""The recipes of the images, as far as they can be judged without a registry."""

import json
import re
import tarfile

import pytest
import yaml

from chart import REPO

IMAGES = REPO / "images"
DOCKERFILES = {name: (IMAGES / name / "Dockerfile").read_text() for name in ("operator", "runner")}
ENVIRONMENT = yaml.safe_load((IMAGES / "runner" / "environment.yml").read_text())
CONDA = {line.split("=")[0]: line.split("=")[1:] for line in ENVIRONMENT["dependencies"]}

# What cmake/Dependencies.cmake looks for: Debian's package in the operator's image, conda-forge's in the runner's.
PACKAGES = {
    "Threads": (None, None),
    "nlohmann_json": ("nlohmann-json3-dev", "nlohmann_json"),
    "tl-expected": ("libexpected-dev", "tl-expected"),
    "ZLIB": ("zlib1g-dev", "zlib"),
    "OpenSSL": ("libssl-dev", "openssl"),
    "yaml-cpp": ("libyaml-cpp-dev", "yaml-cpp"),
    "PkgConfig": ("pkg-config", "pkg-config"),
    "RE2": ("libre2-dev", "re2"),
    "CLI11_INCLUDE_DIR": ("libcli11-dev", "cli11"),
    "Boost": ("libboost-system-dev", None),
    "cpprestsdk": ("libcpprest-dev", None),
    "prometheus-cpp": ("prometheus-cpp-dev", None),
    "Torch": (None, "libtorch"),
    "GTest": (None, None),
}


def final_stage(name):
    return DOCKERFILES[name].split("\nFROM scratch\n")[1]


def environment(name):
    """The variables of the ENV line of the final stage."""
    line = re.search(r"^ENV ((?:.*\\\n)*.*)$", final_stage(name), re.MULTILINE).group(1)
    return dict(pair.split("=", 1) for pair in line.replace("\\\n", " ").split())


def test_what_cmake_looks_for_is_there():
    cmake = (REPO / "cmake" / "Dependencies.cmake").read_text()
    wanted = re.findall(r"(?:find_package|pkg_check_modules|find_path)\((\S+)", cmake)
    assert "Torch" in wanted and "cpprestsdk" in wanted
    for name in wanted:
        debian, conda = PACKAGES[name]  # a new one needs a package in both images, or none
        assert debian is None or re.search(rf"\s{re.escape(debian)}[\s;]", DOCKERFILES["operator"]), name
        assert conda is None or conda in CONDA, name


def test_conda_packages_are_pinned():
    for name, pin in CONDA.items():
        assert pin and re.fullmatch(r"\d+\.\d+(\.\d+)?", pin[0]), name
        assert name == "cuda-version" or pin[0].count(".") == 2, name
    assert len(CONDA["libtorch"]) == 2  # the build too: CPU and CUDA share a version
    assert ENVIRONMENT["channels"] == ["conda-forge", "nodefaults"]


@pytest.mark.parametrize("name", DOCKERFILES)
def test_pinned_and_not_root(name):
    text = DOCKERFILES[name]
    assert re.search(r"^ARG BUILDER=\S+@sha256:[0-9a-f]{64}$", text, re.MULTILINE)
    assert re.findall(r"^FROM (\S+)", text, re.MULTILINE) == ["${BUILDER}", "scratch"]
    assert re.findall(r"^USER (\S+)", text, re.MULTILINE) == ["65532:65532"]
    for line in re.findall(r"^(?:RUN|SHELL).*", text, re.MULTILINE):
        # Without it a failure in the middle of a RUN is lost; a SHELL with -e is not honoured by every builder.
        assert re.match(r"RUN (set -eu;|\S+/root\.sh |conda run .* bash -euc ')", line), line


def test_the_runner_sees_no_gpu_by_itself():
    assert environment("runner")["NVIDIA_VISIBLE_DEVICES"] == "void"
    assert environment("runner")["NVIDIA_DRIVER_CAPABILITIES"] == "compute,utility"
    assert "MINICONDA_SHA256=" in DOCKERFILES["runner"]


@pytest.mark.parametrize("name", DOCKERFILES)
def test_the_local_image_is_like_the_real_one(name):
    archive = REPO / "build" / "images" / f"{name}.tar"
    if not archive.exists():
        pytest.skip("images/build-local.sh was not run")
    with tarfile.open(archive) as tar:
        config = json.load(tar.extractfile("config.json"))["config"]
    assert dict(pair.split("=", 1) for pair in config["Env"]) == environment(name)
    assert f"USER {config['User']}\n" in final_stage(name)
    assert f"WORKDIR {config['WorkingDir']}\n" in final_stage(name)
    assert f"ENTRYPOINT {json.dumps(config['Entrypoint'])}\n" in final_stage(name)
