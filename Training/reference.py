"""Write what check_llama.py compares with: greedy answers of the weights as stored, and tokenised texts.

    python reference.py torch.json

Also prints the held-out loss before and after rounding to float16.
"""

import argparse
import json
import math
import random

import torch

import chat
from export_gguf import from_half, to_half
from generate import Generator
from plans import RUNS
from templates import wishes
from train import heldout, heldout_loss

ODD = ["", " ", "  ", "\n", "\n\n\n", " leading", "trailing ", "tab\tand\rreturn", "Se durmió el dragón, ¿verdad?", "café 1234 x2",
       "一条友好的小龙", "🐉 and 🌙", "<end_of_turn>", "a<start_of_turn>user\nb", "\u2581already", "\"Who?\" asked Pip.", "e\u0301",
       "x" * 60, "don't won't it's", "A\n\nB\nC \n D", " {a}{b} {A.he}  {a.He}{", "{a:x/y} {plan}"]


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("out")
    p.add_argument("--checkpoint", default=RUNS / "checkpoint.pt")
    p.add_argument("--prompts", type=int, default=12)
    p.add_argument("--limit", type=int, default=200)
    p.add_argument("--threads", type=int, default=1)
    a = p.parse_args()
    torch.set_num_threads(a.threads)
    g = Generator(a.checkpoint)
    unseen = heldout(g.t)["plots"]
    before = heldout_loss(g.model, unseen)
    state = g.model.state_dict()
    g.model.load_state_dict({n: torch.from_numpy(from_half(to_half(w.numpy()), w.shape).copy()) if w.ndim == 2 else w
                             for n, w in state.items()})
    after = heldout_loss(g.model, unseen)
    print(f"held-out loss {before:.4f} (perplexity {math.exp(before):.3f}) in float32, {after:.4f} "
          f"({math.exp(after):.3f}) in float16")

    rng = random.Random(3)
    rows = [json.loads(line) for line in (RUNS / "heldout.jsonl").open()]
    prompts = [chat.prompt(w["title"][language], language, rng)
               for w, language in zip(rng.sample(wishes(), a.prompts), list(chat.PROMPT) * a.prompts)]
    prompts += [r["prompt"] for r in rng.sample([r for r in rows if r["kind"] == "plan"], a.prompts)]
    greedy = []
    for user in prompts:
        ids = g.prompt_ids(user)
        (tokens, _), = g.generate([ids], temperature=0, limit=a.limit)
        greedy.append({"prompt": user, "ids": ids, "tokens": tokens, "gaps": g.gaps})
    texts = [r["text"] for r in rows] + [r["prompt"] for r in rows]
    # SentencePiece lets control texts in the input stand for themselves, as runtimes do for user text.
    texts = [{"text": t, "ids": g.t.encode(t)} for t in ODD + texts]
    json.dump({"limit": a.limit, "greedy": greedy, "texts": texts}, open(a.out, "w"))


if __name__ == "__main__":
    main()
