"""`hearth evaluate` on detectors and on models that return numbers: the figures beside plain Python's, files of results, and refusals."""

import json
import random
import struct
import tempfile
import unittest
import zlib
from pathlib import Path

import program

COREML = program.FIXTURES / "coreml"
RECTANGLES = COREML / "rectangles"
GAUGES = COREML / "regressors"


def write_png(path, rows):
    """rows: for each row of pixels their (r, g, b)."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    data = b"".join(b"\0" + bytes(value for pixel in row for value in pixel) for row in rows)
    header = struct.pack(">IIBBBBB", len(rows[0]), len(rows), 8, 2, 0, 0, 0)
    path.write_bytes(
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(data)) + chunk(b"IEND", b""))


def overlap(a, b):
    width = min(a[0] + a[2], b[0] + b[2]) - max(a[0], b[0])
    height = min(a[1] + a[3], b[1] + b[3]) - max(a[1], b[1])
    if width <= 0 or height <= 0:
        return 0
    return width * height / (a[2] * a[3] + b[2] * b[3] - width * height)


def average_precision(truth, found, limit):
    """truth: for each image its boxes; found: (image, confidence, box). Of one class, without crowds."""
    total, taken, curve, right = sum(map(len, truth)), set(), [], 0
    for number, (image, _, box) in enumerate(sorted(found, key=lambda one: -one[1]), 1):
        free = [place for place in range(len(truth[image])) if (image, place) not in taken]
        best = max(free, key=lambda place: overlap(box, truth[image][place]), default=None)
        if best is not None and overlap(box, truth[image][best]) >= limit:
            taken.add((image, best))
            right += 1
        curve.append((right / total, right / number))
    return sum(max((p for r, p in curve if r >= step / 100), default=0) for step in range(101)) / 101


class EvaluateTest(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)
        self.environment = {"HEARTH_HOME": str(self.folder / "home"), "HEARTH_BACKGROUND": "0"}

    def hearth(self, *arguments, status=0):
        outcome = program.run(*arguments, environment=self.environment)
        self.assertEqual(outcome.status, status, outcome)
        if status:
            self.assertEqual(outcome.output, b"", outcome)
        return outcome

    # Detectors

    def draw(self, count):
        """Images with rectangles, and annotations that lie beside them by up to some pixels."""
        rng = random.Random(4)
        names = ["red", "green", "blue"]
        images, annotations = [], []
        for number in range(count):
            rows = [[(128, 128, 128)] * 64 for _ in range(64)]
            for quadrant in range(4):
                if rng.random() < 0.3:
                    continue
                colour, width, height = rng.randrange(3), rng.randint(8, 26), rng.randint(8, 26)
                x, y = quadrant % 2 * 32 + rng.randint(1, 5), quadrant // 2 * 32 + rng.randint(1, 5)
                for row in rows[y : y + height]:
                    row[x : x + width] = [tuple(255 if c == colour else 0 for c in range(3))] * width
                shift = rng.choice([0, 0, 1, 2, 4])
                annotations.append({
                    "id": len(annotations) + 1, "image_id": 100 - number, "category_id": 10 - colour, "iscrowd": 0,
                    "bbox": [x + shift, y, width, height], "area": width * height})
            write_png(self.folder / f"{number}.png", rows)
            images.append({"id": 100 - number, "file_name": f"{number}.png", "width": 64, "height": 64})
        self.annotations = {
            "images": images, "annotations": annotations,
            "categories": [{"id": 10 - place, "name": name} for place, name in enumerate(names)]
            + [{"id": 50, "name": "unseen"}]}
        self.save()

    def save(self):
        (self.folder / "labels.json").write_text(json.dumps(self.annotations))

    def expected(self, model):
        """For each limit the precision of what `detect` finds."""
        images = sorted(self.annotations["images"], key=lambda image: image["id"])
        files = [self.folder / image["file_name"] for image in images]
        lines = self.hearth("detect", "--model", model, "--threshold", "0.001", "--json", *files).lines
        table = []
        for category in self.annotations["categories"][:3]:
            truth = [[one["bbox"] for one in self.annotations["annotations"] if one["image_id"] == image["id"]
                      and one["category_id"] == category["id"]] for image in images]
            found = [
                (place, one["confidence"], [64 * one["box"][side] for side in ("x", "y", "width", "height")])
                for place, line in enumerate(lines) for one in line["results"] if one["label"] == category["name"]]
            table.append([average_precision(truth, found, 0.5 + 0.05 * step) for step in range(10)])
        return [sum(column) / len(column) for column in zip(*table)]

    def test_detectors(self):
        self.draw(36)
        models = [RECTANGLES / "boxes.mlpackage", RECTANGLES / "joined.mlpackage", RECTANGLES / "nms.mlpackage",
                  COREML / "pipelines" / "rectangles.mlpackage"]
        words = ["evaluate", "--images", self.folder, "--labels", self.folder / "labels.json", *models]
        outcome = self.hearth(*words, "--json", "--html", self.folder / "page.html", "--csv", self.folder / "table.csv")
        report = outcome.json
        self.assertEqual((report["task"], report["pictures"], report["maxDrop"]), ("detection", 36, 0.01))
        for model, variant in zip(models, report["variants"]):
            expected = self.expected(model)
            self.assertAlmostEqual(variant["ap"], sum(expected) / 10, places=5, msg=model.name)
            self.assertAlmostEqual(variant["ap50"], expected[0], places=5, msg=model.name)
            self.assertAlmostEqual(variant["ap75"], expected[5], places=5, msg=model.name)
            self.assertTrue(0.3 < variant["ap"] < 0.95, variant)
            self.assertEqual([one["name"] for one in variant["classes"]], ["blue", "green", "red", "unseen"])
            self.assertIsNone(variant["classes"][3]["ap"])
        # The same boxes from another form of the model.
        self.assertLess(abs(report["variants"][1]["difference"]), 1e-3)
        self.assertTrue(report["variants"][1]["defended"])
        self.assertIn("AP75", (self.folder / "page.html").read_text())
        self.assertIn("ap75", (self.folder / "table.csv").read_text().splitlines()[0])

        parts = [self.folder / f"{index}.jsonl" for index in (1, 2)]
        for index, part in enumerate(parts, 1):
            self.hearth(*words, "--shard", f"{index}/2", "--results", part)
        merged = self.hearth("evaluate", "merge", *parts, "--json").json
        for one, other in zip(merged["variants"], report["variants"]):
            for key in ("ap", "ap50", "ap75", "difference", "interval", "defended", "classes"):
                self.assertEqual(one[key], other[key], key)
        changed = self.hearth(*words, "--threshold", "0.5", "--shard", "1/2", "--results", parts[0], status=3)
        self.assertIn("other thresholds", changed.error)

    def test_detectors_refused(self):
        self.draw(2)
        model = RECTANGLES / "boxes.mlpackage"
        words = ["evaluate", "--images", self.folder, "--labels", self.folder / "labels.json", model]

        def refused(text, *more, status=3):
            self.save()
            self.assertIn(text, self.hearth(*words, *more, status=status).error)

        refused("--confidence", "--confidence", "0.995", status=2)
        refused("--iou", "--iou", "2", status=2)
        refused("--max-drop", "--max-drop", "2", status=2)
        self.annotations["images"][0]["width"] = 640
        refused("640 × 64")
        self.annotations["images"][0]["width"] = 64
        self.annotations["categories"][0]["name"] = "crimson"
        refused("'crimson'")
        self.annotations["categories"][0]["name"] = "red"
        self.annotations["images"][1]["file_name"] = "none.png"
        refused("none.png")
        self.annotations["annotations"][0]["image_id"] = 7
        refused("annotations[0]")
        # Classes that are no category do not count; the user is told.
        self.draw(2)
        self.annotations["categories"] = self.annotations["categories"][:2]
        self.annotations["annotations"] = [one for one in self.annotations["annotations"] if one["category_id"] > 8]
        self.save()
        self.assertIn("'blue'", self.hearth(*words).error)

    def test_parts_without_anything_to_report(self):
        """A part without images, or without an object to detect, is complete, and says so with status 0."""
        self.draw(3)
        boxes = RECTANGLES / "boxes.mlpackage"
        last = min(self.annotations["images"], key=lambda image: image["id"])["id"]
        self.annotations["annotations"] = [one for one in self.annotations["annotations"] if one["image_id"] != last]
        self.save()
        words = ["evaluate", "--images", self.folder, "--labels", self.folder / "labels.json", boxes]
        whole = self.hearth(*words, "--json").json
        parts, empty = [self.folder / f"{index}.jsonl" for index in range(1, 6)], []
        for index, part in enumerate(parts, 1):
            outcome = self.hearth(*words, "--shard", f"{index}/5", "--results", part, "--json")
            report = outcome.json
            self.assertEqual((report["task"], report["shard"]), ("detection", f"{index}/5"))
            if report["variants"] == []:
                empty.append((index, report["pictures"]))
                self.assertIsNone(report["chosen"])
                self.assertIn(f"note: no image with a box was evaluated in part {index}/5 of 3 pictures", outcome.error)
        self.assertEqual(empty, [(1, 1), (4, 0), (5, 0)])
        merged = self.hearth("evaluate", "merge", *parts, "--json").json
        self.assertEqual([v["ap"] for v in merged["variants"]], [v["ap"] for v in whole["variants"]])
        page = self.folder / "page.html"
        outcome = self.hearth(*words, "--shard", "5/5", "--results", parts[4], "--html", page)
        self.assertEqual(outcome.output, b"")
        self.assertIn("nothing is written for --html", outcome.error)
        self.assertFalse(page.exists())
        # A merge has to have something to report.
        self.assertIn("no image with a box", self.hearth("evaluate", "merge", parts[4], status=3).error)

    # Numbers

    def test_numbers(self):
        rng = random.Random(6)
        colours = [tuple(rng.randrange(256) for _ in range(3)) for _ in range(40)]
        noise = [round(rng.gauss(0, 2), 3) for _ in colours]
        labels = []
        for number, (r, g, b) in enumerate(colours):
            write_png(self.folder / f"{number}.png", [[(r, g, b)] * 16] * 16)
            labels.append((30 * r - 20 * g + 10 * b) / 255 + 5 + noise[number])
        table = self.folder / "labels.csv"
        rows = [f"{number}.png,{number},{label}" for number, label in enumerate(labels)]
        table.write_text("\n".join(["image,id,level", *rows]) + "\n")
        models = [GAUGES / "gauge.mlpackage", GAUGES / "gauge.mlmodel", GAUGES / "rough.mlpackage"]
        words = ["evaluate", "--images", self.folder, "--labels", table, *models]
        report = self.hearth(*words, "--max-drop", "0.5", "--json", "--html", self.folder / "page.html").json
        self.assertEqual((report["task"], report["maxDrop"]), ("regression", 0.5))
        mean = sum(labels) / len(labels)
        spread = sum((label - mean) ** 2 for label in labels)
        for variant, lost in zip(report["variants"], (0, 0, 6)):
            errors = [-lost * r / 255 - more for (r, _, _), more in zip(colours, noise)]
            squares = sum(error ** 2 for error in errors)
            self.assertAlmostEqual(variant["mae"], sum(map(abs, errors)) / 40, places=4)
            self.assertAlmostEqual(variant["rmse"], (squares / 40) ** 0.5, places=4)
            self.assertAlmostEqual(variant["r2"], 1 - squares / spread, places=4)
            self.assertEqual([one["name"] for one in variant["columns"]], ["level"])
        # The network of layers is the smallest, and returns the same.
        self.assertEqual(report["chosen"], str(models[1]))
        rough = report["variants"][2]
        self.assertAlmostEqual(rough["difference"], rough["mae"] - report["variants"][0]["mae"], places=9)
        self.assertTrue(rough["interval"][0] < rough["difference"] < rough["interval"][1])
        self.assertFalse(rough["defended"])
        self.assertIn("mean absolute error", (self.folder / "page.html").read_text())
        text = self.hearth(*words, "--max-drop", "9").output.decode()
        self.assertIn("RMSE", text)
        self.assertNotIn("%.", text)

        part = self.folder / "part.jsonl"
        self.hearth(*words, "--max-drop", "0.5", "--results", part)
        merged = self.hearth("evaluate", "merge", part, "--max-drop", "0.5", "--json").json
        self.assertEqual([v["interval"] for v in merged["variants"]], [v["interval"] for v in report["variants"]])
        self.assertIn("--max-drop", self.hearth("evaluate", "merge", part, status=2).error)

    def test_numbers_refused(self):
        write_png(self.folder / "a.png", [[(9, 9, 9)] * 16] * 16)
        table = self.folder / "labels.csv"
        words = ["evaluate", "--images", self.folder, "--labels", table, "--max-drop", "1"]
        cases = [
            ("a.png,much\n", [GAUGES / "gauge.mlpackage"], "'much'"),
            ("a.png,1\n", [GAUGES / "pair.mlpackage"], "2 numbers where the row has 1"),
            ("a.png,1\n", [GAUGES / "gauge.mlpackage", GAUGES / "pair.mlpackage"], "other outputs"),
            ("a.png,1\n", [RECTANGLES / "boxes.mlpackage"], "COCO"),
            ("a.png,1\n", [GAUGES / "gauge.mlpackage", COREML / "digits/fp32.mlpackage"], "other outputs"),
        ]
        for text, models, problem in cases:
            table.write_text(text)
            self.assertIn(problem, self.hearth(*words, *models, status=3).error)
        table.write_text("a.png,1\n")
        gauge = GAUGES / "gauge.mlpackage"
        self.assertIn("--max-drop", self.hearth(*words[:-2], gauge, status=2).error)
        self.assertIn("detectors", self.hearth(*words, gauge, "--threshold", "0.5", status=2).error)
        table.write_text("file,first,second\na.png,0,0\n")
        report = self.hearth(*words, GAUGES / "pair.mlpackage", "--json").json
        self.assertEqual([one["name"] for one in report["variants"][0]["columns"]], ["first", "second"])
        self.assertIsNone(report["variants"][0]["r2"])
        self.assertAlmostEqual(report["variants"][0]["columns"][0]["mae"], 18 / 255, places=5)


if __name__ == "__main__":
    unittest.main()
