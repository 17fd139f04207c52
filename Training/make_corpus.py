"""Write the training and the held-out stories to runs/train.jsonl and runs/heldout.jsonl.

    python make_corpus.py --per-wish 1000 --heldout-per-wish 10

Each story is a function of its wish and its seed alone, so the files are the same on every machine and for any number
of processes. Held-out stories have seeds of their own, and a story that also occurs in training is dropped from them.
"""

import argparse
import json
import multiprocessing
import pathlib
import random
import re
import sys
import zlib

HERE = pathlib.Path(__file__).resolve().parent
WISHES = HERE.parent / "Sources/HearthStory/Resources/wishes.json"
HELDOUT_SEEDS = 1_000_000
sys.path[:0] = [str(HERE), str(HERE / "corpus")]  # the content modules import each other by their bare names

from grammar import sentences  # noqa: E402


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


def fault(wish: dict, text: str) -> str | None:
    """Why a story is not fit for training, or None."""
    if not 150 <= len(text.split()) <= 300:
        return "length"
    if not text.isascii():
        return "not ASCII"
    said = [s.strip().lower() for s in sentences(text.replace("\n\n", " "))]
    if len(set(said)) < len(said):
        return "a sentence twice"
    if not mentions(wish, text):
        return "does not mention the wish"
    if distinct(text) < 0.75:
        return "distinct-3"
    return None


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


def make(job):
    """The fit stories of one wish for a range of seeds, and the count of every fault."""
    from beings import story as being
    from things import story as thing

    wish, seeds, most = job
    tell = being if wish["kind"] == "being" else thing
    kept, faults = [], {}
    for seed in seeds:
        dice = f"{wish['id']}/{seed}"
        text = tell(wish, Thrifty(dice, most) if most else random.Random(dice))
        why = fault(wish, text)
        if why:
            faults[why] = faults.get(why, 0) + 1
        else:
            kept.append({"wish": wish["id"], "seed": seed, "text": text})
    return kept, faults


def write(name, jobs, seen, pool):
    """Write the new stories of `jobs` in a shuffled order; `seen` holds all texts so far."""
    rows, faults = [], {}
    for kept, bad in pool.imap(make, jobs):
        for why, n in bad.items():
            faults[why] = faults.get(why, 0) + n
        for row in kept:
            if row["text"] in seen:
                faults["a story twice"] = faults.get("a story twice", 0) + 1
            else:
                seen.add(row["text"])
                rows.append(row)
    random.Random(name).shuffle(rows)
    path = HERE / "runs" / f"{name}.jsonl"
    path.parent.mkdir(exist_ok=True)
    with path.open("w") as f:
        for row in rows:
            f.write(json.dumps(row) + "\n")
    count = sum(len(r["text"].split()) for r in rows)
    print(f"{path.name}: {len(rows)} stories, {count} words, rejected {faults}")


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--per-wish", type=int, default=1000)
    p.add_argument("--heldout-per-wish", type=int, default=10)
    p.add_argument("--first-seed", type=int, default=0, help="start here to make further, fresh stories")
    p.add_argument("--most", type=int, default=0, help="use only this many alternatives of every list; 0: all")
    p.add_argument("--processes", type=int, default=2)
    a = p.parse_args()
    chunk = 100
    with multiprocessing.Pool(a.processes) as pool:
        seen, end = set(), a.first_seed + a.per_wish
        train = [(w, range(s, min(s + chunk, end)), a.most) for w in wishes() for s in range(a.first_seed, end, chunk)]
        write("train", train, seen, pool)
        held = range(HELDOUT_SEEDS, HELDOUT_SEEDS + a.heldout_per_wish)
        write("heldout", [(w, held, a.most) for w in wishes()], seen, pool)


if __name__ == "__main__":
    main()
