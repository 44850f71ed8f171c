"""A thin client of the API server: JSON in, JSON out, with the cluster's admin certificate.

The tests run inside the cluster's network namespace (build/cluster/enter), so the address in the
kubeconfig is reachable. Only the standard library and PyYAML: a test should read like a test.
"""

import base64
import http.client
import json
import os
import ssl
import tempfile
import time
import urllib.parse

import yaml

TESTS = "/apis/torchsoak.dev/v1alpha1/namespaces/{ns}/stresstests"
JOBS = "/apis/batch/v1/namespaces/{ns}/jobs"
PODS = "/api/v1/namespaces/{ns}/pods"
CONFIG_MAPS = "/api/v1/namespaces/{ns}/configmaps"
LEASES = "/apis/coordination.k8s.io/v1/namespaces/{ns}/leases"
QUOTAS = "/api/v1/namespaces/{ns}/resourcequotas"
EVENTS = "/apis/events.k8s.io/v1/namespaces/{ns}/events"


class ApiError(Exception):
    def __init__(self, status, body):
        super().__init__(f"HTTP {status}: {body.get('message', body)}")
        self.status = status
        self.body = body


class Kube:
    """One connection a call: slow, simple, and nothing to clean up after a restart of the server."""

    def __init__(self, kubeconfig=None):
        self.kubeconfig = kubeconfig or os.environ["KUBECONFIG"]
        with open(self.kubeconfig, encoding="utf-8") as file:
            config = yaml.safe_load(file)
        cluster = config["clusters"][0]["cluster"]
        user = config["users"][0]["user"]
        url = urllib.parse.urlparse(cluster["server"])
        self.host, self.port = url.hostname, url.port
        self.context = ssl.create_default_context(
            cadata=base64.b64decode(cluster["certificate-authority-data"]).decode())
        with tempfile.NamedTemporaryFile("wb") as pair:
            pair.write(base64.b64decode(user["client-certificate-data"]))
            pair.write(base64.b64decode(user["client-key-data"]))
            pair.flush()
            self.context.load_cert_chain(pair.name)

    def request(self, method, path, body=None, content_type="application/json", timeout=30):
        connection = http.client.HTTPSConnection(
            self.host, self.port, context=self.context, timeout=timeout)
        try:
            headers = {"Accept": "application/json"}
            data = None
            if body is not None:
                data = body if isinstance(body, (str, bytes)) else json.dumps(body)
                headers["Content-Type"] = content_type
            connection.request(method, path, data, headers)
            reply = connection.getresponse()
            text = reply.read()
        finally:
            connection.close()
        if "/log" in path and reply.status == 200:
            return text.decode(errors="replace")
        parsed = json.loads(text) if text.startswith(b"{") else {"message": text.decode()}
        if reply.status >= 300:
            raise ApiError(reply.status, parsed)
        return parsed

    def get(self, path):
        """The object, or None when there is none."""
        try:
            return self.request("GET", path)
        except ApiError as error:
            if error.status == 404:
                return None
            raise

    def list(self, path, selector=""):
        query = "?labelSelector=" + urllib.parse.quote(selector) if selector else ""
        return self.request("GET", path + query)["items"]

    def create(self, path, body):
        return self.request("POST", path, body)

    def merge(self, path, body):
        return self.request("PATCH", path, body, "application/merge-patch+json")

    def delete(self, path, **options):
        try:
            return self.request("DELETE", path, options or None)
        except ApiError as error:
            if error.status != 404:
                raise
            return None


def eventually(check, timeout=60, what="", every=0.2):
    """Calls `check` until it gives something true; returns that. API errors count as not yet."""
    end = time.monotonic() + timeout
    last = None
    while time.monotonic() < end:
        try:
            last = check()
            if last:
                return last
        except (ApiError, OSError, http.client.HTTPException) as error:
            last = error
        time.sleep(every)
    raise AssertionError(f"not within {timeout} s: {what or check}; last: {last!r}")
