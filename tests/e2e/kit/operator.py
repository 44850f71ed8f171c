"""The operator as a process of this machine, in the cluster's network, for one namespace.

Each test has its own, so tests run side by side and may kill theirs at any moment.
"""

import os
import signal
import subprocess
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
BINARY = os.environ.get("TORCHSOAK_OPERATOR", os.path.join(ROOT, "build/dev/operator/torchsoak"))


class OperatorProcess:
    def __init__(self, namespace, kubeconfig=None, flags=(), name="operator"):
        self.namespace = namespace
        self.kubeconfig = kubeconfig or os.environ["KUBECONFIG"]
        self.flags = list(flags)
        self.name = name
        self.log = tempfile.NamedTemporaryFile("w+", prefix=f"{namespace}-{name}-", suffix=".log")
        self.process = None

    def start(self):
        command = [
            BINARY, "controller", "--kubeconfig", self.kubeconfig,
            "--watch-namespaces", self.namespace,
            "--runner-image", "localhost/torchsoak/runner:dev",
            "--allowed-images", "localhost/torchsoak/*",
            "--metrics-bind-address", "127.0.0.1:0", "--health-probe-bind-address", "127.0.0.1:0",
            "--lease-namespace", self.namespace, *self.flags]
        environment = {**os.environ, "POD_NAME": self.name}
        self.process = subprocess.Popen(command, stderr=self.log, env=environment)
        return self

    def kill(self):
        """As the kernel does it: no last words."""
        self._end(signal.SIGKILL)

    def stop(self):
        return self._end(signal.SIGTERM)

    def restart(self):
        self.kill()
        return self.start()

    def running(self):
        return self.process is not None and self.process.poll() is None

    def _end(self, number):
        if self.process is None:
            return None
        if self.process.poll() is None:
            self.process.send_signal(number)
        try:
            code = self.process.wait(timeout=60)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise AssertionError(f"{self.name} did not end within 60 s of signal {number}") from None
        self.process = None
        return code

    def text(self):
        self.log.seek(0)
        return self.log.read()
