"""The program's help as data: what the generators of man pages and completions work with.

`read(program)` asks the program for all its help texts. The form of these texts is that of Sources/HearthCLI/Arguments/HelpText.swift;
anything else is an error, so that a changed form is noticed when packages are made, not by who reads a manual page.
"""
import dataclasses
import os
import re
import subprocess

SECTIONS = {"USAGE", "COMMANDS", "ARGUMENTS", "SUBCOMMANDS", "OPTIONS", "ENVIRONMENT", "EXAMPLES"}


class HelpError(Exception):
    pass


@dataclasses.dataclass
class Argument:
    """An option, a flag, or a positional argument."""
    names: list      # "-o", "--output"; none where it is positional
    value: str       # "FILE"; empty for a flag
    many: bool       # takes several values
    help: str        # without the note about values and default
    choices: list
    default: str     # empty where help names none

    @property
    def name(self):
        """The name without dashes, or what stands for a positional argument."""
        return self.names[-1].lstrip("-") if self.names else self.value


@dataclasses.dataclass
class Page:
    """The help of one command, or of the whole program (whose name is empty)."""
    name: str = ""
    abstract: str = ""
    discussion: list = dataclasses.field(default_factory=list)    # paragraphs, each a list of lines
    usage: list = dataclasses.field(default_factory=list)
    commands: list = dataclasses.field(default_factory=list)      # (name, abstract), of commands or subcommands
    arguments: list = dataclasses.field(default_factory=list)
    options: list = dataclasses.field(default_factory=list)
    environment: list = dataclasses.field(default_factory=list)   # (name, text)
    examples: list = dataclasses.field(default_factory=list)      # (line, meaning)

    @property
    def takes_options(self):
        return any(option.name != "help" for option in self.options)


def read(program):
    """All pages of a program: the overview first, then every command, each followed by its subcommands."""
    overview = parse("", ask(program))
    pages = [overview]

    def descend(name):
        page = parse(name, ask(program, *name.split()))
        pages.append(page)
        for below, _ in page.commands:
            descend(below)

    for name, _ in overview.commands:
        if name != "help":
            descend(name)
    return pages


def ask(program, *words):
    environment = dict(os.environ, LC_ALL="C.UTF-8")
    result = subprocess.run([program, "help", *words], env=environment, capture_output=True, check=False)
    if result.returncode != 0:
        raise HelpError(f"'{program} help {' '.join(words)}' ends with {result.returncode}: {result.stderr.decode()}")
    return result.stdout.decode("utf-8")


def parse(name, text):
    page = Page(name=name)
    lines = text.rstrip("\n").split("\n")
    page.abstract = lines[0]
    section, block = None, []

    def close():
        body = [line for line in block]
        while body and not body[-1]:
            body.pop()
        if section is None:
            page.discussion = paragraphs(body)
        elif section == "USAGE":
            page.usage = [line.strip() for line in body]
        elif section in ("COMMANDS", "SUBCOMMANDS"):
            page.commands = table(name, body)
        elif section == "ARGUMENTS":
            page.arguments = [argument(name, *row) for row in table(name, body)]
        elif section == "OPTIONS":
            page.options = [argument(name, *row) for row in table(name, body)]
        elif section == "ENVIRONMENT":
            page.environment = table(name, body)
        elif section == "EXAMPLES":
            page.examples = examples(name, body)

    for line in lines[1:]:
        if line in SECTIONS:
            close()
            section, block = line, []
        elif re.fullmatch(r"[A-Z]{4,}", line):
            raise HelpError(f"help of '{name}': unknown section {line}")
        else:
            block.append(line)
    close()
    if not page.abstract or not page.usage or not page.examples:
        raise HelpError(f"help of '{name}': abstract, usage or examples are missing")
    return page


def paragraphs(lines):
    result = [[]]
    for line in lines:
        if line:
            result[-1].append(line)
        elif result[-1]:
            result.append([])
    return [lines for lines in result if lines]


def table(name, lines):
    """Rows of two columns, two blanks at the left; a row goes on under its second column."""
    rows = []
    for line in lines:
        if not line:
            continue
        row = re.fullmatch(r"  (\S.*?)(?: {2,}(\S.*))?", line)
        if row:
            rows.append([row[1], row[2] or ""])
        elif rows and line.startswith("    "):
            rows[-1][1] = f"{rows[-1][1]} {line.strip()}".strip()
        else:
            raise HelpError(f"help of '{name}': no row of a table: {line!r}")
    return [tuple(row) for row in rows]


def argument(page, usage, text):
    note = re.fullmatch(r"(.*?) ?\((?:values: ([^();]+))?(?:; )?(?:default: ([^()]*))?\)", text)
    help, choices, default = text, [], ""
    if note and (note[2] or note[3]):
        help, default = note[1], note[3] or ""
        choices = [choice.strip() for choice in (note[2] or "").split(",") if choice.strip()]
    if not usage.startswith("-"):
        return Argument([], usage.rstrip("…"), usage.endswith("…"), help, choices, default)
    option = re.fullmatch(r"(?:(-\w), )?(--[a-z0-9][a-z0-9-]*)(?: (\S+(?: \S+)*))?", usage)
    if not option:
        raise HelpError(f"help of '{page}': no option: {usage!r}")
    value = option[3] or ""
    return Argument([name for name in option.group(1, 2) if name], value.rstrip("…"), value.endswith("…"), help, choices,
                    default)


def examples(name, lines):
    result = []
    for line in lines:
        if line.startswith("  $ "):
            result.append([line[4:], ""])
        elif result and line.startswith("      "):
            result[-1][1] = f"{result[-1][1]} {line.strip()}".strip()
        elif line:
            raise HelpError(f"help of '{name}': no example: {line!r}")
    return [tuple(example) for example in result]
