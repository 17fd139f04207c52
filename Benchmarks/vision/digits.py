#!/usr/bin/env python3
"""What `hearth classify` makes of 400 pictures of digits that no variant was trained on, variant by variant, as a table.

    make build
    python Benchmarks/vision/digits.py [--hearth .build/release/hearth]

Accuracy is the share of pictures whose likeliest label is the right one, beside the accuracy of an independent reader (float64,
numpy: `mlpkg.py`) that `make_fixtures.py` wrote down; milliseconds are the median of a picture's inference, crop and scale included.
"""
import argparse
import csv
import json
import pathlib
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
DIGITS = ROOT / "Tests/Fixtures/coreml/digits"

# Right of 400, by the independent reader; see the fixtures' README.
EXPECTED = {
    "fp32": 399, "fp32_ios15": 399, "neuralnetwork_fp32": 399, "fp16": 399, "fp16_bgr": 399, "fp16_ios17_intlabels": 399,
    "int8_sym": 399, "uint8_affine": 399, "ios18_int8": 399, "ios18_int4_block8": 398,
    "pal8": 399, "pal6": 399, "pal4": 398, "pal4_fp32": 398, "ios18_pal4_group8": 399, "ios18_pal4_vec2": 395,
    "ios18_pal3": 350, "pal2": 38, "pal1": 49, "sparse50": 34,
}


def size(path):
    files = [path] if path.is_file() else [f for f in path.rglob("*") if f.is_file()]
    return sum(f.stat().st_size for f in files)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--hearth", default=str(ROOT / ".build/release/hearth"))
    arguments = parser.parse_args()

    rows = list(csv.DictReader(open(DIGITS / "labels.csv")))
    images = [str(DIGITS / "images" / row["file"]) for row in rows]
    differing = 0
    print("| variant | bytes | right of 400 | top-1 | reference | ms |")
    print("|---|---:|---:|---:|---:|---:|")
    for name, expected in EXPECTED.items():
        path = DIGITS / f"{name}.mlpackage"
        if not path.exists():
            path = DIGITS / f"{name}.mlmodel"
        run = subprocess.run(
            [arguments.hearth, "classify", "--model", str(path), "--top", "1", "--threshold", "0", "--json"] + images,
            capture_output=True, text=True)
        if run.returncode != 0:
            print(f"| {name} | {size(path):,} | failed: {run.stderr.strip()} | | {expected / 4:.2f} % | |")
            differing += 1
            continue
        lines = [json.loads(line) for line in run.stdout.splitlines()]
        truth = "class" if name.endswith("intlabels") else "label"
        right = sum(line["results"][0]["label"] == row[truth] for line, row in zip(lines, rows, strict=True))
        differing += right != expected
        milliseconds = statistics.median(line["ms"] for line in lines)
        print(f"| {name} | {size(path):,} | {right} | {right / 4:.2f} % | {expected / 4:.2f} % | {milliseconds:.2f} |")
    if differing:
        sys.exit(f"{differing} variants differ from the reference")


if __name__ == "__main__":
    main()
