"""`hearth serve` as a service of systemd: sockets that are passed to it, notifications, and the units of Packaging/systemd as
systemd's own tools judge them.

    Tests/Server/run service_test.py

systemd itself does not run here; its tools do. Without them the tests that need them are skipped.
"""

import json
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import unittest
import urllib.error
import urllib.request

from harness import PATIENCE, PROGRAM, ROOT, address_in, free_port

UNITS = ROOT / "Packaging/systemd"
ACTIVATE = shutil.which("systemd-socket-activate")
ANALYZE = shutil.which("systemd-analyze")


def get(port: int, path: str, address: str = "127.0.0.1") -> dict:
    host = f"[{address}]" if ":" in address else address
    with urllib.request.urlopen(f"http://{host}:{port}{path}", timeout=PATIENCE) as answer:
        return json.load(answer)


class ServiceTest(unittest.TestCase):
    def setUp(self):
        self.home = pathlib.Path(tempfile.mkdtemp(prefix="hearth-service-"))
        self.addCleanup(shutil.rmtree, self.home, True)

    def run_server(self, words: list, descriptors=(), **variables) -> subprocess.Popen:
        log = (self.home / "log").open("w")
        process = subprocess.Popen(
            words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=log, pass_fds=descriptors,
            env={**os.environ, "HEARTH_HOME": str(self.home), **variables})
        log.close()

        def end():
            if process.poll() is None:
                process.kill()
            process.wait(PATIENCE)
        self.addCleanup(end)
        return process

    def log(self) -> str:
        return (self.home / "log").read_text()

    def wait_until_listening(self, process: subprocess.Popen) -> None:
        end = time.monotonic() + PATIENCE
        while not address_in(self.home / "log"):
            self.assertIsNone(process.poll(), self.log())
            self.assertLess(time.monotonic(), end, self.log())
            time.sleep(0.05)

    @unittest.skipUnless(ACTIVATE, "systemd-socket-activate is not installed")
    def test_sockets_are_taken_over(self):
        try:
            port = free_port(("127.0.0.1", "::1"))
        except OSError as error:
            self.skipTest(f"no IPv6: {error}")
        # Nobody listens on the port of the options.
        process = self.run_server(
            [ACTIVATE, "-l", f"127.0.0.1:{port}", "-l", f"[::1]:{port}", "-E", "HEARTH_HOME", PROGRAM, "serve", "--port", "1"])
        end = time.monotonic() + PATIENCE
        while True:
            try:
                # The first request starts the server, and waits for it.
                self.assertIn("state", get(port, "/health")["model"])
                break
            except urllib.error.URLError:
                self.assertLess(time.monotonic(), end, self.log())
                time.sleep(0.05)
        self.assertIn("state", get(port, "/health", "::1")["model"])
        # It may answer the requests that waited before it says so.
        self.wait_until_listening(process)
        self.assertIn(f"listening on http://127.0.0.1:{port}\n", self.log())
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(PATIENCE), 0)

    def pass_socket(self, passed: socket.socket, *words: str, **variables) -> subprocess.Popen:
        """Passes one descriptor as number 3, as systemd does. The shell knows its own process number, which stays the server's."""
        number = passed.fileno()
        script = f'exec 3<&{number}; LISTEN_FDS=1 LISTEN_PID=$$ exec "$0" serve "$@"'
        return self.run_server(["bash", "-c", script, PROGRAM, *words], (number,), **variables)

    def test_what_is_passed_must_listen_and_be_guarded(self):
        with socket.socket() as idle:
            idle.bind(("127.0.0.1", 0))
            process = self.pass_socket(idle)
            self.assertEqual(process.wait(PATIENCE), 1, self.log())
            self.assertIn("descriptor 3", self.log())
        with socket.socket(socket.AF_UNIX) as local:
            local.bind(str(self.home / "socket"))
            local.listen()
            self.assertEqual(self.pass_socket(local).wait(PATIENCE), 1, self.log())
        with socket.socket() as open_to_all:
            open_to_all.bind(("0.0.0.0", 0))
            open_to_all.listen()
            self.assertEqual(self.pass_socket(open_to_all).wait(PATIENCE), 2, self.log())
            self.assertIn("token", self.log())
            self.wait_until_listening(self.pass_socket(open_to_all, HEARTH_TOKEN="0123456789abcdef0123456789abcdef"))

    def test_sockets_of_another_process_are_left_alone(self):
        process = self.run_server([PROGRAM, "serve", "--port", "0"], LISTEN_FDS="1", LISTEN_PID="1")
        self.wait_until_listening(process)

    def test_it_says_when_it_is_ready_and_when_it_ends(self):
        for name in (str(self.home / "notify"), "@hearth-test-" + self.home.name):
            with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
                manager.bind(name.replace("@", "\0", 1) if name[0] == "@" else name)
                manager.settimeout(PATIENCE)
                process = self.run_server([PROGRAM, "serve", "--port", "0"], NOTIFY_SOCKET=name)
                ready = manager.recv(4096).decode().splitlines()
                self.assertEqual(ready[0], "READY=1")
                self.assertRegex(ready[1], r"^STATUS=Listening on http://127\.0\.0\.1:\d+$")
                get(int(ready[1].rsplit(":", 1)[1]), "/health")
                process.send_signal(signal.SIGTERM)
                self.assertEqual(manager.recv(4096).decode().splitlines()[0], "STOPPING=1")
                self.assertEqual(process.wait(PATIENCE), 0)
        # A manager that is gone, or a name that is none, is no reason not to serve.
        for name in (str(self.home / "nobody"), "relative", "/" + "x" * 200):
            process = self.run_server([PROGRAM, "serve", "--port", "0"], NOTIFY_SOCKET=name)
            self.wait_until_listening(process)

    @unittest.skipUnless(ANALYZE, "systemd-analyze is not installed")
    def test_units(self):
        # Checked where the program is: it is not installed here.
        for unit in UNITS.iterdir():
            text = unit.read_text().replace("ExecStart=hearth ", f"ExecStart={PROGRAM} ")
            text = re.sub(r"^Documentation=.*\n", "", text, flags=re.MULTILINE)
            (self.home / unit.name).write_text(text)
        names = sorted(str(self.home / unit.name) for unit in UNITS.iterdir())
        check = subprocess.run([ANALYZE, "verify", *names], capture_output=True, text=True, timeout=PATIENCE)
        self.assertEqual((check.returncode, check.stderr), (0, ""))
        score = subprocess.run(
            [ANALYZE, "security", "--offline=yes", "--threshold=15", self.home / "hearth.service"], capture_output=True,
            text=True, timeout=PATIENCE)
        self.assertEqual(score.returncode, 0, score.stdout[-2000:])
        exposure = re.search(r"exposure level for hearth.service: ([\d.]+)", score.stdout)[1]
        self.assertIn(f"rates its exposure {exposure} of 10", (ROOT / "docs/operations.md").read_text())


if __name__ == "__main__":
    unittest.main()
