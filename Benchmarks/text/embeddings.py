#!/usr/bin/env python3
"""Embeddings beside llama.cpp: `hearth embed --lines` and llama-cpp-python with the same file, texts and threads, in alternating
runs, from the text to the vectors of unit length. Both are loaded before the clock starts, both tokenize, and each vector of one is
compared with the other's.

    python make_model.py models embeddinggemma-q8_0
    python embeddings.py --model models/embeddinggemma-q8_0.gguf --hearth ../../.build/release/hearth [--threads 2] [--runs 7]

llama.cpp gets what serves it best here: all texts of a batch of 2048 tokens as sequences of one `llama_encode`.
"""

import argparse
import ctypes
import json
import random
import statistics
import subprocess
import time

import llama_cpp
import numpy as np

from peer import SILENT

MOST_TOKENS, MOST_TEXTS = 2048, 64
# name: (texts, words of each)
LOADS = {"1 query": (1, 8), "64 sentences": (64, 16), "16 paragraphs": (16, 120), "4 pages": (4, 700)}
WORDS = """the a of and to in is it that was for on with as at by from they we say her she or an will my one all would there
their what so up out if about who get which go me when make can like time no just him know take people into year your good some
could them see other than then now look only come its over think also back after use two how our work first well way even new
want because any these give day most us river garden winter letter station window mountain paper engine doctor village""".split()


class Llama:
    def __init__(self, path, threads):
        llama_cpp.llama_backend_init()
        llama_cpp.llama_log_set(SILENT, ctypes.c_void_p(0))
        self.model = llama_cpp.llama_model_load_from_file(path.encode(), llama_cpp.llama_model_default_params())
        self.vocabulary = llama_cpp.llama_model_get_vocab(self.model)
        params = llama_cpp.llama_context_default_params()
        params.n_ctx = params.n_batch = params.n_ubatch = MOST_TOKENS
        params.n_seq_max = MOST_TEXTS
        params.kv_unified = True
        params.n_threads = params.n_threads_batch = threads
        params.embeddings = True
        params.pooling_type = llama_cpp.LLAMA_POOLING_TYPE_MEAN
        self.context = llama_cpp.llama_init_from_model(self.model, params)
        self.width = llama_cpp.llama_model_n_embd(self.model)
        self.batch = llama_cpp.llama_batch_init(MOST_TOKENS, 0, 1)

    def tokens(self, text):
        text = text.encode()
        array = (llama_cpp.llama_token * (len(text) + 8))()
        count = llama_cpp.llama_tokenize(self.vocabulary, text, len(text), array, len(array), True, False)
        return array[:count]

    def run(self, batch):
        """The vectors of some tokenized texts."""
        place = 0
        for sequence, tokens in enumerate(batch):
            for position, token in enumerate(tokens):
                self.batch.token[place] = token
                self.batch.pos[place] = position
                self.batch.n_seq_id[place] = 1
                self.batch.seq_id[place][0] = sequence
                self.batch.logits[place] = 1
                place += 1
        self.batch.n_tokens = place
        if llama_cpp.llama_encode(self.context, self.batch) != 0:
            raise RuntimeError("llama_encode failed")
        rows = [
            np.ctypeslib.as_array(llama_cpp.llama_get_embeddings_seq(self.context, sequence), (self.width,)).copy()
            for sequence in range(len(batch))
        ]
        return [row / np.linalg.norm(row) for row in rows]

    def embed(self, texts):
        found, batch, count, total = [], [], 0, 0
        for tokens in map(self.tokens, texts):
            if batch and (count + len(tokens) > MOST_TOKENS or len(batch) == MOST_TEXTS):
                found += self.run(batch)
                batch, count = [], 0
            batch.append(tokens)
            count += len(tokens)
            total += len(tokens)
        return found + self.run(batch), total


class Hearth:
    def __init__(self, program, path, threads):
        self.process = subprocess.Popen(
            [program, "embed", "--model", path, "--lines", "--threads", str(threads)], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE)

    def embed(self, texts):
        lines = "".join(json.dumps({"text": text}) + "\n" for text in texts).encode()
        self.process.stdin.write(lines)
        self.process.stdin.flush()
        return [self.process.stdout.readline() for _ in texts]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--model", required=True)
    parser.add_argument("--hearth", required=True)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--runs", type=int, default=7)
    options = parser.parse_args()
    draw = random.Random(5)
    llama = Llama(options.model, options.threads)
    hearth = Hearth(options.hearth, options.model, options.threads)
    print(f"{'':14} {'tokens':>7} {'hearth':>9} {'llama.cpp':>10} tokens/s  {'ratio':>5}  pair by pair   cosine distance")
    for name, (count, words) in LOADS.items():
        texts = [" ".join(draw.choices(WORDS, k=words)) for _ in range(count)]
        pairs, distance = [], 0.0
        for run in range(options.runs + 1):
            begin = time.perf_counter()
            theirs, tokens = llama.embed(texts)
            middle = time.perf_counter()
            lines = hearth.embed(texts)
            end = time.perf_counter()
            if run:  # the first one warms up
                pairs.append((tokens / (end - middle), tokens / (middle - begin)))
                continue
            ours = [np.array(json.loads(line)["embedding"]) for line in lines]
            distance = max(1 - float(a @ b) for a, b in zip(ours, theirs))
        ratios = [a / b for a, b in pairs]
        a, b = (statistics.median(column) for column in zip(*pairs))
        print(f"{name:14} {tokens:7} {a:9.0f} {b:10.0f} {'':8}  {statistics.median(ratios):5.2f}  "
              f"{min(ratios):.2f}..{max(ratios):.2f}   {distance:.1e}")


if __name__ == "__main__":
    main()
