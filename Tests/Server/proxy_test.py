"""A proxy with TLS in front of the server, as docs/server.md has it: nginx with the configuration of that page.

    Tests/Server/run proxy_test.py

nginx is the system's, or what HEARTH_NGINX names. Without it the tests are skipped.
"""

import concurrent.futures
import http.client
import json
import os
import pathlib
import shutil
import socket
import ssl
import subprocess
import tempfile
import time
import unittest

from harness import ENDLESS, PATIENCE, example, free_port, serving

NGINX = os.environ.get("HEARTH_NGINX") or shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
TOKEN = "0123456789abcdef0123456789abcdef"
NAME = "stories.example"


@unittest.skipUnless(NGINX and shutil.which("openssl"), "nginx or openssl is not installed")
class ProxyTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="hearth-proxy-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder, True)
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", f"/CN={NAME}",
             "-addext", f"subjectAltName=DNS:{NAME}", "-keyout", cls.folder / "key.pem", "-out", cls.folder / "cert.pem"],
            check=True, capture_output=True)
        token = cls.folder / "token.txt"
        token.write_text(TOKEN + "\n")
        token.chmod(0o600)
        context = serving("--token-file", str(token), ready=False)
        cls.server = context.__enter__()
        cls.addClassCleanup(context.__exit__, None, None, None)
        cls.port = free_port()
        site = example("server.md", "map $http_origin")
        for old, new in [
            ("127.0.0.1:8080", f"127.0.0.1:{cls.server.port}"), ("listen 443 ", f"listen 127.0.0.1:{cls.port} "),
            (f"https://{NAME} ", f"https://{NAME}:{cls.port} "), ("/etc/ssl/stories.example.pem", f"{cls.folder}/cert.pem"),
            # On a busy machine the server may not be quick enough for this limit.
            ("proxy_read_timeout 60s", f"proxy_read_timeout {PATIENCE}s"),
            ("/etc/ssl/stories.example.key", f"{cls.folder}/key.pem"),
        ]:
            assert old in site, old
            site = site.replace(old, new)
        paths = "".join(f"{kind}_temp_path {cls.folder}/{kind};\n" for kind in
                        ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        configuration = cls.folder / "nginx.conf"
        configuration.write_text(
            f"daemon off; master_process off; pid {cls.folder}/pid; error_log {cls.folder}/errors;\n"
            f"events {{}}\nhttp {{\naccess_log off;\n{paths}{site}\n}}\n")
        cls.nginx = subprocess.Popen(
            [NGINX, "-e", f"{cls.folder}/errors", "-p", str(cls.folder), "-c", str(configuration)],
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        cls.addClassCleanup(cls.end)
        end = time.monotonic() + PATIENCE
        while True:
            try:
                socket.create_connection(("127.0.0.1", cls.port)).close()
                break
            except OSError:
                if cls.nginx.poll() is not None or time.monotonic() > end:
                    raise RuntimeError((cls.folder / "errors").read_text())
                time.sleep(0.02)
        end = time.monotonic() + PATIENCE
        while json.loads(cls.ask("GET", "/health")[1])["model"]["state"] != "ready":
            assert time.monotonic() < end
            time.sleep(0.05)

    @classmethod
    def end(cls):
        cls.nginx.terminate()
        cls.nginx.wait(PATIENCE)
        cls.nginx.stderr.close()

    @classmethod
    def connect(cls) -> ssl.SSLSocket:
        trust = ssl.create_default_context(cafile=str(cls.folder / "cert.pem"))
        return trust.wrap_socket(socket.create_connection(("127.0.0.1", cls.port), timeout=PATIENCE), server_hostname=NAME)

    @classmethod
    def ask(cls, method: str, path: str, body: dict | None = None, headers: dict | None = None, token: str | None = TOKEN):
        connection = http.client.HTTPConnection(NAME, cls.port)
        connection.sock = cls.connect()
        try:
            connection.request(
                method, path, json.dumps(body) if body is not None else None,
                {**({"Content-Type": "application/json"} if body is not None else {}),
                 **({"Authorization": f"Bearer {token}"} if token else {}), **(headers or {})})
            answer = connection.getresponse()
            return answer.status, answer.read(), answer
        finally:
            connection.close()

    def stream(self, body: dict):
        """Yields pieces of the answer with the time at which they came."""
        data = json.dumps({**body, "stream": True}).encode()
        client = self.connect()
        try:
            client.sendall((
                f"POST /v1/completions HTTP/1.1\r\nHost: {NAME}:{self.port}\r\nAuthorization: Bearer {TOKEN}\r\n"
                f"Connection: close\r\nContent-Type: application/json\r\nContent-Length: {len(data)}\r\n\r\n").encode() + data)
            while piece := client.recv(65_536):
                yield time.monotonic(), piece
        finally:
            client.close()

    def test_answers(self):
        status, body, answer = self.ask("POST", "/v1/completions", {"prompt": "Once", "max_tokens": 5, "seed": 1})
        self.assertEqual(status, 200, body)
        self.assertEqual(json.loads(body)["usage"]["completion_tokens"], 5)
        self.assertIn("default-src 'none'", answer.headers["Content-Security-Policy"])
        self.assertEqual(self.ask("GET", "/")[0], 200)

    def test_who_gets_in(self):
        own, foreign = f"https://{NAME}:{self.port}", "https://evil.example"
        text = {"prompt": "Once", "max_tokens": 1}
        for expected, headers in [
            (200, {"Origin": own}), (200, {"Origin": own, "Sec-Fetch-Site": "same-origin"}), (403, {"Origin": foreign}),
            (403, {"Origin": "null"}), (403, {"Origin": f"http://{NAME}:{self.port}"}),
            (403, {"Sec-Fetch-Site": "cross-site"}), (421, {"Host": "evil.example"}),
            (421, {"Host": f"127.0.0.1:{self.server.port}"}),
        ]:
            with self.subTest(headers=headers):
                self.assertEqual(self.ask("POST", "/v1/completions", text, headers)[0], expected)
        self.assertEqual(self.ask("POST", "/v1/completions", text, token=None)[0], 401)
        self.assertEqual(self.ask("POST", "/v1/completions", {"prompt": "a" * 2_000_000})[0], 413)

    def test_a_stream_is_not_held_back(self):
        # Without the tokens that end a text, so that it takes a while on a fast machine too.
        wanted = {**ENDLESS, "prompt": "Once upon a time", "n": 1, "max_tokens": 600}
        moments = []
        # All at once would be one moment, each time. This program may stand still while one text is written, and not while ten are.
        while not moments or moments[-1] < 4:
            self.assertLess(len(moments), 10, moments)
            pieces = list(self.stream(wanted))
            text = b"".join(piece for _, piece in pieces)
            self.assertIn(b"200 OK", text)
            self.assertIn(b"data: [DONE]", text)
            first = next(when for when, piece in pieces if b"data: {" in piece)
            moments.append(len({round(when - first, 2) for when, _ in pieces}))

    def test_a_stream_that_waits_is_begun(self):
        others = [self.stream(ENDLESS) for _ in range(50)]
        with concurrent.futures.ThreadPoolExecutor(len(others)) as together:
            list(together.map(next, others))
        second = self.stream({"prompt": "Once", "max_tokens": 3})
        text = b""
        while b": waiting" not in text:
            text += next(second)[1]
        self.assertIn(b"200 OK", text)
        # It is still waiting, and so are others.
        self.assertGreater(json.loads(self.ask("GET", "/health")[1])["waiting"], 1)
        # Who leaves the proxy leaves the server.
        for other in others:
            other.close()
        rest = b"".join(piece for _, piece in second)
        self.assertIn(b"data: [DONE]", rest)

    def test_what_no_proxy_may_pass(self):
        for data in [
            b"POST /v1/completions HTTP/1.1\r\nHost: %s\r\nContent-Length : 2\r\n\r\n{}",
            b"POST /v1/completions HTTP/1.1\r\nHost: %s\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        ]:
            client = self.connect()
            client.sendall(data % f"{NAME}:{self.port}".encode())
            self.assertIn(b" 400 ", client.recv(65_536).split(b"\r\n")[0])
            client.close()


if __name__ == "__main__":
    unittest.main()
