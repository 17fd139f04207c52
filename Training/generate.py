"""Sampling from a checkpoint (the runtime's own order: top-k, then top-p, then temperature)."""

import sentencepiece as spm
import torch

import chat
from plans import RUNS
from stories import answer_parts
from train import load


class Generator:
    def __init__(self, checkpoint):
        self.model, _ = load(checkpoint)
        self.model.eval()
        self.t = spm.SentencePieceProcessor(model_file=str(RUNS / "tokenizer.model"))
        self.stop = {self.t.eos_id(), self.t.piece_to_id("<end_of_turn>")}

    def prompt_ids(self, user: str) -> list[int]:
        head, tail, _ = answer_parts(self.t)
        return [*head, *self.t.encode(user.strip()), *tail]

    @torch.no_grad()
    def generate(self, prompts, temperature=0.8, top_k=40, top_p=0.95, limit=480, seed=0):
        """An answer to each prompt, as (ids without the stop token, whether it stopped by itself). The prompts must be
        equally long. Temperature 0 is greedy."""
        dice = torch.Generator().manual_seed(seed)
        self.gaps = []  # of the first answer: how far the best logit lies above the second
        ids = torch.tensor(prompts)
        caches = [[] for _ in self.model.blk]
        out, done, start = [[] for _ in prompts], [False] * len(prompts), 0
        for _ in range(limit):
            logits = self.model.logits(self.model.hidden(ids, caches, start)[:, -1])
            start += ids.shape[1]
            best = logits[0].topk(2).values
            self.gaps.append(round(float(best[0] - best[1]), 4))
            nxt = logits.argmax(-1) if temperature == 0 else sample(logits, temperature, top_k, top_p, dice)
            for i, token in enumerate(nxt.tolist()):
                if not done[i]:
                    done[i] = token in self.stop
                    if not done[i]:
                        out[i].append(token)
            if all(done):
                break
            ids = nxt[:, None]
        return list(zip(out, done))

    def answers(self, users, seed=0, **options):
        """An answer to each user text, as (text, whether it ended by itself), in the order given; those with equally long prompts
        are generated together."""
        prompts = [self.prompt_ids(u) for u in users]
        answers = [None] * len(users)
        for n in sorted({len(p) for p in prompts}):
            group = [i for i, p in enumerate(prompts) if len(p) == n]
            for i, (ids, ended) in zip(group, self.generate([prompts[i] for i in group], seed=seed + n, **options)):
                answers[i] = self.t.decode(ids), ended
        return answers

    def stories(self, titles, language="en", seed=0, **options):
        """A story for each title."""
        return self.answers([chat.PROMPT[language].format(t) for t in titles], seed, **options)


def sample(logits, temperature, top_k, top_p, dice):
    best, index = logits.topk(top_k)
    p = best.softmax(-1)
    best = best.masked_fill(p.cumsum(-1) - p >= top_p, -torch.inf)
    pick = torch.multinomial((best / temperature).softmax(-1), 1, generator=dice)
    return index.gather(1, pick)[:, 0]
