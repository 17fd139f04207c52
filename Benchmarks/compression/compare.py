#!/usr/bin/env python3
"""Palettes beside coremltools' on the same package in the same run: time, and the squared error of every tensor.

    python3 Benchmarks/compression/compare.py MODEL.mlpackage [--bits 4] [--runs 3] [--hearth .build/release/hearth]

Runs alternate. Time is that of compressing and writing the package, coremltools' without importing its modules and without
loading the model (in its favour). Needs coremltools 9 and scikit-learn.
"""
import argparse, json, logging, os, shutil, statistics, subprocess, sys, tempfile, time, warnings

warnings.filterwarnings("ignore")
logging.disable(logging.WARNING)
import numpy as np
import coremltools as ct
import coremltools.optimize.coreml as cto
from coremltools.converters.mil.frontend.milproto.load import load

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def weights(path):
    model = ct.models.MLModel(path, skip_model_load=True)
    spec = model.get_spec()
    found = {}
    for function in load(spec, spec.specificationVersion, model.weights_dir).functions.values():
        for op in function.operations:
            if op.op_type.startswith("constexpr_"):
                found[op.outputs[0].name] = np.asarray(op.materialized_val_inference())
            elif op.op_type == "const" and getattr(op.outputs[0].val, "size", 0) > 200:
                found[op.outputs[0].name] = np.asarray(op.outputs[0].val)
    return found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("model")
    parser.add_argument("--bits", type=int, nargs="+", default=[4])
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--hearth", default=os.path.join(ROOT, ".build/release/hearth"))
    arguments = parser.parse_args()
    original = weights(arguments.model)
    with tempfile.TemporaryDirectory() as folder:
        for bits in arguments.bits:
            ours, theirs, program = [], [], []
            a, b = os.path.join(folder, "a.mlpackage"), os.path.join(folder, "b.mlpackage")
            for _ in range(arguments.runs):
                shutil.rmtree(a, ignore_errors=True)
                begin = time.monotonic()
                run = subprocess.run(
                    [arguments.hearth, "compress", arguments.model, "--to", f"palette{bits}", "-o", a, "--json"],
                    check=True, capture_output=True, text=True)
                ours.append(time.monotonic() - begin)
                model = ct.models.MLModel(arguments.model, skip_model_load=True)
                config = cto.OptimizationConfig(
                    global_config=cto.OpPalettizerConfig(nbits=bits, mode="kmeans", weight_threshold=200))
                shutil.rmtree(b, ignore_errors=True)
                begin = time.monotonic()
                stderr, sys.stderr = sys.stderr, open(os.devnull, "w")
                cto.palettize_weights(model, config).save(b)
                sys.stderr = stderr
                theirs.append(time.monotonic() - begin)
            errors = {t["name"]: t["squaredError"] for t in json.loads(run.stdout)["tensors"]}
            mine, other = weights(a), weights(b)
            worst, total = [], [0.0, 0.0]
            for name in errors:
                # coremltools calls its results by the old name and an ending.
                match = next((n for n in (name + "_palettized", name) if n in other), None)
                if match is None or other[match].shape != original[name].shape: continue
                x = original[name].astype(np.float64)
                e = [((x - w[n].astype(np.float64)) ** 2).sum() for w, n in ((mine, name), (other, match))]
                total = [total[0] + e[0], total[1] + e[1]]
                worst.append((e[0] / max(e[1], 1e-300), name))
            worst.sort(reverse=True)
            m, t = statistics.median(ours), statistics.median(theirs)
            print(f"{os.path.basename(arguments.model)}, {bits} bits: hearth {m:.2f} s, coremltools {t:.2f} s, "
                  f"{t / m:.1f} times faster; error {total[0] / total[1]:.5f} of theirs, "
                  f"largest ratio of {len(worst)} tensors {worst[0][0]:.6f} ({worst[0][1]})", flush=True)


main()
