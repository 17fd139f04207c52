#!/usr/bin/env python3
"""Makes `rectangles/`: a detector of red, green and blue rectangles, built by hand, so that what it has to find is known exactly.

    pip install coremltools numpy pillow
    python Tests/Fixtures/coreml/make_rectangles.py

The picture, 64 x 64 RGB, is cut into four quadrants; each may hold one rectangle of each colour, on black, gray or white.
A 1 x 1 convolution and a ReLU give each colour's cover of each pixel, 0 to 1: red - green / 2 - blue / 2 is 0 for every gray.
The largest cover of each column and of each row of a quadrant is the rectangle's shadow. The sum of a shadow is its length, and the
mean of its places is its centre, so edges between pixels are found exactly as well. Beside each box the network claims
two worse ones, with lower scores, that suppression has to remove: 4 quadrants x 3 colours x 3 = 36 boxes.

    boxes.mlpackage     outputs `coordinates` [36, 4] and `confidence` [36, 3], as Core ML's detectors have them, unsuppressed
    nms.mlpackage       `non_maximum_suppression` as the last operation: [1, 12, 4], [1, 12, 3], [1, 12], [1]
    joined.mlpackage    one output [1, 7, 36] in pixels, as YOLO has it
    street.png          160 x 120, a rectangle of each colour on gray
    goldens.json        for some pictures, by numpy alone: the boxes that have to come out of each (and, for `nms`, which remain)
"""
import json
import pathlib
import shutil

import numpy as np
from PIL import Image

import coremltools as ct
from coremltools.converters.mil import Builder as mb
from coremltools.converters.mil.mil import types

HERE = pathlib.Path(__file__).parent / "rectangles"
SIZE, HALF = 64, 32
LABELS = ["red", "green", "blue"]
WEIGHT = np.array([[1, -0.5, -0.5], [-0.5, 1, -0.5], [-0.5, -0.5, 1]], np.float32).reshape(3, 3, 1, 1)
PLACES = (np.arange(HALF) + 0.5).astype(np.float32)
# What is claimed beside a box: moved, enlarged, and how sure.
CLAIMS = [(0.0, 0.0, 1.0, 1.0), (0.02, 0.01, 1.0, 0.75), (-0.01, 0.0, 1.15, 0.5)]
IOU, SCORE, MOST = 0.45, 0.25, 12
EPSILON = 1e-4


def boxes_and_scores(x):
    """The network up to its boxes [1, 36, 4] and scores [1, 36, 3], in MIL."""
    cover = mb.relu(x=mb.conv(x=x, weight=WEIGHT, pad_type="valid"), name="cover")
    ends = dict(pad_type="valid")
    columns = mb.max_pool(x=cover, kernel_sizes=[HALF, 1], strides=[HALF, 1], **ends)  # [1, 3, 2, 64]
    rows = mb.max_pool(x=cover, kernel_sizes=[1, HALF], strides=[1, HALF], **ends)  # [1, 3, 64, 2]
    columns = mb.reshape(x=columns, shape=[1, 3, 2, 2, HALF])  # quadrant row, quadrant column, place
    rows = mb.transpose(x=mb.reshape(x=rows, shape=[1, 3, 2, HALF, 2]), perm=[0, 1, 2, 4, 3])
    score = mb.max_pool(x=cover, kernel_sizes=[HALF, HALF], strides=[HALF, HALF], **ends)  # [1, 3, 2, 2]

    def shadow(occupied, offset):
        length = mb.reduce_sum(x=occupied, axes=[4], keep_dims=False)
        moment = mb.reduce_sum(x=mb.mul(x=occupied, y=PLACES), axes=[4], keep_dims=False)
        centre = mb.real_div(x=moment, y=mb.add(x=length, y=np.float32(EPSILON)))
        return mb.mul(x=mb.add(x=centre, y=offset), y=np.float32(1 / SIZE)), mb.mul(x=length, y=np.float32(1 / SIZE))

    cx, w = shadow(columns, np.array([[0, HALF], [0, HALF]], np.float32).reshape(1, 1, 2, 2))
    cy, h = shadow(rows, np.array([[0, 0], [HALF, HALF]], np.float32).reshape(1, 1, 2, 2))
    all_boxes, all_scores = [], []
    for dx, dy, scale, sure in CLAIMS:
        edges = [mb.add(x=cx, y=np.float32(dx)), mb.add(x=cy, y=np.float32(dy)),
                 mb.mul(x=w, y=np.float32(scale)), mb.mul(x=h, y=np.float32(scale))]
        edges = mb.stack(values=edges, axis=4)  # [1, 3, 2, 2, 4]
        all_boxes.append(mb.reshape(x=edges, shape=[1, 12, 4]))
        one_hot = (np.eye(3, dtype=np.float32) * np.float32(sure)).reshape(1, 3, 1, 3)
        flat = mb.reshape(x=score, shape=[1, 3, 4, 1])
        all_scores.append(mb.reshape(x=mb.mul(x=flat, y=one_hot), shape=[1, 12, 3]))
    return mb.concat(values=all_boxes, axis=1, name="boxes"), mb.concat(values=all_scores, axis=1, name="scores")


def save(name, finish):
    @mb.program(input_specs=[mb.TensorSpec(shape=(1, 3, SIZE, SIZE))], opset_version=ct.target.iOS16)
    def program(image):
        return finish(*boxes_and_scores(image))

    model = ct.convert(
        program, convert_to="mlprogram", minimum_deployment_target=ct.target.iOS16,
        inputs=[ct.ImageType(name="image", shape=(1, 3, SIZE, SIZE), scale=1 / 255, color_layout="RGB")],
        compute_precision=ct.precision.FLOAT32, compute_units=ct.ComputeUnit.CPU_ONLY, skip_model_load=True)
    model.short_description = "Finds red, green and blue rectangles; built by hand."
    if name == "joined":
        model.user_defined_metadata["names"] = "{0: 'red', 1: 'green', 2: 'blue'}"
    else:
        model.user_defined_metadata["classes"] = ",".join(LABELS)
    path = HERE / f"{name}.mlpackage"
    shutil.rmtree(path, ignore_errors=True)
    model.save(str(path))
    spec = model.get_spec()
    print(name, [(o.name, list(o.type.multiArrayType.shape)) for o in spec.description.output],
          sum(f.stat().st_size for f in path.rglob("*") if f.is_file()), "bytes")


def plain(boxes, scores):
    return (mb.reshape(x=boxes, shape=[36, 4], name="coordinates"),
            mb.reshape(x=scores, shape=[36, 3], name="confidence"))


def suppressed(boxes, scores):
    return mb.non_maximum_suppression(
        boxes=boxes, scores=scores, iou_threshold=np.float32(IOU), score_threshold=np.float32(SCORE),
        max_boxes=MOST, per_class_suppression=True, name="nms")


def joined(boxes, scores):
    pixels = mb.mul(x=boxes, y=np.float32(SIZE))
    both = mb.concat(values=[pixels, scores], axis=2)
    return mb.transpose(x=both, perm=[0, 2, 1], name="output")


# The same in numpy, written from the description above and not from the program.

def reference(picture):
    """picture [64, 64, 3] uint8 -> boxes [36, 4], scores [36, 3], float64."""
    colour = picture.astype(np.float64) / 255
    boxes, scores = [], []
    for channel in range(3):
        others = [c for c in range(3) if c != channel]
        cover = np.maximum(0, colour[..., channel] - colour[..., others].sum(-1) / 2)
        for down in range(2):
            for across in range(2):
                part = cover[down * HALF:(down + 1) * HALF, across * HALF:(across + 1) * HALF]
                xs, ys = part.max(0), part.max(1)
                w, h = xs.sum(), ys.sum()
                cx = (xs * (np.arange(HALF) + 0.5)).sum() / (w + EPSILON) + across * HALF
                cy = (ys * (np.arange(HALF) + 0.5)).sum() / (h + EPSILON) + down * HALF
                boxes.append([cx / SIZE, cy / SIZE, w / SIZE, h / SIZE])
                row = [0.0, 0.0, 0.0]
                row[channel] = part.max()
                scores.append(row)
    boxes, scores = np.array(boxes), np.array(scores)
    all_boxes, all_scores = [], []
    for dx, dy, scale, sure in CLAIMS:
        all_boxes.append(boxes * [1, 1, scale, scale] + [dx, dy, 0, 0])
        all_scores.append(scores * sure)
    return np.concatenate(all_boxes), np.concatenate(all_scores)


def overlap(a, b):
    ax, ay, bx, by = a[0] - a[2] / 2, a[1] - a[3] / 2, b[0] - b[2] / 2, b[1] - b[3] / 2
    w = min(ax + a[2], bx + b[2]) - max(ax, bx)
    h = min(ay + a[3], by + b[3]) - max(ay, by)
    common = max(0, w) * max(0, h)
    return common / (a[2] * a[3] + b[2] * b[3] - common) if common else 0.0


def remaining(boxes, scores):
    """Indices that greedy suppression within each class leaves, best first."""
    best = scores.max(1)
    order = [i for i in np.argsort(-best, kind="stable") if best[i] > SCORE]
    kept = []
    for i in order:
        if not any(scores[i].argmax() == scores[j].argmax() and overlap(boxes[i], boxes[j]) > IOU for j in kept):
            kept.append(int(i))
    return kept


def pictures():
    """Rectangles [x, y, width, height, colour] in pixels on backgrounds; one of a colour in a quadrant."""
    rng = np.random.default_rng(7)
    for number in range(8):
        background = [0, 255, 128, 40][number % 4]
        picture = np.full((SIZE, SIZE, 3), background, np.uint8)
        rectangles = []
        for down in range(2):
            for across in range(2):
                if rng.random() < 0.2:
                    continue
                colour = int(rng.integers(3))
                w, h = (int(v) for v in rng.integers(6, 29, 2))
                x = across * HALF + int(rng.integers(1, HALF - w)) if w < HALF - 1 else across * HALF
                y = down * HALF + int(rng.integers(1, HALF - h)) if h < HALF - 1 else down * HALF
                picture[y:y + h, x:x + w] = [255 if c == colour else 0 for c in range(3)]
                rectangles.append([x, y, w, h, colour])
        yield background, rectangles, picture


def draw_street():
    picture = np.full((120, 160, 3), 128, np.uint8)
    for x, y, w, h, colour in [(10, 8, 40, 30, 0), (100, 20, 35, 25, 1), (20, 75, 50, 28, 2)]:
        picture[y:y + h, x:x + w] = [255 if c == colour else 0 for c in range(3)]
    Image.fromarray(picture).save(HERE / "street.png", optimize=True)


def main():
    HERE.mkdir(exist_ok=True)
    draw_street()
    save("boxes", plain)
    save("nms", suppressed)
    save("joined", joined)
    goldens = []
    for background, rectangles, picture in pictures():
        boxes, scores = reference(picture)
        goldens.append({
            "background": background, "rectangles": rectangles,
            "boxes": [[round(float(v), 7) for v in row] for row in boxes],
            "scores": [round(float(v), 7) for v in scores.max(1)],
            "kept": remaining(boxes, scores),
        })
        assert len(goldens[-1]["kept"]) == len(rectangles), goldens[-1]
    (HERE / "goldens.json").write_text(json.dumps(goldens, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
