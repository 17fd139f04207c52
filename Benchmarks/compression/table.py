#!/usr/bin/env python3
"""Size and accuracy of every form of the two trained networks in the repository, or of a network of yours, as a table.

    make build
    python3 Benchmarks/compression/table.py                            # digits and wish cards
    python3 Benchmarks/compression/table.py MODEL.mlpackage --calibrate DIR --images DIR --labels CSV

Palettes twice: of the least squared error, and calibrated with 128 pictures of the training (one palette a tensor). Pictures
are held out. Nothing but the program is needed.
"""
import argparse
import json
import os
import pathlib
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
DIGITS, CARDS = ROOT / "Tests/Fixtures/coreml/digits", ROOT / "Tests/Fixtures/cards"
FORMS = ["float16", "int8", "palette6", "palette4", "palette3", "palette2"]


def compress(hearth, model, out, *options):
    subprocess.run([hearth, "compress", model, "-o", out, "--json", *options], check=True, capture_output=True)
    return out


def table(hearth, model, calibrate, images, labels):
    with tempfile.TemporaryDirectory() as folder:
        rows = [("float32", model, None)]
        for form in FORMS:
            plain = compress(hearth, model, os.path.join(folder, form + ".mlpackage"), "--to", form)
            fitted = None
            if form.startswith("palette"):
                fitted = compress(
                    hearth, model, os.path.join(folder, form + "-calibrated.mlpackage"), "--to", form, "--calibrate", calibrate)
            rows.append((form, plain, fitted))
        paths = [path for row in rows for path in row[1:] if path]
        report = json.loads(subprocess.run(
            [hearth, "evaluate", "--images", images, "--labels", labels, "--json", *paths], check=True,
            capture_output=True, text=True).stdout)
    results = dict(zip(paths, report["variants"], strict=True))
    full = results[model]
    print(f"\n{os.path.basename(model)}\n\n| form | bytes | of float32 | top-1 | calibrated |\n|---|---:|---:|---:|---:|")
    for form, plain, fitted in rows:
        one, two = results[plain], results.get(fitted)
        print(f"| {form} | {one['bytes']:,} | {one['bytes'] / full['bytes']:.1%} | {one['top1']:.2%} | "
              + (f"{two['top1']:.2%} |" if two else "|"), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model", nargs="?")
    for name in ("calibrate", "images", "labels"):
        parser.add_argument(f"--{name}")
    parser.add_argument("--hearth", default=str(ROOT / ".build/release/hearth"))
    given = parser.parse_args()
    if given.model:
        return table(given.hearth, given.model, given.calibrate, given.images, given.labels)
    table(given.hearth, str(DIGITS / "fp32.mlpackage"), str(DIGITS / "calibration"), str(DIGITS / "images"),
          str(DIGITS / "labels.csv"))
    table(given.hearth, str(CARDS / "WishCards.mlpackage"), str(CARDS / "calibration"), str(CARDS / "heldout"),
          str(CARDS / "heldout.csv"))


main()
