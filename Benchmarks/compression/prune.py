#!/usr/bin/env python3
"""A Core ML package with a share of each weight's elements set to zero, those of least magnitude: as a network looks that was
pruned, without the training that a pruned network usually has behind it.

    python3 Benchmarks/compression/prune.py MODEL.mlpackage OUT.mlpackage --share 0.75

For packages of plain fp16 and fp32 weights. Sizes and offsets stay: only bytes of the file of weights change. Needs numpy.
"""
import argparse
import os
import pathlib
import shutil
import struct
import sys

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "Tests/Fixtures/coreml"))
import mlpkg


def prune(source, target, share, least=200):
    """Returns how many weights were pruned. Those of no more than `least` elements, and vectors, stay."""
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(source, target)
    package = mlpkg.Package(target)
    folder, pruned = os.path.dirname(package.modelpath), 0
    files = {}
    for op in package.block["operations"]:
        value = op["attributes"].get("val") if op["type"] == "const" else None
        if not value or not value["blobFileValue"]: continue
        kind, shape = package.tensor_type(value["type"]["tensorType"])
        count = int(np.prod(shape))
        if kind not in ("fp16", "fp32") or count <= least or sum(n > 1 for n in shape) < 2: continue
        place = value["blobFileValue"]
        path = os.path.join(folder, place["fileName"].replace("@model_path/", ""))
        data = files.setdefault(path, bytearray(pathlib.Path(path).read_bytes()))
        size, start = struct.unpack_from("<QQ", data, place["offset"] + 8)
        values = np.frombuffer(data, np.float16 if size == 2 * count else np.float32, count, start).copy()
        values[np.argsort(np.abs(values), kind="stable")[:round(share * count)]] = 0
        data[start:start + size] = values.tobytes()
        pruned += 1
    for path, data in files.items():
        pathlib.Path(path).write_bytes(data)
    return pruned


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model")
    parser.add_argument("out")
    parser.add_argument("--share", type=float, default=0.75)
    parser.add_argument("--min-elements", type=int, default=200, help="weights of no more elements stay")
    arguments = parser.parse_args()
    print(f"{prune(arguments.model, arguments.out, arguments.share, arguments.min_elements)} weights pruned")
