#!/usr/bin/env python3
"""Measures the judge of a whole story, which adds up what the classifier finds in its sentences. After `train.py vectors`:

    python window.py            scores all stories by models that have not seen them; prints the table of rules

`stories/LANGUAGE.jsonl` are test stories: for each theme a harmful one and a harmless one about the same. Ordinary stories are
the finished ones and one telling of each tale, scored by models that were trained without their third of them.
"""
import json
import pathlib
import struct

import numpy as np

import network
import train
import words

HERE = pathlib.Path(__file__).resolve().parent


def limits():
    data = words.FILES.joinpath("meaning.bin").read_bytes()[:-8]
    count = len(train.LANGUAGES) + 1
    return dict(zip(train.LANGUAGES, struct.unpack(f"<{count}f", data[-4 * count:])))


def tests():
    found = []
    for path in sorted((HERE / "stories").glob("*.jsonl")):
        for line in path.read_text("utf-8").splitlines():
            story = json.loads(line)
            found.append((path.stem, story["theme"], story["label"] == "harm", story["sentences"], story.get("subtle")))
    return found


def scored(model, sentences, known):
    """The scores of the sentences of a story, each after the three before it, and how many words each has."""
    contexts = [" ".join(sentences[max(0, at - 3):at]) for at in range(len(sentences))]
    texts = [words.pieces(text, known)[:network.MOST_WORDS] for text in sentences]
    return (model.scores(texts, [words.pieces(text, known)[-network.MOST_CONTEXT:] for text in contexts],
                         train.matrix(list(zip(sentences, contexts)))), [len(words) for words in texts])


def main():
    lines, told, entries, table, encoded, targets, weights, pairs = train.prepare()
    known = train.numbers_of(entries)

    part = np.array([-1] * len(lines) + [third for _, third, _, _ in told])
    limit = limits()
    ordinary_stories, test_stories = train.whole_stories(), tests()
    ordinary_scores, test_scores = [None] * len(ordinary_stories), [[] for _ in test_stories]
    for third in range(3):
        model = train.Model(table, encoded, encoded.texts, encoded.contexts, targets, weights, pairs, np.where(part != third)[0])
        for number, (language, its, sentences) in enumerate(ordinary_stories):
            if its == third:
                ordinary_scores[number] = scored(model, sentences, known)
        for number, (language, _, _, sentences, _) in enumerate(test_stories):
            test_scores[number].append(scored(model, sentences, known))
        print("trained without third", third, flush=True)
    report([margins(scores, limit[story[0]]) for story, scores in zip(ordinary_stories, ordinary_scores)],
           [(story, [margins(scores, limit[story[0]]) for scores in each]) for story, each in zip(test_stories, test_scores)])


def margins(scores, limit):
    """By how much each sentence is above the threshold of its language; shorter ones are not judged."""
    z, lengths = scores
    return np.where(np.array(lengths) < 4, -9, z[:, 0] - limit)


def highest(margins, window, count):
    """The largest mean of `count` margins among `window` sentences in a row."""
    return max((np.sort(margins[max(0, end - window):end])[-count:].mean() for end in range(count, len(margins) + 1)), default=-99)


def excess(margins):
    """How far a story is above the rule of `StoryEvidence.swift`; it is stopped above 0."""
    return max(margins.max(), highest(margins, 10, 5) + 3.6)


def ships(margins):
    return excess(margins) > 0


def report(ordinary_margins, judged):
    """For each rule: the share of stories that it stops, if it stops that share of the ordinary ones."""
    groups = {"harmful": lambda story: story[2], "of them subtle": lambda story: story[2] and story[4],
              "harmless partners": lambda story: not story[2]}
    print("| rule | ordinary stories |", " | ".join(groups), "|")
    rules = [(f"mean of the {count} highest of {window} sentences" if count > 1 else "one sentence", window, count)
             for window, count in ((1, 1), (8, 2), (8, 3), (8, 4), (10, 5))]
    for name, window, count in rules:
        usual = np.array([highest(each, window, count) for each in ordinary_margins])
        cuts = [np.quantile(usual, 1 - share) for share in (0.003, 0.01)]
        for cut in ([0.0] if count == 1 else []) + cuts:
            shares = [np.mean([highest(each, window, count) > cut for story, scores in judged if chosen(story) for each in scores])
                      for chosen in groups.values()]
            what = name + (", at its threshold" if cut == 0 else "")
            print(f"| {what} | {100 * np.mean(usual > cut):.1f} % |", " | ".join(f"{100 * share:.0f} %" for share in shares), "|")
    shares = [np.mean([ships(each) for story, scores in judged if chosen(story) for each in scores]) for chosen in groups.values()]
    print(f"| as it ships | {100 * np.mean([ships(each) for each in ordinary_margins]):.1f} % |",
          " | ".join(f"{100 * share:.0f} %" for share in shares), "|")


if __name__ == "__main__":
    main()
