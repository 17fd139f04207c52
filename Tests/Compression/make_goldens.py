#!/usr/bin/env python3
"""Writes Tests/Fixtures/compression/blocks.json: values and what PyPI's gguf makes of them in q8_0 and q4_0, and for q4_K
what llama.cpp's quantizer loses. Needs gguf, numpy and (for q4_K) llama-cpp-python.

    python3 Tests/Compression/make_goldens.py
"""
import ctypes, json, os
import numpy as np
import gguf
from gguf.quants import quantize

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
random = np.random.default_rng(4)
parts = [
    random.normal(0, 0.02, 1024), random.normal(0, 1, 512) ** 3, np.zeros(64), random.uniform(-1, 0, 128) - 3,
    np.full(64, 0.7), np.arange(-32, 32) / 8, random.integers(-8, 9, 128) / 16, random.normal(0, 1e-6, 64),
]
values = np.concatenate(parts).astype(np.float32)
values = values[: len(values) // 256 * 256]
out = {
    "values": values.tobytes().hex(),
    "q8_0": quantize(values, gguf.GGMLQuantizationType.Q8_0).tobytes().hex(),
    "q4_0": quantize(values, gguf.GGMLQuantizationType.Q4_0).tobytes().hex(),
}
try:
    from llama_cpp import _ggml
    lib = _ggml.libggml_base if hasattr(_ggml, "libggml_base") else _ggml.libggml
    lib.ggml_quantize_chunk.restype = ctypes.c_size_t
    blocks = np.zeros(len(values) // 256 * 144, np.uint8)
    lib.ggml_quantize_chunk(
        ctypes.c_int(12), values.ctypes.data_as(ctypes.c_void_p), blocks.ctypes.data_as(ctypes.c_void_p), ctypes.c_int64(0),
        ctypes.c_int64(1), ctypes.c_int64(len(values)), None)
    back = gguf.quants.dequantize(blocks, gguf.GGMLQuantizationType.Q4_K)
    out["q4_K_squared_errors"] = [float(e) for e in ((back.astype(np.float64) - values) ** 2).reshape(-1, 256).sum(1)]
    out["q4_K"] = blocks.tobytes().hex()
    out["q4_K_values"] = back.astype(np.float32).tobytes().hex()
except ImportError as error:
    print("no q4_K:", error)
with open(os.path.join(ROOT, "Tests/Fixtures/compression/blocks.json"), "w") as file:
    json.dump(out, file, indent=1)
    file.write("\n")
