"""Runs the shipped program as its users do: words in; bytes and a status out.

The program is `HEARTH_PROGRAM`, by default `.build/release/hearth`. Nothing here needs more than Python's standard library.
"""

import array
import json
import os
import signal
import struct
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
# Seconds after which something will never come. A busy machine may take long for what takes milliseconds otherwise.
PATIENCE = 600
NANO = ROOT / "Models" / "hearth-nano.gguf"
# The tokens that end the bundled model's texts, forbidden.
WITHOUT_END = ("--logit-bias", "1=-100", "5=-100", "106=-100")
# A text of `hearth generate` that has no end, so that whatever is done to it is done in its middle.
ENDLESS = ("--prompt", "Once upon a time", "--on-full", "shift", "--max-tokens", 100_000_000, *WITHOUT_END)


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


def run(*arguments, kernels=None, standard_input=b"", timeout=3600, environment=None):
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
    model, sets = FIXTURES / "gemma/gemma1-q8_0.gguf", []
    with tempfile.TemporaryDirectory(prefix="hearth-program-") as home:
        environment = {"HEARTH_HOME": home}
        for name in ("portable", "avx2", "avx512", "neon"):
            outcome = run("tokenize", "--model", model, "a", "--json", kernels=name, environment=environment)
            if outcome.status == 0:
                probe = run(
                    "score", "--model", model, "--tokens-file", "-", "--json", kernels=name, standard_input=b"[2,3,4]",
                    environment=environment)
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


def with_long_context(path, tokens):
    """Writes the bundled model with a context of that many tokens: a text that fills it takes minutes."""
    data = bytearray(NANO.read_bytes())
    key = b"gemma3.context_length"
    place = data.index(key) + len(key)
    assert struct.unpack_from("<II", data, place) == (4, 1024)
    struct.pack_into("<I", data, place + 4, tokens)
    Path(path).write_bytes(data)
    return Path(path)


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
