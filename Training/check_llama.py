"""Compare an exported model with llama.cpp, and on request with Hearth's own runtime.

    python check_llama.py ../Models/hearth-nano.gguf --torch torch.json    # run by a Python with llama-cpp-python
    python check_llama.py MODEL --json "Tell a bedtime story about a sleepy bear."
    python check_llama.py MODEL --hearth ../.build/release/hearth

torch.json holds the greedy tokens and the tokenised texts of the training side; `reference.py` here writes it with
the weights read back from the file, so both sides compute with the same numbers.
llama.cpp rounds activations to float16 against F16 matrices. Greedy texts may therefore part where two tokens are nearly
equally likely; the check passes if that is where they do: the best two logits lie less than TIE apart there.
"""

import argparse
import json
import subprocess
import sys
import tempfile

import chat

TIE = 0.05


class Llama:
    def __init__(self, path):
        from llama_cpp import Llama

        self.m = Llama(path, n_ctx=1024, n_threads=1, verbose=False, logits_all=False)

    def encode(self, text, special=False):
        return self.m.tokenize(text.encode(), add_bos=False, special=special)

    def greedy(self, ids, limit):
        out = []
        for token in self.m.generate(ids, temp=0.0, top_k=1, repeat_penalty=1.0):
            if token in (self.m.token_eos(), self.stop()) or len(out) == limit:
                break
            out.append(token)
        return out

    def stop(self):
        return self.encode("<end_of_turn>", special=True)[0]

    def prompt(self, user):
        return [self.m.token_bos(), *self.encode(chat.turns(user), special=True)]


class Hearth:
    def __init__(self, binary, model):
        self.binary, self.model = binary, model

    def greedy(self, ids, limit):
        with tempfile.NamedTemporaryFile("w", suffix=".json") as f:
            json.dump(ids, f)
            f.flush()
            out = subprocess.run([self.binary, "generate", "--model", self.model, "--tokens-file", f.name, "--greedy",
                                  "--max-tokens", str(limit), "--json"], check=True, capture_output=True, text=True)
        return json.loads(out.stdout)["tokens"]

    def encode_all(self, texts):
        lines = "".join(json.dumps({"text": t}) + "\n" for t in texts)
        out = subprocess.run([self.binary, "tokenize", "--model", self.model, "--lines"], input=lines, check=True,
                             capture_output=True, text=True)
        return [json.loads(line)["ids"] for line in out.stdout.splitlines()]


def equal_head(a, b):
    n = next((i for i, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))
    return n


def compare(name, reference, ids):
    """One line on how far greedy answers agree with the reference's; true if they part at near ties only."""
    same, gaps = 0, []
    for r, tokens in zip(reference, ids):
        head = equal_head(r["tokens"], tokens)
        if head == len(r["tokens"]) == len(tokens):
            same += 1
        else:
            gaps.append(r["gaps"][head])
    where = "; the others part where the best two logits are this far apart: " if gaps else ""
    print(f"{name}: {same} of {len(ids)} greedy answers equal{where}{', '.join(f'{g:.3f}' for g in gaps)}")
    return all(g < TIE for g in gaps)


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("model")
    p.add_argument("--torch", help="the file that reference.py wrote")
    p.add_argument("--hearth", help="path of the hearth binary")
    p.add_argument("--json", metavar="PROMPT", help="only print the prompt's ids and the greedy answer's as JSON")
    p.add_argument("--max-tokens", type=int, default=200)
    a = p.parse_args()
    llama = Llama(a.model)
    if a.json:
        ids = llama.prompt(a.json)
        print(json.dumps({"prompt": ids, "tokens": llama.greedy(ids, a.max_tokens)}))
        return
    if not a.torch:
        p.error("--torch FILE is needed")
    ref = json.load(open(a.torch))
    ok = True
    mine = [llama.encode(t["text"]) for t in ref["texts"]]
    bad = [t["text"] for t, m in zip(ref["texts"], mine) if t["ids"] != m]
    print(f"tokenizer, SentencePiece and llama.cpp: {len(mine) - len(bad)} of {len(mine)} texts equal", bad[:3])
    ok &= not bad
    prompts = [llama.prompt(r["prompt"]) for r in ref["greedy"]]
    ok &= prompts == [r["ids"] for r in ref["greedy"]]
    print("chat prompts equal:", prompts == [r["ids"] for r in ref["greedy"]])
    llama_rows = [llama.greedy(i, ref["limit"]) for i in prompts]
    ok &= compare("llama.cpp against PyTorch", ref["greedy"], llama_rows)
    if a.hearth:
        hearth = Hearth(a.hearth, a.model)
        theirs = hearth.encode_all([t["text"] for t in ref["texts"]])
        bad = [t["text"] for t, m in zip(ref["texts"], theirs) if t["ids"] != m]
        print(f"tokenizer, SentencePiece and Hearth: {len(theirs) - len(bad)} of {len(theirs)} texts equal", bad[:3])
        ok &= not bad
        ok &= compare("Hearth against PyTorch", ref["greedy"], [hearth.greedy(i, ref["limit"]) for i in prompts])
    sys.exit(0 if ok else 1)


if __name__ == "__main__":
    main()
