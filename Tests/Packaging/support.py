"""What the tests of packaging share: the program, the generators, and shells at a terminal."""
import os
import pathlib
import pty
import re
import select
import subprocess
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PACKAGING = ROOT / "Packaging"
PROGRAM = pathlib.Path(os.environ.get("HEARTH_PROGRAM", ROOT / ".build/release/hearth")).resolve()


def generate(generator, folder):
    """Runs a generator of Packaging: PROGRAM FOLDER."""
    environment = dict(os.environ, SOURCE_DATE_EPOCH="1767225600")
    subprocess.run([PACKAGING / generator, PROGRAM, folder], env=environment, check=True)


class Shell:
    """A shell at a terminal, into which keys are typed."""

    def __init__(self, command, environment, folder):
        self.process, self.terminal = pty.fork()
        if self.process == 0:
            os.chdir(folder)
            os.execvpe(command[0], command, environment)
        self.text = ""

    def close(self):
        os.close(self.terminal)
        os.waitpid(self.process, 0)

    def type(self, keys):
        os.write(self.terminal, keys.encode())

    def wait(self, pattern, seconds=600):
        """Reads until a pattern is on the screen; what was read, without the terminal's control sequences."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b[=>]|[\r\x07]", "", self.text)
            found = re.search(pattern, plain, re.S)
            if found:
                self.text = ""
                return plain
            if select.select([self.terminal], [], [], 0.1)[0]:
                try:
                    self.text += os.read(self.terminal, 65536).decode("utf-8", "replace")
                except OSError:
                    break
        raise AssertionError(f"nothing like {pattern!r} came: {self.text!r}")
