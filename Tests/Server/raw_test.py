"""The built program as others meet it: bytes over sockets, crowds, and signals.

    Tests/Server/run raw_test.py
    HEARTH_PROGRAM=… Tests/Server/run raw_test.py
"""

import contextlib
import json
import os
import pathlib
import select
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest

from harness import PATIENCE, PROGRAM, address_in, serving

# A text that fills the context, and a server that takes seconds for it and writes one at a time: a line of such texts is longer than
# any test.
LONG = {"prompt": "Once upon a time", "max_tokens": 100_000, "temperature": 0, "stream": True, "logit_bias": {"1": -100, "5": -100}}
SLOW = ("--threads", "1", "--parallel", "1")
SLOWLY = {"HEARTH_KERNELS": "portable"}


def request(port: int, method: str, path: str, body: dict | None = None, close: bool = True) -> bytes:
    data = json.dumps(body).encode() if body is not None else b""
    head = [f"{method} {path} HTTP/1.1", f"Host: 127.0.0.1:{port}"]
    head += ["Connection: close"] if close else []
    head += ["Content-Type: application/json", f"Content-Length: {len(data)}"] if body is not None else []
    return "\r\n".join(head).encode() + b"\r\n\r\n" + data


class Client:
    """A socket that reads up to a sign, or to the end."""

    def __init__(self, port: int, data: bytes = b"", patience: float = PATIENCE):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=patience)
        self.bytes = b""
        if data:
            self.socket.sendall(data)

    def until(self, sign: bytes) -> bytes:
        while sign not in self.bytes:
            piece = self.socket.recv(65_536)
            if not piece:
                raise EOFError(self.bytes[-200:])
            self.bytes += piece
        return self.bytes

    def rest(self) -> bytes:
        while True:
            try:
                piece = self.socket.recv(65_536)
            except ConnectionResetError:
                piece = b""
            if not piece:
                return self.bytes
            self.bytes += piece

    def close(self):
        self.socket.close()


def unchunked(stream: bytes) -> tuple[bytes, bool]:
    """The body of a chunked answer, and whether it came to its end."""
    rest = stream.split(b"\r\n\r\n", 1)[1]
    body = b""
    while rest:
        size, _, rest = rest.partition(b"\r\n")
        count = int(size, 16)
        if count == 0:
            return body, rest == b"\r\n"
        body, rest = body + rest[:count], rest[count + 2 :]
    return body, False


class RawTest(unittest.TestCase):
    def test_one_head_for_each_answer(self):
        with serving(ready=False) as server:
            port = server.port
            host = f"Host: 127.0.0.1:{port}\r\n".encode()
            post = b"POST /v1/completions HTTP/1.1\r\n" + host + b"Content-Type: application/json\r\n"
            for status, data in [
                (200, b"GET http://127.0.0.1:%d/health HTTP/1.1\r\n" % port + host + b"Connection: close\r\n\r\n"),
                (403, b"GET http://evil.example/health HTTP/1.1\r\n" + host + b"Connection: close\r\n\r\n"),
                (400, post + b"Content-Length : 2\r\n\r\n{}"),
                (400, post + b"Content-Length: 2\r\nContent-Length: 3\r\n\r\n{} "),
                (400, post + b"Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
                (400, post + b"Transfer-Encoding: chunked\r\n\r\nxyz\r\n"),
                (400, b"GET /health HTTP/1.1\n" + host.replace(b"\r", b"") + b"\n"),
                (400, b"GET /health HTTP/1.1\r\n" + host + b"A: b\r\n c\r\n\r\n"),
                (400, b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"),
                (431, b"GET /" + b"a" * 100_000 + b" HTTP/1.1\r\n" + host + b"\r\n"),
                (431, b"GET / HTTP/1.1\r\nA: " + b"a" * 1_000_000 + b"\r\n\r\n"),
                (505, b"GET / HTTP/3.0\r\n" + host + b"\r\n"),
                (413, post + b"Content-Length: 3000000\r\n\r\n" + b" " * 3_000_000),
                (400, post + b"Connection: close\r\nContent-Length: 18\r\n\r\n" + '{"prompt":"a"}'.encode("utf-16")[:18]),
            ]:
                with self.subTest(data=data[:120]):
                    client = Client(port)
                    # The server may have answered, and read no further, before all of it is sent.
                    threading.Thread(target=self.send, args=(client, data), daemon=True).start()
                    answer = client.rest()
                    client.close()
                    head, body = answer.split(b"\r\n\r\n", 1)
                    self.assertEqual(head.split(b" ")[1], str(status).encode(), answer)
                    self.assertEqual(answer.count(b"HTTP/1."), 1, answer)
                    self.assertIn(b"Content-Security-Policy: default-src 'none'", head)
                    self.assertIn(b"X-Content-Type-Options: nosniff", head)
                    self.assertIn(b"Connection: close", head)
                    self.assertIn("model" if status == 200 else "error", json.loads(body))

    def test_a_request_that_arrives_at_the_end_is_answered(self):
        """What a client has sent before the server ends gets an answer, though nobody has read it by then."""
        with serving(ready=False) as server:
            process = server.process
            process.send_signal(signal.SIGSTOP)
            clients = [Client(server.port, request(server.port, "GET", "/health")) for _ in range(20)]
            process.send_signal(signal.SIGTERM)
            process.send_signal(signal.SIGCONT)
            for client in clients:
                self.assertIn(client.rest().split(b"\r\n")[0], (b"HTTP/1.1 200 OK", b"HTTP/1.1 503 Service Unavailable"))
                client.close()
            self.assertEqual(process.wait(PATIENCE), 0)
            server.is_over = True

    @unittest.skipUnless(sys.platform == "linux", "LD_PRELOAD")
    def test_a_crowd_cannot_keep_a_server_from_ending(self):
        """A server that ends answers who waits to be accepted, but not all who go on coming, however fast they come."""
        with tempfile.TemporaryDirectory(prefix="hearth-crowd-") as folder:
            crowd = pathlib.Path(folder) / "crowd.so"
            source = pathlib.Path(__file__).with_name("crowd.c")
            subprocess.run(["cc", "-std=c11", "-Wall", "-Werror", "-shared", "-fPIC", source, "-o", crowd, "-ldl"], check=True)
            with serving("--drain", "3600", ready=False, environment={"LD_PRELOAD": str(crowd)}) as server:
                self.assertEqual(server.json("/health")["status"], "ok")
                server.process.send_signal(signal.SIGTERM)
                self.assertEqual(server.process.wait(PATIENCE), 0)
                server.is_over = True

    @staticmethod
    def send(client: Client, data: bytes):
        try:
            client.socket.sendall(data)
        except OSError:
            pass

    def test_four_hundred_idle_connections(self):
        with serving() as server:
            for start in (b"", b"GET /health HT"):
                self.assert_quick(server, lambda: Client(server.port, start))

            # Those who were answered and stay are no obstacle either.
            def answered():
                client = Client(server.port, request(server.port, "GET", "/health", close=False))
                client.until(b'"waiting"')
                return client
            self.assert_quick(server, answered)

    def assert_quick(self, server, connect):
        """Whoever asks beside four hundred idle connections is answered long before these are over, which is after ten seconds: at
        least once, as a busy machine may take its time."""
        slowest = []
        while not slowest or slowest[-1] >= 5:
            self.assertLess(len(slowest), 10, slowest)
            idle = [connect() for _ in range(400)]
            slowest.append(0)
            for _ in range(20):
                began = time.monotonic()
                self.assertEqual(json.loads(server.get("/health"))["status"], "ok")
                slowest[-1] = max(slowest[-1], time.monotonic() - began)
            for client in idle:
                client.close()

    def test_a_queued_stream_has_its_head_at_once(self):
        with serving(*SLOW, environment=SLOWLY) as server:
            # Who is in the line now has its turn before the next one.
            others = [
                Client(server.port, request(server.port, "POST", "/v1/completions", {**LONG, "stream": False}))
                for _ in range(100)]
            server.wait(lambda: server.json("/health")["waiting"] >= 60)
            second = Client(server.port, request(server.port, "POST", "/v1/chat/completions", {
                "messages": [{"role": "user", "content": "Tell a story."}], "max_tokens": 5, "stream": True}))
            head = second.until(b": waiting\n\n")
            # It is still waiting.
            self.assertGreater(server.json("/health")["waiting"], 1)
            self.assertTrue(head.startswith(b"HTTP/1.1 200 OK\r\n"))
            self.assertIn(b"Content-Type: text/event-stream", head)
            for other in others:
                other.close()
            body, is_whole = unchunked(second.rest())
            self.assertTrue(is_whole and body.endswith(b"data: [DONE]\n\n"), body)

    @contextlib.contextmanager
    def slow_server(self, *words: str):
        """A slow server's process and port."""
        with tempfile.TemporaryDirectory(prefix="hearth-drain-") as home:
            log = pathlib.Path(home) / "log"
            with log.open("w") as errors:
                process = subprocess.Popen(
                    [PROGRAM, "serve", "--port", "0", *SLOW, *words], stderr=errors, stdout=subprocess.DEVNULL,
                    env={**os.environ, **SLOWLY, "HEARTH_HOME": home})
            try:
                while not (url := address_in(log)):
                    self.assertIsNone(process.poll())
                    time.sleep(0.02)
                yield process, int(url.rsplit(":", 1)[1])
            finally:
                process.kill()
                process.wait()

    def leave(self, number: int, *words: str):
        """Starts texts, sends the signal, and returns what was still read of them, and the status."""
        with self.slow_server(*words) as (process, port):
            running = Client(port, request(port, "POST", "/v1/completions", LONG, close=False))
            running.until(b"data: {")
            others = [Client(port, request(port, "POST", "/v1/completions", LONG)) for _ in range(50)]
            queued = self.waiting(others)
            whole = Client(port, request(port, "POST", "/v1/completions", {**LONG, "stream": False}))
            idle = Client(port)
            process.send_signal(number)
            # All of these texts would take minutes.
            status = process.wait(PATIENCE)
            clients = (running, queued, whole, idle)
            rests = [client.rest() for client in clients]
            for client in (*clients, *others):
                client.close()
            return *rests, status

    @staticmethod
    def wait_until_refused(port: int):
        """Returns when new connections are refused."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            try:
                Client(port).close()
            except (ConnectionRefusedError, ConnectionResetError):
                return
            time.sleep(0.01)
        raise TimeoutError("new connections are never refused")

    def test_drain(self):
        for number in (signal.SIGTERM, signal.SIGHUP):
            with self.subTest(signal=number):
                running, queued, whole, idle, status = self.leave(number, "--drain", "2")
                self.assertEqual(status, 0)
                for stream in (running, queued):
                    body, is_whole = unchunked(stream)
                    self.assertTrue(is_whole, stream[-300:])
                    self.assertTrue(body.endswith(b"data: [DONE]\n\n"), body[-300:])
                    last = json.loads(body.split(b"\n\n")[-3].split(b"data: ", 1)[1])
                    self.assertTrue("error" in last or last["choices"][0]["finish_reason"], last)
                self.assertTrue(whole.startswith((b"HTTP/1.1 503 ", b"HTTP/1.1 200 ")), whole)
                self.assertEqual(idle, b"")

    def test_interrupt_leaves_no_half_event(self):
        running, queued, _, _, status = self.leave(signal.SIGINT, "--drain", "3600")
        self.assertEqual(status, 130)
        for stream in (running, queued):
            body, _ = unchunked(stream)
            self.assertTrue(body.endswith(b"\n\n"), body[-300:])

    def waiting(self, clients):
        """The client that waits for its turn by now, the last one if there are several: requests that arrive together may take
        their turns in another order."""
        end = time.monotonic() + PATIENCE
        while True:
            for client in select.select([client.socket for client in clients], [], [], 1)[0]:
                client = next(one for one in clients if one.socket is client)
                client.bytes += client.socket.recv(65_536)
            if found := [client for client in clients if b": waiting" in client.bytes]:
                return found[-1]
            self.assertLess(time.monotonic(), end, "no request waits")

    def test_a_second_signal_does_not_wait(self):
        with self.slow_server("--drain", "3600") as (process, port):
            clients = [Client(port, request(port, "POST", "/v1/completions", LONG)) for _ in range(40)]
            self.waiting(clients)
            process.send_signal(signal.SIGTERM)
            self.wait_until_refused(port)
            # The texts go on, and would for minutes.
            self.assertIsNone(process.poll())
            process.send_signal(signal.SIGINT)
            self.assertEqual(process.wait(PATIENCE), 130)
            for client in clients:
                client.close()


if __name__ == "__main__":
    unittest.main()
