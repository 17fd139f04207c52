"""A full or read-only disk: every command ends with an error that says so, or goes on and says what it leaves out."""

import os
import shutil
import subprocess
import unittest

from program import FIXTURES, ProgramTest

MODEL = FIXTURES / "gemma/gemma3-q8_0.gguf"
PACKAGE = FIXTURES / "coreml/digits/fp32.mlpackage"
SIZE = 1 << 20


@unittest.skipUnless(os.geteuid() == 0, "only root mounts a file system")
class FullDisk(ProgramTest):
    def setUp(self):
        super().setUp()
        self.disk = self.folder / "disk"
        self.disk.mkdir()
        mount = ["mount", "-t", "tmpfs", "-o", f"size={SIZE}", "tmpfs", self.disk]
        if not shutil.which("mount") or subprocess.run(mount, capture_output=True).returncode:
            self.skipTest("no file system can be mounted here")
        self.addCleanup(subprocess.run, ["umount", "-l", self.disk], check=True)
        disk = os.statvfs(self.disk)
        if disk.f_blocks * disk.f_frsize > SIZE:
            self.skipTest("the size of a file system is not limited here")
        (self.disk / "home").mkdir()
        self.environment["HEARTH_HOME"] = str(self.disk / "home")

    def fill(self):
        """Takes the disk's space, to the last byte."""
        with open(self.disk / "filler", "ab", buffering=0) as file:
            try:
                while True:
                    file.write(bytes(4096))
            except OSError:
                pass

    def test_commands_that_write_say_that_the_disk_is_full(self):
        self.fill()
        for words, status in (
            (("startup", "--model", MODEL, "--runs", "1"), 4),
            (("startup", "--model", PACKAGE, "--runs", "1"), 4),
            (("compile", "--model", MODEL), 4),
            (("compile", "--model", PACKAGE), 4),
            (("compress", MODEL, "--to", "q4_0", "-o", self.disk / "small.gguf"), 1),
            (("compress", PACKAGE, "--to", "palette4", "-o", self.disk / "Small.mlpackage"), 1),
            (("startup", "report", "--html", self.disk / "report.html"), 1),
            (("chat", "--model", MODEL, "--max-tokens", "3", "--session", self.disk / "chat.json"), 1),
        ):
            outcome = self.hearth(*words, status=status, standard_input=b"Hello\n")
            self.assertRegex(outcome.error, "the disk is full|No space left on device", str(outcome))
            self.assertIn(str(self.disk), outcome.error, str(outcome))
        self.assertEqual(sorted(path.name for path in self.disk.iterdir()), ["filler", "home"])

    def test_a_folder_on_a_read_only_disk_is_refused_as_that(self):
        if subprocess.run(["mount", "-o", "remount,ro", self.disk], capture_output=True).returncode:
            self.skipTest("no file system can be made read-only here")
        target = self.disk / "pictures"
        outcome = self.hearth("classify", "--model", PACKAGE, "--annotate", target, FIXTURES / "pictures/gray.png", status=1)
        self.assertIn(f"cannot create the folder: Read-only file system ({target})", outcome.error)

    def test_models_run_all_the_same(self):
        self.fill()
        generated = self.hearth("generate", "--model", MODEL, "--prompt", "a", "--max-tokens", "3", "--json")
        self.assertEqual(len(generated.json["tokens"]), 3)
        row = self.hearth("classify", "--model", PACKAGE, FIXTURES / "pictures/gray.png", "--json").lines[0]
        self.assertEqual(row["results"][0]["label"], "eight")

    def test_a_turn_that_cannot_be_saved_is_printed_before_the_error(self):
        words = ("chat", "--model", MODEL, "--max-tokens", "3", "--session", self.disk / "chat.json", "--json")
        self.hearth(*words, standard_input=b"Hello\n")
        before = (self.disk / "chat.json").read_bytes()
        self.fill()
        outcome = self.hearth(*words, status=1, standard_input=b"Hello\n")
        self.assertEqual(len(outcome.lines), 1, str(outcome))
        self.assertIn("the conversation cannot be written", outcome.error)
        self.assertEqual((self.disk / "chat.json").read_bytes(), before)

    def test_the_doctor_advises_free_space(self):
        self.fill()
        self.assertIn("Free some space", self.hearth("doctor", status=1).output.decode())


if __name__ == "__main__":
    unittest.main()
