#!/usr/bin/env python3
"""What a JSON Schema costs a token: `hearth bench grammar` beside llguidance, on real schemas with the real pieces of a vocabulary of
262,144 tokens. Both read the same texts in the same tokens, one after the other on one thread.

    pip install llguidance litellm numpy gguf      # litellm carries the vocabularies o200k_base and cl100k_base
    python constraints.py --data maskbench/data --hearth ../../.build/release/hearth [--every 40]

The schemas are those of https://github.com/guidance-ai/jsonschemabench (folder maskbench/data); of each the first valid instance
that both accept. A first mask is counted with the compilation, from the schema's text on; tokenizers are ready before.
"""

import argparse
import base64
import collections
import importlib.util
import json
import pathlib
import subprocess
import tempfile
import time

import gguf
import llguidance
import llguidance.numpy
import numpy as np

COUNT = 262_144


def pieces():
    """Pieces of published vocabularies, in order of rank, up to the wanted number."""
    folder = pathlib.Path(importlib.util.find_spec("litellm").origin).parent / "litellm_core_utils/tokenizers"
    found = {}
    for file in sorted(folder.iterdir(), key=lambda file: -file.stat().st_size):
        if len(file.name) != 40:
            continue  # only tiktoken's files are named by a digest
        for line in file.read_bytes().splitlines():
            piece = base64.b64decode(line.split()[0])
            try:
                piece.decode()
            except UnicodeDecodeError:
                continue
            found.setdefault(piece)
    return list(found)[: COUNT - 260]


def write_vocabulary(path):
    """A vocabulary-only GGUF file; returns the bytes of each token, empty for control tokens."""
    tokens = [b"<pad>", b"<eos>", b"<bos>", b"<unk>"] + [b"<0x%02X>" % byte for byte in range(256)]
    types = [3, 3, 3, 2] + [6] * 256
    plain = [b""] * 4 + [bytes([byte]) for byte in range(256)]
    for piece in pieces():
        tokens.append(piece.replace(b" ", "\u2581".encode()))
        types.append(1)
        plain.append(piece)
    writer = gguf.GGUFWriter(path, "gemma3")
    writer.add_tokenizer_model("llama")
    writer.add_tokenizer_pre("default")
    writer.add_token_list(tokens)
    writer.add_token_scores([0.0] * 260 + [-float(rank) for rank in range(len(tokens) - 260)])
    writer.add_token_types(types)
    writer.add_bos_token_id(2)
    writer.add_eos_token_id(1)
    writer.add_unk_token_id(3)
    writer.add_add_space_prefix(False)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.close()
    return plain


class Tokenizer:
    """What llguidance asks of a tokenizer."""

    eos_token_id, bos_token_id, special_token_ids = 1, 2, [0, 1, 2, 3]

    def __init__(self, tokens):
        self.tokens = [bytes(token) or b"\xff<%d>" % index for index, token in enumerate(tokens)]

    def __call__(self, text):
        return [4 + byte for byte in text]


def run(program, *arguments, lines=None):
    done = subprocess.run([program, *map(str, arguments)], input=lines, capture_output=True)
    if done.returncode:
        return None
    return [json.loads(line) for line in done.stdout.splitlines()]


def peer(tokenizer, schema, ids, rows):
    """Milliseconds to the first mask and microseconds of each later one; None if it refuses the schema or the text."""
    begin = time.perf_counter_ns()
    grammar = llguidance.LLMatcher.grammar_from_json_schema(schema, overrides={"whitespace_flexible": False})
    matcher = llguidance.LLMatcher(tokenizer, grammar)
    if matcher.is_error():
        return None
    llguidance.numpy.fill_next_token_bitmask(matcher, rows)
    first = (time.perf_counter_ns() - begin) / 1e6
    masks = []
    for token in ids:
        if not matcher.consume_token(token):
            return None
        if matcher.is_stopped():
            break
        begin = time.perf_counter_ns()
        llguidance.numpy.fill_next_token_bitmask(matcher, rows)
        masks.append((time.perf_counter_ns() - begin) / 1e3)
    return first, masks


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--hearth", required=True)
    parser.add_argument("--data", required=True, type=pathlib.Path)
    parser.add_argument("--every", type=int, default=40, help="take every Nth schema")
    options = parser.parse_args()
    place = pathlib.Path(tempfile.mkdtemp(prefix="hearth-constraints-"))
    tokens = write_vocabulary(place / "vocabulary.gguf")
    tokenizer = llguidance.LLTokenizer(llguidance.TokenizerWrapper(Tokenizer(tokens)), n_vocab=len(tokens))
    rows = llguidance.numpy.allocate_token_bitmask(1, len(tokens))
    figures = {name: collections.defaultdict(list) for name in ("hearth", "llguidance")}
    refused = collections.Counter()
    for file in sorted(options.data.glob("*.json"))[:: options.every]:
        try:
            case = json.loads(file.read_text())
        except ValueError:
            continue
        text = next((test["data"] for test in case.get("tests", []) if test["valid"]), None)
        if text is None:
            continue
        text = json.dumps(text, ensure_ascii=False, separators=(",", ":"))
        schema = json.dumps(case["schema"])
        (place / "schema.json").write_text(schema)
        (place / "text.json").write_text(text)
        ids = run(
            options.hearth, "tokenize", "--model", place / "vocabulary.gguf", "--lines",
            lines=json.dumps({"text": text}).encode())[0]["ids"]
        theirs = peer(tokenizer, schema, ids, rows)
        ours = run(
            options.hearth, "bench", "grammar", "--model", place / "vocabulary.gguf", "--schema", place / "schema.json",
            "--text-file", place / "text.json", "--each", "--json")
        refused["hearth"] += ours is None
        refused["llguidance"] += theirs is None
        if ours is None or theirs is None:
            continue
        figures["hearth"]["compile"].append(ours[0]["compileMS"])
        figures["hearth"]["mask"] += ours[0]["masksMicros"][1:]
        figures["llguidance"]["compile"].append(theirs[0])
        figures["llguidance"]["mask"] += theirs[1]
    print(f"{'':12} {'schemas':>8} {'refused':>8} {'first mask ms':>24} {'masks':>8} {'mask us':>30}")
    for name, each in figures.items():
        compile_ms, masks = np.array(each["compile"]), np.array(each["mask"])
        first = f"{np.median(compile_ms):.2f} median {np.percentile(compile_ms, 99):.1f} p99"
        mask = f"{np.median(masks):.1f} median {masks.mean():.1f} mean {np.percentile(masks, 99):.0f} p99"
        print(f"{name:12} {len(compile_ms):8} {refused[name]:8} {first:>24} {len(masks):8} {mask:>30}")


if __name__ == "__main__":
    main()
