"""What the documents say about the program: commands and options that they name exist, and examples print what they show."""

import functools
import os
import re
import subprocess
import unittest

from program import FIXTURES, PATIENCE, PROGRAM, ROOT, ProgramTest, run

DOCUMENTS = [
    ROOT / "README.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").glob("*.md")),
    *sorted((ROOT / "Sources/Hearth/Hearth.docc").glob("*.md")), *sorted((ROOT / "Packaging").glob("*.md")),
]
# Examples that need only the program, the bundled model and fixtures: their document, and how their command begins.
EXAMPLES = [
    ("README.md", ".build/release/hearth story brave-mouse"),
    ("docs/stories.md", "hearth story friendly-dragon --name Mina"),
    ("docs/stories.md", "echo '{\"lang\":\"en\""),
    ("docs/stories.md", "hearth story sleepy-bear --seed 3 --simulate"),
    ("docs/structured.md", "echo '{\"id\":1"),
    ("docs/structured.md", "echo '{\"schema\""),
    ("docs/using.md", "printf 'Tell a story"),
    ("docs/vision.md", "hearth classify --model fp32.mlpackage"),
    ("docs/vision.md", "hearth detect --model boxes.mlpackage"),
]
# A command in backticks, in a table or in an indented block, and what follows it.
NAMED = re.compile(r"(?:`|^    (?:\$ )?|\| *)(?:\.build/release/)?hearth ([a-z][a-z-]*)((?:\\\n|[^`\n|;])*)", re.M)
OPTION = re.compile(r"(?<![\w-])--[a-z][a-z0-9-]*")


@functools.lru_cache(None)
def help_text(*words):
    outcome = run("help", *words)
    return outcome.output.decode() if outcome.status == 0 else None


def commands():
    return re.findall(r"^  ([a-z-]+) {2,}\S", help_text().split("COMMANDS")[1].split("ENVIRONMENT")[0], re.M)


def regions(text):
    """The indented parts of a document, without their indentation."""
    return [
        re.sub(r"^    ", "", part, flags=re.M).strip("\n")
        for part in re.findall(r"(?:(?:^    .*\n)(?:^[ ]*\n(?=    ))*)+", text + "\n", re.M)
    ]


def examples(document):
    """Every command of a document with the output that follows it."""
    for region in regions((ROOT / document).read_text()):
        lines = region.split("\n")
        while lines:
            line = lines.pop(0)
            if not re.match(r"\$ |hearth |\.build/release/hearth ", line):
                continue
            command = line.removeprefix("$ ")
            while lines and re.search(r"[|\\]$", command):
                command = command.removesuffix("\\") + lines.pop(0)
            shown = []
            while lines and not lines[0].startswith("$ "):
                shown.append(lines.pop(0))
            yield command, "\n".join(shown)


def plain(text):
    """Without line breaks and what every run measures anew."""
    text = re.sub(r'"(\w+MS|tokensPerSecond)":[\d.]+', r'"\1":0', text)
    return re.sub(r"\s+", " ", re.sub(r"[\d.]+ ms\b", "0 ms", text)).strip()


class Documents(ProgramTest):
    def test_commands_and_options_exist(self):
        known = commands()
        self.assertGreater(len(known), 30)
        count = 0
        for document in DOCUMENTS:
            text = document.read_text()
            for found in NAMED.finditer(text):
                line = text[: found.start(1)].count("\n") + 1
                command, rest = found[1], found[2].split(" #")[0]
                place = f"{document.relative_to(ROOT)}:{line}: hearth {command}"
                if command == "help":
                    continue
                self.assertIn(command, known, place)
                words = [command, *rest.split()[:1]]
                manual = (help_text(*words) if words[-1].isalpha() else None) or help_text(command)
                for option in OPTION.findall(rest):
                    self.assertIn(option, OPTION.findall(manual), place)
                    count += 1
        self.assertGreater(count, 100)

    def test_examples_print_what_is_shown(self):
        folder = self.folder / "work"
        (folder / ".build/release").mkdir(parents=True)
        (folder / ".build/release/hearth").symlink_to(PROGRAM)
        for path in ("digits/fp32.mlpackage", "rectangles/boxes.mlpackage", "rectangles/street.png"):
            (folder / path.split("/")[-1]).symlink_to(FIXTURES / "coreml" / path)
        for picture in ("0000.png", "0001.png"):
            (folder / picture).symlink_to(FIXTURES / "coreml/digits/images" / picture)
        environment = {**os.environ, **self.environment, "PATH": f"{folder}/.build/release:{os.environ['PATH']}"}
        environment.pop("HEARTH_KERNELS", None)
        for document, start in EXAMPLES:
            with self.subTest(document=document, start=start):
                found = [example for example in examples(document) if example[0].startswith(start)]
                self.assertEqual(len(found), 1)
                command, shown = found[0]
                self.compare(command, shown, folder, environment)

    def test_the_complete_story(self):
        text = (ROOT / "docs/stories.md").read_text()
        command = re.search(r"^A complete story \(`(hearth story [^`]*)`\):$", text, re.M)
        shown = regions(text[command.end() :])[0]
        environment = {**os.environ, **self.environment}
        self.compare(command[1].replace("hearth", f"'{PROGRAM}'", 1), shown, self.folder, environment)

    def compare(self, command, shown, folder, environment):
        completed = subprocess.run(
            ["bash", "-c", f"({command}) 2>&1"], cwd=folder, env=environment, stdin=subprocess.DEVNULL,
            capture_output=True, timeout=PATIENCE)
        self.assertEqual(completed.returncode, 0, completed.stdout)
        self.assertTrue(shown, command)
        # An ellipsis stands for anything.
        wanted = ".*".join(re.escape(part.strip()) for part in plain(shown).split("…"))
        self.assertRegex(plain(completed.stdout.decode()), re.compile(f"^{wanted}$", re.S), command)


if __name__ == "__main__":
    unittest.main()
