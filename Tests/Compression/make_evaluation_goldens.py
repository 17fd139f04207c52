"""Writes Tests/Fixtures/evaluation/goldens.json: the average precision of random boxes by pycocotools, and errors of random numbers
by numpy.

    pip install pycocotools numpy
    python Tests/Compression/make_evaluation_goldens.py

Boxes have few different sizes, places and confidences, so that overlaps lie on a limit, and many are equal. Cases have crowds,
pictures without boxes, classes without labels or without detections, boxes smaller than a pixel, and more than 100 detections.
A resample repeats pictures under new numbers. Where confidences are equal, the order of its detections, and so its precision, would
depend on the numbers: such cases have none.
"""

import contextlib
import io
import json
import pathlib

import numpy as np
from pycocotools.coco import COCO
from pycocotools.cocoeval import COCOeval

# Name, pictures, classes, labelled boxes and detections in a picture (at most), smallest and largest side, whether on a grid.
CASES = [
    ("ordinary", 12, 3, 6, 12, 8, 60, False),
    ("grid", 12, 2, 6, 14, 10, 40, True),
    ("crowds", 10, 2, 5, 16, 10, 60, False),
    ("tiny", 8, 2, 5, 10, 0.2, 3, False),
    ("many", 2, 1, 40, 150, 20, 60, True),
    ("missing", 8, 5, 4, 8, 10, 50, False),
]


def rounded(value, on_grid):
    return float(round(value / 5) * 5) if on_grid else round(float(value), 2)


def boxes(rng, case, count):
    _, _, _, _, _, least, most, on_grid = case
    found = []
    for _ in range(count):
        x, y = (rounded(v, on_grid) for v in rng.uniform(0, most, 2))
        width, height = (max(rounded(v, on_grid), 0.01) for v in rng.uniform(least, most, 2))
        found.append([x, y, width, height])
    return found


def picture(rng, case):
    name, _, classes, labelled, detected, _, _, on_grid = case
    truth, found = [], []
    if name == "missing":
        labels, guesses = [0, 1, 3], [0, 2, 3]
    else:
        labels = guesses = list(range(classes))
    count = int(rng.integers(labelled * 3 // 4, labelled + 1)) if name == "many" else int(rng.integers(0, labelled + 1))
    for box in boxes(rng, case, count):
        crowd = name in ("crowds", "missing") and rng.random() < 0.3
        truth.append([int(rng.choice(labels)), int(crowd), *box])
    # Some detections are near a labelled box, some are one exactly, some are anywhere.
    count = detected if name == "many" else int(rng.integers(0, detected + 1))
    for box in boxes(rng, case, count):
        label = int(rng.choice(guesses))
        if truth and rng.random() < 0.7:
            near = truth[int(rng.integers(len(truth)))]
            label = near[0] if near[0] in guesses and rng.random() < 0.9 else label
            shift = rng.choice([0, 0.02, 0.06, 0.15, 0.3]) * rng.uniform(-1, 1, 4) * np.array([near[4], near[5]] * 2)
            box = [float(v) for v in np.array(near[2:]) + shift]
            box = [round(v, 3) for v in box[:2]] + [max(round(v, 3), 0.01) for v in box[2:]]
        confidence = float(rng.integers(1, 11) / 10) if on_grid else round(float(rng.uniform()), 4)
        found.append([label, confidence, *box])
    return {"labelled": truth, "found": found}


def precision(pictures, classes):
    """The figures of pycocotools; an absent class has none."""
    images = [{"id": number + 1} for number in range(len(pictures))]
    truth, found = [], []
    for number, one in enumerate(pictures):
        for label, crowd, *box in one["labelled"]:
            truth.append({"id": len(truth) + 1, "image_id": number + 1, "category_id": label + 1, "iscrowd": crowd,
                          "bbox": box, "area": box[2] * box[3]})
        for label, confidence, *box in one["found"]:
            found.append({"image_id": number + 1, "category_id": label + 1, "bbox": box, "score": confidence})
    with contextlib.redirect_stdout(io.StringIO()):
        coco = COCO()
        coco.dataset = {"images": images, "annotations": truth, "info": {},
                        "categories": [{"id": n + 1, "name": str(n)} for n in range(classes)]}
        coco.createIndex()
        evaluation = COCOeval(coco, coco.loadRes(found), "bbox")
        evaluation.evaluate()
        evaluation.accumulate()
        evaluation.summarize()
    table = evaluation.eval["precision"][:, :, :, 0, -1]
    shares = [float(table[:, :, k].mean()) if table[0, 0, k] > -1 else None for k in range(classes)]
    average, at50, at75 = (float(v) for v in evaluation.stats[:3])
    return {"average": average, "at50": at50, "at75": at75, "classes": shares}


def detection(rng):
    cases = []
    for case in CASES:
        pictures = [picture(rng, case) for _ in range(case[1])]
        cases.append({
            "name": case[0], "classes": case[2], "pictures": pictures, "expected": precision(pictures, case[2])})
        if not case[-1]:
            weights = [int(v) for v in rng.multinomial(case[1], [1 / case[1]] * case[1])]
            resample = [one for one, weight in zip(pictures, weights) for _ in range(weight)]
            cases[-1]["resample"] = {"weights": weights, "expected": precision(resample, case[2])}
        print(case[0], cases[-1]["expected"])
    return cases


def regression(rng):
    cases = []
    for count, columns in [(1, 1), (2, 1), (40, 1), (30, 3), (10, 2)]:
        labels = np.round(rng.normal(5, 20, (count, columns)), 3)
        if count == 10:
            labels[:, 1] = 4
        answers = np.round(labels + rng.normal(0.3, 4, labels.shape), 3)
        error = answers - labels
        spread = ((labels - labels.mean(0)) ** 2).sum(0)
        with np.errstate(divide="ignore"):
            shares = 1 - (error ** 2).sum(0) / spread
        shares = [float(v) if s > 0 else None for v, s in zip(shares, spread)]
        cases.append({
            "labels": labels.tolist(), "answers": answers.tolist(),
            "columns": [{"mae": float(np.abs(e).mean()), "rmse": float(np.sqrt((e ** 2).mean())), "r2": r}
                        for e, r in zip(error.T, shares)],
            "mae": float(np.abs(error).mean()), "rmse": float(np.sqrt((error ** 2).mean(0)).mean()),
            "r2": None if None in shares else float(np.mean(shares)),
        })
    return cases


rng = np.random.default_rng(11)
target = pathlib.Path(__file__).parent.parent / "Fixtures/evaluation/goldens.json"
target.parent.mkdir(exist_ok=True)
target.write_text(json.dumps({"detection": detection(rng), "regression": regression(rng)}, separators=(",", ":")) + "\n")
print(target, target.stat().st_size, "bytes")
