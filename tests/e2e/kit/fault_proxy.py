"""A proxy between the operator and the API server that can crash the operator at a chosen write.

Writes are counted in the order in which the API server answered them; leases and events are passed
on uncounted. After write number `crash_after` has been committed, `on_crash` is called *before*
the reply goes back: the operator dies not knowing that its write happened.
"""

import http.client
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

WRITES = ("POST", "PUT", "PATCH", "DELETE")


class FaultProxy:
    def __init__(self, kube, crash_after=None, on_crash=None, address="127.0.0.1"):
        self.kube = kube
        self.crash_after = crash_after
        self.on_crash = on_crash
        self.writes = []  # "METHOD path" in order of commit
        self.lock = threading.Lock()
        self.address = address
        self.server = ThreadingHTTPServer((address, 0), self._handler())
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    @property
    def url(self):
        return f"http://{self.address}:{self.server.server_port}"

    def kubeconfig_text(self):
        """A kubeconfig that leads through the proxy."""
        return f"""apiVersion: v1
kind: Config
clusters: [{{name: proxy, cluster: {{server: "{self.url}"}}}}]
users: [{{name: nobody, user: {{}}}}]
contexts: [{{name: proxy, context: {{cluster: proxy, user: nobody}}}}]
current-context: proxy
"""

    def kubeconfig(self, path):
        """Writes the kubeconfig; returns its path."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.kubeconfig_text())
        return str(path)

    def close(self):
        self.server.shutdown()
        self.server.server_close()

    def committed(self, method, path):
        if method not in WRITES or "/leases" in path or "/events" in path:
            return
        with self.lock:
            self.writes.append(f"{method} {path.split('?')[0]}")
            crash = self.crash_after is not None and len(self.writes) == self.crash_after
        if crash and self.on_crash:
            self.on_crash()

    def _handler(proxy):  # noqa: N805: the handler class below needs its own `self`
        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *args):
                pass

            def forward(self):
                length = int(self.headers.get("Content-Length") or 0)
                body = self.rfile.read(length) if length else None
                headers = {key: value for key, value in self.headers.items()
                           if key.lower() not in ("host", "connection", "content-length")}
                upstream = http.client.HTTPSConnection(
                    proxy.kube.host, proxy.kube.port, context=proxy.kube.context, timeout=700)
                try:
                    upstream.request(self.command, self.path, body, headers)
                    reply = upstream.getresponse()
                    if "watch=" in self.path or "follow=" in self.path:
                        self.stream(reply)
                    else:
                        text = reply.read()
                        if reply.status < 300:
                            proxy.committed(self.command, self.path)
                        self.head(reply, [("Content-Length", str(len(text)))])
                        self.wfile.write(text)
                except (OSError, http.client.HTTPException):
                    self.close_connection = True
                finally:
                    upstream.close()

            def head(self, reply, extra):
                self.send_response(reply.status)
                for key in ("Content-Type", "Retry-After", "Warning"):
                    if reply.getheader(key):
                        self.send_header(key, reply.getheader(key))
                for key, value in extra:
                    self.send_header(key, value)
                self.end_headers()

            def stream(self, reply):
                self.head(reply, [("Transfer-Encoding", "chunked")])
                while piece := reply.read1(65536):
                    self.wfile.write(f"{len(piece):x}\r\n".encode() + piece + b"\r\n")
                self.wfile.write(b"0\r\n\r\n")

            do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = forward

        return Handler
