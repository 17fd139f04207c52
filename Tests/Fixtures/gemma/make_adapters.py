#!/usr/bin/env python3
"""Writes LoRA adapters over the models of this folder, laid out as llama.cpp's convert_lora_to_gguf.py does, and adapters.json
with adapters.logits.f32: what numpy computes with the changes merged into the float32 weights.

    python make_adapters.py        (pip install gguf==0.19.0 numpy; ../reference.py beside the folder, or its folder as argument)

Seed 20261124. Each case has the 48 prompt tokens of its model, 16 greedy tokens of the adapted model, and the logits after some
positions of the 64.
"""
import json
import os
import sys

import numpy
from gguf import GGUFWriter

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(HERE))
from reference import Model  # noqa: E402

random = numpy.random.default_rng(20261124)
POSITIONS = [0, 5, 16, 17, 31, 47, 55, 63]
ATTENTION = ["attn_q", "attn_k", "attn_v", "attn_output"]
FEED = ["ffn_gate", "ffn_up", "ffn_down"]
SMALL = ["inp_gate", "proj", "laurel_l", "laurel_r"]

# Name: base model, rank, alpha (None: missing), targets, layers, type.
ADAPTERS = {
    "lora-gemma1": ("gemma1-f32", 4, 8.0, ATTENTION + FEED, None, numpy.float32),
    "lora-gemma3": ("gemma3-f16", 4, 6.0, ATTENTION + FEED, None, numpy.float16),
    "lora-gemma3-feed": ("gemma3-f16", 7, None, ["ffn_down", "attn_q"], [1, 5], numpy.float32),
    "lora-gemma3n": ("gemma3n-f16", 2, 2.0, ATTENTION + FEED + SMALL, None, numpy.float16),
    "lora-gemma4": ("gemma4-bf16", 3, 3.0, ATTENTION + FEED + SMALL[:2], None, numpy.float16),
}
# Name: base model, adapters with scales.
CASES = {
    "gemma1": ("gemma1-f32", [("lora-gemma1", 1)]),
    "gemma1-q4_0": ("gemma1-q4_0", [("lora-gemma1", 0.5)]),
    "gemma3": ("gemma3-f16", [("lora-gemma3", 1)]),
    "gemma3-weak": ("gemma3-f16", [("lora-gemma3", 0.25)]),
    "gemma3-both": ("gemma3-f16", [("lora-gemma3", 1), ("lora-gemma3-feed", -0.75)]),
    "gemma3n": ("gemma3n-f16", [("lora-gemma3n", 1)]),
    "gemma4": ("gemma4-bf16", [("lora-gemma4", 1)]),
}


def write(name):
    base, rank, alpha, targets, layers, kind = ADAPTERS[name]
    model = Model(f"{HERE}/{base}.gguf")
    writer = GGUFWriter(f"{HERE}/{name}.gguf", model.A)
    writer.add_type("adapter")
    writer.add_string("adapter.type", "lora")
    if alpha is not None:
        writer.add_float32("adapter.lora.alpha", alpha)
    pairs = {}
    for layer in range(model.L) if layers is None else layers:
        for target in targets:
            weights = model.W_(layer, target)
            if weights is None:
                continue
            a = random.standard_normal((rank, weights.shape[1])) / numpy.sqrt(weights.shape[1])
            b = random.standard_normal((weights.shape[0], rank)) * 0.4 * weights.std()
            tensor = f"blk.{layer}.{target}.weight"
            pairs[tensor] = (a.astype(kind), b.astype(kind))
            writer.add_tensor(tensor + ".lora_a", pairs[tensor][0])
            writer.add_tensor(tensor + ".lora_b", pairs[tensor][1])
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return pairs, rank, alpha


def main():
    written = {name: write(name) for name in ADAPTERS}
    cases, logits = [], []
    for name, (base, adapters) in CASES.items():
        model = Model(f"{HERE}/{base}.gguf")
        family = base.split("-")[0]
        prompt = json.load(open(f"{HERE}/{family}.json"))["prompt_ids"]
        before = model.logits(prompt)[-1]
        for adapter, scale in adapters:
            pairs, rank, alpha = written[adapter]
            factor = scale * (alpha / rank if alpha else 1)
            for tensor, (a, b) in pairs.items():
                change = b.astype(numpy.float64) @ a.astype(numpy.float64)
                model.w[tensor] = (model.w[tensor] + factor * change).astype(numpy.float32)
        ids, margins = list(prompt), []
        for _ in range(16):
            row = model.logits(ids)[-1]
            best = numpy.sort(row)[-2:]
            margins.append(float(best[1] - best[0]))
            ids.append(int(row.argmax()))
        all_rows = model.logits(ids)
        change = float(numpy.abs(all_rows[len(prompt) - 1] - before).max())
        print(f"{name:12} largest change of a logit {change:.2f}, smallest margin {min(margins):.3f}")
        cases.append({
            "name": name, "base": base + ".gguf", "adapters": [{"file": a + ".gguf", "scale": s} for a, s in adapters],
            "prompt_ids": prompt, "greedy": ids[len(prompt):], "margins": margins, "positions": POSITIONS})
        logits.append(all_rows[POSITIONS].astype("<f4"))
    json.dump({"vocab": logits[0].shape[1], "cases": cases}, open(f"{HERE}/adapters.json", "w"))
    with open(f"{HERE}/adapters.logits.f32", "wb") as out:
        for rows in logits:
            out.write(rows.tobytes())


main()
