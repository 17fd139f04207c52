"""The shipped program on every model of Tests/Fixtures: `predict`, `classify` and `detect`, on every kernel set.

    swift build -c release --product hearth && python3 Tests/Program/vision_test.py

HEARTH_PROGRAM names another program. Expected numbers are those that the fixtures' scripts computed by numpy and PyTorch.
"""

import csv
import json
import math
import os
import struct
import subprocess
import tempfile
import unittest
from pathlib import Path

import program
from program import PATIENCE, PROGRAM, floats

FIXTURES = program.FIXTURES / "coreml"


def run(*arguments, kernels=None):
    environment = dict(os.environ)
    environment.pop("HEARTH_KERNELS", None)
    if kernels:
        environment["HEARTH_KERNELS"] = kernels
    return subprocess.run(
        [PROGRAM, *map(str, arguments)], env=environment, capture_output=True, text=True, timeout=PATIENCE)


def kernel_sets():
    """Those of this machine: an unknown one is refused."""
    sets = ["portable", "avx2", "avx512", "neon"]
    model = FIXTURES / "ops" / "mlp_fp32_ios16.mlpackage"
    with tempfile.TemporaryDirectory() as folder:
        def works(name):
            result = run(
                "predict", "--model", model, "--input", f"x={FIXTURES}/ops/mlp_fp32_ios16.in.f32", "--output-dir",
                folder, kernels=name)
            return result.returncode == 0
        return [name for name in sets if works(name)]


class VisionTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.home = tempfile.TemporaryDirectory()
        os.environ["HEARTH_HOME"] = cls.home.name
        cls.kernels = kernel_sets()
        assert "portable" in cls.kernels, run("doctor").stderr

    @classmethod
    def tearDownClass(cls):
        cls.home.cleanup()

    def check_close(self, found, expected, tolerance, what):
        self.assertEqual(len(found), len(expected), what)
        largest = max([1.0, *map(abs, expected)])
        worst = max((abs(a - b) if math.isfinite(a) else math.inf for a, b in zip(found, expected)), default=0)
        self.assertLessEqual(worst, tolerance * largest, what)

    def predict(self, model, inputs, kernels, folder):
        arguments = [word for name, file in inputs for word in ("--input", f"{name}={file}")]
        return run("predict", "--model", model, *arguments, "--output-dir", folder, "--json", kernels=kernels)

    def check_model(self, model, inputs, outputs, tolerance):
        """`outputs`: files of expected numbers by name; None stands for the only one."""
        for kernels in self.kernels:
            with self.subTest(model=model.name, kernels=kernels), tempfile.TemporaryDirectory() as folder:
                result = self.predict(model, inputs, kernels, folder)
                self.assertEqual(result.returncode, 0, f"{model.name}: {result.stderr}")
                names = [output["name"] for output in json.loads(result.stdout)["outputs"]]
                for name, expected in outputs.items():
                    name = names[0] if name is None else name
                    found = floats(Path(folder) / f"{name}.f32")
                    self.check_close(found, expected, tolerance, f"{model.name}, {name} on {kernels}")

    def test_operations(self):
        folder = FIXTURES / "ops"
        cases = json.loads((folder / "ops.json").read_text())
        self.assertGreater(len(cases), 20)
        for case in cases:
            self.check_model(
                folder / f"{case['name']}.mlpackage", [(case["input"], folder / f"{case['name']}.in.f32")],
                {case["output"]: floats(folder / f"{case['name']}.out.f32")}, case["tol_abs"])

    def test_networks(self):
        folder = FIXTURES / "networks"
        cases = json.loads((folder / "networks.json").read_text())
        self.assertGreater(len(cases), 8)
        for case in cases:
            self.check_model(
                folder / case["file"], [("x", folder / f"{case['network']}.in.f32")],
                {None: floats(folder / f"{case['network']}.out.f32")}, case["tolerance"])

    def test_bytes(self):
        """Activations and weights of 8 bits: products of integers, of which every set makes the same codes."""
        model = FIXTURES / "bytes" / "w8a8.mlpackage"
        expected = floats(FIXTURES / "bytes" / "w8a8.out.f32")
        self.check_model(model, [("x", FIXTURES / "bytes" / "w8a8.in.f32")], {"scores": expected}, 1e-5)
        result = run("bench", "vision", "--model", model, "--layers", "--json")
        self.assertEqual(result.returncode, 0, result.stderr)
        kinds = {layer["kind"] for layer in json.loads(result.stdout)["layers"]}
        self.assertLessEqual({"conv int8", "conv 1×1 int8", "depthwise int8", "sum int8"}, kinds)

    def test_flexible(self):
        """Shapes that are given, computed, refused; a result that is no number."""
        folder = FIXTURES / "flexible"
        for number, case in enumerate(json.loads((folder / "goldens.json").read_text())["cases"]):
            model = folder / case["model"]
            inputs = [
                (entry["name"], f"{folder / entry['file']}:{'x'.join(map(str, entry['shape']))}")
                for entry in case["inputs"]
            ]
            if "status" not in case:
                outputs = {entry["name"]: floats(folder / entry["file"]) for entry in case["outputs"]}
                self.check_model(model, inputs, outputs, 1e-5)
                continue
            with self.subTest(model=model.name, case=number), tempfile.TemporaryDirectory() as out:
                result = self.predict(model, inputs, None, out)
                self.assertEqual(result.returncode, case["status"], result.stderr)
                self.assertRegex(result.stderr, r"^hearth: error: ")
                for words in case["says"]:
                    self.assertIn(words, result.stderr)
                self.assertNotIn("malformed", result.stderr)

    def test_control_flow_of_networks(self):
        """A layer that holds a network is named as one that is not supported; the file is not malformed."""
        def field(number, content):
            if isinstance(content, str):
                content = content.encode()
            key = [number << 3 & 127 | 130, number >> 4] if number > 15 else [number << 3 | 2]
            length = [len(content) & 127 | 128, len(content) >> 7]
            return bytes(key + length) + content

        array = field(3, field(5, bytes([8, 2, 16, 0xA0, 0x80, 4])))
        description = field(1, field(1, "x") + array) + field(10, field(1, "y") + array)
        inner = field(1, field(1, "inside") + field(2, "x") + field(3, "y") + field(600, b""))
        for name, number, content in ("loop", 615, field(4, inner)), ("branch", 605, field(1, inner)):
            layer = field(1, "outside") + field(2, "x") + field(3, "y") + field(number, content)
            with self.subTest(layer=name), tempfile.TemporaryDirectory() as folder:
                model = Path(folder) / "net.mlmodel"
                model.write_bytes(bytes([8, 4]) + field(2, description) + field(500, field(1, layer)))
                numbers = Path(folder) / "x.f32"
                numbers.write_bytes(struct.pack("<2f", 1, 2))
                result = self.predict(model, [("x", numbers)], None, folder)
                self.assertEqual(result.returncode, 3, result.stderr)
                self.assertIn(f"{name} 'outside' at layers[0]", result.stderr)
                self.assertNotIn("malformed", result.stderr)

    def test_flow(self):
        """Loops, branches, lists, functions; a state is zero before the first prediction."""
        for case in json.loads((FIXTURES / "flow.json").read_text()):
            model = FIXTURES / "flow" / f"{case['model']}.mlpackage"
            step = case["steps"][0]
            with self.subTest(model=model.name), tempfile.TemporaryDirectory() as out:
                arguments = []
                for name, tensor in step["inputs"].items():
                    file = Path(out) / f"{name}.in"
                    file.write_bytes(struct.pack(f"<{len(tensor['values'])}f", *tensor["values"]))
                    arguments += ["--input", f"{name}={file}"]
                if "function" in case:
                    arguments += ["--function", case["function"]]
                result = run("predict", "--model", model, *arguments, "--output-dir", out, "--json")
                self.assertEqual(result.returncode, 0, result.stderr)
                shapes = {entry["name"]: entry["shape"] for entry in json.loads(result.stdout)["outputs"]}
                for name, tensor in step["outputs"].items():
                    self.assertEqual(shapes[name], tensor["shape"])
                    self.check_close(floats(Path(out) / f"{name}.f32"), tensor["values"], case["tolerance"], name)
        package = FIXTURES / "flow" / "functions.mlpackage"
        self.assertEqual(json.loads(run("inspect", package, "--json").stdout)["functions"], ["small", "wide"])
        result = run("predict", "--model", package, "--function", "none", "--output-dir", "x")
        self.assertEqual(result.returncode, 3)
        self.assertIn("no function 'none'", result.stderr)
        self.assertIn("Pass one of its functions: small, wide.", result.stderr)

    def test_tables(self):
        """Rows as JSON and as CSV, beside what scikit-learn predicts."""
        def same(found, expected, tolerance):
            if isinstance(expected, dict):
                return found.keys() == expected.keys() and all(same(found[k], v, tolerance) for k, v in expected.items())
            if isinstance(expected, list):
                return len(found) == len(expected) and all(same(a, b, tolerance) for a, b in zip(found, expected))
            if isinstance(expected, str):
                return found == expected
            return abs(found - expected) <= tolerance * max(1, abs(expected))

        for case in json.loads((FIXTURES / "tables.json").read_text()):
            model = FIXTURES / "tables" / f"{case['model']}.mlmodel"
            with self.subTest(model=model.name):
                rows = [argument for row in case["rows"] for argument in ("--row", json.dumps(row))]
                result = run("predict", "--model", model, *rows, "--json")
                self.assertEqual(result.returncode, 0, result.stderr)
                lines = [json.loads(line) for line in result.stdout.splitlines()]
                self.assertEqual(len(lines), len(case["rows"]))
                for line, outputs in zip(lines, case["outputs"]):
                    found = {entry["name"]: entry["value"] for entry in line["outputs"]}
                    for name, expected in outputs.items():
                        self.assertTrue(same(found[name], expected, case["tolerance"]), f"{found[name]}, not {expected}")
                self.assertTrue(json.loads(run("inspect", model, "--json").stdout)["runnable"])
        case = next(c for c in json.loads((FIXTURES / "tables.json").read_text()) if c["model"] == "logistic")
        model = FIXTURES / "tables" / "logistic.mlmodel"
        with tempfile.TemporaryDirectory() as folder:
            table = Path(folder) / "rows.csv"
            names = list(case["rows"][0])
            lines = [",".join(["id", *names])] + [",".join(["a", *(str(row[n]) for n in names)]) for row in case["rows"]]
            table.write_text("\n".join(lines) + "\n")
            result = run("predict", "--model", model, "--csv", table)
            self.assertEqual(result.returncode, 0, result.stderr)
            found = list(csv.DictReader(result.stdout.splitlines()))
            self.assertEqual([row["label"] for row in found], [row["label"] for row in case["outputs"]])
            for row, expected in zip(found, case["outputs"]):
                self.assertAlmostEqual(float(row["shares[yes]"]), expected["shares"]["yes"], places=9)
            table.write_text("sepal length\n1,2\n")
            bad = [("--csv", table), ("--row", "[1]"), ("--row", '{"sepal length": 1}'), ("--row", '{"color": 1}'),
                   ("--row", '{"sepal length": true, "sepal width": {"a": "b"}}')]
            for arguments in bad:
                result = run("predict", "--model", model, *arguments)
                self.assertEqual(result.returncode, 3, result.stderr)
                self.assertRegex(result.stderr, r"^hearth: error: ")
        self.assertEqual(run("predict", "--model", model, "--row", "{}", "--csv", "x").returncode, 2)
        self.assertEqual(run("predict", "--model", model).returncode, 2)
        result = run("predict", "--model", model, "--input", "x=x", "--output-dir", "x")
        self.assertEqual(result.returncode, 3, result.stderr)
        self.assertIn("--row", result.stderr)

    def test_wide_labels(self):
        """A softmax of `x` whose labels are 2⁶³ − 1, 1 and 2: the first is none that float32 holds."""
        with tempfile.TemporaryDirectory() as folder:
            model, x = Path(folder) / "wide.mlmodel", Path(folder) / "x.f32"
            model.write_bytes(bytes.fromhex(
                "0804123a0a0e0a01781a092a070a010310a08004520b0a056c6162656c1a020a00520d0a0570726f62731a0432020a005a056c"
                "6162656c620570726f62739a19370a1b0a01731201781a0570726f6273b23b0b08ffffffffffffffffff012801aa060d0a0bff"
                "ffffffffffffff7f0102c20c0570726f6273"))
            x.write_bytes(struct.pack("<3f", 5, 0, 0))
            result = run("predict", "--model", model, "--input", f"x={x}", "--output-dir", folder, "--json")
            self.assertEqual(result.returncode, 0, result.stderr)
            labels = [output.get("label") for output in json.loads(result.stdout)["outputs"]]
            self.assertIn(str(2**63 - 1), labels)
            result = run("predict", "--model", model, "--row", '{"x": [5, 0, 0]}', "--json")
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertIn(2**63 - 1, [output["value"] for output in json.loads(result.stdout)["outputs"]])

    def test_wide_integers(self):
        """A mapping of 2⁵³ and 2⁵³ + 1, which are one double."""
        with tempfile.TemporaryDirectory() as folder:
            model, table = Path(folder) / "mapping.mlmodel", Path(folder) / "rows.csv"
            model.write_bytes(bytes.fromhex(
                "080412120a070a01781a020a0052070a01791a021a00f2252312210a0f08808080808080801012046576656e0a0e0881808080"
                "8080801012036f6464"))
            table.write_text(f"x\n{2**53}\n{2**53 + 1}\n")
            rows = ["--row", json.dumps({"x": 2**53}), "--row", json.dumps({"x": 2**53 + 1})]
            for words in (rows, ["--csv", table]):
                result = run("predict", "--model", model, *words, "--json")
                self.assertEqual(result.returncode, 0, result.stderr)
                lines = [json.loads(line) for line in result.stdout.splitlines()]
                self.assertEqual([line["outputs"][0]["value"] for line in lines], ["even", "odd"])

    def test_results_that_are_no_numbers(self):
        """A linear classifier with weights of 1e308: its shares are NaN, an error with the row and the output in every form."""
        with tempfile.TemporaryDirectory() as folder:
            model, table = Path(folder) / "steep.mlmodel", Path(folder) / "rows.csv"
            model.write_bytes(bytes.fromhex(
                "0804123a0a0e0a01781a092a070a010210c08004520b0a056c6162656c1a021a00520d0a0570726f62731a04320212005a056c"
                "6162656c620570726f62738219460a120a10a0c8eb85f3cce17fa0c8eb85f3cce17f0a120a10a0c8eb85f3cce17fa0c8eb85f3"
                "cce17f121000000000000000000000000000000000a206090a01610a01620a0163"))
            table.write_text('x\n"[0, 0]"\n"[10, 10]"\n"[0, 0]"\n')
            good, bad = ("--row", '{"x": [0, 0]}'), ("--row", '{"x": [10, 10]}')
            # Rows before the one that fails are printed.
            cases = [(bad, "--row, output probs[a]", 0), (good + bad + good, "--row number 2, output probs[a]", 1),
                     (("--csv", table), f"{table}: line 3, output probs[a]", 1)]
            for words, place, count in cases:
                for form in ((), ("--json",)):
                    result = run("predict", "--model", model, *words, *form)
                    self.assertEqual(result.returncode, 1, result.stderr)
                    self.assertIn(f"hearth: error: a result is not a finite number ({place}). ", result.stderr)
                    self.assertNotRegex(result.stdout.lower(), "nan|inf")
                    if form:
                        self.assertEqual(len([json.loads(line) for line in result.stdout.splitlines()]), count)
            text = run("predict", "--model", model, *bad).stdout
            self.assertEqual(text, "")

    def test_relative(self):
        """Numbers next to zero keep their digits: an ε is not dropped."""
        folder = FIXTURES / "flexible"
        cases = json.loads((folder / "goldens.json").read_text())["cases"]
        case = next(case for case in cases if case["model"] == "small.mlpackage")
        inputs = [("x", folder / case["inputs"][0]["file"])]
        for kernels in self.kernels:
            with tempfile.TemporaryDirectory() as out:
                result = self.predict(folder / case["model"], inputs, kernels, out)
                self.assertEqual(result.returncode, 0, result.stderr)
                for entry in case["outputs"]:
                    found, expected = floats(Path(out) / f"{entry['name']}.f32"), floats(folder / entry["file"])
                    for a, b in zip(found, expected):
                        # A logarithm of nearly one is a small difference of rounded numbers: half of one's last digit.
                        bound = 2e-6 * abs(b) + (1.2e-7 if entry["name"] == "log" else 0)
                        self.assertLessEqual(abs(a - b), bound, f"{entry['name']} on {kernels}")

    def test_inspect_says_what_runs(self):
        """What `inspect` calls runnable runs, and what it does not is refused by a sentence."""
        for model in sorted(FIXTURES.glob("*/*.mlpackage")) + sorted(FIXTURES.glob("*/*.mlmodel")):
            if model.parent.name == "tables":
                continue  # they take rows; see test_tables
            with self.subTest(model=f"{model.parent.name}/{model.name}"), tempfile.TemporaryDirectory() as folder:
                result = run("inspect", model, "--json")
                if result.returncode != 0:
                    self.assertEqual(result.returncode, 3, result.stderr)
                    self.assertRegex(result.stderr, r"^hearth: error: ")
                    continue
                bench = run("bench", "vision", "--model", model, "--runs", "1", "--json")
                if json.loads(result.stdout)["runnable"]:
                    # Numbers that are no input of this model may make no number of it.
                    if "not finite" in bench.stderr:
                        self.assertEqual((model.name, bench.returncode), ("logarithm.mlpackage", 1))
                    else:
                        self.assertEqual(bench.returncode, 0, bench.stderr)
                else:
                    self.assertIn(bench.returncode, (3, 4), bench.stderr)
                    self.assertRegex(bench.stderr, r"hearth: error: ")

    def test_classify(self):
        """Confidences of each variant beside those that an independent implementation computes from the same package."""
        folder = FIXTURES / "digits"
        goldens = json.loads((folder / "digits.json").read_text())
        lines = [line.split(",") for line in (folder / "labels.csv").read_text().split()[1:]]
        files = [folder / "images" / name for name, *_ in lines[:12]]
        classes = goldens["classes"]
        models = [path for path in sorted(folder.glob("*.ml*")) if (folder / "ref" / f"{path.stem}.probs.f32").exists()]
        self.assertGreater(len(models), 18)
        for model in models:
            expected = floats(folder / "ref" / f"{model.stem}.probs.f32")
            tolerance = goldens["variants"][model.stem]["tol"]
            for kernels in self.kernels:
                with self.subTest(model=model.name, kernels=kernels):
                    result = run(
                        "classify", "--model", model, *files, "--top", len(classes), "--threshold", 0, "--json",
                        kernels=kernels)
                    self.assertEqual(result.returncode, 0, result.stderr)
                    found = [json.loads(line)["results"] for line in result.stdout.splitlines()]
                    self.assertEqual(len(found), len(files))
                    for row, results in enumerate(found):
                        wanted = dict(zip(classes, expected[row * len(classes) : (row + 1) * len(classes)]))
                        for one in results:
                            label = one["label"] if one["label"] in wanted else classes[int(one["label"])]
                            self.assertLessEqual(abs(one["confidence"] - wanted[label]), tolerance, model.name)

    def test_detect(self):
        folder = FIXTURES / "rectangles"
        goldens = json.loads((folder / "goldens.json").read_text())
        self.detections(folder, goldens)

    def detections(self, folder, goldens):
        for model in sorted(folder.glob("*.mlpackage")):
            boxes = {}
            for kernels in self.kernels:
                with self.subTest(model=model.name, kernels=kernels):
                    result = run("detect", "--model", model, folder / "street.png", "--json", kernels=kernels)
                    self.assertEqual(result.returncode, 0, result.stderr)
                    boxes[kernels] = json.loads(result.stdout)["results"]
                    self.assertTrue(boxes[kernels])
                    for found, expected in zip(boxes[kernels], boxes["portable"]):
                        self.assertEqual(found["label"], expected["label"])
                        for side, value in expected["box"].items():
                            self.assertAlmostEqual(found["box"][side], value, places=3)


if __name__ == "__main__":
    unittest.main()
