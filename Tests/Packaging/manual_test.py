"""The manual pages: complete, and without anything that groff or mandoc warns of."""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
import support

sys.path.insert(0, str(support.PACKAGING))
import helptext


class ManualTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        support.generate("man-pages", cls.folder)
        cls.pages = sorted(cls.folder.glob("*.1"))
        cls.help = helptext.read(str(support.PROGRAM))

    def test_a_page_for_each_command(self):
        names = {"-".join(["hearth", *page.name.split()]) + ".1" for page in self.help}
        self.assertEqual({page.name for page in self.pages}, names)
        self.assertIn("hearth-startup-report.1", names)

    def test_mandoc(self):
        self.check("mandoc", ["mandoc", "-Tlint", "-Wstyle"])

    def test_groff(self):
        self.check("groff", ["groff", "-man", "-ww", "-Tutf8", "-z"])

    def test_the_manual_program(self):
        self.check("man", ["man", "--warnings=w", "-l", "-Tutf8", "-Z"], quiet=["stderr"])

    def check(self, program, command, quiet=("stdout", "stderr")):
        if not shutil.which(program):
            self.skipTest(f"there is no {program}")
        for page in self.pages:
            with self.subTest(page.name):
                result = subprocess.run([*command, page], capture_output=True, check=False, env={"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"})
                self.assertEqual(result.returncode, 0)
                for stream in quiet:
                    self.assertEqual(getattr(result, stream).decode(), "")

    def test_nothing_of_the_help_is_lost(self):
        """Every word of every help text is on its page, as it is shown."""
        program = "mandoc" if shutil.which("mandoc") else "groff" if shutil.which("groff") else None
        if program is None:
            self.skipTest("there is neither mandoc nor groff")
        command = ["mandoc", "-Tutf8"] if program == "mandoc" else ["groff", "-man", "-Tutf8"]
        for page in self.help:
            path = self.folder / ("-".join(["hearth", *page.name.split()]) + ".1")
            with self.subTest(path.name):
                shown = subprocess.run([*command, path], capture_output=True, check=True).stdout.decode()
                # Overstruck letters, and words cut at the end of a line.
                shown = re.sub(r".\x08", "", shown)
                shown = re.sub("‐\n +", "", shown)
                shown = re.sub("-\n +", "-", shown)
                texts = [entry.help for entry in [*page.options, *page.arguments]]
                texts += [" ".join(lines) for lines in page.discussion] + [text for _, text in page.examples]
                texts += [line for line, _ in page.examples] + [page.abstract]
                words = set(self.words(shown))
                missing = [word for text in texts for word in self.words(text) if word not in words]
                self.assertEqual(missing, [])

    @staticmethod
    def words(text):
        # Quotes around commands became bold, and dots may stand for an ellipsis.
        return re.findall(r"[\w<>{}=@/:*%#+-]+", text.replace("'", " ").replace("’", " "))


if __name__ == "__main__":
    unittest.main()
