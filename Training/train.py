"""Train the model for a given wall time.

    python train.py --minutes 75                 # writes runs/checkpoint.pt and runs/log.csv
    python train.py --minutes 75 --resume        # continue where the checkpoint stands, perhaps on newer stories

The learning rate follows the clock (warm-up, constant, linear decay to zero), so training ends on time however busy the
machine is. Matrices are trained with Muon, the embedding and the gains with Adam.
"""

import argparse
import csv
import json
import math
import pathlib
import random
import time

import numpy as np
import sentencepiece as spm
import torch

import chat
from make_corpus import wishes
from model import Config, Gemma3

RUNS = pathlib.Path(__file__).resolve().parent / "runs"
WARMUP, DECAY = 0.02, 0.40  # shares of the wall time
MUON_LR, ADAM_LR = 0.02, 0.003


class Stories:
    """Tokenised stories, with prompts drawn anew whenever a story is used."""

    def __init__(self, path, tokenizer):
        self.t = tokenizer
        titles = {w["id"]: w["title"]["en"] for w in wishes()}
        rows = [json.loads(line) for line in path.open()]
        self.titles = [titles[r["wish"]] for r in rows]
        self.answers = [np.array(a, np.uint16) for a in tokenizer.encode([r["text"] for r in rows], num_threads=2)]
        self.end = tokenizer.piece_to_id("<end_of_turn>")
        # The markers and line breaks around the user's text are always tokenised alike.
        piece = tokenizer.piece_to_id
        start, newline = piece("<start_of_turn>"), piece("\n")
        self.head = [tokenizer.bos_id(), start, *tokenizer.encode("user"), newline]
        self.tail = [self.end, newline, start, *tokenizer.encode("model"), newline]

    def __len__(self):
        return len(self.answers)

    def row(self, i, rng):
        """All tokens of a story in its chat turns, and how many of them are prompt."""
        prompt = self.head + self.t.encode(chat.prompt(self.titles[i], rng)) + self.tail
        return np.concatenate([prompt, self.answers[i], [self.end]]), len(prompt)

    def batches(self, tokens, rng, epochs=10**9):
        """Padded batches of at most `tokens` tokens. One story per row, so nothing attends across stories; rows of
        similar length stand together, so little is padding."""
        for _ in range(epochs):
            order = list(range(len(self)))
            rng.shuffle(order)
            for s in range(0, len(order), 2000):
                rows = sorted((self.row(i, rng) for i in order[s : s + 2000]), key=lambda r: len(r[0]))
                cut, batch = [], []
                for r in rows:
                    if batch and len(r[0]) * (len(batch) + 1) > tokens:
                        cut.append(batch)
                        batch = []
                    batch.append(r)
                cut.append(batch)
                rng.shuffle(cut)
                yield from map(padded, cut)


def padded(rows):
    width = max(len(r) for r, _ in rows)
    ids = torch.zeros(len(rows), width, dtype=torch.long)
    answer = torch.zeros(len(rows), width, dtype=torch.bool)
    for i, (r, prompt) in enumerate(rows):
        ids[i, : len(r)] = torch.from_numpy(r.astype(np.int64))
        answer[i, prompt : len(r)] = True
    return ids, answer


class Muon(torch.optim.Optimizer):
    """Momentum whose update is replaced by the nearest orthogonal matrix (five Newton-Schulz steps, float32)."""

    def __init__(self, params, lr, momentum=0.95, decay=0.02):
        super().__init__(params, dict(lr=lr, momentum=momentum, decay=decay))

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            for p in group["params"]:
                buf = self.state[p].setdefault("momentum", torch.zeros_like(p))
                buf.lerp_(p.grad, 1 - group["momentum"])
                x = p.grad.lerp(buf, group["momentum"])
                rows, cols = x.shape
                if rows > cols:
                    x = x.T
                x = x / (x.norm() + 1e-7)
                for _ in range(5):
                    a = x @ x.T
                    x = 3.4445 * x + (-4.7750 * a + 2.0315 * a @ a) @ x
                if rows > cols:
                    x = x.T
                p.mul_(1 - group["lr"] * group["decay"])
                p.add_(x, alpha=-group["lr"] * max(1, rows / cols) ** 0.5)


def optimizers(model):
    matrices = [p for n, p in model.named_parameters() if p.ndim == 2 and "token_embd" not in n]
    others = [p for n, p in model.named_parameters() if p.ndim < 2 or "token_embd" in n]
    return [Muon(matrices, MUON_LR), torch.optim.Adam(others, ADAM_LR, betas=(0.9, 0.98))]


def schedule(progress):
    """The factor of the learning rates after this share of the time."""
    return min(1.0, max(progress, 1e-3) / WARMUP, max(0.0, 1 - progress) / DECAY)


@torch.no_grad()
def heldout_loss(model, stories, limit=10**9):
    """Mean cross-entropy per answer token on held-out stories, with prompts of a fixed seed."""
    total = count = 0
    for i, (ids, answer) in enumerate(stories.batches(6000, random.Random(7), epochs=1)):
        if i == limit:
            break
        n = int(answer.sum())
        total += float(model.loss(ids, answer)) * n
        count += n
    return total / count


def free_threads(most):
    """How many threads to use for the next step: as many as there are processors that nobody else is using.

    Threads of one step wait for each other many times. On a shared machine two of which one must queue for its
    processor are far slower than one alone."""
    time.sleep(0.01)  # let our own workers stop spinning, so that they are not counted
    running = int(pathlib.Path("/proc/loadavg").read_text().split()[3].split("/")[0])
    return max(1, most - max(0, running - 1))


def save(path, model, opts, state):
    tmp = path.with_suffix(".tmp")
    torch.save({"config": model.c.dict(), "model": model.state_dict(), "state": state,
                "optimizers": [o.state_dict() for o in opts]}, tmp)
    tmp.rename(path)  # a reader never sees half a file


def load(path):
    saved = torch.load(path, weights_only=True)
    model = Gemma3(Config(**saved["config"]))
    model.load_state_dict(saved["model"])
    return model, saved


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--minutes", type=float, required=True, help="whole wall time, earlier runs counted in with --resume")
    p.add_argument("--tokens", type=int, default=6000, help="tokens per step, prompts and padding counted in")
    p.add_argument("--width", type=int, default=256)
    p.add_argument("--layers", type=int, default=6)
    p.add_argument("--hidden", type=int, default=512)
    p.add_argument("--resume", action="store_true")
    p.add_argument("--threads", type=int, default=2)
    a = p.parse_args()
    torch.set_num_threads(a.threads)
    torch.manual_seed(1)
    tokenizer = spm.SentencePieceProcessor(model_file=str(RUNS / "tokenizer.model"))
    train, heldout = (Stories(RUNS / f"{n}.jsonl", tokenizer) for n in ("train", "heldout"))
    path = RUNS / "checkpoint.pt"
    state = {"step": 0, "tokens": 0, "answer_tokens": 0, "stories": 0, "seconds": 0.0}
    if a.resume:
        model, saved = load(path)
        state = saved["state"]
    else:
        model = Gemma3(Config(vocab=len(tokenizer), width=a.width, layers=a.layers, hidden=a.hidden))
    opts = optimizers(model)
    if a.resume:
        for o, s in zip(opts, saved["optimizers"]):
            o.load_state_dict(s)
    base = [[g["lr"] for g in o.param_groups] for o in optimizers(model)]
    size = sum(x.numel() for x in model.parameters())
    print(f"{size} parameters, {len(train)} stories, {sum(map(len, train.answers))} answer tokens", flush=True)

    log = open(RUNS / "log.csv", "a" if a.resume else "w", newline="")
    out = csv.writer(log)
    if not a.resume:
        out.writerow(["step", "minutes", "tokens", "rate", "train", "heldout"])
        log.flush()
    begin, saved_at, tested_at, losses = time.time() - state["seconds"], time.time(), time.time(), []
    logged_at = time.time()
    # A resumed run starts another shuffle; the seed keeps it from repeating the first one's order.
    for ids, answer in train.batches(a.tokens, random.Random(state["step"])):
        progress = (time.time() - begin) / (60 * a.minutes)
        if progress >= 1:
            break
        for o, rates in zip(opts, base):
            for g, lr in zip(o.param_groups, rates):
                g["lr"] = lr * schedule(progress)
        torch.set_num_threads(free_threads(a.threads))
        loss = model.loss(ids, answer)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(opts[1].param_groups[0]["params"], 1.0)  # Muon's updates have a norm of their own
        for o in opts:
            o.step()
            o.zero_grad()
        losses.append(loss.item())
        if not math.isfinite(losses[-1]):
            raise SystemExit("the loss is not finite")
        state["step"] += 1
        state["tokens"] += int((ids != 0).sum())
        state["answer_tokens"] += int(answer.sum())
        state["stories"] += len(ids)
        state["seconds"] = time.time() - begin
        if time.time() - logged_at > 30:
            held, logged_at = "", time.time()
            if time.time() - tested_at > 240:
                held, tested_at = f"{heldout_loss(model, heldout, 4):.4f}", time.time()
            mean = sum(losses) / len(losses)
            row = [state["step"], f"{state['seconds'] / 60:.2f}", state["tokens"], f"{schedule(progress):.3f}",
                   f"{mean:.4f}", held]
            out.writerow(row)
            log.flush()
            print(*row, f"{state['tokens'] / state['seconds']:.0f} tokens/s", flush=True)
            losses = []
        if time.time() - saved_at > 120:
            save(path, model, opts, state)
            saved_at = time.time()
    held = heldout_loss(model, heldout)
    state["heldout"] = held
    save(path, model, opts, state)
    print(f"held-out loss {held:.4f}, perplexity {math.exp(held):.3f}; {json.dumps(state)}")


if __name__ == "__main__":
    main()
