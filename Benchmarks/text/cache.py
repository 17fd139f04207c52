#!/usr/bin/env python3
"""What the format of the key/value cache changes, and what a mapped beginning saves.

    python cache.py quality --model MODEL --texts F… perplexity of texts by format, and how far predictions are from float32's
                                                     (mean Kullback-Leibler divergence, share of positions with the same best
                                                     token); needs numpy
    python cache.py speed --model MODEL              decoding behind 128 and 4096 tokens by format, in turn
    python cache.py prefix --model MODEL             time to the first token by the length of the instructions
    python cache.py efficiency --model MODEL         decoding with --efficiency beside all processors, in turn

Medians are printed. --hearth names the program.
"""

import argparse
import json
import math
import os
import statistics
import subprocess
import tempfile

FORMATS = ["float32", "float16", "int8", "int4"]


def hearth(a, *words, home=None):
    environment = dict(os.environ, HEARTH_BACKGROUND="0", **({"HEARTH_HOME": home} if home else {}))
    command = [a.hearth, *map(str, words), "--json"]
    return json.loads(subprocess.run(command, capture_output=True, check=True, text=True, env=environment).stdout)


def quality(a):
    import numpy

    def log_probabilities(file, tokens):
        rows = numpy.fromfile(file, "<f4").reshape(tokens, -1).astype(numpy.float64)
        rows -= rows.max(1, keepdims=True)
        return rows - numpy.log(numpy.exp(rows).sum(1, keepdims=True))

    print("format     perplexity   against float32   mean KL, 99 % below   same best token")
    total = {kv: 0.0 for kv in FORMATS}
    divergences = {kv: [] for kv in FORMATS}
    same = {kv: [] for kv in FORMATS}
    count = 0
    with tempfile.TemporaryDirectory() as folder:
        for text in a.texts:
            base = None
            for kv in FORMATS:
                file = os.path.join(folder, "logits.f32")
                score = hearth(
                    a, "score", "--model", a.model, "--text-file", text, "--kv", kv, "--logits", file,
                    *(["--threads", a.threads] if a.threads else []))
                rows = log_probabilities(file, score["tokens"])
                base = rows if base is None else base
                total[kv] += score["meanNLL"] * (score["tokens"] - 1)
                divergences[kv].append((numpy.exp(base) * (base - rows)).sum(1))
                same[kv].append(base.argmax(1) == rows.argmax(1))
            count += score["tokens"] - 1
    for kv in FORMATS:
        perplexity = math.exp(total[kv] / count)
        change = 100 * (perplexity / math.exp(total["float32"] / count) - 1)
        all_kl = numpy.concatenate(divergences[kv])
        print(f"{kv:9} {perplexity:11.5f}   {change:+.4f} %          {all_kl.mean():.2e}, {numpy.quantile(all_kl, 0.99):.1e}"
              f"       {100 * numpy.concatenate(same[kv]).mean():.2f} %")
    print(f"{count} predictions")


def speed(a):
    lengths = [128, 4096]
    rows = {kv: [] for kv in FORMATS}
    for _ in range(a.runs):
        for kv in FORMATS:
            result = hearth(
                a, "bench", "text", "--model", a.model, "--kv", kv, "--contexts", "128,4096", "--prompts", "16",
                "--runs", 1, "--tokens", a.tokens, *(["--threads", a.threads] if a.threads else []))
            rows[kv].append([row["tokensPerSecond"] for row in result["decode"]] + [result["dirtyBytes"] / 1e6])
    print("format      " + "".join(f"{n:>8}" for n in lengths) + "   ratio    dirty MB")
    for kv, runs in rows.items():
        short, long, dirty = (statistics.median(column) for column in zip(*runs))
        ratio = statistics.median(run[1] / run[0] for run in runs)
        print(f"{kv:9} {short:10.1f}{long:8.1f} {ratio:7.2f} {dirty:11.1f}")


def prefix(a):
    word = "Tell it gently and keep it short. "
    print("instructions   computed ms   mapped ms   (to the first token)")
    for tokens in a.lengths:
        with tempfile.TemporaryDirectory() as home:
            hearth(a, "compile", "--model", a.model, home=home)
            text = word * max(1, round(tokens / a.tokens_a_sentence))
            words = ["generate", "--model", a.model, "--system", text, "--chat", "Why?", "--max-tokens", 1, "--seed", 1]
            first = hearth(a, *words, home=home)
            mapped = [hearth(a, *words, home=home) for _ in range(a.runs)]
            assert all(run["tokens"] == first["tokens"] for run in mapped)
            later = statistics.median(run["prefillMS"] for run in mapped)
            print(f"{first['promptTokens']:12} {first['prefillMS']:13.0f} {later:11.0f}")


def efficiency(a):
    rows = []
    for _ in range(a.runs):
        pair = []
        for flag in [[], ["--efficiency"]]:
            words = ["bench", "text", "--model", a.model, "--contexts", "128", "--prompts", "16", "--runs", 1]
            pair.append(hearth(a, *words, *flag)["decode"][0]["tokensPerSecond"])
        rows.append(pair)
    full, half = (statistics.median(column) for column in zip(*rows))
    print(f"all processors {full:.1f} tokens/s, --efficiency {half:.1f}, ratio {statistics.median(r[1] / r[0] for r in rows):.2f}")


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["quality", "speed", "prefix", "efficiency"])
    parser.add_argument("--texts", nargs="*", default=[])
    parser.add_argument("--model", required=True)
    parser.add_argument("--hearth", default=os.path.join(here, "../../.build/release/hearth"))
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--tokens", type=int, default=32)
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--lengths", type=int, nargs="*", default=[64, 512, 1024])
    parser.add_argument("--tokens-a-sentence", type=float, default=8)
    a = parser.parse_args()
    globals()[a.what](a)


if __name__ == "__main__":
    main()
