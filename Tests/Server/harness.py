"""Starts the built program's server for a test, and ends it."""

import contextlib
import json
import os
import pathlib
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILT = [path for path in (ROOT / ".build/release/hearth", ROOT / ".build/debug/hearth") if path.exists()]
# The one that was built last.
PROGRAM = os.environ.get("HEARTH_PROGRAM") or str(max(BUILT, key=lambda path: path.stat().st_mtime, default="hearth"))


class Server:
    """A running `hearth serve`."""

    def __init__(self, url: str, home: str, log: pathlib.Path):
        self.url, self.home, self.log = url, home, log

    @property
    def port(self) -> int:
        return int(self.url.rsplit(":", 1)[1])

    def get(self, path: str, headers: dict | None = None) -> bytes:
        request = urllib.request.Request(self.url + path, headers=headers or {})
        with urllib.request.urlopen(request, timeout=30) as answer:
            return answer.read()

    def json(self, path: str) -> dict:
        return json.loads(self.get(path))

    def figure(self, name: str) -> float:
        """The value of a sample of /metrics, by its name and labels."""
        for line in self.get("/metrics").decode().splitlines():
            if line.startswith(name + " "):
                return float(line.rsplit(" ", 1)[1])
        raise KeyError(name)

    def wait(self, condition, seconds: float = 30):
        """Returns when the condition holds."""
        end = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > end:
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
            end = time.monotonic() + 30
            while "listening on " not in log.read_text():
                if process.poll() is not None or time.monotonic() > end:
                    raise RuntimeError("the server did not start: " + log.read_text())
                time.sleep(0.02)
            server = Server(log.read_text().split("listening on ", 1)[1].split()[0], home, log)
            if ready:
                server.wait_ready()
            yield server
            if process.poll() is not None:
                raise RuntimeError("the server ended by itself: " + log.read_text())
        finally:
            process.terminate()
            process.wait(10)
