"""Figures of the operator: resident memory when idle, and the time from `create` to a Job.

Run inside the cluster's network by tests/perf/run.sh. 200 tests are created at 10 a second; each
asks for more GPUs than there are, so that pods stay pending and the node has nothing to do. The
time is taken at this client: from the reply to the create to the Job's event on a watch.
"""

import http.client
import json
import statistics
import sys
import threading
import time

sys.path.insert(0, "tests/e2e")

from kit.case import training  # noqa: E402
from kit.kube import JOBS, TESTS, Kube, eventually  # noqa: E402
from kit.operator import OperatorProcess  # noqa: E402

TESTS_MADE, PER_SECOND = 200, 10
NAMESPACE = "bench"


def watch_jobs(kube, seen):
    """Fills `seen` with the time at which each Job's first event came."""
    connection = http.client.HTTPSConnection(kube.host, kube.port, context=kube.context)
    connection.request("GET", JOBS.format(ns=NAMESPACE) + "?watch=1")
    reply = connection.getresponse()
    while line := reply.readline():
        event = json.loads(line)
        if event["type"] == "ADDED":
            owner = event["object"]["metadata"]["ownerReferences"][0]["name"]
            seen.setdefault(owner, time.monotonic())


def resident_mib(pid):
    with open(f"/proc/{pid}/status", encoding="ascii") as status:
        line = next(line for line in status if line.startswith("VmRSS:"))
    return int(line.split()[1]) / 1024


def create_all(kube):
    body = {"apiVersion": "torchsoak.dev/v1alpha1", "kind": "StressTest",
            "spec": training(gpu={"perPod": 16})}
    created = {}
    start = time.monotonic()
    for n in range(TESTS_MADE):
        time.sleep(max(0.0, start + n / PER_SECOND - time.monotonic()))
        name = f"bench-{n}"
        kube.create(TESTS.format(ns=NAMESPACE), {**body, "metadata": {"name": name}})
        created[name] = time.monotonic()
    return created


def main():
    kube = Kube()
    kube.create("/api/v1/namespaces", {"metadata": {"name": NAMESPACE}})
    operator = OperatorProcess(NAMESPACE).start()
    try:
        time.sleep(10)
        idle = resident_mib(operator.process.pid)
        seen = {}
        threading.Thread(target=watch_jobs, args=(kube, seen), daemon=True).start()
        time.sleep(1)
        created = create_all(kube)
        eventually(lambda: len(seen) == TESTS_MADE, 60, "all Jobs")
        times = sorted(max(0.0, seen[name] - at) * 1000 for name, at in created.items())
        quantiles = statistics.quantiles(times, n=100)
        print(f"operator, idle:                 {idle:.1f} MiB resident")
        print(f"operator, {TESTS_MADE} tests:            "
              f"{resident_mib(operator.process.pid):.1f} MiB resident")
        print(f"create to Job, {TESTS_MADE} at {PER_SECOND}/s:    p50 {quantiles[49]:.1f} ms, "
              f"p99 {quantiles[98]:.1f} ms, max {times[-1]:.1f} ms")
    finally:
        operator.stop()
        kube.delete(f"/api/v1/namespaces/{NAMESPACE}")


if __name__ == "__main__":
    main()
