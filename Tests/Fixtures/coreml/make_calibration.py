#!/usr/bin/env python3
"""Writes digits/calibration/: the first 128 pictures that the digits classifier was trained on, and what they show. None of
them is among the 400 held-out ones in digits/images/. Needs scikit-learn and pillow, and make_fixtures.py beside it.

    python3 make_calibration.py
"""
import ast
import os

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))


def borrowed(*names):
    """Functions and constants of make_fixtures.py, without importing what it needs to train."""
    tree = ast.parse(open(os.path.join(HERE, "make_fixtures.py")).read())
    wanted = [n for n in tree.body if isinstance(n, ast.FunctionDef) and n.name in names
              or isinstance(n, ast.Assign) and getattr(n.targets[0], "id", "") in names]
    scope = {"np": np}
    exec(compile(ast.Module(wanted, []), "make_fixtures.py", "exec"), scope)
    return [scope[name] for name in names]


def main():
    from PIL import Image

    split, paint, words = borrowed("split", "paint", "WORDS")
    pictures, classes = split()
    folder = os.path.join(HERE, "digits/calibration")
    os.makedirs(folder, exist_ok=True)
    held_out = {np.asarray(Image.open(os.path.join(HERE, f"digits/images/{i:04d}.png"))).tobytes() for i in range(400)}
    with open(os.path.join(HERE, "digits/calibration.csv"), "w") as labels:
        labels.write("file,label,class\n")
        for index in range(128):
            picture = paint(pictures[index], 32)
            assert picture.tobytes() not in held_out
            Image.fromarray(picture).save(os.path.join(folder, f"{index:04d}.png"), optimize=True)
            labels.write(f"{index:04d}.png,{words[classes[index]]},{classes[index]}\n")


main()
