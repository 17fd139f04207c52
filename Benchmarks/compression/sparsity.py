#!/usr/bin/env python3
"""What forms without zeros bring for pruned networks: bytes and accuracy, dense beside sparse, as a table.

    make build
    python3 Benchmarks/compression/sparsity.py                          # the digits and the wish cards of the fixtures
    python3 Benchmarks/compression/sparsity.py MODEL.mlpackage --images DIR --labels CSV

Weights are pruned by magnitude, with no training after it: accuracy says what pruning itself costs first, and then what the form
adds. Accuracy by `hearth evaluate`. Needs numpy.
"""
import argparse
import json
import os
import pathlib
import subprocess
import tempfile

from prune import prune

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
FIXTURES = ROOT / "Tests/Fixtures"
NETWORKS = [
    (FIXTURES / "coreml/digits/fp16.mlpackage", FIXTURES / "coreml/digits/images", FIXTURES / "coreml/digits/labels.csv",
     FIXTURES / "coreml/digits/calibration"),
    (FIXTURES / "cards/WishCards.mlpackage", FIXTURES / "cards/heldout", FIXTURES / "cards/heldout.csv",
     FIXTURES / "cards/calibration"),
]
FORMS = ["float16", "int8", "palette8", "palette6", "palette4", "palette3", "palette2"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model", nargs="?")
    parser.add_argument("--images")
    parser.add_argument("--labels")
    parser.add_argument("--calibrate")
    parser.add_argument("--shares", type=float, nargs="+", default=[0, 0.5, 0.75])
    parser.add_argument("--forms", nargs="+", default=FORMS)
    parser.add_argument("--hearth", default=str(ROOT / ".build/release/hearth"))
    arguments = parser.parse_args()
    networks = NETWORKS
    if arguments.model:
        networks = [(pathlib.Path(arguments.model), arguments.images, arguments.labels, arguments.calibrate)]
    for model, images, labels, calibration in networks:
        print(f"\n{model.parent.name}/{model.name}\n\n| pruned | form | dense | sparse, same version | sparse, iOS 18 | zeros | right: "
              "dense | sparse | iOS 18 |\n|---:|---|---:|---:|---:|---:|---:|---:|---:|", flush=True)
        for share in arguments.shares:
            with tempfile.TemporaryDirectory() as folder:
                source = os.path.join(folder, "pruned.mlpackage")
                prune(str(model), source, share)
                rows = []
                for form in arguments.forms:
                    for calibrate in [False, True] if calibration and form.startswith("palette") else [False]:
                        for sparse in ("off", "auto", "ios18"):
                            out = os.path.join(folder, f"{form}-{calibrate}-{sparse}.mlpackage")
                            command = [arguments.hearth, "compress", source, "--to", form, "--sparse", sparse, "-o", out, "--json"]
                            if calibrate: command += ["--calibrate", str(calibration)]
                            report = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
                            rows.append((form + (", calibrated" if calibrate else ""), out, report))
                found = json.loads(subprocess.run(
                    [arguments.hearth, "evaluate", "--images", str(images), "--labels", str(labels), "--json", source]
                    + [row[1] for row in rows], check=True, capture_output=True, text=True).stdout)
                right = {os.path.basename(v["model"]): v["top1"] for v in found["variants"]}
                print(f"| {share:.0%} | as it is | {size(source):,} | | | | {right['pruned.mlpackage']:.2%} | | |", flush=True)
                for index in range(0, len(rows), 3):
                    three = rows[index:index + 3]
                    zeros = [t.get("sparsity") for t in three[2][2]["tensors"] if t.get("sparsity")]
                    sizes = " | ".join(f"{row[2]['output']['bytes']:,}" for row in three)
                    rights = " | ".join(f"{right[os.path.basename(row[1])]:.2%}" for row in three)
                    print(f"| {share:.0%} | {three[0][0]} | {sizes} | {len(zeros)} of {len(three[2][2]['tensors'])} | {rights} |",
                          flush=True)


def size(path):
    return sum(f.stat().st_size for f in pathlib.Path(path).rglob("*") if f.is_file())


main()
