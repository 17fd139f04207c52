"""Sweeps on Dask's real scheduler and workers: the result is that of a single run, whatever is killed or interrupted."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import unittest.mock
from pathlib import Path

from distributed import Client

ROOT = Path(__file__).resolve().parents[2]
CARDS = ROOT / "Tests/Fixtures/cards"
MODEL = CARDS / "WishCards.mlpackage"
SWEEP = ROOT / "Tools/sweep/sweep.py"
PROGRAM = os.environ["HEARTH_PROGRAM"]
DASK = Path(sys.executable).parent / "dask"
FORMS = ["--to", "int8", "--to", "palette3"]


def processes(program=None):
    """Parent, session and words of every process, or of those that run a program."""
    found = {}
    for entry in filter(str.isdigit, os.listdir("/proc")):
        try:
            if program and os.readlink(f"/proc/{entry}/exe") != program:
                continue
            state, parent, _, session = Path(f"/proc/{entry}/stat").read_text().rpartition(") ")[2].split()[:4]
            words = Path(f"/proc/{entry}/cmdline").read_bytes().decode(errors="replace").split("\0")
        except OSError:
            continue
        if state != "Z":
            found[int(entry)] = (int(parent), int(session), words)
    return found


def address_in(file):
    """The scheduler's address, when it has written all of its file."""
    try:
        return json.loads(file.read_text())["address"]
    except (FileNotFoundError, ValueError):
        return None


def without_times(text):
    """The report byte for byte, but for the times."""
    return re.sub(r'"ms(Median|P10|P90)":[^,}]+', "", text)


def wait_until(condition, seconds=240):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if value := condition():
            return value
        time.sleep(0.02)
    raise AssertionError("waited in vain")


class SweepTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        temporary = tempfile.TemporaryDirectory(prefix="hearth-sweep-test-")
        cls.addClassCleanup(temporary.cleanup)
        cls.base = Path(temporary.name).resolve()
        (cls.base / "bin").mkdir()
        (cls.base / "bin/hearth").symlink_to(PROGRAM)
        # Dask gives up after half a minute otherwise.
        os.environ["DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT"] = os.environ["DASK_DISTRIBUTED__COMM__TIMEOUTS__TCP"] = "240s"
        cls.environment = {
            **os.environ, "PATH": f"{cls.base}/bin:/usr/bin:/bin", "HEARTH_HOME": str(cls.base / "home"), "HEARTH_BACKGROUND": "0"}
        # Part of the held-out pictures.
        lines = (CARDS / "heldout.csv").read_text().splitlines(keepends=True)
        cls.labels, cls.few = cls.base / "labels.csv", cls.base / "few.csv"
        cls.labels.write_text("".join(lines[:601]))
        cls.few.write_text("".join(lines[:4]))
        file = cls.base / "scheduler.json"
        cls.start("scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--scheduler-file", file)
        cls.address = wait_until(lambda: address_in(file))
        cls.workers = [cls.start_worker() for _ in range(3)]
        wait_until(lambda: cls.count_of_workers() == 3)

    @classmethod
    def start(cls, *words, environment=None):
        process = subprocess.Popen(
            [DASK, *map(str, words)], env=environment or cls.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        cls.addClassCleanup(lambda: (process.kill(), process.wait()))
        return process

    @classmethod
    def start_worker(cls, environment=None):
        place = tempfile.mkdtemp(dir=cls.base)
        return cls.start(
            "worker", cls.address, "--host", "127.0.0.1", "--nthreads", "1", "--no-nanny", "--no-dashboard", "--memory-limit", "0",
            "--local-directory", place, environment=environment)

    @classmethod
    def count_of_workers(cls):
        with Client(cls.address, set_as_default=False) as client:
            return len(client.nthreads())

    def setUp(self):
        self.output = self.base / self.id().rpartition(".")[2]

    def command(self, *words, where=None, labels=None, models=(MODEL,)):
        return [
            sys.executable, SWEEP, "--images", CARDS / "heldout", "--labels", labels or self.labels, "-o", self.output, *models,
            *(where or ["--scheduler", self.address]), *words]

    def begin(self, *words, **options):
        process = subprocess.Popen(
            list(map(str, self.command(*words, **options))), env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            text=True, start_new_session=True)

        def end():
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
            process.communicate()

        self.addCleanup(end)
        return process

    def sweep(self, *words, status=0, **options):
        process = self.begin(*words, **options)
        output, error = process.communicate(timeout=900)
        self.assertEqual(process.returncode, status, error)
        if status:
            self.assertEqual(output, "", error)
            self.assertNotIn("Traceback", error)
        return output, error

    def single_run(self, *words, labels=None):
        variants = [self.output / f"variants/WishCards-{form}.mlpackage" for form in FORMS[1::2]]
        found = subprocess.run(
            [PROGRAM, "evaluate", "--images", CARDS / "heldout", "--labels", labels or self.labels, MODEL, *variants, *words, "--json"],
            env=self.environment, capture_output=True, text=True, check=True)
        return found.stdout

    def evaluating(self):
        """The processes of hearth that work on this sweep."""
        return {
            pid: (parent, words) for pid, (parent, _, words) in processes(PROGRAM).items()
            if any(str(self.output) in word for word in words)}

    def busy(self):
        """A process that has some images of its part done and is stopped now: its process, its worker's, its file and what that holds."""
        for pid, (guard, words) in self.evaluating().items():
            if "--results" not in words:
                continue
            file = Path(words[words.index("--results") + 1])
            try:
                if file.read_bytes().count(b"\n") < 10:
                    continue
                os.kill(pid, signal.SIGSTOP)
                held = file.read_bytes()
            except (ProcessLookupError, FileNotFoundError):
                continue
            if held.count(b"\n") < 45:
                return pid, processes()[guard][0], file, held[: held.rindex(b"\n") + 1]
            os.kill(pid, signal.SIGCONT)
        return None

    def caught(self, *words, ready, **options):
        """Begins a sweep, and returns it with what `ready` returns in its middle. It may be over before anybody looks: then another
        one is begun."""
        for _ in range(20):
            sweep = self.begin(*words, **options)
            found = wait_until(lambda: ready() or sweep.poll() is not None and "over")
            if found != "over":
                return sweep, found
            self.assertEqual(sweep.returncode, 0, sweep.communicate()[1])
            shutil.rmtree(self.output)
        self.fail("every sweep was over too soon")

    def done(self):
        return {file: file.stat().st_mtime_ns for file in self.output.glob("parts/part-*[0-9].jsonl")}

    def test_killed_worker(self):
        sweep, (pid, worker, file, held) = self.caught(*FORMS, "--json", "--max-drop", "0.03", ready=self.busy)
        self.assertIn(worker, [one.pid for one in self.workers])
        os.kill(worker, signal.SIGKILL)
        output, error = sweep.communicate(timeout=900)
        self.assertEqual(sweep.returncode, 0, error)
        # The program has ended with its worker, and another one has gone on where it stopped.
        wait_until(lambda: pid not in processes())
        finished = Path(str(file).replace(".partial", "")).read_bytes()
        self.assertTrue(finished.startswith(held))
        self.assertEqual(finished.count(b"\n"), 51)
        self.assertEqual(len(self.done()), 12)
        self.assertFalse(list(self.output.glob("parts/*.partial.jsonl")))
        self.assertEqual(without_times(output), without_times(self.single_run("--max-drop", "0.03")))
        self.assertEqual(json.loads(output)["missingPictures"], 0)
        dead = next(one for one in self.workers if one.pid == worker)
        dead.wait()
        self.workers[self.workers.index(dead)] = self.start_worker()

    def test_interrupted(self):
        """On workers that go on living: they end their processes, and the same command resumes with what is done."""
        # One process stands still, so that not all parts can be done before the signal.
        sweep, _ = self.caught(*FORMS, ready=lambda: len(self.done()) >= 2 and self.busy())
        sweep.send_signal(signal.SIGINT)
        self.assertIn("resumes", sweep.communicate(timeout=240)[1])
        self.assertEqual(sweep.returncode, 130)
        wait_until(lambda: not self.evaluating())
        done = self.done()
        self.assertLess(len(done), 12)
        output, error = self.sweep(*FORMS, "--json")
        self.assertIn(f"{len(done)} of 12 parts are there already", error)
        self.assertEqual(done, {file: time for file, time in self.done().items() if file in done})
        self.assertEqual(without_times(output), without_times(self.single_run()))

    def test_local_workers(self):
        """Ctrl-C in a terminal reaches every process of the group; SIGKILL only one. Neither leaves a process behind."""
        for number in (signal.SIGINT, signal.SIGKILL):
            shutil.rmtree(self.output, ignore_errors=True)
            sweep, _ = self.caught(*FORMS, "--parts", "3", where=["--workers", "2"], ready=self.busy)
            if number == signal.SIGINT:
                os.killpg(sweep.pid, number)
            else:
                sweep.kill()
            sweep.wait(timeout=240)
            self.assertEqual(sweep.returncode, 130 if number == signal.SIGINT else -number)
            wait_until(lambda: not self.evaluating())
            wait_until(lambda: not any(session == sweep.pid for _, session, _ in processes().values()))
        shutil.rmtree(self.output)
        output, _ = self.sweep(*FORMS, "--json", "--parts", "2", where=["--workers", "2"], labels=self.few)
        self.assertEqual(without_times(output), without_times(self.single_run(labels=self.few)))

    def test_parts_without_images(self):
        output, _ = self.sweep(*FORMS, "--json", "--parts", "5", labels=self.few)
        self.assertEqual(without_times(output), without_times(self.single_run(labels=self.few)))

    def test_worker_without_the_program(self):
        poor = self.start_worker({**self.environment, "PATH": "/usr/bin:/bin"})
        try:
            wait_until(lambda: self.count_of_workers() == 4)
            _, error = self.sweep(*FORMS, status=3)
        finally:
            poor.kill()
            poor.wait()
        self.assertRegex(error, r"error: the worker tcp://127\.0\.0\.1:\d+ on \S+ cannot take part: there is no program 'hearth' in its PATH")
        wait_until(lambda: self.count_of_workers() == 3)

    def test_other_version(self):
        other = self.base / "other"
        other.mkdir()
        (other / "hearth").write_text("#!/bin/sh\necho hearth 9.9.9\n")
        (other / "hearth").chmod(0o755)
        environment = {**self.environment, "PATH": f"{other}:/usr/bin:/bin"}
        with unittest.mock.patch.object(SweepTest, "environment", environment):
            _, error = self.sweep(*FORMS, status=3)
        self.assertIn("this machine 'hearth 9.9.9'", error)

    def test_refusals(self):
        self.sweep("--to", "int8", "--parts", "1", labels=self.few)
        _, error = self.sweep("--to", "int4", labels=self.few, status=3)
        self.assertIn("other forms", error)
        _, error = self.sweep("--to", "int8", "--parts", "2", labels=self.few, status=3)
        self.assertIn("1 parts", error)
        self.output = self.base / "refusals-2"
        _, error = self.sweep("--to", "int9", labels=self.few, status=2)
        self.assertIn("hearth: error: 'int9' is not a value of '--to'", error)
        self.output = self.base / "refusals-3"
        wrong = self.base / "wrong.csv"
        wrong.write_text("file,label\n0000.jpg,no-such-card\n")
        _, error = self.sweep(labels=wrong, status=3)
        self.assertIn("hearth: error:", error)
        self.assertIn("no-such-card", error)
        _, error = self.sweep(labels=self.base / "absent.csv", status=3)
        self.assertIn("there is no such file (--labels", error)
        _, error = self.sweep("--calibrate", wrong, labels=self.few, status=1)
        self.assertIn(f"Not a directory ({wrong})", error)
        self.output = CARDS
        _, error = self.sweep(labels=self.few, status=3)
        self.assertIn("holds other files", error)


if __name__ == "__main__":
    unittest.main()
