"""`torchsoak-runner pod`: termination message, log, signals, stalls, process 1."""
import json
import os
import signal
import subprocess
import time

import pytest

from kit import Pod, endless, run_spec, training


def test_a_run_answers_through_message_and_log(runner, tmp_path):
    with Pod(runner, tmp_path, training(), TORCHSOAK_NODE="node-3", TORCHSOAK_POD="tiny-r000-a1",
             TORCHSOAK_IMAGE="torchsoak/runner:test") as pod:
        assert pod.wait() == 0
        core = pod.core()
        assert core["uid"] == "0c9b9bd8-0000-4000-8000-000000000001"
        assert (core["state"], core["verdict"], core["exit"]) == ("final", "Passed", 0)
        assert core["measuring"] is True and core["steps"] == 130
        assert pod.message.stat().st_size <= 4096
        assert {"core", "gates", "metrics", "leaks", "histogram"} <= set(pod.sections())
        report = pod.report()
        assert report["outcome"]["verdict"] == "Passed"
        assert report["environment"]["node"] == "node-3"
        assert report["environment"]["image"] == "torchsoak/runner:test"
        assert report["test"]["namespace"] == "ml"


def test_the_frames_are_the_end_of_the_log_and_the_rest_is_json(runner, tmp_path):
    with Pod(runner, tmp_path, training()) as pod:
        pod.wait()
        lines = pod.log()
        frames = [line.startswith("@ts-report ") for line in lines]
        first = frames.index(True)
        assert all(frames[first:]) and not any(frames[:first])
        messages = [json.loads(line)["msg"] for line in lines[:first]]
        assert messages[0] == "started" and messages[-1] == "finished"


def test_a_source_revision_comes_along(runner, tmp_path):
    with Pod(runner, tmp_path, run_spec(training(), sourceRevision="abc123")) as pod:
        pod.wait()
        assert pod.report()["sourceRevision"] == "abc123"


@pytest.mark.parametrize("text", ["", "no json", "{}", '{"v":1,"run":0,"attempt":1,"spec":{}}'])
def test_what_cannot_be_run_is_an_invalid_spec(runner, tmp_path, text):
    with Pod(runner, tmp_path, text) as pod:
        assert pod.wait() == 2
        core = pod.core()
        assert (core["verdict"], core["reason"], core["exit"]) == ("Error", "InvalidSpec", 2)


def test_a_termination_log_that_cannot_be_opened_is_said_and_survived(runner, tmp_path):
    with Pod(runner, tmp_path, training(), TORCHSOAK_TERMINATION_LOG=str(tmp_path)) as pod:
        assert pod.wait() == 0
        assert any("no termination log" in line for line in pod.log())


def test_sigterm_gives_a_partial_result(runner, tmp_path):
    with Pod(runner, tmp_path, endless()) as pod:
        pod.until_measuring()
        asked = time.monotonic()
        pod.process.send_signal(signal.SIGTERM)
        assert pod.wait(10) == 3
        assert time.monotonic() - asked < 10
        core = pod.core()
        assert (core["verdict"], core["exit"], core["partial"]) == ("Inconclusive", 3, True)
        assert core["steps"] > 0
        report = pod.report()
        assert report["outcome"]["partial"] is True
        assert report["outcome"]["steps"] == core["steps"]


def test_sigterm_before_measuring_ends_too(runner, tmp_path):
    with Pod(runner, tmp_path, endless(warmup="10m")) as pod:
        while not any('"started"' in line for line in pod.log()):
            assert pod.process.poll() is None
            time.sleep(0.02)
        time.sleep(0.3)
        pod.process.send_signal(signal.SIGTERM)
        assert pod.wait(10) == 3
        assert pod.core()["measuring"] is False


def test_sigkill_leaves_the_last_checkpoint(runner, tmp_path):
    with Pod(runner, tmp_path, endless()) as pod:
        pod.until_measuring()
        pod.process.send_signal(signal.SIGKILL)
        pod.wait(10)
        core = pod.core()
        assert core["state"] == "checkpoint" and core["measuring"] is True
        assert core["steps"] > 0 and "verdict" not in core
        assert "metrics" in pod.sections()


def test_a_hung_step_is_a_stall_with_the_partial_numbers(runner, tmp_path, stall_library):
    hang = tmp_path / "hang"
    with Pod(runner, tmp_path, endless(timeouts={"stall": "2s"}), LD_PRELOAD=stall_library,
             HANG_FILE=str(hang)) as pod:
        pod.until_measuring()
        hang.touch()
        assert pod.wait(20) == 124
        core = pod.core()
        assert (core["verdict"], core["reason"], core["exit"]) == ("Failed", "Stalled", 124)
        assert "of phase measured" in core["message"]
        assert core["steps"] > 0
        report = pod.report()
        assert report["timeline"]["stalled"] >= 2
        assert report["outcome"]["partial"] is True


def test_sigterm_ends_a_hung_run_within_ten_seconds(runner, tmp_path, stall_library):
    hang = tmp_path / "hang"
    with Pod(runner, tmp_path, endless(), LD_PRELOAD=stall_library, HANG_FILE=str(hang)) as pod:
        pod.until_measuring()
        hang.touch()
        time.sleep(0.3)
        pod.process.send_signal(signal.SIGTERM)
        assert pod.wait(10) == 3
        assert pod.core()["partial"] is True
        assert pod.report()["outcome"]["verdict"] == "Inconclusive"


def test_the_second_signal_does_not_wait_for_a_hung_step(runner, tmp_path, stall_library):
    hang = tmp_path / "hang"
    with Pod(runner, tmp_path, endless(), LD_PRELOAD=stall_library, HANG_FILE=str(hang)) as pod:
        pod.until_measuring()
        hang.touch()
        time.sleep(0.3)
        pod.process.send_signal(signal.SIGTERM)
        time.sleep(0.3)
        pod.process.send_signal(signal.SIGINT)
        assert pod.wait(4) == 3
        assert pod.core()["partial"] is True


def test_a_reader_that_stops_reading_does_not_stop_the_run(runner, tmp_path):
    message = tmp_path / "termination-log"
    env = {"PATH": os.environ["PATH"], "OMP_NUM_THREADS": "1", "TORCHSOAK_RUN": run_spec(training()),
           "TORCHSOAK_TERMINATION_LOG": str(message)}
    process = subprocess.Popen([runner, "pod"], env=env, stdout=subprocess.PIPE)
    try:
        process.stdout.close()  # the reader is gone altogether
        assert process.wait(60) == 0
    finally:
        process.kill()
        process.wait()
    assert b'"verdict":"Passed"' in message.read_bytes()


needs_namespaces = pytest.mark.skipif(
    subprocess.run(["unshare", "--pid", "--fork", "true"], capture_output=True).returncode != 0,
    reason="no right to make a PID namespace")


def child_of(pid):
    return int(open(f"/proc/{pid}/task/{pid}/children").read().split()[0])


def exe_of(parent):
    """What the child of that process runs, "" while there is none."""
    try:
        return os.readlink(f"/proc/{child_of(parent)}/exe")
    except (OSError, IndexError):
        return ""


def until(check, timeout=10):
    deadline = time.monotonic() + timeout
    while not (value := check()):
        assert time.monotonic() < deadline
        time.sleep(0.01)
    return value


@needs_namespaces
def test_process_one_obeys_sigterm(runner, tmp_path):
    with Pod(runner, tmp_path, endless(), wrapper=["unshare", "--pid", "--fork", "--kill-child"]) as pod:
        pod.until_measuring()
        runner_pid = child_of(pod.process.pid)
        assert "NSpid" in open(f"/proc/{runner_pid}/status").read()
        os.kill(runner_pid, signal.SIGTERM)
        assert pod.wait(10) == 3
        assert pod.core()["partial"] is True


@needs_namespaces
def test_process_one_obeys_a_sigterm_that_comes_before_libtorch_is_loaded(runner, tmp_path):
    # A library that takes as long to load as LibTorch from a cold disk.
    source = tmp_path / "slow.c"
    source.write_text("""
#include <string.h>
#include <unistd.h>
extern char* program_invocation_short_name;
__attribute__((constructor)) static void Load(void) {
  if (strcmp(program_invocation_short_name, "torchsoak-runner-torch") == 0) usleep(2000000);
}
""")
    subprocess.run(["cc", "-shared", "-fPIC", "-o", tmp_path / "slow.so", source], check=True)
    with Pod(runner, tmp_path, endless(), wrapper=["unshare", "--pid", "--fork", "--kill-child"],
             LD_PRELOAD=str(tmp_path / "slow.so")) as pod:
        runner_pid = until(lambda: exe_of(pod.process.pid).endswith("-torch")
                           and child_of(pod.process.pid))
        os.kill(runner_pid, signal.SIGTERM)
        assert pod.wait(20) == 3
        assert pod.core()["measuring"] is False


@needs_namespaces
def test_process_one_reaps_orphans(runner, tmp_path):
    with Pod(runner, tmp_path, endless(), wrapper=["unshare", "--pid", "--fork", "--kill-child"]) as pod:
        pod.until_measuring()
        runner_pid = child_of(pod.process.pid)
        # Each inner shell is orphaned at once and becomes a child of process 1.
        orphan = "for i in $(seq 20); do (sleep 0.01 &) ; done"
        subprocess.run(["nsenter", "--pid", f"--target={runner_pid}", "sh", "-c", orphan], check=True)
        deadline = time.monotonic() + 10
        while True:
            children = open(f"/proc/{runner_pid}/task/{runner_pid}/children").read().split()
            if not children:
                break
            assert time.monotonic() < deadline, children
            time.sleep(0.05)
        os.kill(runner_pid, signal.SIGTERM)
        assert pod.wait(10) == 3
