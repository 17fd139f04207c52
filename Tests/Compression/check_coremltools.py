#!/usr/bin/env python3
"""Every Core ML fixture in every form, read by coremltools: it has to accept the package, infer every type again, and expand
every compressed weight to the bits that Hearth's own reader expands it to.

    python3 Tests/Compression/check_coremltools.py [--hearth .build/release/hearth] [--fixtures FOLDER] [NAME…]

Needs coremltools 9 (pip install coremltools "numpy<2.3"). Leaves with status 1 where anything differs.
"""
import argparse, glob, json, logging, os, shutil, subprocess, sys, tempfile, warnings

warnings.filterwarnings("ignore")
logging.disable(logging.WARNING)
import numpy as np
import coremltools as ct
from coremltools.converters.mil.frontend.milproto.load import load

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
MODES = [
    ["float16"], ["int8"], ["int8", "--asymmetric"], ["int8", "--granularity", "tensor"],
    ["int8", "--granularity", "tensor", "--asymmetric"], ["int8", "--granularity", "block", "--block-size", "8"],
    ["int8", "--granularity", "block", "--block-size", "8", "--asymmetric", "--scale-search"],
    ["int4"], ["int4", "--asymmetric", "--block-size", "8"],
    ["palette8"], ["palette6"], ["palette4"], ["palette3"], ["palette2"], ["palette1"],
    ["palette4", "--group-size", "8"], ["palette2", "--group-size", "4"],
]


def program(path):
    model = ct.models.MLModel(path, skip_model_load=True)
    spec = model.get_spec()
    return spec, load(spec, spec.specificationVersion, model.weights_dir)


def expanded(loaded):
    """Weights of constexpr operations by the name of their result, as float32."""
    weights = {}
    for function in loaded.functions.values():
        for op in function.operations:
            if op.op_type.startswith("constexpr_"):
                value = op.materialized_val_inference()
                weights[op.outputs[-1].name] = np.asarray(value[-1] if isinstance(value, tuple) else value)
    return weights


def constants(loaded):
    return {op.outputs[0].name: np.asarray(op.outputs[0].val) for f in loaded.functions.values() for op in f.operations
            if op.op_type == "const" and getattr(op.outputs[0].val, "dtype", None) in (np.float16, np.float32)}


def check(hearth, source, mode, folder):
    out, full = os.path.join(folder, "out.mlpackage"), os.path.join(folder, "weights")
    for path in (out, full): shutil.rmtree(path, ignore_errors=True)
    run = subprocess.run([hearth, "compress", source, "--to", *mode, "-o", out, "--json"], capture_output=True, text=True)
    if run.returncode: return f"compress: {run.stderr.strip()}", 0
    report = json.loads(run.stdout)
    subprocess.run([hearth, "inspect", out, "--weights", full], check=True, capture_output=True)
    (before, old), (after, new) = program(source), program(out)
    if before.description.SerializeToString(deterministic=True) != after.description.SerializeToString(deterministic=True):
        return "the description changed", 0
    weights, dense = expanded(new), {**constants(old), **expanded(old)}
    if not {t["name"] for t in report["tensors"]} <= set(weights): return "a reported tensor is not compressed", 0
    for name, value in weights.items():
        ours = np.fromfile(os.path.join(full, name + ".f32"), "<f4")
        theirs = value.astype(np.float32).ravel()
        if not np.array_equal(ours.view(np.uint32), theirs.view(np.uint32)): return f"{name} differs from coremltools'", 0
    for tensor in report["tensors"]:
        a, b = dense[tensor["name"]].astype(np.float64), weights[tensor["name"]].astype(np.float64)
        noise = ((a - b) ** 2).sum()
        snr = 300 if noise == 0 else 10 * np.log10((a ** 2).sum() / noise)
        if abs(snr - tensor["snrDB"]) > 0.05: return f"{tensor['name']}: {snr:.2f} dB, reported {tensor['snrDB']:.2f}", 0
    done = {t["name"] for t in report["tensors"]}
    for name, value in {**constants(new), **weights}.items():
        if name not in done and name in dense and not np.array_equal(value, dense[name]): return f"{name} changed", 0
    return None, len(report["tensors"])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--hearth", default=os.path.join(ROOT, ".build/release/hearth"))
    parser.add_argument("--fixtures", default=os.path.join(ROOT, "Tests/Fixtures/coreml"))
    parser.add_argument("names", nargs="*")
    arguments = parser.parse_args()
    paths = sorted(glob.glob(arguments.fixtures + "/digits/*.mlpackage") + glob.glob(arguments.fixtures + "/ops/*.mlpackage"))
    failures = checked = tensors = 0
    with tempfile.TemporaryDirectory() as folder:
        for path in paths:
            name = os.path.basename(path)[:-len(".mlpackage")]
            if arguments.names and name not in arguments.names: continue
            # A folder of weights that is empty is not kept by version control, and the manifest names it.
            copy = os.path.join(folder, "in.mlpackage")
            shutil.rmtree(copy, ignore_errors=True)
            path = shutil.copytree(path, copy)
            os.makedirs(os.path.join(path, "Data/com.apple.CoreML/weights"), exist_ok=True)
            for mode in MODES:
                try: problem, count = check(arguments.hearth, path, mode, folder)
                except Exception as error: problem, count = repr(error)[:300], 0
                checked += 1
                tensors += count
                if problem:
                    failures += 1
                    print(f"FAIL {name} {' '.join(mode)}: {problem}", flush=True)
            print(f"{name}: {len(MODES)} forms", flush=True)
    print(f"{checked} packages, {tensors} weights expanded alike, {failures} failures")
    sys.exit(1 if failures or not checked else 0)


main()
