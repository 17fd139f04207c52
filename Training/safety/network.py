"""The classifier: word vectors, one convolution over three words, pooling, two dense layers. NumPy, forwards and backwards.

Texts lie one after another without padding: `starts` says where each begins. A sentence and its context (up to three
sentences before it) go through the same convolution, told apart by a bias of their own.
"""
import numpy as np

THEMES = ["violence", "abuse", "self-harm", "luring", "undressing", "challenge", "medicine", "danger", "private", "bullying",
          "drugs-alcohol", "horror", "hate"]
OUTPUTS = 1 + len(THEMES)
# Of the outputs that name the theme, beside the one that decides.
THEME_WEIGHT = 1.0
MOST_WORDS = 48
MOST_CONTEXT = 48
ORDER = ["kernel", "segment", "dense", "dense_bias", "out", "out_bias"]


def initial(rng, width, hidden):
    def matrix(rows, columns, gain=1.0):
        return (gain * rng.standard_normal((rows, columns)) / np.sqrt(rows)).astype(np.float32)

    return {"kernel": matrix(3 * width, hidden, 1.4), "segment": np.zeros((2, hidden), np.float32),
            "dense": matrix(4 * hidden, hidden, 1.4), "dense_bias": np.zeros(hidden, np.float32),
            "out": matrix(hidden, OUTPUTS, 0.5), "out_bias": np.zeros(OUTPUTS, np.float32)}


class Text:
    """Some texts, one after another; an empty one has one word of number -1."""

    def __init__(self, lists):
        lists = [words if len(words) else [-1] for words in lists]
        self.words = np.concatenate([np.asarray(words, np.int32) for words in lists])
        self.lengths = np.array([len(words) for words in lists])
        self.starts = np.concatenate([[0], np.cumsum(self.lengths)[:-1]])
        self.owner = np.repeat(np.arange(len(lists)), self.lengths)
        self.is_first = np.zeros(len(self.words), bool)
        self.is_first[self.starts] = True
        self.is_last = np.roll(self.is_first, -1)
        self.present = (self.words >= 0).astype(np.float32)[:, None]


def windows(rows, text):
    """Each word between its neighbours, zeros beyond the ends."""
    before = np.roll(rows, 1, 0)
    before[text.is_first] = 0
    after = np.roll(rows, -1, 0)
    after[text.is_last] = 0
    return np.concatenate([before, rows, after], 1)


def pool(p, text, rows, segment):
    x = windows(rows, text)
    h = np.maximum(x @ p["kernel"] + p["segment"][segment], 0) * text.present
    largest = np.maximum.reduceat(h, text.starts, 0)
    mean = np.add.reduceat(h, text.starts, 0) / text.lengths[:, None]
    return np.concatenate([largest, mean], 1), (x, h, largest)


def pool_back(p, g, grads, text, cache, segment, wants_rows):
    x, h, largest = cache
    hidden = h.shape[1]
    d = (h == largest[text.owner]) * g[:, :hidden][text.owner]
    d += (g[:, hidden:] / text.lengths[:, None])[text.owner]
    d *= (h > 0)
    grads["kernel"] += x.T @ d
    grads["segment"][segment] += d.sum(0)
    if not wants_rows:
        return None
    dx = d @ p["kernel"].T
    width = dx.shape[1] // 3
    before, rows, after = dx[:, :width], dx[:, width:2 * width].copy(), dx[:, 2 * width:]
    shifted = np.roll(before, -1, 0)
    shifted[text.is_last] = 0
    rows += shifted
    shifted = np.roll(after, 1, 0)
    shifted[text.is_first] = 0
    return (rows + shifted) * text.present


def forward(p, table, sentence, context, keep=None):
    """Logits (texts, 1 + themes): harm, then one a theme. `keep` scales the pooled features while training."""
    rows, before = (table[np.maximum(text.words, 0)] * text.present for text in (sentence, context))
    a, cache_a = pool(p, sentence, rows, 0)
    b, cache_b = pool(p, context, before, 1)
    features = np.concatenate([a, b], 1)
    if keep is not None:
        features = features * keep
    hidden = np.maximum(features @ p["dense"] + p["dense_bias"], 0)
    return hidden @ p["out"] + p["out_bias"], (cache_a, cache_b, features, hidden)


def backward(p, dz, sentence, context, cache, keep, wants_rows):
    cache_a, cache_b, features, hidden = cache
    grads = {name: np.zeros_like(value) for name, value in p.items()}
    grads["out"] = hidden.T @ dz
    grads["out_bias"] = dz.sum(0)
    dh = (dz @ p["out"].T) * (hidden > 0)
    grads["dense"] = features.T @ dh
    grads["dense_bias"] = dh.sum(0)
    df = dh @ p["dense"].T
    if keep is not None:
        df = df * keep
    half = df.shape[1] // 2
    a = pool_back(p, df[:, :half], grads, sentence, cache_a, 0, wants_rows)
    b = pool_back(p, df[:, half:], grads, context, cache_b, 1, wants_rows)
    return grads, a, b


def sigmoid(z):
    return 1 / (1 + np.exp(-np.clip(z, -30, 30)))


def loss_gradient(z, targets, weights, groups, rank):
    """Of binary cross entropy of every output, and of pairs in which the harmless line scores above the harmful one."""
    dz = (sigmoid(z) - targets) * weights[:, None]
    dz[:, 1:] *= THEME_WEIGHT
    same = (groups[:, None] == groups[None, :]) & (targets[:, 0][:, None] > targets[:, 0][None, :])
    pull = np.where(same, sigmoid(z[None, :, 0] - z[:, 0][:, None]), 0) * rank
    dz[:, 0] -= pull.sum(1)
    dz[:, 0] += pull.sum(0)
    return dz / len(z)


def train(table, lists, contexts, targets, weights, pairs, *, epochs=8, hidden=64, seed=1, rate=1e-2, drop=0.3,
          word_drop=0.15, rank=4.0, decay=0.02, tune=0.0, tune_decay=0.02, log=None):
    """Adam; pairs stay within a batch. `tune` > 0 also moves the word vectors, at that share of the rate."""
    rng = np.random.default_rng(seed)
    table = table.astype(np.float32)
    original = table.copy() if tune else None
    p = initial(rng, table.shape[1], hidden)
    first = {k: np.zeros_like(v) for k, v in p.items()}
    second = {k: np.zeros_like(v) for k, v in p.items()}
    squares = np.zeros(len(table), np.float32)
    by_pair = {}
    for index, pair in enumerate(pairs):
        by_pair.setdefault(pair, []).append(index)
    groups = list(by_pair.values())
    group_of = np.zeros(len(pairs), np.int64)
    for number, group in enumerate(groups):
        group_of[group] = number
    lists = [np.asarray(words, np.int32) for words in lists]
    contexts = [np.asarray(words, np.int32) for words in contexts]
    batch = 128
    steps = epochs * (len(pairs) // batch)
    step = 0
    for epoch in range(epochs):
        order = [index for number in rng.permutation(len(groups)) for index in groups[number]]
        for begin in range(0, len(order) - batch + 1, batch):
            chosen = order[begin:begin + batch]
            step += 1
            drawn = [[words[rng.random(len(words)) >= word_drop] for words in (lists[i], contexts[i])] for i in chosen]
            sentence, context = (Text([pair[k] for pair in drawn]) for k in (0, 1))
            keep = ((rng.random((len(chosen), 4 * hidden)) >= drop) / (1 - drop)).astype(np.float32)
            z, cache = forward(p, table, sentence, context, keep)
            dz = loss_gradient(z, targets[chosen], weights[chosen], group_of[chosen], rank).astype(np.float32)
            grads, a, b = backward(p, dz, sentence, context, cache, keep, tune > 0)
            now = rate * min(1, step / 80) * max(0.02, 1 - step / steps)
            for k, g in grads.items():
                first[k] += 0.1 * (g - first[k])
                second[k] += 0.01 * (g * g - second[k])
                update = first[k] / (1 - 0.9 ** step) / (np.sqrt(second[k] / (1 - 0.99 ** step)) + 1e-8)
                p[k] -= now * (update + decay * p[k])
            if tune:
                numbers = np.concatenate([sentence.words, context.words])
                g = np.concatenate([a, b])
                known = numbers >= 0
                used, where = np.unique(numbers[known], return_inverse=True)
                total = np.zeros((len(used), table.shape[1]), np.float32)
                np.add.at(total, where, g[known])
                # Adagrad, one rate a word.
                squares[used] += (total * total).mean(1)
                table[used] -= now * tune * (total / (np.sqrt(squares[used])[:, None] + 1e-8)
                                             + tune_decay * (table[used] - original[used]))
        if log:
            log(epoch, p, table)
    return p, table


def predict(p, table, lists, contexts):
    parts = [forward(p, table, Text(lists[i:i + 500]), Text(contexts[i:i + 500]))[0] for i in range(0, len(lists), 500)]
    return np.concatenate(parts)
