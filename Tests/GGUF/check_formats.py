#!/usr/bin/env python3
"""Every block format of GGUF in a whole model: PyPI's gguf makes a tiny Gemma 3 of each (quantized where the package can, random
blocks where it only expands), one of a mixture of all, and for each a twin whose weights are what the package expands them to,
in F32. `hearth score --logits` has to give the same for both, up to what activations of 16 bits cost. The mixture is also cut
into files `NAME-00001-of-00003.gguf`, which have to give the same bytes.

    python3 Tests/GGUF/check_formats.py [--hearth .build/release/hearth] [--only Q3_K]

Needs gguf and numpy. Leaves with status 1 where anything differs. The random seed is 20261123.
"""
import argparse, json, os, subprocess, sys, tempfile

import gguf
import numpy as np
from gguf.quants import QuantError, _type_traits, dequantize, quantize

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SOURCE = os.path.join(ROOT, "Tests/Fixtures/gemma/gemma3-kquant-kmix.gguf")
TYPE = gguf.GGMLQuantizationType
KINDS = sorted(_type_traits) + [TYPE.F16]
# Where a block's scales of half precision begin.
HALVES = {"Q4_1": [0, 2], "Q5_1": [0, 2], "Q2_K": [80, 82], "Q3_K": [108], "Q4_K": [0, 2], "Q5_K": [0, 2], "Q6_K": [208],
          "TQ1_0": [52], "TQ2_0": [64]}


def random_blocks(kind, shape, deviation, random):
    """Blocks whose values deviate about as the tensor's do."""
    elements, size = gguf.GGML_QUANT_SIZES[kind]
    blocks = random.integers(0, 256, (shape[0], shape[1] // elements * size), dtype=np.uint8).reshape(-1, size)

    def set_scale(value):
        half = np.frombuffer(np.float16(value).tobytes(), np.uint8)
        if kind == TYPE.IQ1_M:
            number = int(half[0]) | int(half[1]) << 8
            for word in range(4):
                blocks[:, 49 + 2 * word] = blocks[:, 49 + 2 * word] & 15 | (number >> 4 * word & 15) << 4
        for place in HALVES.get(kind.name, [0]):
            if kind != TYPE.IQ1_M: blocks[:, place:place + 2] = half

    if kind == TYPE.NVFP4:
        # Four floats of eight bits a block, whose numbers grow with their codes.
        codes = np.arange(127, dtype=np.uint8)
        nearest = int(np.abs(gguf.quants.NVFP4.ue4m3_to_fp32(codes) - deviation / 5).argmin())
        blocks[:, :4] = np.clip(nearest + random.integers(-6, 7, (len(blocks), 4)), 1, 126)
        return blocks.reshape(shape[0], -1)
    set_scale(1)
    set_scale(deviation / dequantize(blocks, kind).std())
    return blocks.reshape(shape[0], -1)


def encoded(values, kind, random):
    """The tensor's data in the format, and what they stand for."""
    try:
        data = quantize(values, kind)
    except (QuantError, NotImplementedError):
        data = random_blocks(kind, values.shape, values.std(), random)
    return data, np.ascontiguousarray(dequantize(data, kind), np.float32)


def copy_metadata(reader, writer):
    for name, field in reader.fields.items():
        if name.startswith("GGUF.") or name == "general.architecture": continue
        kind = field.types[0]
        writer.add_key_value(name, field.contents(), kind, field.types[-1] if kind == gguf.GGUFValueType.ARRAY else None)


def write(path, reader, tensors, split=0):
    writer = gguf.GGUFWriter(path, "gemma3", split_max_tensors=split)
    copy_metadata(reader, writer)
    for name, data, kind in tensors:
        writer.add_tensor(name, data, raw_dtype=kind)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def logits(hearth, path, tokens, folder):
    out = os.path.join(folder, "logits.f32")
    run = subprocess.run(
        [hearth, "score", "--model", path, "--tokens-file", tokens, "--logits", out], capture_output=True, text=True,
        env={**os.environ, "HEARTH_BACKGROUND": "0"})
    if run.returncode: raise SystemExit(f"{path}: {run.stderr.strip()}")
    return np.fromfile(out, np.float32)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--hearth", default=os.path.join(ROOT, ".build/release/hearth"))
    parser.add_argument("--only")
    options = parser.parse_args()
    reader = gguf.GGUFReader(SOURCE)
    with open(os.path.join(os.path.dirname(SOURCE), "gemma3-kquant.json")) as file:
        golden = json.load(file)
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        tokens = os.path.join(folder, "ids.json")
        with open(tokens, "w") as file:
            json.dump(golden["prompt_ids"], file)
        names = [[kind] for kind in KINDS] + [KINDS]
        for kinds in names:
            label = kinds[0].name if len(kinds) == 1 else "mixture"
            if options.only and options.only != label: continue
            random = np.random.default_rng(20261123)
            blocks, floats = [], []
            for index, tensor in enumerate(reader.tensors):
                values = np.ascontiguousarray(dequantize(tensor.data, tensor.tensor_type), np.float32)
                kind = kinds[index % len(kinds)]
                elements = gguf.GGML_QUANT_SIZES[kind][0]
                if values.ndim < 2 or values.shape[-1] % elements: kind = TYPE.F32
                data, values = (values, values) if kind == TYPE.F32 else encoded(values, kind, random)
                blocks.append((tensor.name, data, kind))
                floats.append((tensor.name, values, TYPE.F32))
            small, twin = os.path.join(folder, f"{label}.gguf"), os.path.join(folder, f"{label}-f32.gguf")
            write(small, reader, blocks)
            write(twin, reader, floats)
            got, want = (logits(options.hearth, path, tokens, folder) for path in (small, twin))
            error, deviation = float(np.abs(got - want).max()), float(want.std())
            bad = not (error <= 5e-3 * deviation)
            failed |= bad
            used = sorted({kind.name for _, _, kind in blocks if kind != TYPE.F32})
            print(f"{label:8} {'FAILED' if bad else 'ok':6} error {error:.2e} of logits that deviate by {deviation:.2f}: {' '.join(used)}")
            if len(kinds) > 1:
                write(os.path.join(folder, "cut.gguf"), reader, blocks, split=len(blocks) // 3 + 1)
                for part in (1, 2, 3):
                    again = logits(options.hearth, os.path.join(folder, f"cut-{part:05}-of-00003.gguf"), tokens, folder)
                    same = again.tobytes() == got.tobytes()
                    failed |= not same
                    print(f"from file {part} of 3: {'ok' if same else 'FAILED'}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
