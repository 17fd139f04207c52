"""Write the table that the storyteller's judge reads: what the corpus may say, and what belongs together.

    python make_judge.py ../Sources/CHearthStories/Files/judge-en.bin

Stories are generated from the templates of `corpus/` with every sentence template marked, so that the origin of each word is
known. From them the table takes

* the words, and the pairs and triples of words and punctuation marks that occur (Bloom filters);
* for each triple that occurs in the text of one sentence template only: that template, and which character of the story
  (hero, friend, guest, ...) each name or pronoun in it stands for;
* for each template: its plot, its place in the plot and the choice that it is, so that mixed plots, skipped steps and two
  versions of one step can be recognised; or the wish that it belongs to;
* the names, with their genders.

Words are lower case. Names become `@`; he and she `%s`; him, his and her `%o`; himself and herself `%r`. The reader of the file is
`StoryLore` in `Sources/HearthStory/Judge`; its tests compare hashes with those written here.
"""

import argparse
import json
import multiprocessing
import pathlib
import random
import re
import struct
import sys
import zlib

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE / "corpus")]

import beings  # noqa: E402
import beings_ends as ends  # noqa: E402
import grammar  # noqa: E402
import things  # noqa: E402
from templates import Thrifty, wishes  # noqa: E402

OPEN, MIDDLE, CLOSE = "\ue000", "\ue001", "\ue002"
ROLES = "abcdefg"  # hero, first friend (or companion), second friend (or guest), third, family, sibling
BEING_ROLES = {"": "a", "c": "b", "d": "c", "e": "d"}
THING_ROLES = {"": "a", "c": "b", "g": "c", "k": "e", "s": "f"}
PRONOUNS = {"he": "%s", "she": "%s", "him": "%o", "his": "%o", "her": "%o", "himself": "%r", "herself": "%r"}
TOKEN = re.compile(r"[A-Za-z']+|[0-9]+|[.,!?;:\"-]|" + OPEN + "[0-9]+" + MIDDLE + "|" + CLOSE)

units = []  # (kind, group, alternative, place): see `register`
by_text = {}
NONE, PLOT, LORE = 0, 1, 2


def is_marked(text):
    """Whether the template has enough words of its own to be recognised."""
    return len(re.findall("[a-z]{2,}", re.sub(r"\{.*?\}", "", text))) >= 4


def register(text, kind, owner, group, alternative, place):
    """A sentence template. `kind` PLOT: `owner` is a plot, `place` the step, plus 128 if it
    is never left out; LORE: `owner` is a wish or 255 for any. Of one `group`
    only one alternative is told in a story; group 0 is free."""
    if text in by_text or not is_marked(text):
        return
    by_text[text] = len(units)
    units.append((kind, owner, group, alternative, place))


def register_all():
    group = 0
    ids = [w["id"] for w in wishes()]
    for p, plot in enumerate(beings.PLOTS):
        place = 0
        for par in plot["pars"]:
            for beat in par:
                group += 1
                must = all(map(is_marked, beat))
                for a, text in enumerate(beat):
                    register(text, PLOT, p, group, a, place | must << 7)
                place += 1
    for p, plot in enumerate(things.PLOTS.values()):
        # What the hero is like is the first step: it prepares the plot.
        group += 1
        for a, text in enumerate(plot["trait"]):
            register(text, PLOT, 100 + p, group, a, 128 * all(map(is_marked, plot["trait"])))
        place = 1
        for beat in plot["beats"]:
            if beat is None:
                continue
            group += 1
            must = not beat[0] and all(map(is_marked, beat[1]))
            for a, text in enumerate(beat[1]):
                register(text, PLOT, 100 + p, group, a, place | must << 7)
            place += 1
    for texts in (ends.INTRO, ends.CLOSING):
        group += 1
        for a, text in enumerate(texts):
            register(text, LORE, 255, group, a, 0)
    group += 1
    for a, text in enumerate(ends.MIDDLE):
        register(text, LORE, 255, group, a, 0)
    for wish, lore in things.LORE.items():
        for name in ("keeper", "guest", "trouble"):
            group += 1
            for a, entry in enumerate(lore[name]):
                for field in things.fields(entry):
                    register(field, LORE, ids.index(wish), group, a, 0)
    everywhere = [(255, things.SHARED), (255, ends.SLOTS)]
    everywhere += [(ids.index(w), lore) for w, lore in {**beings.LORE, **things.LORE}.items()]
    everywhere += [(255, land) for land in beings.LANDS.values()]
    for owner, lists in everywhere:
        for name, texts in lists.items():
            if isinstance(texts, list) and name not in ("skeleton", "winding", "friends", "names", "heroes"):
                group += 1
                for a, text in enumerate(texts):
                    # These are drawn once for a story.
                    register(text, LORE, owner, group if name in ("home", "look", "habit") and "kind" in lists else 0, a, 0)


def marked(text):
    unit = by_text.get(text)
    return text if unit is None else f"{OPEN}{unit}{MIDDLE}{text}{CLOSE}"


def stripped(entry):
    return re.sub(OPEN + "[0-9]+" + MIDDLE + "|" + CLOSE, "", entry) if isinstance(entry, str) else entry


class MarkingContext(grammar.Context):
    """Marks templates, and the character that a name or pronoun stands for: `zqa` in front of the word."""

    def _slot(self, name):
        text = super()._slot(name)
        slot = name.lstrip("?")
        slot = slot[:1].lower() + slot[1:]
        is_thing = "hero" in self.slots
        roles = THING_ROLES if is_thing else BEING_ROLES
        names = {"hero": "a", "comp": "b", "guest": "c", "kin": "e", "sib": "f"} if is_thing else {
            "n": "a", **{k + s: v for k, v in BEING_ROLES.items() if k for s in ("", "the", "full")}}
        role = names.get(slot)
        for prefix, letter in roles.items():
            if slot in (prefix + "he", prefix + "him", prefix + "his", prefix + "himself"):
                role = letter
        return text if role is None else f"zq{role}{text}"

    def set(self, **slots):
        def mark(v):
            if isinstance(v, str):
                return marked(v)
            return [marked(x) if isinstance(x, str) else x for x in v] if isinstance(v, (list, tuple)) else v

        return super().set(**{k: mark(v) for k, v in slots.items()})

    def __init__(self, rng, **slots):
        super().__init__(rng)
        self.set(**slots)


class MarkingDice(Thrifty):
    """Chooses as `Thrifty` does for the unmarked corpus."""

    def few(self, entries):
        if not self.most:
            return list(entries)
        most = self.most * 2 if len(entries) > 16 else self.most
        if len(entries) <= most:
            return list(entries)
        if not all(isinstance(e, str) for e in entries):
            return sorted(entries, key=lambda e: zlib.crc32(repr(e)[:200].encode()))[:most]
        key = (most, tuple(entries))
        if key not in FEW:
            FEW[key] = sorted(entries, key=lambda e: zlib.crc32(repr(stripped(e))[:200].encode()))[:most]
        return FEW[key]

    def choice(self, entries):
        chosen = super().choice(entries)
        return marked(chosen) if isinstance(chosen, str) and chosen in by_text and "//" not in chosen else chosen


def names():
    """Every name with its gender, m or f; x if it is used for both."""
    found = {}

    def add(name, gender):
        for word in re.findall(r"\b[A-Z][a-z]+\b", name):
            if word not in ("The", "Mr", "Mrs", "Old", "Little", "Captain", "Madam", "Mister", "Aunt", "Uncle", "Miss", "Professor", "Doctor", "Grandmother", "Grandfather", "Mama", "Papa", "Grandma", "Grandpa", "Spring"):
                found[word.lower()] = gender if found.get(word.lower(), gender) == gender else "x"

    for lore in beings.LORE.values():
        boys, girls = lore["names"].split("|")
        add(boys, "m")
        add(girls, "f")
    for land in beings.LANDS.values():
        for friend in land["friends"]:
            add(friend.split(":")[0], friend.split(":")[1])
    for entry in things.CHILDREN:
        add(things.fields(entry)[0], things.fields(entry)[1])
    for entry in things.ANIMALS:
        add(things.fields(entry)[0], things.fields(entry)[2])
    for lore in things.LORE.values():
        for entry in lore["keeper"] + lore["guest"]:
            add(things.fields(entry)[0], things.fields(entry)[2])
        for entry in lore.get("heroes", []):
            add(things.fields(entry)[0], things.fields(entry)[-1])
    return found


NAMES = {}
FEW = {}  # what `MarkingDice` chooses from


def read(text):
    """The words of a marked text: (word, role, template), where role is an index into ROLES plus one, or 0."""
    stack, words = [], []
    for token in TOKEN.findall(text):
        if token[0] == OPEN:
            stack.append(int(token[1:-1]))
        elif token == CLOSE:
            stack.pop()
        else:
            words += [(w, role, stack[-1] if stack else -1) for w, role in normal(token)]
    return words


def normal(token):
    role = 0
    if match := re.match("[Zz]q([a-g])(.+)", token):
        role, token = ROLES.index(match[1]) + 1, match[2]
    owned = token.endswith("'s")
    bare = token[:-2] if owned else token
    if bare[:1].isupper() and bare.lower() in NAMES:
        word = "@"
    else:
        word = PRONOUNS.get(bare.lower(), bare.lower())
    return [(word, role)] + ([("'s", 0)] if owned else [])


def fnv(words):
    h = 0xCBF29CE484222325
    for byte in "\x1f".join(words).encode():
        h = (h ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return h ^ h >> 29


def tell(job):
    wish, seeds, most = job
    pairs, triples, own = set(), set(), {}
    for seed in seeds:
        dice = MarkingDice(f"{wish['id']}/{seed}", most)
        text = (beings._draw if wish["kind"] == "being" else things.draft)(wish if wish["kind"] == "being" else wish["id"], dice)
        words = []
        for paragraph in text.split("\n\n"):
            words += [("", 0, -1)] + read(paragraph)
        words.append(("", 0, -1))
        for i in range(len(words) - 1):
            pairs.add((words[i][0], words[i + 1][0]))
            if i + 2 < len(words):
                three = words[i : i + 3]
                key = tuple(w[0] for w in three)
                triples.add(key)
                unit = three[0][2] if three[0][2] == three[1][2] == three[2][2] else -1
                roles = tuple(w[1] if w[0][0:1] in "@%" and w[0] else 0 for w in three)
                was = own.get(key)
                if was is None:
                    own[key] = (unit, roles)
                elif was != (unit, roles):
                    own[key] = merged(was, (unit, roles))
    return pairs, triples, own


def merged(a, b):
    """What two sightings of one triple agree on; role 7 is a disagreement."""
    return (a[0] if a[0] == b[0] else -1, tuple(x if x == y else 7 for x, y in zip(a[1], b[1])))


def bloom(items, bits_each=10, hashes=6):
    size = max(64, len(items) * bits_each + 7 & ~7)
    field = bytearray(size // 8)
    for item in items:
        h = fnv(item)
        for i in range(hashes):
            bit = ((h & 0xFFFFFFFF) + i * (h >> 32 | 1)) % size
            field[bit >> 3] |= 1 << (bit & 7)
    return struct.pack("<II", size, hashes) + bytes(field)


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("out", type=pathlib.Path)
    p.add_argument("--per-wish", type=int, default=300, help="stories for each wish with --most 8, and half as many from all alternatives")
    p.add_argument("--processes", type=int, default=2)
    a = p.parse_args()
    NAMES.update(names())
    register_all()
    grammar.Context = beings.Context = things.Context = MarkingContext
    step = 25
    jobs = [(w, range(s, s + step), most) for most, count in ((8, a.per_wish), (0, a.per_wish // 2)) for w in wishes() for s in range(0, count, step)]
    pairs, triples, own = set(), set(), {}
    with multiprocessing.Pool(a.processes) as pool:
        for p2, p3, o in pool.imap_unordered(tell, jobs):
            pairs |= p2
            triples |= p3
            for key, value in o.items():
                own[key] = value if key not in own else merged(own[key], value)
    words = {(w,) for pair in pairs for w in pair if w}
    own = {k: v for k, v in own.items() if v[0] >= 0}
    print(f"{len(units)} templates, {len(words)} words, {len(pairs)} pairs, {len(triples)} triples, {len(own)} of one template")
    blob = b"HJ01"
    listed = "\n".join(f"{n} {g}" for n, g in sorted(NAMES.items())).encode()
    blob += struct.pack("<I", len(listed)) + listed
    listed = "\n".join(w["id"] for w in wishes()).encode()
    blob += struct.pack("<I", len(listed)) + listed
    blob += struct.pack("<I", len(units)) + b"".join(struct.pack("<BBHBB", *u) for u in units)
    blob += bloom(sorted(words), 16) + bloom(sorted(pairs)) + bloom(sorted(triples))
    # Sorted by hash: 4096 buckets of the hash's highest 12 bits, in them the next 16 bits and what they stand for.
    rows = sorted((fnv(k), v) for k, v in own.items())
    starts, at = [], 0
    for bucket in range(4097):
        while at < len(rows) and rows[at][0] >> 52 < bucket:
            at += 1
        starts.append(at)
    blob += struct.pack("<I", len(rows)) + struct.pack("<4097I", *starts)
    for h, (unit, roles) in rows:
        blob += struct.pack("<HHH", h >> 36 & 0xFFFF, unit, roles[0] | roles[1] << 3 | roles[2] << 6)
    a.out.write_bytes(blob)
    print(a.out, len(blob), "bytes")


if __name__ == "__main__":
    main()
