"""Writes plans.json: plans of tales with answers, as the training scripts write and fill them (Training/plans.py).

    python3 Tests/Fixtures/stories/make_plans.py

`filled` is null where an answer was damaged so that it is to be rejected.
"""

import json
import pathlib
import random
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parents[2] / "Training")]

import make_corpus  # noqa: E402
import plans  # noqa: E402

DAMAGE = {"en": ["{", "}", "{g}", " he ", "{a.they}", "{a:x/y/z/w}", "{a", "{{a}}"],
          "es": [" él ", "{a.he}", "{a:x}", "{y}"], "zh-Hans": ["其他", "它。", "{a:x/y}", "{b.Ta}"]}


def row(tale, rng, names, damage=None):
    language, joint = tale.language, "" if tale.language == "zh-Hans" else " "
    cast, words, _ = make_corpus.cast_of(tale, rng, names[language])
    renamed = plans.order(tale)
    text = "\n\n".join(joint.join(plans.renamed(w, renamed) for w in p) for p in make_corpus.wordings(tale, rng)[:2])
    if damage:
        place = text.index(joint, len(text) // 2) if joint else len(text) // 2
        while text[:place].count("{") != text[:place].count("}"):
            place += 1
        text = text[:place] + damage + text[place:]
    tags = [t for t in tale.tags if t not in plans.UNTOLD_TAGS]
    roles = [(p, plans.called(n) if i else None) for i, (n, p) in enumerate(cast)]
    plan = plans.Plan(language, tale.length, tale.wishes[0], tags, roles, words)
    filled = None if plans.faults(text, plan) else plans.filled(text, language, cast, words)
    return {"language": language, "length": tale.length, "wish": tale.wishes[0], "tags": tags, "cast": cast, "words": words,
            "prompt": plan.prompt(), "text": text, "filled": filled}


def main():
    sources, rows, rng = make_corpus.Sources(), [], random.Random(26)
    for language in plans.LANGUAGES:
        tales = [t for t in sources.tales if t.language == language]
        tales = rng.sample(tales, 6) + [next(t for t in tales if t.words)]
        rows += [row(t, rng, sources.names) for t in tales]
        rows += [row(tales[0], rng, sources.names, damage) for damage in DAMAGE[language]]
    lines = ",\n".join(json.dumps(r, ensure_ascii=False) for r in rows)
    (HERE / "plans.json").write_text(f"[\n{lines}\n]\n", encoding="utf-8")
    print(len(rows), "rows,", sum(r["filled"] is None for r in rows), "to be rejected")


if __name__ == "__main__":
    main()
