"""Three servers behind HAProxy, as docs/operations.md has it: conversations stay where they are, one server is killed and one drained
under load, and Prometheus sees it.

    Tests/Server/run fleet_test.py

Without HAProxy or openssl the test is skipped.
"""

import contextlib
import http.client
import json
import os
import pathlib
import shutil
import signal
import socket
import ssl
import subprocess
import tempfile
import threading
import time
import unittest
import urllib.error
import urllib.parse
import urllib.request

from harness import PATIENCE, PROGRAM, example, free_port

HAPROXY = shutil.which("haproxy") or shutil.which("haproxy", path="/usr/sbin")
NAME = "stories.example"
TOKEN = "0123456789abcdef0123456789abcdef"
ADDRESSES = {"one": "127.0.0.2", "two": "127.0.0.3", "three": "127.0.0.4"}


class Text:
    """What became of a request."""

    def __init__(self):
        self.began = time.monotonic()
        self.ended = None
        self.server = None
        self.status = None
        self.isWhole = False


@unittest.skipUnless(HAPROXY and shutil.which("openssl"), "haproxy or openssl is not installed")
class FleetTest(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="hearth-fleet-"))
        self.addCleanup(shutil.rmtree, self.folder, True)
        self.inner = free_port(tuple(ADDRESSES.values()))
        self.servers = {name: self.start(name) for name in ADDRESSES}
        for name in ADDRESSES:
            self.wait(lambda: self.state(name) == "ready", f"{name} is ready")
        self.port = free_port()
        self.proxy()

    def start(self, name: str) -> subprocess.Popen:
        home = self.folder / name
        home.mkdir(exist_ok=True)
        log = (home / "log").open("w")
        process = subprocess.Popen(
            [PROGRAM, "serve", "--host", ADDRESSES[name], "--port", str(self.inner), "--threads", "1", "--parallel", "4",
             "--drain", str(PATIENCE)],
            stdout=subprocess.DEVNULL, stderr=log, env={**os.environ, "HEARTH_HOME": str(home), "HEARTH_TOKEN": TOKEN})
        log.close()
        self.addCleanup(self.end, process)
        return process

    @staticmethod
    def end(process: subprocess.Popen):
        if process.poll() is None:
            process.kill()
        process.wait(PATIENCE)

    def proxy(self):
        certificate = self.folder / "site.pem"
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", f"/CN={NAME}", "-addext",
             f"subjectAltName=DNS:{NAME}", "-keyout", self.folder / "key", "-out", self.folder / "certificate"],
            check=True, capture_output=True)
        certificate.write_bytes((self.folder / "certificate").read_bytes() + (self.folder / "key").read_bytes())
        text = example("operations.md", "global")
        changes = {"bind :443": f"bind 127.0.0.1:{self.port}", "/etc/haproxy/stories.example.pem": str(certificate),
                   "localhost:8080": f"localhost:{self.inner}"}
        # On a busy machine nobody may be quick enough for these limits; a refused connection still counts at once.
        changes |= {"timeout connect 2s": f"timeout connect {PATIENCE}s", "timeout http-request 10s": f"timeout http-request {PATIENCE}s",
                    "wait-for-body time 5s": f"wait-for-body time {PATIENCE}s", "timeout queue 30s": f"timeout queue {PATIENCE}s",
                    "timeout client 60s": f"timeout client {PATIENCE}s", "timeout server 60s": f"timeout server {PATIENCE}s",
                    "inter 1s fall 2": "inter 1s fall 1000"}
        changes |= {f"10.0.0.1{n}:8080": f"{address}:{self.inner}" for n, address in enumerate(ADDRESSES.values(), 1)}
        for old, new in changes.items():
            self.assertIn(old, text)
            text = text.replace(old, new)
        configuration = self.folder / "haproxy.cfg"
        configuration.write_text(text + "\n")
        log = (self.folder / "haproxy.log").open("w")
        haproxy = subprocess.Popen(
            [HAPROXY, "-db", "-f", configuration], stdout=log, stderr=log, env={**os.environ, "HEARTH_TOKEN": TOKEN})
        log.close()
        self.addCleanup(self.end, haproxy)
        self.trust = ssl.create_default_context(cafile=str(self.folder / "certificate"))

        def answers():
            if haproxy.poll() is not None:
                raise RuntimeError((self.folder / "haproxy.log").read_text())
            with contextlib.suppress(OSError):
                return {self.ask("GET", "/health", talk=str(n))[0] for n in range(6)} == {200}
        self.wait(answers, "the proxy answers")

    def wait(self, condition, what: str, seconds: float = 2 * PATIENCE):
        end = time.monotonic() + seconds
        while not condition():
            self.assertLess(time.monotonic(), end, what)
            time.sleep(0.05)

    def state(self, name: str):
        request = urllib.request.Request(
            f"http://{ADDRESSES[name]}:{self.inner}/health", headers={"Authorization": f"Bearer {TOKEN}"})
        with contextlib.suppress(OSError), urllib.request.urlopen(request, timeout=5) as answer:
            return json.load(answer)["model"]["state"]

    def connection(self) -> http.client.HTTPSConnection:
        connection = http.client.HTTPSConnection(NAME, self.port, timeout=PATIENCE, context=self.trust)
        connection.sock = self.trust.wrap_socket(
            socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE), server_hostname=NAME)
        return connection

    def ask(self, method: str, path: str, body: dict | None = None, talk: str | None = None, origin: str | None = None):
        connection = self.connection()
        headers = {"Authorization": f"Bearer {TOKEN}"}
        headers |= {"Content-Type": "application/json"} if body else {}
        headers |= {"X-Conversation": talk} if talk else {}
        headers |= {"Origin": origin} if origin else {}
        try:
            connection.request(method, path, json.dumps(body) if body else None, headers)
            answer = connection.getresponse()
            return answer.status, answer.read(), answer.getheader("X-Server")
        finally:
            connection.close()

    def test_conversations_stay(self):
        seen = {}
        for talk in range(24):
            prompt = f"{talk * 37 + 1001} spoons had the bear, and every evening the bear counted them once more. "
            for turn in range(2):
                body = {"prompt": prompt, "max_tokens": 4, "seed": talk}
                if talk % 2:
                    status, answer, server = self.ask("POST", "/v1/completions", body, talk=f"talk {talk}")
                else:
                    status, answer, server = self.ask("POST", "/v1/completions", {**body, "prompt_cache_key": f"talk {talk}"})
                self.assertEqual(status, 200, answer)
                self.assertEqual(seen.setdefault(talk, server), server)
                usage = json.loads(answer)["usage"]
                cached = usage["prompt_tokens_details"]["cached_tokens"]
                self.assertEqual(cached == usage["prompt_tokens"] - 1, turn == 1, (talk, usage))
        # Spread over all of them, and the same whether the header or the field names a conversation.
        self.assertEqual(set(seen.values()), set(ADDRESSES))
        # The page of this site, and no other.
        self.assertEqual(self.ask("GET", "/api/wishes", origin=f"https://{NAME}")[0], 200)
        self.assertEqual(self.ask("GET", "/api/wishes", origin="https://evil.example")[0], 403)

    def write(self, seed: int) -> Text:
        """Streams a text through the proxy."""
        text = Text()
        body = json.dumps({"prompt": "Once upon a time", "max_tokens": 60, "seed": seed, "stream": True,
                           "logit_bias": {"1": -100, "5": -100}})
        connection = self.connection()
        try:
            connection.request(
                "POST", "/v1/completions", body,
                {"Content-Type": "application/json", "Authorization": f"Bearer {TOKEN}", "X-Conversation": str(seed)})
            answer = connection.getresponse()
            text.status, text.server = answer.status, answer.getheader("X-Server")
            text.isWhole = answer.read().endswith(b"data: [DONE]\n\n")
        except (OSError, http.client.HTTPException):
            pass
        finally:
            text.ended = time.monotonic()
            connection.close()
        return text

    def test_one_killed_and_one_drained_under_load(self):
        texts, stop = [], threading.Event()
        lock = threading.Lock()

        def load(number: int):
            seed = number * 1_000_000
            while not stop.is_set():
                seed += 1
                text = self.write(seed)
                with lock:
                    texts.append(text)

        with self.prometheus() as query:
            threads = [threading.Thread(target=load, args=(number,)) for number in range(9)]
            for thread in threads:
                thread.start()
            try:
                def count(server, since=0.0):
                    with lock:
                        return sum(text.isWhole and text.server == server and text.began > since for text in texts)
                self.wait(lambda: all(count(name) >= 3 for name in ADDRESSES), "all servers write")
                before = time.monotonic()
                self.servers["two"].send_signal(signal.SIGKILL)
                # Its connections are gone when its process is.
                self.servers["two"].wait(PATIENCE)
                killed = time.monotonic()
                self.wait(lambda: count("one", killed) >= 5 and count("three", killed) >= 5, "two servers write on")
                drained = time.monotonic()
                self.servers["three"].send_signal(signal.SIGTERM)
                self.assertEqual(self.servers["three"].wait(2 * PATIENCE), 0)
                self.wait(lambda: count("one", drained) >= 8, "one server writes on")
                if query:
                    self.wait(lambda: query('count(up{job="hearth"} == 0)') == "2", "Prometheus sees two servers gone")
                # Back again: both get their share.
                for name in ("two", "three"):
                    self.servers[name] = self.start(name)
                back = time.monotonic()
                self.wait(lambda: count("two", back) >= 2 and count("three", back) >= 2, "all three write again")
                if query:
                    self.wait(lambda: query('count(up{job="hearth"} == 1)') == "3", "Prometheus sees all of them")
            finally:
                stop.set()
                for thread in threads:
                    thread.join(PATIENCE)
        lost = [text for text in texts if not text.isWhole]
        # Only what the killed server was writing.
        for text in lost:
            self.assertTrue(text.began < killed and text.ended > before, vars(text))
            self.assertTrue(text.server == "two" or text.server is None and text.status in (None, 502), vars(text))
        # Each thread one, and on a busy machine another one while the process is being taken apart.
        self.assertLessEqual(len(lost), 2 * len(threads))
        self.assertGreater(len(texts), 30)

    @contextlib.contextmanager
    def prometheus(self):
        """Runs Prometheus with the configuration of the page; yields a function that asks it, None without Prometheus."""
        if not shutil.which("prometheus"):
            yield None
            return
        (self.folder / "token").write_text(TOKEN)
        text = example("operations.md", "scrape_configs:").replace("/etc/prometheus/hearth-token", str(self.folder / "token"))
        for number, address in enumerate(ADDRESSES.values(), 1):
            text = text.replace(f"10.0.0.1{number}:8080", f"{address}:{self.inner}")
        text = text.replace("scrape_interval: 15s", "scrape_interval: 500ms")
        (self.folder / "prometheus.yml").write_text(text)
        port = free_port()
        process = subprocess.Popen(
            ["prometheus", f"--config.file={self.folder}/prometheus.yml", f"--storage.tsdb.path={self.folder}/data",
             f"--web.listen-address=127.0.0.1:{port}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

        def query(text: str):
            address = f"http://127.0.0.1:{port}/api/v1/query?" + urllib.parse.urlencode({"query": text})
            with contextlib.suppress(OSError), urllib.request.urlopen(address, timeout=5) as answer:
                found = json.load(answer)["data"]["result"]
                return found[0]["value"][1] if found else None
        try:
            yield query
        finally:
            process.terminate()
            process.wait(PATIENCE)


if __name__ == "__main__":
    unittest.main()
