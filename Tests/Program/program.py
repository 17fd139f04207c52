"""Runs the shipped program as its users do: words in; bytes and a status out.

The program is `HEARTH_PROGRAM`, by default `.build/release/hearth`. Nothing here needs more than Python's standard library.
"""

import array
import json
import os
import signal
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FIXTURES = ROOT / "Tests" / "Fixtures"
# Shells start background jobs with some of these ignored, and children inherit that: the program is to see them.
for _number in (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP):
    signal.signal(_number, signal.SIG_DFL)
PROGRAM = Path(os.environ.get("HEARTH_PROGRAM", ROOT / ".build" / "release" / "hearth")).absolute()


class Outcome:
    """What a run of the program left behind."""

    def __init__(self, arguments, completed):
        self.arguments = arguments
        self.status = completed.returncode
        self.output = completed.stdout
        self.error = completed.stderr.decode("utf-8", "replace")

    @property
    def json(self):
        return json.loads(self.output)

    @property
    def lines(self):
        return [json.loads(line) for line in self.output.decode("utf-8").splitlines()]

    def __str__(self):
        return f"hearth {' '.join(map(str, self.arguments))}: status {self.status}\n{self.error}"


def run(*arguments, kernels=None, standard_input=b"", timeout=300, environment=None):
    """Runs `hearth ARGUMENTS` and waits for its end. A negative status is a signal, which no command may end by."""
    variables = dict(os.environ)
    variables.pop("HEARTH_KERNELS", None)
    if kernels:
        variables["HEARTH_KERNELS"] = kernels
    variables.update(environment or {})
    completed = subprocess.run(
        [PROGRAM, *map(str, arguments)], input=standard_input, capture_output=True, timeout=timeout, env=variables
    )
    return Outcome(arguments, completed)


def kernel_sets():
    """The kernel sets of this machine, as `hearth doctor` lists them."""
    sets = []
    for name in ("portable", "avx2", "avx512", "neon"):
        outcome = run("tokenize", "--model", FIXTURES / "gemma/gemma1-q8_0.gguf", "a", "--json", kernels=name)
        if outcome.status == 0:
            probe = run(
                "score", "--model", FIXTURES / "gemma/gemma1-q8_0.gguf", "--tokens-file", "-", "--json",
                kernels=name, standard_input=b"[2,3,4]",
            )
            if probe.status == 0:
                sets.append(name)
    return sets


def floats(path):
    values = array.array("f")
    values.frombytes(Path(path).read_bytes())
    if sys.byteorder == "big":
        values.byteswap()
    return values


def json_lines(path):
    return [json.loads(line) for line in Path(path).read_text(encoding="utf-8").splitlines() if line.strip()]


class ProgramTest(unittest.TestCase):
    """A test with a `HEARTH_HOME` and a folder of its own."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="hearth-program-")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.environment = {"HEARTH_HOME": str(self.folder / "home")}

    def hearth(self, *arguments, status=0, **options):
        environment = {**self.environment, **options.pop("environment", {})}
        outcome = run(*arguments, environment=environment, **options)
        if status is not None:
            self.assertEqual(outcome.status, status, str(outcome))
        return outcome
