"""Runs the runner's binary on this machine, without a cluster.

TORCHSOAK_RUNNER names the binary; left out, the newest one under build/ is taken.
"""
import os
import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]


def find_runner():
    named = os.environ.get("TORCHSOAK_RUNNER")
    if named:
        return pathlib.Path(named)
    built = list(ROOT.glob("build/*/runner/torchsoak-runner"))
    return max(built, key=lambda path: path.stat().st_mtime) if built else None


@pytest.fixture(scope="session")
def runner():
    path = find_runner()
    if path is None or not path.exists():
        pytest.fail("torchsoak-runner is not built: make build, or set TORCHSOAK_RUNNER")
    return str(path)


@pytest.fixture(scope="session")
def stall_library(tmp_path_factory):
    """A library for LD_PRELOAD whose thread hangs the main thread in an endless signal handler."""
    source = pathlib.Path(__file__).with_name("hang_main_thread.c")
    library = tmp_path_factory.mktemp("preload") / "hang.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", library, source, "-lpthread"], check=True)
    return str(library)
