#!/usr/bin/env python3
"""Writes blocks.json, blocks.raw and blocks.f32: random blocks of every storage type that the package gguf of PyPI expands
(pip install gguf==0.19.0 numpy), and the float32 values that it makes of them. Seed 20261123."""
import json
import os

import numpy
from gguf.constants import GGML_QUANT_SIZES, GGMLQuantizationType
from gguf.quants import _type_traits, dequantize

HERE = os.path.dirname(os.path.abspath(__file__))
random = numpy.random.default_rng(20261123)
# Where a block's scales of half precision begin.
HALVES = {"Q4_1": [0, 2], "Q5_1": [0, 2], "Q2_K": [80, 82], "Q3_K": [108], "Q4_K": [0, 2], "Q5_K": [0, 2], "Q6_K": [208],
          "TQ1_0": [52], "TQ2_0": [64], "F32": [], "IQ1_M": [], "MXFP4": [], "NVFP4": []}


def blocks_of(kind, count):
    size = GGML_QUANT_SIZES[kind][1]
    blocks = random.integers(0, 256, (count, size), dtype=numpy.uint8)
    for row, block in enumerate(blocks):
        # Moderate scales, and in the last block tiny ones: halves that are denormal.
        exponent = random.integers(0x24, 0x3c) if row < count - 1 else 0
        for place in HALVES.get(kind.name, [0]):
            block[place + 1] = block[place + 1] & 0x83 | (0x3F if kind.name == "BF16" else exponent)
        if kind.name == "F32":
            block[:] = numpy.frombuffer(numpy.float32(random.standard_normal()).tobytes(), numpy.uint8)
        elif kind.name == "MXFP4":
            block[0] = random.integers(120, 136) if row < count - 1 else row % 2
        elif kind.name == "IQ1_M":
            block[55] = block[55] & 15 | exponent & 0xF0
            block[53] = block[53] & 15 | (exponent & 15) << 4
    return blocks


raw, values, types = b"", b"", []
for kind in sorted([*_type_traits, GGMLQuantizationType.F32, GGMLQuantizationType.F16]):
    elements, size = GGML_QUANT_SIZES[kind]
    count = 24 if elements == 1 else 4 if elements < 256 else 3
    blocks = blocks_of(kind, count)
    floats = numpy.ascontiguousarray(dequantize(blocks, kind), numpy.float32).reshape(-1)
    assert numpy.isfinite(floats).all(), kind
    types.append({
        "type": kind.name, "ggml_type": int(kind), "block": elements, "bytes_per_block": size, "count": count,
        "raw_offset": len(raw), "raw_bytes": blocks.nbytes, "value_offset": len(values) // 4, "values": floats.size})
    raw += blocks.tobytes()
    values += floats.tobytes()
for name, content in ("blocks.raw", raw), ("blocks.f32", values):
    with open(os.path.join(HERE, name), "wb") as file:
        file.write(content)
with open(os.path.join(HERE, "blocks.json"), "w") as file:
    rows = ",\n  ".join(json.dumps(row) for row in types)
    file.write('{"raw": "blocks.raw", "values": "blocks.f32", "types": [\n  ' + rows + "\n]}\n")
