"""Measure generated stories: all wishes, several seeds.

    python evaluate.py --torch runs/checkpoint.pt                      # the training side
    python evaluate.py --hearth ../.build/release/hearth --model ../Models/hearth-nano.gguf
    python evaluate.py --torch runs/checkpoint.pt --print 12           # stories to read instead of a table
    python evaluate.py --hearth ../.build/release/hearth --no-choosing                 # without choosing paragraphs
    python evaluate.py --hearth ../.build/release/hearth --blind 30 --first-seed 5000  # 30 of each kind, shuffled, to be read
    python evaluate.py --readings stories.jsonl                        # what was read: shares, and how well the judge agrees
    python evaluate.py --torch runs/checkpoint.pt --plans 60           # answers to plans, with slots (see `by_plan`)
    python evaluate.py --hearth ../.build/release/hearth --model new.gguf --plans 60 --print 6

A proper ending: the model stops by itself within 480 tokens, the last sentence is complete, and one of the last three
sentences speaks of sleep, of the night or of quiet (the words in CALM).
"""

import argparse
import concurrent.futures
import itertools
import json
import math
import pathlib
import random
import re
import statistics
import subprocess

import chat
import plans
from plans import RUNS
from templates import distinct, mentions, sentences, wishes, words

LIMIT = 480
CALM = re.compile(
    r"\b(sleep\w*|slept|asleep|dream\w*|good ?night|night|nights|bed|beds|pillow|blanket|snor\w*|yawn\w*|doz\w*|"
    r"tucked|snuggl\w*|closed|quiet\w*|silent\w*|peace\w*|calm\w*|lullab\w*|hush\w*)\b", re.IGNORECASE)
# Narrower: sleep itself, reported beside it.
SLEEP = re.compile(r"\b(sleep\w*|slept|asleep|dream\w*|good ?night|snor\w*|doz\w*|pillow|bed|beds)\b", re.IGNORECASE)


def from_torch(checkpoint, jobs, options):
    import torch

    from generate import Generator

    torch.set_num_threads(options.pop("threads", 2))
    answers = Generator(checkpoint).stories([w["title"]["en"] for w, _ in jobs], seed=jobs[0][1] + 1, limit=LIMIT, **options)
    return [{"wish": w["id"], "seed": s, "text": t, "ended": e} for (w, s), (t, e) in zip(jobs, answers)]


def from_hearth(binary, model, jobs, workers, choosing=True):
    """Stories that the model writes freely in the app: with its prompt, and with the sampling defaults of the file. The judge's
    verdict is the program's own (`StoryJudge`)."""

    def one(job):
        wish, seed = job
        run = subprocess.run([binary, "story", wish["id"], *(["--model", model] if model else []), "--seed", str(seed),
                              "--max-tokens", str(LIMIT), "--threads", "1", "--json", "--judge",
                              "--free" if choosing else "--no-choosing"], check=True, capture_output=True, text=True)
        answer = json.loads(run.stdout)
        return {"wish": wish["id"], "seed": seed, "text": answer["text"], "ended": answer["stop"] == "end",
                "chosen": choosing, "verdict": answer["verdict"], "firstTokenMS": answer["firstTokenMS"]}

    with concurrent.futures.ThreadPoolExecutor(workers) as pool:
        return list(pool.map(one, jobs))


def grams(text, n=5):
    w = words(text)
    return {tuple(w[i : i + n]) for i in range(len(w) - n + 1)}


def judge(row, wish):
    """All per-story measures."""
    text = row["text"].strip()
    said = [s.strip() for s in sentences(text.replace("\n\n", " "))]
    complete = re.search(r'[.!?]["\']?$', text) is not None
    tail = " ".join(said[-3:])
    return {
        "mentions": mentions(wish, text),
        "ended": row["ended"],
        "ending": row["ended"] and complete and CALM.search(tail) is not None,
        "sleep": SLEEP.search(tail) is not None,
        "unrepeated": len({s.lower() for s in said}) == len(said),
        "distinct3": distinct(text),
        "words": len(text.split()),
    }


def wilson(successes, n, z=1.96):
    """The 95 % confidence interval of a share."""
    p, square = successes / n, z * z
    middle, half = (p + square / (2 * n)), z * math.sqrt(p * (1 - p) / n + square / (4 * n * n))
    return [(middle - half) / (1 + square / n), (middle + half) / (1 + square / n)]


def ranks(values):
    order = sorted(range(len(values)), key=values.__getitem__)
    ranked = [0.0] * len(values)
    for _, same in itertools.groupby(enumerate(order), key=lambda pair: values[pair[1]]):
        same = list(same)
        for _, index in same:
            ranked[index] = statistics.mean(place for place, _ in same)
    return ranked


def readings(path):
    """How often stories were read without a slip, and how well the judge's cost separates them from the others."""
    rows = [json.loads(line) for line in path.open()]
    for chosen in (False, True):
        some = [r for r in rows if r["chosen"] is chosen]
        if some:
            clean = sum(r["slips"] == 0 for r in some)
            low, high = wilson(clean, len(some))
            print(f"{'chosen' if chosen else 'plain'}: {clean} of {len(some)} without a slip, {clean / len(some):.0%} "
                  f"({low:.0%} to {high:.0%}); slips per story {statistics.mean(r['slips'] for r in some):.2f}")
    for name, some in (("all", rows), ("plain", [r for r in rows if not r["chosen"]]), ("chosen", [r for r in rows if r["chosen"]])):
        clean = [r["cost"] for r in some if r["slips"] == 0]
        other = [r["cost"] for r in some if r["slips"] > 0]
        if clean and other:
            wins = sum((a < b) + (a == b) / 2 for a in clean for b in other)
            spearman = statistics.correlation(ranks([r["cost"] for r in some]), ranks([r["slips"] for r in some]))
            print(f"{name}: area under the curve {wins / len(clean) / len(other):.2f}, Spearman {spearman:.2f}")


def blind(rows, seed, folder):
    """Stories in a random order for a reader, and separately what they are."""
    random.Random(seed).shuffle(rows)
    folder.mkdir(exist_ok=True)
    with (folder / "blind.txt").open("w") as texts, (folder / "blind-key.jsonl").open("w") as key:
        for number, row in enumerate(rows, 1):
            texts.write(f"## {number} {row['wish']}\n\n{row['text']}\n\n")
            key.write(json.dumps({"number": number, "wish": row["wish"], "seed": row["seed"], "chosen": row["chosen"],
                                  "cost": row["verdict"]["cost"], "faults": row["verdict"]["faults"]}) + "\n")
    print(folder / "blind.txt", folder / "blind-key.jsonl")


def report(rows):
    by_id = {w["id"]: w for w in wishes()}
    each = [judge(r, by_id[r["wish"]]) for r in rows]
    n = len(each)
    share = lambda test: sum(map(test, each)) / n
    sets = [grams(r["text"]) for r in rows]
    overlap, top = [], (0.0, 0, 0)
    for i, j in itertools.combinations(range(n), 2):
        o = len(sets[i] & sets[j]) / max(1, min(len(sets[i]), len(sets[j])))
        overlap.append(o)
        top = max(top, (o, i, j))
    same = [len(sets[i] & sets[j]) / max(1, min(len(sets[i]), len(sets[j])))
            for i, j in itertools.combinations(range(n), 2) if rows[i]["wish"] == rows[j]["wish"]]
    counts = sorted(e["words"] for e in each)
    judged = [r["verdict"]["cost"] for r in rows if "verdict" in r]
    return {
        "stories": n,
        "no slip found by the judge": sum(c == 0 for c in judged) / n if judged else None,
        "judge's cost, mean": statistics.mean(judged) if judged else None,
        "mentions its wish": share(lambda e: e["mentions"]),
        "ends by itself": share(lambda e: e["ended"]),
        "ends by itself with a proper ending": share(lambda e: e["ending"]),
        "names sleep in the last three sentences": share(lambda e: e["sleep"]),
        "no sentence twice": share(lambda e: e["unrepeated"]),
        "distinct-3 at least 0.75": share(lambda e: e["distinct3"] >= 0.75),
        "distinct-3, least": min(e["distinct3"] for e in each),
        "150 to 300 words": share(lambda e: 150 <= e["words"] <= 300),
        "words: least, median, most": [counts[0], statistics.median(counts), counts[-1]],
        "5-gram overlap of two stories, median": statistics.median(overlap),
        "5-gram overlap of two stories, most": top[0],
        "5-gram overlap within a wish, median": statistics.median(same) if same else None,
    }, each, top


def copied(rows):
    """How much of the stories stands word for word in one training story: the median and the most over stories of the
    largest 5-gram overlap with any of them."""
    path = RUNS / "train.jsonl"
    if not path.exists():
        return None
    own = [grams(r["text"]) for r in rows]
    best = [0.0] * len(rows)
    by_wish = {}
    for i, r in enumerate(rows):
        by_wish.setdefault(r["wish"], []).append(i)
    for line in path.open():
        row = json.loads(line)
        if row["wish"] in by_wish and row["kind"] in ("filled", "finished", "written") and row["language"] == "en":
            g = grams(row["text"])
            for i in by_wish[row["wish"]]:
                best[i] = max(best[i], len(own[i] & g) / max(1, len(own[i])))
    return [statistics.median(best), max(best)]


# Long tales have up to 1300 tokens.
PLAN_LIMIT = 1700


def corpus():
    """What the plans of the corpus were answered with: sentence -> ids of its tales, and pairs of neighbouring sentences."""
    known, pairs = {}, set()
    for line in (RUNS / "train.jsonl").open():
        row = json.loads(line)
        if row["kind"] in ("plan", "template"):
            said = plans.splits(row["text"], row["language"])
            for sentence in said:
                known.setdefault(sentence, set()).add(row["id"])
            pairs.update(map(hash, zip(said, said[1:])))
    return known, pairs


def drawn_plans(count, seed):
    """(kind, plan): as many of each kind. `known` are plans of the corpus, `unseen` those of held-out tales, `mixed` take wish, tags
    and roles from three different ones of a language, as no tale has them."""
    rng, wanted = random.Random(seed), {}
    for kind, name in (("known", "train"), ("unseen", "heldout")):
        rows = (json.loads(line) for line, _ in zip((RUNS / f"{name}.jsonl").open(), range(20000)))
        wanted[kind] = [plans.read(r["prompt"]) for r in rows if r["kind"] == "plan" and r.get("set") != "tellings"]
    drawn = [(kind, plan) for kind, pool in wanted.items() for plan in rng.sample(pool, min(count // 3, len(pool)))]
    pool = [p for p in wanted["known"] if p.tags]
    for _ in range(count // 3):
        first = rng.choice(pool)
        like = [p for p in pool if p.language == first.language]
        tags, roles = rng.choice(like), rng.choice(like)
        drawn.append(("mixed", plans.Plan(first.language, first.length, first.wish, tags.tags, roles.roles, roles.words)))
    return drawn


def answered(drawn, options, torch_file, binary, model):
    """The answers of a model to plans, as (text, whether it ended by itself)."""
    if torch_file:
        from generate import Generator

        return Generator(torch_file).answers([p.prompt() for _, p in drawn], limit=PLAN_LIMIT, **options)
    told = []
    for number, (_, plan) in enumerate(drawn):
        run = subprocess.run([binary, "generate", "--model", model, "--chat", plan.prompt(), "--seed", str(number),
                              "--max-tokens", str(PLAN_LIMIT), "--json"], check=True, capture_output=True, text=True)
        answer = json.loads(run.stdout)
        told.append((answer["text"], answer["stop"] != "length"))
    return told


def by_plan(drawn, answers):
    """For each kind of plan: whether answers end, can be filled for every cast, and have the length asked for; and how new they
    are: sentences that the corpus does not have, neighbours that it does not have side by side, and how many of the known
    sentences come from the tale that most of them come from."""
    known, pairs = corpus()
    rows = []
    for (kind, plan), (text, ended) in zip(drawn, answers):
        said = plans.splits(text, plan.language)
        least, most = plans.tale.LENGTHS[plan.language][plan.length]
        beside = list(zip(said, said[1:]))
        old = [s for s in said if s in known]
        rows.append({
            "kind": kind, "language": plan.language, "plan": plan.prompt(), "text": text, "ends by itself": ended,
            "slots in order": not plans.faults(text, plan), "faults": plans.faults(text, plan),
            "no sentence twice": len(set(said)) == len(said),
            "length": least <= plans.tale.size(text, plan.language) <= most,
            "new sentences": 1 - len(old) / max(1, len(said)),
            "new pairs": sum(hash(p) not in pairs for p in beside) / max(1, len(beside)),
            "from one tale": max((sum(i in known[s] for s in old) for i in set().union(*(known[s] for s in old))), default=0)
            / max(1, len(old)) if old else None,
        })
    return rows


def print_plans(rows, show):
    for row in rows[:: max(1, len(rows) // show)] if show else []:
        print(f"## {row['kind']} {row['faults']}\n{row['plan']}\n=>\n{row['text']}\n")
    names = ["ends by itself", "slots in order", "no sentence twice", "length", "new sentences", "new pairs", "from one tale"]
    print("| plans | answers | " + " | ".join(names) + " |")
    for kind in ("known", "unseen", "mixed", *plans.LANGUAGES):
        some = [r for r in rows if kind in (r["kind"], r["language"])]
        if some:
            cells = [[r[n] for r in some if r[n] is not None] for n in names]
            print(f"| {kind} | {len(some)} | " + " | ".join(f"{statistics.mean(c):.0%}" if c else "" for c in cells) + " |")


def print_perplexity(torch_file):
    """Of the held-out sets, by language."""
    from generate import Generator
    from stories import Stories
    from train import heldout_loss

    g = Generator(torch_file)
    for name in ("plots", "tellings"):
        for language in plans.LANGUAGES:
            rows = Stories(RUNS / "heldout.jsonl", g.t, lambda r: (r["set"], r["language"]) == (name, language))
            loss = heldout_loss(g.model, rows)
            print(f"{name}, {language}: loss {loss:.4f}, perplexity {math.exp(loss):.3f} ({len(rows)} texts)")


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--torch", metavar="CHECKPOINT")
    p.add_argument("--hearth", metavar="BINARY")
    p.add_argument("--model", help="GGUF file, for --hearth (default: the bundled model)")
    p.add_argument("--no-choosing", action="store_true", help="with --hearth: the first story that the model generates")
    p.add_argument("--blind", type=int, metavar="N", help="with --hearth: write N stories of each kind for a reader")
    p.add_argument("--readings", type=pathlib.Path, metavar="FILE", help="report what was read, from JSON Lines")
    p.add_argument("--stories", type=int, default=200)
    p.add_argument("--first-seed", type=int, default=0)
    p.add_argument("--temperature", type=float, help="this and the next two: with --torch")
    p.add_argument("--top-k", type=int)
    p.add_argument("--top-p", type=float)
    p.add_argument("--threads", type=int, default=2)
    p.add_argument("--print", type=int, metavar="N", help="print N stories to read")
    p.add_argument("--copies", action="store_true", help="also compare with every training story of the same wish")
    p.add_argument("--perplexity", action="store_true", help="only the held-out perplexity of each language (with --torch)")
    p.add_argument("--plans", type=int, metavar="N", help="N plans of three kinds, answered with slots")
    p.add_argument("--out", type=pathlib.Path, help="write figures and stories as JSON")
    a = p.parse_args()
    if a.readings:
        return readings(a.readings)
    options = {k: v for k, v in (("temperature", a.temperature), ("top_k", a.top_k), ("top_p", a.top_p)) if v is not None}
    if a.perplexity:
        return print_perplexity(a.torch)
    if a.plans:
        drawn = drawn_plans(a.plans, a.first_seed)
        rows = by_plan(drawn, answered(drawn, options, a.torch, a.hearth, a.model))
        print_plans(rows, a.print)
        if a.out:
            a.out.write_text(json.dumps(rows, indent=1, ensure_ascii=False))
        return
    all_wishes = wishes()
    if a.blind:
        drawn = random.Random(a.first_seed).sample(range(len(all_wishes)), min(a.blind, len(all_wishes)))
        jobs = [(all_wishes[i], a.first_seed) for i in drawn]
        return blind([r for c in (True, False) for r in from_hearth(a.hearth, a.model, jobs, a.threads, c)],
                     a.first_seed, RUNS)
    count = a.print or a.stories
    jobs = [(all_wishes[i % len(all_wishes)], a.first_seed + i // len(all_wishes)) for i in range(count)]
    if a.print:
        jobs = [(w, a.first_seed) for w in random.Random(a.first_seed).sample(all_wishes, min(count, len(all_wishes)))]
    jobs.sort(key=lambda j: j[0]["id"])
    if a.torch:
        rows = from_torch(a.torch, jobs, options | {"threads": a.threads})
    elif a.hearth:
        rows = from_hearth(a.hearth, a.model, jobs, a.threads, not a.no_choosing)
    else:
        p.error("--torch or --hearth is needed")
    if a.print:
        for r in rows:
            print(f"## {r['wish']} {r['seed']}{'' if r['ended'] else ' (did not end)'}\n{r['text']}\n")
        return
    figures, each, (most, i, j) = report(rows)
    if a.copies:
        figures["5-gram overlap with one training story: median, most"] = copied(rows)
    for k, v in figures.items():
        print(f"| {k} | {v:.3f} |" if isinstance(v, float) else f"| {k} | {v} |")
    print("most alike:", rows[i]["wish"], rows[i]["seed"], "and", rows[j]["wish"], rows[j]["seed"])
    for r, e in zip(rows, each):
        bad = [k for k in ("mentions", "ending", "unrepeated") if not e[k]]
        if bad:
            print(r["wish"], r["seed"], bad, "...", r["text"][-160:].replace("\n", " "))
    if a.out:
        a.out.write_text(json.dumps({"figures": figures, "stories": [r | e for r, e in zip(rows, each)]}, indent=1))


if __name__ == "__main__":
    main()
