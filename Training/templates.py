"""English stories from the templates of `corpus/`, as text and with slots for names and pronouns."""

import json
import pathlib
import random
import re
import sys
import zlib

HERE = pathlib.Path(__file__).resolve().parent
WISHES = HERE.parent / "Sources/HearthStory/Resources/wishes.json"
sys.path[:0] = [str(HERE), str(HERE / "corpus")]  # the content modules import each other by their bare names

import beings  # noqa: E402
import grammar  # noqa: E402
import things  # noqa: E402
from grammar import sentences  # noqa: E402,F401
from plans import ROLES, Plan, called, faults, filled  # noqa: E402


def wishes() -> list[dict]:
    return json.loads(WISHES.read_text())["wishes"]


def words(text: str) -> list[str]:
    return re.findall(r"[a-z']+", text.lower())


def distinct(text: str, n: int = 3) -> float:
    """The share of a text's n-grams of words that differ from one another."""
    w = words(text)
    grams = [tuple(w[i : i + n]) for i in range(len(w) - n + 1)]
    return len(set(grams)) / max(1, len(grams))


def mentions(wish: dict, text: str) -> bool:
    return any(re.search(rf"\b{re.escape(k)}", text, re.IGNORECASE) for k in wish["keywords"])


class Thrifty(random.Random):
    """Dice for the content modules that use only `most` entries of every list, twice as many of long lists such as the
    one of all plots, and the same ones everywhere.

    The modules hold more stories than a model of this size can learn to tell coherently in the time it gets. With fewer
    alternatives it sees each of them more often and mixes them up less. Which entries stay depends on their text alone.
    """

    def __init__(self, seed, most):
        super().__init__(seed)
        self.most = most

    def few(self, entries):
        most = self.most * 2 if len(entries) > 16 else self.most
        if len(entries) <= most:
            return list(entries)
        return sorted(entries, key=lambda e: zlib.crc32(repr(e)[:200].encode()))[:most]

    def choice(self, entries):
        return super().choice(self.few(entries))

    def sample(self, entries, k):
        few = self.few(entries)
        return super().sample(few, min(k, len(few)))


def unfit(wish, text):
    """Why a story is not fit for training, or None."""
    if not 150 <= len(text.split()) <= 300:
        return "length"
    if not text.isascii():
        return "not ASCII"
    if wish["kind"] == "thing":
        return next(iter(things.faults(text, wish["keywords"])), None)
    said = [s.strip().lower() for s in sentences(text.replace("\n\n", " "))]
    if len(set(said)) < len(said):
        return "a sentence twice"
    if not mentions(wish, text):
        return "does not mention the wish"
    return "distinct-3" if distinct(text) < 0.8 else None


# Whom the slots of the content modules stand for: prefix of the pronouns -> slot of the name.
BEINGS = {"": "n", "c": "c", "d": "d", "e": "e"}
THINGS = {"": "hero", "c": "comp", "g": "guest", "k": "kin", "s": "sib"}
FORMS = ("he", "him", "his", "himself")


class Marking(grammar.Context):
    """Marks pronouns with the character that they stand for (`zqchim` is `him` of prefix c, `zq0he` that of the hero), and keeps the
    names of the cast in `people`."""

    def _slot(self, name):
        text = super()._slot(name)
        slot = name.lstrip("?")
        low = slot[:1].lower() + slot[1:]
        for prefix in THINGS if "hero" in self.slots else BEINGS:
            for form in FORMS:
                if low == prefix + form:
                    return ("Zq" if slot[0].isupper() else "zq") + (prefix or "0") + form
        return text


class Recording(Marking):
    last = None

    def __init__(self, rng, **slots):
        super().__init__(rng, **slots)
        Recording.last = self


def telling(wish, seed, most):
    """A story of a wish with slots: the plan, the text, and the cast that the templates drew. None if names or pronouns in it cannot
    be told apart, or if it is unfit otherwise."""
    dice = Thrifty(f"{wish['id']}/{seed}", most) if most else random.Random(f"{wish['id']}/{seed}")
    usual = grammar.Context, beings.Context, things.Context
    grammar.Context = beings.Context = things.Context = Recording
    try:
        text = beings._draw(wish, dice) if wish["kind"] == "being" else things.draft(wish["id"], dice)
    finally:
        grammar.Context, beings.Context, things.Context = usual
    slots = Recording.last.slots
    people = {p: slots[s] for p, s in (THINGS if "hero" in slots else BEINGS).items() if slots.get(s)}
    # The longest name first: "Captain Ida" before "Ida".
    for prefix, name in sorted(people.items(), key=lambda e: -len(e[1])):
        text = re.sub(rf"(?<![\w{{]){re.escape(name)}(?!\w)", f"{{@{prefix or '0'}}}", text)
        if name[:1].islower():
            text = re.sub(rf"(?<![\w{{]){re.escape(name[:1].upper() + name[1:])}(?!\w)", f"{{@{(prefix or '0').upper()}}}", text)
    for match in re.finditer(r"(?i)zq(\w)(himself|him|his|he)\b", text):
        text = text.replace(match[0], "{@%s.%s}" % (match[1].lower(), match[2].title() if match[0][0] == "Z" else match[2]), 1)
    if "zq" in text.lower():
        return None
    seen = list(dict.fromkeys(m.lower() for m in re.findall(r"\{@(\w)", text)))
    if not seen or "0" not in seen or len(seen) > len(ROLES):
        return None
    names = dict(zip(["0"] + [s for s in seen if s != "0"], ROLES))
    text = re.sub(r"\{@(\w)", lambda m: "{" + (names[m[1]] if m[1] in names else names[m[1].lower()].upper()), text)
    # Where "they" needs another verb.
    text = re.sub(r"\{(\w)\.([Hh]e)\} (was|is|has)\b", r"{\1.\2} {\1.\3}", text)
    cast = [(people["" if p == "0" else p], slots[("" if p == "0" else p) + "he"]) for p in names]
    if len({name for name, _ in cast}) < len(cast):
        return None
    plan = Plan("en", "medium", wish["id"], [], [(p, None if r == "a" else called(n)) for r, (n, p) in zip(ROLES, cast)])
    if re.search(r"\.[Hh]e\}'s", text) or faults(text, plan) or unfit(wish, filled(text, "en", cast)):
        return None
    return plan, text, cast
