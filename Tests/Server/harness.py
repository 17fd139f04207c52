"""Starts the built program's server for a test, and ends it."""

import contextlib
import errno
import http.server
import json
import os
import pathlib
import random
import re
import signal
import socket
import struct
import subprocess
import tempfile
import threading
import time
import unittest
import urllib.error
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[2]
NANO = ROOT / "Models/hearth-nano.gguf"
BUILT = [path for path in (ROOT / ".build/release/hearth", ROOT / ".build/debug/hearth") if path.exists()]
# The one that was built last.
PROGRAM = os.environ.get("HEARTH_PROGRAM") or str(max(BUILT, key=lambda path: path.stat().st_mtime, default="hearth"))
# Shells start background jobs with some of these ignored, and children inherit that: the server is to see them.
for _number in (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP):
    signal.signal(_number, signal.SIG_DFL)


# Seconds after which something will never come. A busy machine may take long for what takes milliseconds otherwise.
PATIENCE = 600
# A request whose answers take minutes, so that whatever is done meanwhile is done in their middle: 128 texts without the tokens that
# end a text, so that each fills the context.
ENDLESS = {"prompt": ["Once upon a time"] * 8, "n": 16, "max_tokens": 100_000, "temperature": 0, "stream": True,
           "logit_bias": {"1": -100, "5": -100}}


def free_port(addresses=("127.0.0.1",)) -> int:
    """A port that is free on all of the addresses, and that the system gives to nobody who asks for any."""
    while True:
        port = random.randrange(15_000, 32_768)
        with contextlib.ExitStack() as stack:
            try:
                for address in addresses:
                    family = socket.AF_INET6 if ":" in address else socket.AF_INET
                    stack.enter_context(socket.socket(family)).bind((address, port))
            except OSError as error:
                # An address that this machine does not have would never be free.
                if error.errno not in (errno.EADDRINUSE, errno.EACCES):
                    raise
                continue
            return port


def address_in(log: pathlib.Path) -> str | None:
    """The address that a server has written to its log; None before that."""
    found = re.search(r"listening on (\S+)\n", log.read_text())
    return found and found[1]


def end(process: subprocess.Popen):
    """Ends a process, in order if it can."""
    process.terminate()
    try:
        process.wait(PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        raise


def example(document: str, start: str) -> str:
    """The indented block of a page of docs/ from the line on that begins so."""
    lines = (ROOT / "docs" / document).read_text().splitlines()
    first = next(number for number, line in enumerate(lines) if line.startswith("    " + start))
    block = []
    for line in lines[first:]:
        if line and not line.startswith("    "):
            break
        block.append(line[4:])
    return "\n".join(block)


class Server:
    """A running `hearth serve`."""

    def __init__(self, url: str, home: str, log: pathlib.Path, process: subprocess.Popen):
        self.url, self.home, self.log, self.process = url, home, log, process
        # Whether the test has ended it.
        self.is_over = False

    @property
    def port(self) -> int:
        return int(self.url.rsplit(":", 1)[1])

    def get(self, path: str, headers: dict | None = None) -> bytes:
        request = urllib.request.Request(self.url + path, headers=headers or {})
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            return answer.read()

    def json(self, path: str) -> dict:
        return json.loads(self.get(path))

    def figure(self, name: str) -> float:
        """The value of a sample of /metrics, by its name and labels."""
        for line in self.get("/metrics").decode().splitlines():
            if line.startswith(name + " "):
                return float(line.rsplit(" ", 1)[1])
        raise KeyError(name)

    def wait(self, condition, seconds: float = PATIENCE):
        """Returns when the condition holds."""
        latest = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > latest:
                raise TimeoutError("the condition never held")
            time.sleep(0.02)

    def wait_ready(self):
        self.wait(lambda: self.json("/api/state")["state"] == "ready")


@contextlib.contextmanager
def serving(*words: str, ready: bool = True, environment: dict | None = None):
    """Runs `hearth serve` on a port of its own, with an empty home."""
    with tempfile.TemporaryDirectory(prefix="hearth-serve-") as home:
        log = pathlib.Path(home) / "log"
        with log.open("w") as errors:
            process = subprocess.Popen(
                [PROGRAM, "serve", "--port", "0", *words],
                stdout=subprocess.DEVNULL,
                stderr=errors,
                env={**os.environ, "HEARTH_HOME": home, **(environment or {})},
            )
        try:
            latest = time.monotonic() + PATIENCE
            while not (url := address_in(log)):
                if process.poll() is not None or time.monotonic() > latest:
                    raise RuntimeError("the server did not start: " + log.read_text())
                time.sleep(0.02)
            server = Server(url, home, log, process)
            if ready:
                server.wait_ready()
            yield server
            if process.poll() is not None and not server.is_over:
                raise RuntimeError("the server ended by itself: " + log.read_text())
        finally:
            end(process)


class Source:
    """Where a model comes from: gives half of it, slowly, and the rest when it is told to; or refuses."""

    def __init__(self, port: int):
        self.url = f"http://127.0.0.1:{port}/teller.gguf"
        self.go = threading.Event()
        self.refuses = False


@contextlib.contextmanager
def source(bytes_a_second: float = 8e6):
    """Serves the bundled model's file as if it came from far away."""
    data = NANO.read_bytes()

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_):
            pass

        def do_GET(self):
            if here.refuses:
                return self.send_error(404)
            wanted = self.headers.get("Range")
            start, end = (wanted.removeprefix("bytes=").split("-") if wanted else (0, ""))
            start, end = int(start), int(end) + 1 if end else len(data)
            self.send_response(206 if wanted else 200)
            for name, value in {
                "ETag": '"1"', "Accept-Ranges": "bytes", "Content-Length": end - start,
                **({"Content-Range": f"bytes {start}-{end - 1}/{len(data)}"} if wanted else {}),
            }.items():
                self.send_header(name, str(value))
            self.end_headers()
            with contextlib.suppress(OSError):
                while start < end:
                    # Then some bytes now and again, which are no stall.
                    waits = start >= len(data) // 2 and not here.go.wait(3)
                    piece = data[start : min(start + (512 if waits else 65_536), end)]
                    self.wfile.write(piece)
                    start += len(piece)
                    time.sleep(len(piece) / bytes_a_second)

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    here = Source(server.server_address[1])
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield here
    finally:
        here.go.set()
        server.shutdown()
        server.server_close()


def model_with_word(path: pathlib.Path, word: str, instead_of: str):
    """Writes the bundled model with one of its words in place of another one of the same length."""

    def piece(text: str) -> bytes:
        encoded = ("\u2581" + text).encode()
        return struct.pack("<Q", len(encoded)) + encoded

    data = NANO.read_bytes()
    assert len(piece(word)) == len(piece(instead_of)) and data.count(piece(instead_of)) == 1
    path.write_bytes(data.replace(piece(instead_of), piece(word)))


class ServedCase(unittest.TestCase):
    """Tests of one server, by OpenAI's client."""

    arguments = ()

    @classmethod
    def setUpClass(cls):
        import openai

        cls.context = serving(*cls.arguments)
        cls.server = cls.context.__enter__()
        cls.client = openai.OpenAI(base_url=cls.server.url + "/v1", api_key="none", max_retries=0, timeout=PATIENCE)

    @classmethod
    def tearDownClass(cls):
        cls.context.__exit__(None, None, None)
