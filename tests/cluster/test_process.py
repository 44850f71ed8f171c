"""What tests/cluster/lib/process.sh says of a daemon that is ending."""

import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))

# Ends the first thread at once; the other holds a socket until its parent closes the pipe.
HALF_ENDED = """
import ctypes, os, socket, sys, threading
listener = socket.create_server(("127.0.0.1", 0))
print(listener.getsockname()[1], flush=True)
def rest():
    sys.stdin.read()
    os._exit(0)
threading.Thread(target=rest).start()
ctypes.CDLL(None).syscall(60, 0)  # exit, of this thread alone
"""


def runs(state, pid):
    """Whether `pid_of` finds the daemon, and the state of its first thread."""
    script = f"""
source {HERE}/lib/common.sh
source {HERE}/lib/process.sh
STATE={state}
read -r letter began threads < <(process_stat {pid})
mkdir -p $STATE/pids
printf '%s %s %s\\n' {pid} "$began" "$BOOT" >$STATE/pids/daemon
echo "$letter"
pid_of daemon
"""
    done = subprocess.run(["bash", "-uc", script], stdout=subprocess.PIPE, text=True, timeout=20)
    return done.returncode == 0, done.stdout.split()[0]


def test_a_process_whose_first_thread_ended_still_holds_its_port(tmp_path):
    process = subprocess.Popen([sys.executable, "-c", HALF_ENDED], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    try:
        assert int(process.stdout.readline()) > 0
        while True:
            found, state = runs(tmp_path, process.pid)
            if state == "Z":
                break
        assert found, "pid_of calls it ended, so stop returns and the next start cannot have the port"
        process.stdin.close()
        # Not collected yet by its parent, this test, but ended: nothing is left to wait for.
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        assert runs(tmp_path, process.pid) == (False, "Z")
    finally:
        process.kill()
        process.wait(timeout=20)
