#!/usr/bin/env python3
"""Decoding and prompt speed of hearth beside llama.cpp: the same file, the same tokens, in turn, as a ratio.

    pip install numpy llama-cpp-python gguf
    python make_model.py models gemma-2b-q4_0
    python compare.py --model models/gemma-2b-q4_0.gguf [--hearth ../../.build/release/hearth] [--runs 5]

Run it on an idle machine; medians of the pairs are printed, with their spread.
"""

import argparse
import ctypes
import json
import os
import statistics
import subprocess
import tempfile
import time

import llama_cpp
import numpy as np


@llama_cpp.llama_log_callback
def SILENT(level, text, user):
    """Keeps llama.cpp's log out of the table."""


def prompt(count):
    """Ids that exist in every vocabulary of make_model.py, in no pattern that a cache could like."""
    return [2] + [300 + (i * 2654435761) % 200000 for i in range(1, count)]


class Llama:
    def __init__(self, path, threads, context):
        llama_cpp.llama_backend_init()
        llama_cpp.llama_log_set(SILENT, ctypes.c_void_p(0))
        self.model = llama_cpp.llama_model_load_from_file(path.encode(), llama_cpp.llama_model_default_params())
        params = llama_cpp.llama_context_default_params()
        params.n_ctx, params.n_batch = context, 1024
        params.n_threads = params.n_threads_batch = threads
        self.context = llama_cpp.llama_init_from_model(self.model, params)
        self.vocabulary = llama_cpp.llama_vocab_n_tokens(llama_cpp.llama_model_get_vocab(self.model))

    def run(self, tokens, count):
        """(prompt tokens/s, generated tokens/s), greedy."""
        llama_cpp.llama_memory_clear(llama_cpp.llama_get_memory(self.context), False)
        start = time.perf_counter()
        token = self.step(tokens)
        first = time.perf_counter()
        for _ in range(count - 1):
            token = self.step([token])
        end = time.perf_counter()
        return len(tokens) / (first - start), (count - 1) / (end - first)

    def step(self, tokens):
        array = (llama_cpp.llama_token * len(tokens))(*tokens)
        batch = llama_cpp.llama_batch_get_one(array, len(tokens))
        if llama_cpp.llama_decode(self.context, batch) != 0:
            raise RuntimeError("llama_decode failed")
        logits = llama_cpp.llama_get_logits_ith(self.context, -1)
        return int(np.ctypeslib.as_array(logits, (self.vocabulary,)).argmax())



def hearth(binary, path, tokens, count, threads):
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(tokens, file)
        file.flush()
        command = [binary, "generate", "--model", path, "--tokens-file", file.name, "--greedy"]
        command += ["--max-tokens", str(count), "--threads", str(threads), "--json"]
        out = json.loads(subprocess.run(command, capture_output=True, check=True, text=True).stdout)
    return len(tokens) / out["prefillMS"] * 1000, out["tokensPerSecond"]


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    parser = argparse.ArgumentParser()
    parser.add_argument("--model", required=True)
    parser.add_argument("--hearth", default=os.path.join(here, "../../.build/release/hearth"))
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--tokens", type=int, default=48)
    parser.add_argument("--prompt", type=int, default=64)
    a = parser.parse_args()

    peer = Llama(a.model, a.threads, 1280)
    tokens = prompt(a.prompt)
    rows = []
    for run in range(a.runs + 1):
        pair = (hearth(a.hearth, a.model, tokens, a.tokens, a.threads), peer.run(tokens, a.tokens))
        if run:  # the first pair warms the page cache
            rows.append(pair)
    for index, name in enumerate(["prompt", "decode"]):
        ours = [r[0][index] for r in rows]
        theirs = [r[1][index] for r in rows]
        ratios = [x / y for x, y in zip(ours, theirs)]
        print(
            f"{name}: hearth {statistics.median(ours):.1f} tok/s, llama.cpp {statistics.median(theirs):.1f} tok/s, "
            f"ratio {statistics.median(ratios):.2f} [{min(ratios):.2f}..{max(ratios):.2f}]"
        )


if __name__ == "__main__":
    main()
