"""Thresholds, tables and files of the classifier; called by train.py."""
import itertools
import json
import re
import struct
import sys

import numpy as np
import scipy.sparse

import network
import ngrams
import train
import words
from network import THEMES

ROOT = words.ROOT
sys.path.insert(0, str(ROOT / "scripts"))
from filter_files import checked  # noqa: E402

MODEL = words.FILES / "meaning.bin"
GOLDEN = ROOT / "Tests/HearthSafetyTests/Fixtures/meaning_golden.jsonl"
# In the order of FilterLanguage.allCases.
LANGUAGES = train.LANGUAGES


def wilson(hits, count, z=1.96):
    """Share in percent with its interval of 95 in 100."""
    if not count:
        return "–"
    share = hits / count
    middle = (share + z * z / 2 / count) / (1 + z * z / count)
    half = z * np.sqrt(share * (1 - share) / count + z * z / 4 / count ** 2) / (1 + z * z / count)
    return f"{100 * share:.1f} ({100 * max(0, middle - half):.1f}–{100 * min(1, middle + half):.1f})"


def area(score, harm):
    """Under the ROC curve: how often a harmful line scores above a harmless one."""
    ranks = np.empty(len(score))
    ranks[score.argsort()] = np.arange(1, len(score) + 1)
    hits = harm.sum()
    return (ranks[harm].sum() - hits * (hits + 1) / 2) / hits / (len(harm) - hits)


def thresholds(lines, told, z):
    """By language, from lines of passes that a model had not seen: the mean of the language's own quantile of harmless lines
    and that of all languages, since a language alone has few."""
    harm = np.array([line.harm for line in lines])
    language = np.array([line.language for line in lines])
    score = z[:len(lines), 0]
    everywhere = np.quantile(score[~harm], 1 - train.FALSE_ALARMS)
    found = {name: (np.quantile(score[~harm & (language == name)], 1 - train.FALSE_ALARMS) + everywhere) / 2
             for name in LANGUAGES}
    # Stories are what children hear: where there are any, at most one sentence in two thousand may be stopped.
    story_language = np.array([each[0] for each in told])
    for name in sorted(set(story_language)):
        found[name] = max(found[name], np.quantile(z[len(lines):, 0][story_language == name], 1 - train.STORY_ALARMS))
    cuts = np.array([found[name] for name, *_ in told])
    share = (z[len(lines):, 0] > cuts).mean()
    assert share <= 0.001, f"{share:.4f} of the sentences of finished stories are stopped: lower FALSE_ALARMS"
    return found


def report(lines, told, z, limit):
    harm = np.array([line.harm for line in lines])
    language = np.array([line.language for line in lines])
    theme = np.array([line.theme for line in lines])
    has_context = np.array([bool(line.context) for line in lines])
    score = z[:len(lines), 0]
    stopped = score > np.array([limit[name] for name in language])
    story_language = np.array([each[0] for each in told])
    story_stopped = z[len(lines):, 0] > np.array([limit[name] for name in story_language])
    rows = [("language", "harmful lines stopped, %", "harmless partners stopped, %", "sentences of finished stories, %")]
    for name in LANGUAGES + ["all"]:
        here = (language == name) | (name == "all")
        there = (story_language == name) | (name == "all")
        rows.append((name, wilson(stopped[here & harm].sum(), (here & harm).sum()),
                     wilson(stopped[here & ~harm].sum(), (here & ~harm).sum()),
                     wilson(story_stopped[there].sum(), there.sum())))
    yield rows
    named = np.array(THEMES)[z[:len(lines), 1:].argmax(1)]
    rows = [("theme", "harmful lines stopped, %", "harmless partners stopped, %", "theme named correctly, % of the stopped")]
    for name in THEMES + ["story"]:
        here = theme == name
        caught = here & harm & stopped
        rows.append((name, wilson(caught.sum(), (here & harm).sum()), wilson(stopped[here & ~harm].sum(), (here & ~harm).sum()),
                     wilson((named[caught] == name).sum(), caught.sum())))
    here = has_context & harm
    rows.append(("with context", wilson(stopped[here].sum(), here.sum()),
                 wilson(stopped[has_context & ~harm].sum(), (has_context & ~harm).sum()), ""))
    yield rows
    # Of the harmful lines that are stopped: what they are, and what they are called.
    rows = [("theme", *THEMES)]
    for name in THEMES:
        caught = (theme == name) & harm & stopped
        rows.append((name, *(str((named[caught] == other).sum()) for other in THEMES)))
    yield rows
    author = np.array([line.author for line in lines])
    rows = [("pass held out", "harmful lines stopped, %", "harmless partners stopped, %", "area under the ROC curve")]
    for name in train.AUTHORS:
        here = author == name
        rows.append((name, wilson(stopped[here & harm].sum(), (here & harm).sum()),
                     wilson(stopped[here & ~harm].sum(), (here & ~harm).sum()), f"{area(score[here], harm[here]):.3f}"))
    rows.append(("all", "", "", f"{area(score, harm):.3f}"))
    yield rows
    rows = [("harmless partners stopped, %", "harmful lines stopped, %", "sentences of finished stories stopped, %")]
    for share in (0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2):
        cut = np.quantile(score[~harm], 1 - share)
        rows.append((f"{100 * share:g}", wilson((score[harm] > cut).sum(), harm.sum()),
                     wilson((z[len(lines):, 0] > cut).sum(), len(told))))
    yield rows


def text_of(rows):
    head, *rest = rows
    return "\n".join(["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
                     + ["| " + " | ".join(row) + " |" for row in rest]) + "\n"


# Shares of the harmless and harmful lines of passes a to c, measured with the filter before it had a classifier.
LEXICON = [("lexicon: stops", 16 / 4970, 17 / 4116), ("lexicon: stops or swaps words", 163 / 4970, 211 / 4116)]


def picture(lines, z, limit):
    """docs/safety-recall.svg: recall against false alarms of lines of a pass that was held out."""
    harm = np.array([line.harm for line in lines])
    score = z[:len(lines), 0]
    stopped = score > np.array([limit[line.language] for line in lines])
    left, top, wide, high, most = 60, 20, 560, 320, 0.2

    def place(false, found):
        return left + wide * min(false, most) / most, top + high * (1 - min(found, 0.5) / 0.5)

    cuts = np.quantile(score[~harm], 1 - np.linspace(0.0005, most, 200))
    curve = " ".join("%.1f,%.1f" % place((score[~harm] > cut).mean(), (score[harm] > cut).mean()) for cut in cuts)
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 660 400" font-family="sans-serif" font-size="12">',
             '<rect width="660" height="400" fill="white"/>']
    for share in (0, 0.1, 0.2, 0.3, 0.4, 0.5):
        y = place(0, share)[1]
        parts.append(f'<path d="M{left} {y:.1f}h{wide}" stroke="#ddd"/><text x="52" y="{y + 4:.1f}" text-anchor="end">'
                     f'{100 * share:.0f} %</text>')
    for share in (0, 0.05, 0.1, 0.15, 0.2):
        x = place(share, 0)[0]
        parts.append(f'<text x="{x:.1f}" y="358" text-anchor="middle">{100 * share:.0f} %</text>')
    parts.append(f'<polyline points="{curve}" fill="none" stroke="#06c" stroke-width="2"/>')
    points = LEXICON + [("classifier, as it ships", stopped[~harm].mean(), stopped[harm].mean())]
    for row, (name, false, found) in enumerate(points):
        x, y = place(false, found)
        color = "#06c" if row == 2 else "#c30"
        parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="{color}"/>'
                     f'<circle cx="400" cy="{40 + 18 * row}" r="4" fill="{color}"/>'
                     f'<text x="410" y="{44 + 18 * row}">{name}: {100 * found:.1f} % at {100 * false:.1f} %</text>')
    parts.append('<text x="340" y="385" text-anchor="middle">harmless partners stopped (they differ from the harmful line in a '
                 'word or two)</text>')
    parts.append('<text x="14" y="180" transform="rotate(-90 14 180)" text-anchor="middle">harmful lines stopped</text></svg>')
    (ROOT / "docs/safety-recall.svg").write_text("\n".join(parts) + "\n")


def packed(model, entries, limit):
    number_of = train.numbers_of(entries)
    keys = sorted(number_of)
    rows = model.numbers[[0] + [number_of[key] for key in keys]]
    p = model.parameters
    out = bytearray(b"HMG2")
    out += struct.pack("<6I", len(keys), rows.shape[1], p["dense"].shape[1], network.OUTPUTS, len(model.weights), len(LANGUAGES))
    out += np.array(keys, "<u4").tobytes() + model.steps.astype("<f4").tobytes()
    out += (rows[:, ::2] | rows[:, 1::2] << 4).astype(np.uint8).tobytes()
    out += model.weights.tobytes()
    out += np.array([model.step * train.LINEAR_SHARE, model.bias * train.LINEAR_SHARE], "<f4").tobytes()
    for name in network.ORDER:
        out += p[name].astype("<f4").tobytes()
    cuts = [limit[name] for name in LANGUAGES]
    return checked(out + np.array(cuts + [max(cuts)], "<f4").tobytes())


def replacements(language):
    """What the lexicon of a language says instead of its words, by concept."""
    found, concept = {}, ""
    for line in (words.FILES / f"{language}.txt").read_text("utf-8").splitlines():
        if line.startswith("= "):
            concept = line.split()[1]
        elif " > " in line and line[0] not in "~@%#":
            for form in re.split(r"\|", line.split(" > ", 1)[1]):
                choices = [part.split(",") for part in re.findall(r"\{([^}]*)\}", form)]
                frame = re.split(r"\{[^}]*\}", re.sub(r"/\w+|\([^)]*\)", "", form))
                for chosen in itertools.islice(itertools.zip_longest(*choices, fillvalue=""), 8) if choices else [()]:
                    text = "".join(itertools.chain.from_iterable(itertools.zip_longest(frame, chosen, fillvalue="")))
                    if text.strip():
                        found.setdefault(concept, set()).add(text.strip())
    return found


def raise_over_innocents(limit, model, entries, softer):
    """No innocent sentence of the filter's own tests may be stopped, nor what is said instead of a listed word: a threshold
    lies above them all."""
    known = train.numbers_of(entries)
    tests = ROOT / "Tests/HearthSafetyTests/Fixtures"
    texts = [(path.stem, line[2:]) for path in sorted((tests / "unseen").glob("*.txt"))
             for line in path.read_text("utf-8").splitlines() if line.startswith("= ")]
    cases = [json.loads(line) for line in (tests / "filter_cases.jsonl").read_text("utf-8").splitlines()]
    texts += [(case["lang"], case["text"]) for case in cases if case["expect"] == "pass" and case["lang"] in limit]
    texts += [(language, text) for language, concepts in softer.items() for group in concepts.values() for text in group]
    for case in cases:
        if case["expect"] == "swap" and len(case.get("must_not_contain", [])) == 1 and case["lang"] in limit:
            texts += [(case["lang"], re.sub(re.escape(case["must_not_contain"][0]), lambda _: text, case["text"], flags=re.I))
                      for text in softer[case["lang"]].get(case["concept"], ())]
    scores = model.scores([words.pieces(text, known) for _, text in texts], [[] for _ in texts],
                          train.matrix([(text, "") for _, text in texts]))[:, 0]
    for (language, text), score in zip(texts, scores):
        if score + 0.1 > limit[language]:
            print(f"{language}: {limit[language]:.2f} → {score + 0.1:.2f} for {text}")
            limit[language] = score + 0.1


def raise_over_stories(limit, model, entries):
    """Nor may what the sentences of a finished story add up to."""
    import window
    known = train.numbers_of(entries)
    for language, _, sentences in train.whole_stories():
        scores = window.scored(model, sentences, known)
        # Sentences that are not judged do not come down with the others: once may not be enough.
        while (over := window.excess(window.margins(scores, limit[language])) + 0.05) > 0:
            limit[language] += over + 1e-3


def main():
    lines, told, entries, table, encoded, targets, weights, pairs = train.prepare()
    held = np.load(train.RUNS / "held-out.npz")["z"]
    limit = thresholds(lines, told, held)
    softer = {name: replacements(name) for name in LANGUAGES}
    said = [(name, 0, "", text) for name, concepts in softer.items() for group in concepts.values() for text in sorted(group)]
    more = train.Encoded([], said, entries)
    encoded.texts, encoded.contexts = encoded.texts + more.texts, encoded.contexts + more.contexts
    encoded.features = scipy.sparse.vstack([encoded.features, more.features]).tocsr()
    targets = np.concatenate([targets, np.zeros((len(said), network.OUTPUTS), np.float32)])
    weights = np.concatenate([weights, np.ones(len(said), np.float32)])
    pairs = pairs + [f"softer-{n}" for n in range(len(said))]
    model = train.Model(table, encoded, encoded.texts, encoded.contexts, targets, weights, pairs, np.arange(len(pairs)))
    raise_over_innocents(limit, model, entries, softer)
    raise_over_stories(limit, model, entries)
    (train.RUNS / "thresholds.json").write_text(json.dumps({name: float(cut) for name, cut in limit.items()}))
    MODEL.write_bytes(packed(model, entries, limit))
    print(MODEL.stat().st_size, "bytes; thresholds", {name: round(float(cut), 3) for name, cut in limit.items()})
    rng = np.random.default_rng(5)
    chosen = []
    for name in LANGUAGES:
        here = [n for n, line in enumerate(lines) if line.language == name and len(encoded.texts[n]) < 40
                and len(line.text) < 200]
        plain = [n for n in here if not lines[n].context]
        after = [n for n in here if lines[n].context]
        chosen += list(rng.choice(plain, 14, False)) + list(rng.choice(after, 6, False))
    scores = model.scores([encoded.texts[n] for n in chosen], [encoded.contexts[n] for n in chosen], encoded.features[chosen])
    with GOLDEN.open("w", encoding="utf-8") as file:
        for n, row in zip(chosen, scores):
            line = lines[n]
            file.write(json.dumps({"lang": line.language, "context": line.context, "text": line.text,
                                   "words": len(encoded.texts[n]), "features": len(ngrams.features(line.text)),
                                   "logits": [round(float(value), 6) for value in row]}, ensure_ascii=False) + "\n")


def tables():
    lines, told, *_ = train.prepare()
    held = np.load(train.RUNS / "held-out.npz")["z"]
    path = train.RUNS / "thresholds.json"
    limit = json.loads(path.read_text()) if path.exists() else thresholds(lines, told, held)
    print({name: round(float(cut), 3) for name, cut in limit.items()})
    picture(lines, held, limit)
    for rows in report(lines, told, held, limit):
        print(text_of(rows))
