"""Write the training stories to runs/train.jsonl, and two held-out sets to runs/heldout.jsonl.

    python make_corpus.py --stories 60000

Each row is a function of its number and of the sources alone, so the files are the same on every machine. Rows have `kind`:

    plan      a plan, and a tale with slots               filled    an ordinary prompt, and the same with names
    template  a plan, and a template's story with slots   written   the same as for `filled`
    finished  an ordinary prompt, and a finished story

Held out are one of twenty tales as a whole (`set` "plots": also their finished stories, if they have the same id), and other
tellings of tales that are in training (`set` "tellings").
"""

import argparse
import json
import multiprocessing
import random
import re
import zlib

import chat
import plans
from plans import RUNS, tale
from templates import HERE, telling, wishes

FINISHED = HERE.parent / "Sources/CHearthStories/Files"
# Of a hundred rows. Template stories take half the time of long tales, so their share of the tokens is smaller.
SHARES = {"plan": 60, "filled": 22, "finished": 6, "template": 8, "written": 4}
PRONOUNS = {"en": ["he", "she", "they"], "es": ["m", "f"], "zh-Hans": ["他", "她"]}
MOST = 8


def held_out(a_tale):
    return zlib.crc32(f"{a_tale.language}/{a_tale.id}".encode()) % 20 == 0


class Sources:
    """Everything that stories are drawn from."""

    def __init__(self):
        self.wishes = {w["id"]: w for w in wishes()}
        everything = [t for path in tale.files() for t in tale.read(path, path.parent.name)]
        self.tales = [t for t in everything if not held_out(t)]
        self.heldout = [t for t in everything if held_out(t)]
        unseen = {(t.language, t.id) for t in self.heldout}
        self.finished = [(language, story) for language in plans.LANGUAGES
                         for story in json.loads((FINISHED / f"{language}.json").read_text())["stories"]
                         if (language, story["id"]) not in unseen]
        self.names = {language: sorted({person for t in self.tales if t.language == language for person in t.roles[t.star]
                                        if person[1] in PRONOUNS[language] and " " not in person[0]})
                      for language in plans.LANGUAGES}


def ends(text, language, n):
    """Runs of words (Chinese: of characters) of a wording."""
    units = re.findall(r"[\u4e00-\u9fff]", text) if language == "zh-Hans" else re.findall(r"[\w']+", text.lower())
    return set(zip(*(units[i:] for i in range(n))))


def wordings(a_tale, rng):
    """One wording of each position. One that shares a phrase with the wording before it is drawn again, twice at most: such
    neighbours read like a mistake, and this is what the model can learn about choosing."""
    n, before, told = (5 if a_tale.language == "zh-Hans" else 3), set(), []
    for paragraph in a_tale.paragraphs:
        chosen = []
        for alternatives in paragraph:
            for _ in range(3):
                text = rng.choice(alternatives)
                phrases = ends(tale.SLOT.sub(" § ", text), a_tale.language, n)
                if not phrases & before:
                    break
            before = phrases
            chosen.append(text)
        told.append(chosen)
    return told


def cast_of(a_tale, rng, names):
    """A cast and words. Half of the heroes have a name and pronoun of another tale, as with a child's own name."""
    child = rng.choice(names) if rng.random() < 0.5 else (None, None)
    if child[0] and rng.random() < 0.3:
        child = child[0], rng.choice(PRONOUNS[a_tale.language])
    cast, words = tale.draw(a_tale, rng, *child)
    roles = list(plans.order(a_tale))[: len(a_tale.roles)]
    return [cast[r] for r in roles], list(words.values()), child[0]


def from_tale(a_tale, rng, sources, with_slots):
    language, joint = a_tale.language, "" if a_tale.language == "zh-Hans" else " "
    cast, words, child = cast_of(a_tale, rng, sources.names[language])
    names = plans.order(a_tale)
    text = "\n\n".join(joint.join(plans.renamed(w, names) for w in p) for p in wordings(a_tale, rng))
    wish = rng.choice(a_tale.wishes)
    row = {"language": language, "wish": wish, "id": a_tale.id}
    if with_slots:
        tags = [t for t in a_tale.tags if t not in plans.UNTOLD_TAGS]
        roles = [(p, plans.called(n) if i else None) for i, (n, p) in enumerate(cast)]
        plan = plans.Plan(language, a_tale.length, wish, tags if rng.random() < 0.85 else [], roles, words)
        return row | {"kind": "plan", "prompt": plan.prompt(), "text": text}
    asked = chat.prompt(sources.wishes[wish]["title"][language], language, rng, a_tale.length, child)
    return row | {"kind": "filled", "prompt": asked, "text": plans.filled(text, language, cast, words)}


def from_template(rng, sources, with_slots):
    while True:
        wish = rng.choice(list(sources.wishes.values()))
        if told := telling(wish, rng.randrange(10**9), MOST):
            break
    plan, text, cast = told
    row = {"language": "en", "wish": wish["id"], "id": ""}
    if with_slots:
        return row | {"kind": "template", "prompt": plan.prompt(), "text": text}
    return row | {"kind": "written", "prompt": chat.prompt(wish["title"]["en"], "en", rng),
                  "text": plans.filled(text, "en", cast)}


def from_finished(rng, sources):
    language, story = rng.choice(sources.finished)
    wish = rng.choice(story["wishes"])
    return {"language": language, "wish": wish, "id": story["id"], "kind": "finished", "text": story["text"],
            "prompt": chat.prompt(sources.wishes[wish]["title"][language], language, rng)}


SOURCES = None


def rows(job):
    """Rows of a set, as JSON lines."""
    global SOURCES
    SOURCES = SOURCES or Sources()
    name, numbers = job
    made = []
    for number in numbers:
        rng = random.Random(f"{name}/{number}")
        if name == "train":
            kind = rng.choices(list(SHARES), list(SHARES.values()))[0]
            row = from_finished(rng, SOURCES) if kind == "finished" else from_template(rng, SOURCES, kind == "template") \
                if kind in ("template", "written") else from_tale(rng.choice(SOURCES.tales), rng, SOURCES, kind == "plan")
        else:
            pool = SOURCES.heldout if name == "plots" else random.Random(1).sample(SOURCES.tales, len(SOURCES.heldout))
            row = {"set": name} | from_tale(pool[number % len(pool)], rng, SOURCES, number // len(pool) % 3 < 2)
        made.append(json.dumps(row, ensure_ascii=False) + "\n")
    return made


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--stories", type=int, default=60000)
    p.add_argument("--processes", type=int, default=2)
    a = p.parse_args()
    RUNS.mkdir(exist_ok=True)
    held = len(Sources().heldout)
    with multiprocessing.Pool(a.processes) as pool:
        jobs = [("train", range(s, min(s + 500, a.stories))) for s in range(0, a.stories, 500)]
        count = 0
        part = RUNS / "train.part"
        with part.open("w") as f:
            for made in pool.imap(rows, jobs):
                f.writelines(made)
                count += len(made)
        part.rename(RUNS / "train.jsonl")
        with (RUNS / "heldout.jsonl").open("w") as f:
            for name in ("plots", "tellings"):
                f.writelines(rows((name, range(3 * held))))
    print(f"{count} stories, {(RUNS / 'train.jsonl').stat().st_size} bytes; {held} tales held out")


if __name__ == "__main__":
    main()
