#!/usr/bin/env python3
"""What each step of calibrated palettes brings: accuracy on held-out pictures, step by step, as a table.

    make build
    python3 Benchmarks/compression/ablation.py                          # the digits fixture
    python3 Benchmarks/compression/ablation.py MODEL.mlpackage --calibrate DIR --images DIR --labels CSV

DIR of --calibrate must hold pictures that are not among --images. CSV has lines 'file,label' with a header. Steps build on each
other: plain (exact k-means of the weights), + importance of inputs, + compensation of errors, + correction of biases, + drift (the
layer aims at the original's outputs given what it gets in the smaller model), + a palette for each 8 channels.
"""
import argparse
import csv
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
DIGITS = ROOT / "Tests/Fixtures/coreml/digits"
STEPS = [("plain", "none"), ("+ importance", "importance"), ("+ compensation", "importance,compensation"),
         ("+ bias", "importance,compensation,bias"), ("+ drift", "importance,compensation,bias,drift")]


def size(path):
    return sum(f.stat().st_size for f in pathlib.Path(path).rglob("*") if f.is_file())


def right(hearth, model, images, rows):
    """How many pictures get the label that the table has for them; labels are words, or numbers in the third column."""
    found = 0
    for start in range(0, len(rows), 500):
        part = rows[start:start + 500]
        run = subprocess.run(
            [hearth, "classify", "--model", model, "--top", "1", "--threshold", "0", "--json"]
            + [os.path.join(images, row[0]) for row in part], check=True, capture_output=True, text=True)
        for line, row in zip(run.stdout.splitlines(), part, strict=True):
            found += json.loads(line)["results"][0]["label"] in row[1:]
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model", nargs="?", default=str(DIGITS / "fp16.mlpackage"))
    parser.add_argument("--calibrate", default=str(DIGITS / "calibration"))
    parser.add_argument("--images", default=str(DIGITS / "images"))
    parser.add_argument("--labels", default=str(DIGITS / "labels.csv"))
    parser.add_argument("--bits", type=int, nargs="+", default=[4, 3, 2])
    parser.add_argument("--group-size", type=int, default=8)
    parser.add_argument("--hearth", default=str(ROOT / ".build/release/hearth"))
    arguments = parser.parse_args()
    with open(arguments.labels, newline="") as file:
        rows = list(csv.reader(file))[1:]
    shared = set(os.listdir(arguments.calibrate)) & {row[0] for row in rows}
    for name in shared:
        same = [pathlib.Path(folder, name).read_bytes() for folder in (arguments.calibrate, arguments.images)]
        if same[0] == same[1]:
            parser.error(f"{name} is among the held-out pictures too")
    original = right(arguments.hearth, arguments.model, arguments.images, rows)
    print(f"{os.path.basename(arguments.model)}: {size(arguments.model):,} bytes, {original} of {len(rows)} right\n")
    print("| bits | steps | bytes | right | share | s |\n|---:|---|---:|---:|---:|---:|", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "small.mlpackage")
        for bits in arguments.bits:
            grouped = (f"+ groups of {arguments.group_size}", STEPS[-1][1])
            for name, steps in STEPS + [grouped]:
                shutil.rmtree(out, ignore_errors=True)
                command = [arguments.hearth, "compress", arguments.model, "--to", f"palette{bits}", "--calibrate",
                           arguments.calibrate, "--steps", steps, "-o", out, "--json"]
                if name == grouped[0]:
                    command += ["--group-size", str(arguments.group_size)]
                begin = time.monotonic()
                subprocess.run(command, check=True, capture_output=True, text=True)
                seconds = time.monotonic() - begin
                count = right(arguments.hearth, out, arguments.images, rows)
                print(f"| {bits} | {name} | {size(out):,} | {count} | {count / len(rows):.2%} | {seconds:.1f} |", flush=True)


main()
