"""Tokenised stories, and the batches of a training run: a function of the file and of a seed, so that a run can go on at any step."""

import json
import random

import numpy as np
import torch

CHUNK = 4096  # rows that are sorted by length together


def answer_parts(t):
    """The ids before and after the user's text, which are always tokenised alike, and the end of an answer."""
    piece = t.piece_to_id
    start, end, newline = piece("<start_of_turn>"), piece("<end_of_turn>"), piece("\n")
    head = [t.bos_id(), start, *t.encode("user"), newline]
    return head, [end, newline, start, *t.encode("model"), newline], end


class Stories:
    """Rows of a file of make_corpus.py. `keep` chooses rows by their JSON object."""

    def __init__(self, path, tokenizer, keep=None):
        cache = path.with_suffix(".npz")
        sources = (path, path.with_name("tokenizer.model"))
        if keep or not cache.exists() or any(cache.stat().st_mtime < s.stat().st_mtime for s in sources):
            self.flat, self.starts, self.prompts = self.encoded(path, tokenizer, keep)
            if not keep:
                part = cache.with_name(cache.stem + ".part.npz")
                np.savez(part, flat=self.flat, starts=self.starts, prompts=self.prompts)
                part.rename(cache)
        else:
            saved = np.load(cache)
            self.flat, self.starts, self.prompts = saved["flat"], saved["starts"], saved["prompts"]
        self.lengths = np.diff(self.starts)

    @staticmethod
    def encoded(path, tokenizer, keep):
        head, tail, end = answer_parts(tokenizer)
        parts, prompts = [], []
        with path.open(encoding="utf-8") as f:
            while lines := f.readlines(1 << 24):
                rows = [row for row in map(json.loads, lines) if not keep or keep(row)]
                asked = tokenizer.encode([r["prompt"] for r in rows], num_threads=2)
                for prompt, answer in zip(asked, tokenizer.encode([r["text"] for r in rows], num_threads=2)):
                    prompts.append(len(head) + len(prompt) + len(tail))
                    parts.append(np.array([*head, *prompt, *tail, *answer, end], np.uint16))
        starts = np.concatenate([[0], np.cumsum([len(p) for p in parts])]).astype(np.int64)
        return np.concatenate(parts), starts, np.array(prompts, np.int32)

    def __len__(self):
        return len(self.prompts)

    def padded(self, numbers):
        """Token ids of some rows, and where their answers are. Nothing attends across rows."""
        width = int(self.lengths[numbers].max())
        ids = torch.zeros(len(numbers), width, dtype=torch.long)
        answer = torch.zeros(len(numbers), width, dtype=torch.bool)
        for i, n in enumerate(numbers):
            row = self.flat[self.starts[n] : self.starts[n + 1]]
            ids[i, : len(row)] = torch.from_numpy(row.astype(np.int64))
            answer[i, self.prompts[n] : len(row)] = True
        return ids, answer

    def pieces(self, tokens, order):
        """Rows of about equal length, at most `tokens` with padding."""
        cut, piece = [], []
        for n in sorted(order, key=lambda n: (self.lengths[n], n)):
            if piece and self.lengths[n] * (len(piece) + 1) > tokens:
                cut.append(piece)
                piece = []
            piece.append(int(n))
        return cut + [piece] if piece else cut

    def steps(self, tokens, piece, seed=0):
        """Endless steps of at least `tokens` tokens without padding, each a list of pieces whose gradients are summed. The first
        round goes through the file in its order, later ones in other orders."""
        step, size = [], 0
        epoch = 0
        while True:
            order = list(range(len(self)))
            if epoch:
                random.Random(f"{seed}/{epoch}").shuffle(order)
            for s in range(0, len(order), CHUNK):
                cut = self.pieces(piece, order[s : s + CHUNK])
                random.Random(f"{seed}/{epoch}/{s}").shuffle(cut)
                for numbers in cut:
                    step.append(numbers)
                    size += int(self.lengths[numbers].sum())
                    if size >= tokens:
                        yield step, size
                        step, size = [], 0
            epoch += 1
