#!/usr/bin/env python3
"""GGUF files that `hearth compress` writes, beside PyPI's gguf and llama.cpp: q8_0 and q4_0 have to be the reference's bytes
or lose less, everything else has to be the source's bytes. With --llama-cpp, q4_K has to lose no more than llama.cpp's quantizer
(without, no more than the reference's q4_0), and llama.cpp has to load the file and to predict about the same with it.

    python3 Tests/Compression/check_gguf.py [--hearth .build/release/hearth] [--llama-cpp] MODEL.gguf…

Models of F32, F16 or BF16 weights. Needs gguf and numpy, with --llama-cpp llama-cpp-python, which is built from source. Leaves
with status 1 where anything differs.
"""
import argparse, ctypes, json, os, subprocess, sys, tempfile

import gguf
import numpy as np
from gguf.quants import dequantize, quantize

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TYPE = gguf.GGMLQuantizationType
FORMS = {"q8_0": TYPE.Q8_0, "q4_0": TYPE.Q4_0, "q4_K": TYPE.Q4_K}


def reference(values, kind):
    if kind != TYPE.Q4_K: return quantize(values, kind)
    from llama_cpp import _ggml
    library = getattr(_ggml, "libggml_base", None) or _ggml.libggml
    library.ggml_quantize_chunk.restype = ctypes.c_size_t
    rows, width = values.reshape(-1, values.shape[-1]).shape
    blocks = np.zeros((rows, width // 256 * 144), np.uint8)
    library.ggml_quantize_chunk(
        ctypes.c_int(kind.value), values.ctypes.data_as(ctypes.c_void_p), blocks.ctypes.data_as(ctypes.c_void_p),
        ctypes.c_int64(0), ctypes.c_int64(rows), ctypes.c_int64(width), None)
    return blocks


def floats(tensor):
    return np.ascontiguousarray(dequantize(tensor.data, tensor.tensor_type), np.float32)


def logits(path, tokens):
    import llama_cpp
    model = llama_cpp.Llama(path, n_ctx=max(64, len(tokens)), logits_all=True, verbose=False, n_threads=2)
    model.eval(tokens)
    result = np.array(model.scores[: len(tokens)], np.float64)
    model.close()
    return result


def check(hearth, source, form, out, has_llama):
    run = subprocess.run(
        [hearth, "compress", source, "--to", form, "-o", out, "--force", "--json"], capture_output=True, text=True)
    if run.returncode: return [f"compress: {run.stderr.strip()}"], ""
    reported = {t["name"]: t for t in json.loads(run.stdout)["tensors"]}
    before, after = gguf.GGUFReader(source), gguf.GGUFReader(out)
    problems, same, better = [], 0, 0
    old = {t.name: t for t in before.tensors}
    if list(old) != [t.name for t in after.tensors]: return ["the tensors are others"], ""
    for name, field in before.fields.items():
        if name in ("general.file_type", "GGUF.kv_count") : continue
        if name not in after.fields or [p.tobytes() for p in field.parts] != [p.tobytes() for p in after.fields[name].parts]:
            problems.append(f"metadata {name} changed")
    for tensor in after.tensors:
        first = old[tensor.name]
        if tensor.name not in reported:
            if tensor.tensor_type != first.tensor_type or tensor.data.tobytes() != first.data.tobytes():
                problems.append(f"{tensor.name} changed")
            continue
        values = floats(first)
        # Without llama.cpp there is no quantizer for q4_K: it must not lose more than the simpler form of as many bits.
        kind = tensor.tensor_type if has_llama or tensor.tensor_type != TYPE.Q4_K else TYPE.Q4_0
        theirs = reference(values, kind)
        if theirs.tobytes() == tensor.data.tobytes():
            same += 1
            continue
        error = [((dequantize(d, t).reshape(values.shape).astype(np.float64) - values) ** 2).sum()
                 for d, t in ((tensor.data, tensor.tensor_type), (theirs.reshape(tensor.data.shape[0], -1), kind))]
        if error[0] <= error[1]: better += 1
        else: problems.append(f"{tensor.name} ({tensor.tensor_type.name}): error {error[0]:.6g}, the reference's {error[1]:.6g}")
    result = f"{same} tensors of the same bytes, {better} better"
    if not has_llama: return problems, result
    tokens = [2] + [int(t) for t in np.random.default_rng(1).integers(3, 250, 31)]
    try: a = logits(source, tokens)
    except ValueError: return problems, result + "; llama.cpp does not load the source"
    b = logits(out, tokens)
    if not np.isfinite(b).all(): problems.append("logits are not finite")
    cosine = (a * b).sum() / np.sqrt((a * a).sum() * (b * b).sum())
    return problems, f"{result}, logits' cosine {cosine:.5f}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--hearth", default=os.path.join(ROOT, ".build/release/hearth"))
    parser.add_argument("--llama-cpp", action="store_true")
    parser.add_argument("models", nargs="+")
    arguments = parser.parse_args()
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        for model in arguments.models:
            for form in FORMS:
                problems, result = check(arguments.hearth, model, form, os.path.join(folder, "out.gguf"), arguments.llama_cpp)
                print(f"{os.path.basename(model)} {form}: {result or 'refused'}", flush=True)
                for problem in problems: print("  FAIL", problem, flush=True)
                failures += len(problems)
    sys.exit(1 if failures else 0)


main()
