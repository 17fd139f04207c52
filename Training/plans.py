"""Plans and tellings with slots: what the model is asked for, and what it answers (README.md states the format).

A plan is the text of the user's turn:

    {plan} en medium friendly-dragon
    kindness, home, funny
    a he
    b she: the cat
    x: Tuesday

The answer is a text in the form of tales, in which roles are called `a` (the hero), `b`, `c` ... and a word is called `x`:

    {B} looked at {a}. "I am cold," {b.he} said on {x}, and {a:sits/sit} came closer.
"""

import os
import pathlib
import re
import sys
from dataclasses import dataclass, field

HERE = pathlib.Path(__file__).resolve().parent
RUNS = pathlib.Path(os.environ.get("HEARTH_RUNS", HERE / "runs"))  # what the scripts make
sys.path[:0] = [str(HERE / "tales")]

import tale  # noqa: E402

ROLES, WORDS = "abcdef", "x"
MARK = "{plan}"
# Of plans and answers as they are here; written to the model's file as `hearth.story.format`.
FORMAT = 1
LANGUAGES = ("en", "es", "zh-Hans")
# Tags that say something about the program's second evenings, not about the subject.
UNTOLD_TAGS = {"apart"}


@dataclass
class Plan:
    language: str
    length: str
    wish: str
    tags: list = field(default_factory=list)
    roles: list = field(default_factory=list)  # (pronoun, what the role is called or None), the hero first
    words: list = field(default_factory=list)  # values

    def prompt(self):
        """The text of the user's turn."""
        lines = [f"{MARK} {self.language} {self.length} {self.wish}"]
        if self.tags:
            lines.append(", ".join(self.tags))
        lines += [f"{r} {p}: {called}" if called else f"{r} {p}" for r, (p, called) in zip(ROLES, self.roles)]
        lines += [f"{w}: {value}" for w, value in zip(WORDS, self.words)]
        return "\n".join(lines)


def read(text):
    """The plan of a user's turn."""
    first, *rest = text.split("\n")
    mark, *about = first.split(" ")
    if mark != MARK or len(about) != 3:
        raise ValueError(f"A plan begins with {MARK}, language, length and wish, not with '{first}'.")
    language, length, wish = about
    plan = Plan(language, length, wish)
    for line in rest:
        if match := re.fullmatch(r"([a-f]) (\S+?)(?:: (.+))?", line):
            plan.roles.append((match[2], match[3]))
        elif match := re.fullmatch(r"x: (.+)", line):
            plan.words.append(match[1])
        else:
            plan.tags = line.split(", ")
    return plan


def called(name):
    """How a plan calls a role: a name says nothing and is left to the program; a description is told. Chinese has no capitals, so
    that there everybody but the hero is told."""
    return None if name[:1].isupper() else name


def order(a_tale):
    """Slot names of a tale -> those of its plan."""
    roles = [a_tale.star] + [r for r in a_tale.roles if r != a_tale.star]
    return dict(zip(roles, ROLES)) | dict(zip(a_tale.words, WORDS))


def renamed(text, names):
    """A wording with its roles renamed; a capital stays one."""

    def slot(match):
        name, mark, form = re.fullmatch(r"([^.:]*)([.:]?)(.*)", match[1], re.S).groups()
        low = name[:1].lower() + name[1:]
        new = names[name] if name in names else names[low].upper()
        return "{" + new + mark + form + "}"

    return tale.SLOT.sub(slot, text)


def filled(text, language, cast, words=()):
    """The text with its slots filled. `cast`: (name, pronoun) of each role in order.

    Raises TaleError where a slot names a role that is not there or a form that does not exist."""
    holder = tale.Tale("answer", 0, language, "answer")
    return tale.fill(holder, text, dict(zip(ROLES, cast)), dict(zip(WORDS, words)))


def faults(text, plan):
    """What is wrong with the slots of an answer: nothing if every telling of it can be filled."""
    cast = [(called or "Noa", pronoun) for pronoun, called in plan.roles]
    wrong = []
    try:
        full = filled(text, plan.language, cast, plan.words)
        if "{" in full or "}" in full:
            wrong.append("a brace is left")
    except tale.TaleError as error:
        wrong.append(str(error).removeprefix("answer:0: answer: "))
    bare = tale.BARE[plan.language].search(tale.SLOT.sub("§", text))
    if bare:
        wrong.append(f"'{bare[0]}' without a slot")
    return wrong


def splits(text, language):
    """The sentences of a text of any of the three languages; closing quotation marks belong to their sentence."""
    text = re.sub(r"\s*\n+\s*", "\n", text)
    end = r"(?<=[。！？…])(?![。！？…”’」）])|(?<=[。！？…][”’」）])|\n" if language == "zh-Hans" else \
        r"(?<=[.!?…])\s+|(?<=[.!?…][\"”»)])\s+(?=[\"“«¿¡—A-ZÁÉÍÓÚÑ]|\{[A-Z]|\{\w\.[A-Z])|\n"
    return [s.strip() for s in re.split(end, text) if s and s.strip()]
