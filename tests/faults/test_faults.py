"""libfaults.so does what it says to any program, and nothing when it is not asked."""

import os
import pathlib
import signal
import subprocess
import time

import pytest

SOURCE = pathlib.Path(__file__).with_name("libfaults.c")


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    path = tmp_path_factory.mktemp("faults") / "libfaults.so"
    subprocess.run(["cc", "-std=c11", "-O2", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", SOURCE,
                    "-o", path, "-pthread"], check=True)
    return path


def start(library, *command, **faults):
    environment = {**os.environ, "LD_PRELOAD": str(library), **faults}
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_nothing_is_asked(library):
    process = start(library, "true")
    assert process.communicate() == ("", "")
    assert process.returncode == 0


@pytest.mark.parametrize("fault, code", [({"FAULT_EXIT": "7"}, 7), ({"FAULT_EXIT": "0"}, 0),
                                         ({"FAULT_ABORT": "1"}, -signal.SIGABRT)])
def test_the_process_ends(library, fault, code):
    process = start(library, "sleep", "30", FAULT_AFTER="0.2", **fault)
    assert process.wait(timeout=10) == code
    assert "libfaults: " in process.stderr.read()


def test_the_main_thread_hangs(library):
    process = start(library, "sleep", "1", FAULT_AFTER="0.2", FAULT_HANG="1")
    with pytest.raises(subprocess.TimeoutExpired):
        process.wait(timeout=2)
    process.terminate()  # the signal itself still gets through
    assert process.wait(timeout=10) == -signal.SIGTERM
    assert process.stderr.read() == "libfaults: hanging the main thread\n"


def resident_mib(process):
    text = pathlib.Path(f"/proc/{process.pid}/status").read_text()
    return next(int(line.split()[1]) for line in text.splitlines() if line.startswith("VmRSS:")) / 1024


def test_memory_grows(library):
    process = start(library, "sleep", "30", FAULT_AFTER="0.2", FAULT_GROW_MIB_PER_S="40")
    time.sleep(1)
    before = resident_mib(process)
    time.sleep(2)
    grown = resident_mib(process) - before
    process.kill()
    process.wait()
    assert 20 < grown < 100  # 80 on an idle machine


@pytest.mark.parametrize("name, value", [("FAULT_EXIT", "seven"), ("FAULT_EXIT", "256"), ("FAULT_HANG", "yes"),
                                         ("FAULT_AFTER", ""), ("FAULT_GROW_MIB_PER_S", "10MiB"),
                                         ("FAULT_AFTER", "nan")])
def test_a_typing_error_is_loud(library, name, value):
    process = start(library, "sleep", "30", **{name: value})
    assert process.wait(timeout=10) == 2
    assert f"{name}={value} is not a number" in process.stderr.read()
