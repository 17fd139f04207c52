"""Stories for the wishes of kind "being": a hero with its own lore, a land with neighbours, and a plot."""

import argparse
import json
import random
import re
from pathlib import Path

import beings_ends as ends
from beings_gifts import GIFTS
from beings_lands import LANDS
from beings_lore1 import LORE as _LORE1
from beings_lore2 import LORE as _LORE2
from beings_plots import PLOTS
from grammar import Context, sentences

LORE = {**_LORE1, **_LORE2}
for _id, (_comfort, _find) in GIFTS.items():
    LORE[_id]["comfort"].append(_comfort)
    LORE[_id]["find"].append(_find)
PRONOUNS = {"m": ("he", "him", "his", "himself"), "f": ("she", "her", "her", "herself")}
WORDS = (150, 292)


def story(wish: dict, rng: random.Random) -> str:
    """One story for the wish; drawn again while it is too short, too long or repeats a sentence."""
    while True:
        text = _draw(wish, rng)
        parts = [re.sub(r"\W+", " ", s).strip().lower() for s in sentences(text)]
        if not WORDS[0] <= len(text.split()) <= WORDS[1] or len(parts) != len(set(parts)) or not distinct(text) >= 0.8:
            continue
        if any(re.search(rf"\b{k}\b", text.lower()) for k in wish["keywords"]):
            return text


def _draw(wish, rng):
    lore = LORE[wish["id"]]
    land = LANDS[lore["land"]]
    ctx = Context(rng, **{k: v for k, v in land.items() if k != "friends"})
    ctx.set(**{k: v for k, v in lore.items() if k != "names"})
    boys, girls = ([x for x in side.split()] for side in lore["names"].split("|"))
    name, gender = rng.choice([(x, "m") for x in boys] + [(x, "f") for x in girls])
    ctx.set(n=name, **dict(zip(("he", "him", "his", "himself"), PRONOUNS[gender])))
    friends = [f for f in land["friends"] if f.split(":")[0][:2] != name[:2] and f.split(":")[2] != lore["kind"]]
    ctx.set(say=re.sub(r" (softly|slowly|kindly)", "", lore["say"]))
    allowed = [p for p in PLOTS if lore["kind"] not in p.get("no", ()) and lore["land"] not in p.get("no", ())]
    plot = rng.choice(allowed)
    friends = rng.sample(friends, len(friends))
    if plot.get("young"):  # the friend is a little one
        friends.sort(key=lambda f: bool(re.search(r"\b(old|older|grey|longest|carp|goose|giraffe)\b", f)))
    for slot, friend in zip("cde", friends):
        fname, fgender, kind, how, say = friend.split(":")
        he, him, his, himself = PRONOUNS[fgender]
        ctx.set(**{slot: fname, slot + "the": f"{fname} the {kind}", slot + "full": f"{fname} the {kind}, {how}", slot + "kind": kind, slot + "say": say.split()[0], slot + "he": he, slot + "him": him, slot + "his": his, slot + "himself": himself})
    thing = ctx._expand(rng.choice(land["lost"]))
    ctx.set(thing=thing, thething=re.sub(r"^an? ", "the ", thing))
    goal = rng.choice(land["spot"])
    ctx.set(goal=goal, spot=[s for s in land["spot"] if s != goal])
    storm = rng.randrange(len(land["storm"]))
    ctx.set(storm=land["storm"][storm], calm=land["calm"][storm])
    ctx.set(**ends.SLOTS)
    body = [[rng.choice(beat) for beat in par] for par in plot["pars"]]
    if rng.random() < 0.3 and len(body[0]) > 1:  # straight into the happening
        intro = body[0].pop(0) + " " + rng.choice(ends.MIDDLE)
    else:
        intro = rng.choice(ends.INTRO)
    pars = [intro] + [" ".join(par) for par in body]
    last = rng.choice(ends.CLOSING)
    if rng.random() < 0.25:
        pars[-1] += " " + last
    else:
        pars.append(last)
    return "\n\n".join(finish(ctx(p)) for p in pars)


def finish(text):
    """Single quotation marks of the data files to double ones."""
    text = re.sub(r"(?<=[.,!?])'", '"', text)
    text = re.sub(r"(?<![A-Za-z])'(?=[A-Za-z])", '"', text)
    text = re.sub(r'(?<=\w)"(?=\w)', "'", text)
    return re.sub(r'((?:^|[.!?]"?\s+)")([a-z])', lambda m: m[1] + m[2].upper(), text)


def grams(text, n):
    w = re.findall(r"[a-z']+", text.lower())
    return [tuple(w[i : i + n]) for i in range(len(w) - n + 1)]


def distinct(text, n=3):
    g = grams(text, n)
    return len(set(g)) / len(g)


def _overlaps(texts):
    sets = [set(grams(t, 5)) for t in texts]
    return sorted(len(a & b) / min(len(a), len(b)) for i, a in enumerate(sets) for b in sets[:i])


def _wishes():
    path = Path(__file__).resolve().parents[2] / "Sources/HearthStory/Resources/wishes.json"
    return [w for w in json.loads(path.read_text())["wishes"] if w["kind"] == "being"]


SLEEPY = r"sleep|asleep|slept|dream|good ?night|closed|snor|drift|eyelid|eyes"
AVOID = r"\b(kill\w*|dead|death|die[ds]?|dying|blood|weapon|nightmare\w*|hell|devil|scary|stupid|hate[ds]?|beer|wine)\b"


def check(count, seed):
    wishes, rng, bad = _wishes(), random.Random(seed), {}

    def fault(kind, text):
        bad.setdefault(kind, []).append(text)

    texts = []
    for i in range(count):
        wish = wishes[i % len(wishes)]
        text = story(wish, rng)
        texts.append(text)
        s = [x.strip() for x in sentences(text)]
        if not 150 <= len(text.split()) <= 300: fault("length", text)
        if not 4 <= text.count("\n\n") + 1 <= 6: fault("paragraphs", text)
        if not any(re.search(rf"\b{k}\b", text.lower()) for k in wish["keywords"]): fault("keyword", text)
        if len(s) != len(set(s)): fault("repeated sentence", text)
        if distinct(text) < 0.75: fault("distinct-3", text)
        if re.search(r"[{}\[\]|<>]", text): fault("unexpanded", text)
        for m in re.finditer(r"\b(\w+) \1\b", text): fault("double word", text[max(0, m.start() - 30) : m.end() + 20])
        for m in re.finditer(r"\b(a [aeio]\w+|an [^aeiouh\W]\w+)", text, re.I): fault("a/an", m[0])
        for m in re.finditer(AVOID, text, re.I): fault("avoid", m[0])
        if not re.search(SLEEPY, s[-1] + s[-2], re.I): fault("ending", s[-2] + " " + s[-1])
        if text.count('"') % 2: fault("quotes", text)
        if re.search(r"[^\x00-\x7f]", text): fault("ascii", text)
        for m in re.finditer(r"(?<=[.!?] )[a-z]\w+ \w+|[.,]{2,}|,\w|\.\w|\s[.,!?]", text): fault("punctuation", text[max(0, m.start() - 30) : m.end() + 20])
    counts = sorted(len(t.split()) for t in texts)
    print("stories", count, "plots", len(PLOTS), "words min/median/max", counts[0], counts[len(counts) // 2], counts[-1])
    d = sorted(distinct(t) for t in texts)
    print("distinct-3 min/median", round(d[0], 3), round(d[len(d) // 2], 3))
    o = _overlaps(random.Random(1).sample(texts, 200))
    print("overlap any wish: median %.3f 99%% %.3f max %.3f" % (o[len(o) // 2], o[int(len(o) * 0.99)], o[-1]))
    worst = [_overlaps([story(w, rng) for _ in range(40)]) for w in wishes]
    print("overlap same wish: median %.3f max %.3f" % (max(o[len(o) // 2] for o in worst), max(o[-1] for o in worst)))
    print("lore entries", sum(len(v) for l in LORE.values() for v in l.values() if isinstance(v, list)), "names", sum(len(l["names"].replace("|", "").split()) for l in LORE.values()))
    for kind, items in bad.items():
        print("FAULT", kind, len(items), *sorted(set(items))[:6], sep="\n   ")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--print", type=int, default=0)
    parser.add_argument("--wish")
    parser.add_argument("--seed", type=int, default=7)
    args = parser.parse_args()
    if args.check:
        check(2000, args.seed)
    rng = random.Random(args.seed)
    chosen = [w for w in _wishes() if args.wish in (None, w["id"])]
    for i in range(args.print):
        wish = chosen[i % len(chosen)]
        print(f"--- {wish['id']}\n{story(wish, rng)}\n")
