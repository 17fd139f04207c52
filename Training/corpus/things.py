"""Stories for the wishes of kind "thing": a place, a vehicle or a small wonder, and somebody who needs it.

    story(wish, rng)     one story of four to six paragraphs
    python things.py --check | --print N [wish-id]

The words live in the modules things_*.py: `lore` for what belongs to one wish, `plots` for what may happen,
`common` for heroes, openings and closings. Their plain notation is read by `read_lists` and `read_plots`.
"""

import argparse
import json
import random
import re
import statistics
from collections import Counter
from pathlib import Path

from grammar import Context, sentences
from things_common import ANIMALS, CHILDREN, COMMON, KIN
from things_lore_a import LORE_A
from things_lore_b import LORE_B
from things_lore_c import LORE_C
from things_lore_d import LORE_D
from things_lore_e import LORE_E
from things_lore_f import LORE_F
from things_plots_a import PLOTS_A
from things_plots_b import PLOTS_B
from things_plots_c import PLOTS_C

SPARE = {"after", "thanks", "praise", "special", "wonder", "comp", "help", "hitch", "happy"}  # told half the time
PRONOUNS = {"m": ("he", "him", "his", "himself"), "f": ("she", "her", "her", "herself")}


def read_lists(text: str) -> dict[str, dict[str, list[str]]]:
    """'# id' opens an entry, '@name' a list in it; every other line is an item."""
    entries, entry, items = {}, None, None
    for line in text.splitlines():
        line = line.strip()
        if not line:
            continue
        if line.startswith("# "):
            entry = entries.setdefault(line[2:].strip(), {})
        elif line.startswith("@"):
            items = entry.setdefault(line[1:].strip(), [])
        else:
            items.append(line)
    return entries


def read_plots(text: str) -> dict[str, dict]:
    """As `read_lists`, with '---' between paragraphs, '@?' for a beat told half the time, '!' for options."""
    plots, plot, beat = {}, None, None
    for line in text.splitlines():
        line = line.strip()
        if not line:
            continue
        if line.startswith("# "):
            plot = plots.setdefault(line[2:].strip(), {"trait": [], "beats": [], "not": set(), "only": set()})
        elif line.startswith("! "):
            key, _, ids = line[2:].partition(":")
            plot[key.strip()] |= set(ids.split())
        elif line == "---":
            plot["beats"].append(None)
        elif line == "@trait":
            beat = plot["trait"]
        elif line.startswith("@"):
            beat = []
            plot["beats"].append((line.startswith("@?") or line[1:] in SPARE, beat))
        else:
            beat.append(line)
    return plots


LORE = read_lists(LORE_A + LORE_B + LORE_C + LORE_D + LORE_E + LORE_F)
PLOTS = {i: p for text in (PLOTS_A, PLOTS_B, PLOTS_C) for i, p in read_plots(text).items()}
SHARED = read_lists(COMMON)["common"]


def fields(entry: str) -> list[str]:
    return [f.strip() for f in entry.split("//")]


def cast(wish_id: str, rng: random.Random) -> dict:
    """Who is in the story, with pronouns, and the lists its templates draw from."""
    lore = LORE[wish_id]
    keeper, guest, trouble = (fields(rng.choice(lore[k])) for k in ("keeper", "guest", "trouble"))
    taken = {keeper[0].split()[-1], guest[0].split()[-1]}
    small = "small" in lore
    animal = small or rng.random() < 0.4
    kinds = lore.get("heroes") or ANIMALS
    while True:
        if animal:
            name, kind, sex = fields(rng.choice(kinds))
            intro = f"a [little|young|small] {kind} named {name}"
            kid = f"the [little|small|young] {kind}"
            nest = rng.choice(["nest", "little bed of moss", "soft nest", "bed of dry leaves", "tiny bed"])
        else:
            name, sex = fields(rng.choice(CHILDREN))
            kind = {"m": "boy", "f": "girl"}[sex]
            intro = f"a [little||small] {kind} [named|called] {name}"
            kid = f"the {kind}"
            nest = rng.choice(["bed", "warm bed", "bed", "soft bed"])
        if name not in taken:
            break
    kin, kin_sex = fields(rng.choice(KIN))
    sib, sib_sex = fields(rng.choice([c for c in CHILDREN if fields(c)[0] not in taken | {name}]))
    slots = {k: v for k, v in SHARED.items()}
    slots |= {k: v for k, v in lore.items() if k not in ("keeper", "guest", "trouble", "heroes", "small")}
    for k in ("thing", "athing", "at"):
        slots[k] = lore[k][0]
    slots |= dict(hero=name, kid=kid, heroNP=intro, heroNP2=f"a {kind}", nest=nest, kin=kin, sib=sib)
    slots |= dict(comp=keeper[0], compNP=keeper[1], manner=keeper[3], guest=guest[0], guestNP=guest[1], guesthome=guest[3])
    slots |= dict(trouble=trouble[0], tried=trouble[1], solved=trouble[2])
    t1, t2, t3, things = fields(rng.choice(SHARED["thing3"]))
    slots |= dict(t1=t1, t2=t2, t3=t3, things=things)
    for prefix, s in (("", sex), ("c", keeper[2]), ("g", guest[2]), ("k", kin_sex), ("s", sib_sex)):
        for slot, word in zip(("he", "him", "his", "himself"), PRONOUNS[s]):
            slots[prefix + slot] = word
    return slots


def draft(wish_id: str, rng: random.Random, plot_id: str | None = None) -> str:
    plot_id = plot_id or rng.choice([p for p, d in PLOTS.items() if wish_id not in d["not"] and (not d["only"] or wish_id in d["only"])])
    plot = PLOTS[plot_id]
    ctx = Context(rng, **cast(wish_id, rng), trait=[rng.choice(plot["trait"])])
    season = "opening" if "opening" in LORE[wish_id] else "setting"
    ctx.set(setting=ctx.slots[season])
    middle, paragraph = [], []
    for beat in plot["beats"] + [None]:
        if beat is None:
            if paragraph:
                middle.append(" ".join(paragraph))
            paragraph = []
        elif not beat[0] or rng.random() < 0.5:
            paragraph.append(ctx(rng.choice(beat[1])))
    skeleton = rng.choice(SHARED["skeleton"])
    if sum(len(p.split()) for p in middle) > 125:  # a long middle gets a short beginning
        for spare in ("[{?wonder}|{?wonder}|]", "[{?look}|]", "{?setting}", "{manner}")[: rng.randint(2, 4)]:
            skeleton = skeleton.replace(spare, "")
    winding = rng.choice([w for w in SHARED["winding"] if plot_id != "remember" or "lastkin" not in w])
    paragraphs = [ctx(p) for p in skeleton.split("//") if p.strip()] + middle + [ctx(winding)]
    return "\n\n".join(paragraphs)


def ngrams(text: str, n: int) -> list[tuple]:
    words = re.findall(r"[a-z0-9']+", text.lower())
    return list(zip(*(words[i:] for i in range(n))))


def faults(text: str, keywords: list[str]) -> list[str]:
    words, found = len(text.split()), []
    if not 155 <= words <= 282:
        found.append(f"{words} words")
    if not 4 <= len(text.split("\n\n")) <= 6:
        found.append("paragraphs")
    if sum(len(re.findall(rf"\b{k}", text.lower())) for k in keywords) < 2:
        found.append("keyword")
    said = [re.sub(r"\W+", " ", s.lower()).strip() for p in text.split("\n\n") for s in sentences(p)]
    if len(set(said)) < len(said):
        found.append("sentence twice")
    three = ngrams(text, 3)
    if len(set(three)) < 0.8 * len(three):
        found.append("distinct-3")
    if len(set(ngrams(text, 6))) < len(ngrams(text, 6)):
        found.append("phrase twice")
    if re.search(r"[\[\]{}|@#]|//", text):
        found.append("unexpanded")
    if double := re.search(r"\b(\w+) \1\b", text):
        if double[1] not in ("that", "had", "la", "tap", "tick", "pat", "hop", "puff"):
            found.append("double word: " + double[0])
    if re.search(r"\b[Aa] [aeio]", text) or re.search(r"\b[Aa]n [^aeiouhAEIOUH]", text):
        found.append("a/an")
    if not text.isascii():
        found.append("not ASCII")
    if not re.search(r"sleep|slept|dream|good night|snor|drift|closed|eyes", sentences(text)[-1].lower()):
        found.append("last sentence")
    return found


def story(wish: dict, rng: random.Random) -> str:
    for _ in range(60):
        text = draft(wish["id"], rng)
        if not faults(text, wish["keywords"]):
            return text
    raise RuntimeError(f"no sound story for {wish['id']}: {faults(text, wish['keywords'])}")


def wishes() -> list[dict]:
    path = Path(__file__).resolve().parents[2] / "Sources/HearthStory/Resources/wishes.json"
    return [w for w in json.loads(path.read_text())["wishes"] if w["kind"] == "thing"]


def overlaps(texts: list[str]) -> list[float]:
    sets = [set(ngrams(t, 5)) for t in texts]
    return [len(a & b) / min(len(a), len(b)) for i, a in enumerate(sets) for b in sets[:i]]


def check():
    rng, all_wishes = random.Random(7), wishes()
    why = Counter()
    for wish in all_wishes:  # every plot with every wish: what is rejected, and why
        for plot, d in PLOTS.items():
            if wish["id"] in d["not"] or d["only"] and wish["id"] not in d["only"]:
                continue
            for _ in range(4):
                for f in faults(draft(wish["id"], rng, plot), wish["keywords"]):
                    why[re.sub(r"^\d+ words", "length", f)] += 1
                why["drafts"] += 1
    print("drafts and their faults (rejected):", dict(why.most_common(12)))
    texts = [(w, story(w, rng)) for w in all_wishes for _ in range(2000 // len(all_wishes))]
    bad = Counter(f for w, t in texts for f in faults(t, w["keywords"]))
    lengths = sorted(len(t.split()) for _, t in texts)
    three = [len(set(ngrams(t, 3))) / len(ngrams(t, 3)) for _, t in texts]
    keys = [sum(len(re.findall(rf"\b{k}", t.lower())) for k in w["keywords"]) for w, t in texts]
    print(f"{len(texts)} stories, faults {dict(bad)}; words {lengths[0]}..{lengths[-1]}, median {statistics.median(lengths)}")
    print(f"distinct-3 min {min(three):.2f}; keyword uses min {min(keys)}, median {statistics.median(keys)}")
    mixed = overlaps([t for _, t in rng.sample(texts, 200)])
    print(f"5-gram overlap, 200 mixed: median {statistics.median(mixed):.3f}, max {max(mixed):.3f}")
    medians, most = [], 0
    for wish in all_wishes:
        same = overlaps([t for w, t in texts if w is wish][:40])
        medians.append(statistics.median(same))
        most = max(most, max(same))
    print(f"same wish, 40 each: median {statistics.median(medians):.3f}, worst median {max(medians):.3f}, max {most:.3f}")
    seen = Counter(s for _, t in texts for p in t.split("\n\n") for s in sentences(p))
    print("most repeated sentences:", seen.most_common(12))
    print(f"{len(PLOTS)} plots, {sum(len(b[1]) for p in PLOTS.values() for b in p['beats'] if b)} beat phrasings,",
          f"{len(LORE)} wishes, {sum(len(v) for e in LORE.values() for v in e.values())} lore entries,",
          f"{sum(len(v) for v in SHARED.values())} shared")
    vocabulary = Counter(w for _, t in texts for w in re.findall(r"[a-z']+", t.lower()))
    print(f"{len(vocabulary)} words in the vocabulary")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--print", type=int, default=0, dest="count")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("wish", nargs="?")
    args = parser.parse_args()
    rng = random.Random(args.seed)
    if args.check:
        check()
    for i in range(args.count):
        wish = rng.choice([w for w in wishes() if args.wish in (None, w["id"])])
        print(f"=== {wish['id']}\n{story(wish, rng)}\n")


if __name__ == "__main__":
    main()
