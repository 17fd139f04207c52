"""Train the model for a given number of tokens.

    python train.py                              # begins, or goes on where runs/checkpoint.pt stands
    python train.py --tokens 40e6 --fresh        # begins anew

The run can be killed at any moment: the checkpoint is replaced as a whole, holds the optimizers and the step, and the steps
are a function of the corpus. The learning rate follows the tokens (warm-up, constant, linear decay to zero), so a repeated
run with the same number of threads is the same run, interrupted or not. Matrices are trained with Muon, the embedding and the
gains with Adam.
"""

import argparse
import csv
import fcntl
import json
import math
import os
import pathlib
import time

import sentencepiece as spm
import torch

from model import Config, Gemma3
from plans import RUNS
from stories import Stories

WARMUP, DECAY = 0.01, 0.25  # shares of the tokens
MUON_LR, ADAM_LR = 0.02, 0.003


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
    """The factor of the learning rates after this share of the tokens."""
    return min(1.0, max(progress, 1e-3) / WARMUP, max(0.0, 1 - progress) / DECAY)


@torch.no_grad()
def heldout_loss(model, stories):
    """Mean cross-entropy per answer token, in float32."""
    total = count = 0
    for numbers in stories.pieces(2048, range(len(stories))):
        ids, answer = stories.padded(numbers)
        n = int(answer.sum())
        total += float(model.loss(ids, answer)) * n
        count += n
    return total / count


def heldout(tokenizer):
    """The held-out sets: plots that the training does not have, and other tellings of those that it has."""
    path = RUNS / "heldout.jsonl"
    return {name: Stories(path, tokenizer, lambda r, name=name: r["set"] == name) for name in ("plots", "tellings")}


def save(path, model, opts, state):
    """A reader, also the next run, never sees half a file."""
    part = path.with_suffix(".part")
    with part.open("wb") as f:
        torch.save({"config": model.c.dict(), "model": model.state_dict(), "state": state,
                    "optimizers": [o.state_dict() for o in opts]}, f)
        f.flush()
        os.fsync(f.fileno())
    part.rename(path)


def load(path):
    saved = torch.load(path, weights_only=True)
    model = Gemma3(Config(**saved["config"]))
    model.load_state_dict(saved["model"])
    return model, saved


def compiled(model):
    """Fuses what lies between the matrix products, which is half of the time of a layer. One program for all lengths, and others for
    single rows, for rows longer than the window, and for measuring."""
    torch._dynamo.config.recompile_limit = 64
    for layer in model.blk:
        layer.compile(dynamic=True)


class Log:
    """runs/log.csv; rows after the checkpoint's step are those of a run that was killed, and are written again."""

    def __init__(self, path, step):
        head = ["step", "tokens", "rate", "train", "plots", "tellings", "seconds"]
        rows = list(csv.reader(path.open())) if path.exists() and step else [head]
        with path.open("w", newline="") as f:
            csv.writer(f).writerows(rows[:1] + [r for r in rows[1:] if int(r[0]) <= step])
        self.file = path.open("a", newline="")

    def write(self, row):
        csv.writer(self.file).writerow(row)
        self.file.flush()
        print(*row, flush=True)


def step(model, stories, pieces, precision):
    """Gradients of the mean loss over all answer tokens of a step; the loss."""
    batches = [stories.padded(numbers) for numbers in pieces]
    answers = sum(int(answer.sum()) for _, answer in batches)
    total = 0.0
    for ids, answer in batches:
        with torch.autocast("cpu", torch.bfloat16, enabled=precision == "bf16"):
            loss = model.loss(ids, answer) * (int(answer.sum()) / answers)
        loss.backward()
        total += loss.item()
    if not math.isfinite(total):
        raise SystemExit("the loss is not finite")
    return total, answers


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--tokens", type=float, default=40e6, help="length of the whole run, prompts counted in")
    p.add_argument("--fresh", action="store_true", help="do not go on with the checkpoint")
    p.add_argument("--step", type=int, default=4096, help="tokens per step")
    p.add_argument("--piece", type=int, default=1024, help="tokens that are computed together, padding counted in")
    p.add_argument("--eager", action="store_true", help="do not compile the layers (which needs g++)")
    p.add_argument("--precision", choices=["f32", "bf16"], default="f32")
    p.add_argument("--width", type=int, default=256)
    p.add_argument("--layers", type=int, default=6)
    p.add_argument("--hidden", type=int, default=768)
    p.add_argument("--threads", type=int, default=2)
    p.add_argument("--stop", type=int, help="end after this step, as if killed after a checkpoint")
    p.add_argument("--save", type=float, default=60, help="seconds between checkpoints")
    p.add_argument("--test", type=float, default=1e6, help="tokens between measurements of the held-out loss")
    p.add_argument("--checkpoint", type=pathlib.Path, default=RUNS / "checkpoint.pt")
    a = p.parse_args()
    lock = a.checkpoint.with_suffix(".lock").open("w")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise SystemExit(f"A run that writes {a.checkpoint} is under way.") from None
    torch.set_num_threads(a.threads)
    torch.manual_seed(1)
    tokenizer = spm.SentencePieceProcessor(model_file=str(RUNS / "tokenizer.model"))
    stories, sets = Stories(RUNS / "train.jsonl", tokenizer), heldout(tokenizer)
    run = {"total": int(a.tokens), "step_tokens": a.step, "piece": a.piece, "precision": a.precision, "eager": a.eager,
           "stories": len(stories), "corpus_tokens": int(stories.starts[-1])}
    state = {"step": 0, "tokens": 0, "answer_tokens": 0, "seconds": 0.0, "run": run}
    shape = dict(width=a.width, layers=a.layers, hidden=a.hidden)
    saved = None
    if a.checkpoint.exists() and not a.fresh:
        model, saved = load(a.checkpoint)
        state = saved["state"]
        if state["run"] != run or any(getattr(model.c, k) != v for k, v in shape.items()):
            raise SystemExit(f"{a.checkpoint} belongs to another run ({state['run']}, {model.c}); --fresh begins anew.")
    else:
        model = Gemma3(Config(vocab=len(tokenizer), **shape))
    if not a.eager:
        compiled(model)
    opts = optimizers(model)
    for o, s in zip(opts, saved["optimizers"] if saved else []):
        o.load_state_dict(s)
    base = [[g["lr"] for g in o.param_groups] for o in optimizers(model)]
    size = sum(x.numel() for x in model.parameters())
    print(f"{size} parameters, {len(stories)} stories, {stories.starts[-1]} tokens, from step {state['step']}", flush=True)

    log = Log(a.checkpoint.with_name("log.csv"), state["step"])
    begin, saved_at, losses = time.time() - state["seconds"], time.time(), []
    for number, (pieces, count) in enumerate(stories.steps(a.step, a.piece)):
        if number < state["step"]:
            continue  # also after a restart the same steps follow
        if state["tokens"] >= run["total"]:
            break
        rate = schedule(state["tokens"] / run["total"])
        for o, rates in zip(opts, base):
            for g, lr in zip(o.param_groups, rates):
                g["lr"] = lr * rate
        loss, answers = step(model, stories, pieces, a.precision)
        torch.nn.utils.clip_grad_norm_(opts[1].param_groups[0]["params"], 1.0)  # Muon's updates have a norm of their own
        for o in opts:
            o.step()
            o.zero_grad()
        losses.append(loss)
        before = state["tokens"]
        state["step"] += 1
        state["tokens"] += count
        state["answer_tokens"] += answers
        state["seconds"] = time.time() - begin
        tested = before // a.test < state["tokens"] // a.test
        if state["step"] % 20 == 0 or tested:
            held = [f"{heldout_loss(model, s):.4f}" if tested else "" for s in sets.values()]
            log.write([state["step"], state["tokens"], f"{rate:.3f}", f"{sum(losses) / len(losses):.4f}", *held,
                       f"{state['seconds']:.0f}"])
            losses = []
        stopping = state["step"] == a.stop
        if stopping or time.time() - saved_at > a.save:
            save(a.checkpoint, model, opts, state)
            saved_at = time.time()
        if stopping:
            return
    state |= {name: heldout_loss(model, s) for name, s in sets.items()}
    save(a.checkpoint, model, opts, state)
    print("; ".join(f"{n}: loss {state[n]:.4f}, perplexity {math.exp(state[n]):.3f}" for n in sets), json.dumps(state))


if __name__ == "__main__":
    main()
