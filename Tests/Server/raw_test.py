"""The built program as others meet it: bytes over sockets, crowds, and signals.

    Tests/Server/run raw_test.py
    HEARTH_PROGRAM=… Tests/Server/run raw_test.py
"""

import json
import os
import pathlib
import signal
import socket
import subprocess
import tempfile
import threading
import time
import unittest

from harness import PROGRAM, serving

ENDLESS = {"prompt": "Once upon a time", "max_tokens": 100_000, "temperature": 0, "stream": True}


def request(port: int, method: str, path: str, body: dict | None = None, close: bool = True) -> bytes:
    data = json.dumps(body).encode() if body is not None else b""
    head = [f"{method} {path} HTTP/1.1", f"Host: 127.0.0.1:{port}"]
    head += ["Connection: close"] if close else []
    head += ["Content-Type: application/json", f"Content-Length: {len(data)}"] if body is not None else []
    return "\r\n".join(head).encode() + b"\r\n\r\n" + data


class Client:
    """A socket that reads up to a sign, or to the end."""

    def __init__(self, port: int, data: bytes = b"", patience: float = 60):
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

    @staticmethod
    def send(client: Client, data: bytes):
        try:
            client.socket.sendall(data)
        except OSError:
            pass

    def test_four_hundred_idle_connections(self):
        with serving() as server:
            idle = []
            for start in (b"", b"GET /health HT"):
                for _ in range(400):
                    idle.append(Client(server.port, start))
                slowest = 0
                for _ in range(20):
                    began = time.monotonic()
                    self.assertEqual(json.loads(server.get("/health"))["status"], "ok")
                    slowest = max(slowest, time.monotonic() - began)
                self.assertLess(slowest, 1)
            # Those who were answered and stay are no obstacle either.
            for _ in range(400):
                client = Client(server.port, request(server.port, "GET", "/health", close=False))
                client.until(b'"waiting"')
                idle.append(client)
            began = time.monotonic()
            server.get("/health")
            self.assertLess(time.monotonic() - began, 1)
            for client in idle:
                client.close()

    def test_a_queued_stream_has_its_head_at_once(self):
        with serving() as server:
            # One after the other they take longer than the test. Who is in the line now has its turn before the next one.
            others = [
                Client(server.port, request(server.port, "POST", "/v1/completions", {**ENDLESS, "stream": False}))
                for _ in range(100)]
            end = time.monotonic() + 10
            while server.json("/health")["waiting"] < 60:
                self.assertLess(time.monotonic(), end, "no line")
            began = time.monotonic()
            second = Client(server.port, request(server.port, "POST", "/v1/chat/completions", {
                "messages": [{"role": "user", "content": "Tell a story."}], "max_tokens": 5, "stream": True}))
            head = second.until(b": waiting\n\n")
            self.assertLess(time.monotonic() - began, 1)
            self.assertTrue(head.startswith(b"HTTP/1.1 200 OK\r\n"))
            self.assertIn(b"Content-Type: text/event-stream", head)
            for other in others:
                other.close()
            body, is_whole = unchunked(second.rest())
            self.assertTrue(is_whole and body.endswith(b"data: [DONE]\n\n"), body)

    def leave(self, number: int, *words: str, limit: float):
        """Starts a text, sends the signal, and returns what was still read of it, the status and the time."""
        with tempfile.TemporaryDirectory(prefix="hearth-drain-") as home:
            log = pathlib.Path(home) / "log"
            with log.open("w") as errors:
                process = subprocess.Popen(
                    [PROGRAM, "serve", "--port", "0", *words], stderr=errors, stdout=subprocess.DEVNULL,
                    env={**os.environ, "HEARTH_HOME": home})
            try:
                while "listening on " not in log.read_text():
                    self.assertIsNone(process.poll())
                    time.sleep(0.02)
                port = int(log.read_text().split("listening on ", 1)[1].split()[0].rsplit(":", 1)[1])
                running = Client(port, request(port, "POST", "/v1/completions", ENDLESS, close=False))
                running.until(b"data: {")
                # One after the other they take longer than the test.
                others = [Client(port, request(port, "POST", "/v1/completions", ENDLESS)) for _ in range(50)]
                # Requests that arrive together may take their turns in another order: any that waits will do.
                queued = next((client for client in reversed(others) if self.waits(client)), None)
                self.assertIsNotNone(queued, "no request waits")
                whole = Client(port, request(port, "POST", "/v1/completions", {**ENDLESS, "stream": False}))
                idle = Client(port)
                began = time.monotonic()
                process.send_signal(number)
                refused = self.is_refused_soon(port) if limit > 1 else True
                status = process.wait(limit + 5)
                seconds = time.monotonic() - began
                clients = (running, queued, whole, idle)
                rests = [client.rest() for client in clients]
                for client in (*clients, *others):
                    client.close()
                return *rests, refused, status, seconds
            finally:
                process.kill()
                process.wait()

    @staticmethod
    def is_refused_soon(port: int) -> bool:
        """Whether new connections are refused within half a second."""
        end = time.monotonic() + 0.5
        while time.monotonic() < end:
            try:
                Client(port).close()
            except (ConnectionRefusedError, ConnectionResetError):
                return True
            time.sleep(0.01)
        return False

    def test_drain(self):
        for number in (signal.SIGTERM, signal.SIGHUP):
            with self.subTest(signal=number):
                running, queued, whole, idle, refused, status, seconds = self.leave(number, "--drain", "2", limit=2)
                self.assertEqual(status, 0)
                self.assertLess(seconds, 3)
                self.assertTrue(refused)
                for stream in (running, queued):
                    body, is_whole = unchunked(stream)
                    self.assertTrue(is_whole, stream[-300:])
                    self.assertTrue(body.endswith(b"data: [DONE]\n\n"), body[-300:])
                    last = json.loads(body.split(b"\n\n")[-3].split(b"data: ", 1)[1])
                    self.assertTrue("error" in last or last["choices"][0]["finish_reason"], last)
                self.assertTrue(whole.startswith((b"HTTP/1.1 503 ", b"HTTP/1.1 200 ")), whole)
                self.assertEqual(idle, b"")

    def test_interrupt_leaves_no_half_event(self):
        running, queued, _, _, _, status, seconds = self.leave(signal.SIGINT, limit=0.5)
        self.assertEqual(status, 130)
        self.assertLess(seconds, 1)
        for stream in (running, queued):
            body, _ = unchunked(stream)
            self.assertTrue(body.endswith(b"\n\n"), body[-300:])

    @staticmethod
    def waits(client):
        try:
            client.until(b": waiting")
        except EOFError:
            return False
        return True

    def test_a_second_signal_does_not_wait(self):
        with tempfile.TemporaryDirectory(prefix="hearth-drain-") as home:
            log = pathlib.Path(home) / "log"
            with log.open("w") as errors:
                process = subprocess.Popen(
                    [PROGRAM, "serve", "--port", "0", "--drain", "60"], stderr=errors, stdout=subprocess.DEVNULL,
                    env={**os.environ, "HEARTH_HOME": home})
            try:
                while "listening on " not in log.read_text():
                    time.sleep(0.02)
                port = int(log.read_text().split("listening on ", 1)[1].split()[0].rsplit(":", 1)[1])
                # One after the other they take longer than the test.
                clients = [Client(port, request(port, "POST", "/v1/completions", ENDLESS)) for _ in range(40)]
                # Requests that arrive together may take their turns in another order: any that waits will do.
                self.assertTrue(any(self.waits(client) for client in reversed(clients)))
                process.send_signal(signal.SIGTERM)
                self.assertTrue(self.is_refused_soon(port))
                began = time.monotonic()
                process.send_signal(signal.SIGINT)
                self.assertEqual(process.wait(10), 130)
                self.assertLess(time.monotonic() - began, 1)
                for client in clients:
                    client.close()
            finally:
                process.kill()
                process.wait()


if __name__ == "__main__":
    unittest.main()
