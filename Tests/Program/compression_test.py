"""Models made smaller by the shipped program, and what is left of their answers."""

import json
import math
import os
import signal
import struct
import subprocess
import time
import unittest

from program import FIXTURES, PATIENCE, PROGRAM, ProgramTest, floats, kernel_sets

DIGITS = FIXTURES / "coreml" / "digits"
GEMMA = FIXTURES / "gemma"
FORMS = ("float16", "int8", "palette8", "palette6", "palette4", "palette3", "palette2", "palette1")


class Packages(ProgramTest):
    def test_every_form_runs_and_is_as_near_as_its_report_says(self):
        source = DIGITS / "fp32.mlpackage"
        package = self.hearth("inspect", source, "--json").json
        self.assertTrue(package["runnable"])
        previous = None
        for form in FORMS:
            with self.subTest(form=form):
                out = self.folder / f"{form}.mlpackage"
                report = self.hearth("compress", source, "--to", form, "-o", out, "--json").json
                size = sum(file.stat().st_size for file in out.rglob("*") if file.is_file())
                self.assertEqual(report["output"]["bytes"], size)
                self.assertLess(size, report["input"]["bytes"])
                self.assertTrue(self.hearth("inspect", out, "--json").json["runnable"])
                weakest = min(tensor["snrDB"] for tensor in report["tensors"] if tensor["snrDB"] is not None)
                if form.startswith("palette") and previous is not None:
                    self.assertLess(weakest, previous, "fewer bits, a greater error")
                if form.startswith("palette"):
                    previous = weakest

    def test_labels_survive_four_bits_on_every_kernel_set(self):
        calibration = FIXTURES / "cards"
        images = sorted((calibration / "heldout").glob("*"))[:12]
        small = self.folder / "small.mlpackage"
        self.hearth("compress", calibration / "WishCards.mlpackage", "--to", "palette4", "-o", small)
        for kernels in kernel_sets():
            labels = []
            for model in (calibration / "WishCards.mlpackage", small):
                answers = self.hearth("classify", "--model", model, "--top", "1", "--json", *images, kernels=kernels).lines
                labels.append([answer["results"][0]["label"] for answer in answers])
            agreed = sum(a == b for a, b in zip(*labels))
            self.assertGreaterEqual(agreed, 11, kernels)

    def test_eight_bits_for_weights_and_activations_see_what_floats_see(self):
        source, small = DIGITS / "fp16.mlpackage", self.folder / "w8a8.mlpackage"
        report = self.hearth(
            "compress", source, "--to", "int8", "--activations", "int8", "--calibrate", DIGITS / "calibration",
            "-o", small, "--json").json
        self.assertGreater(report["calibration"]["activations"], 20)
        self.assertEqual(report["version"], 8)
        self.assertTrue(self.hearth("inspect", small, "--json").json["runnable"])
        images = sorted((DIGITS / "images").glob("*.png"))[:40]
        for kernels in kernel_sets():
            labels = []
            for model in (source, small):
                answers = self.hearth("classify", "--model", model, "--top", "1", "--json", *images, kernels=kernels).lines
                labels.append([answer["results"][0]["label"] for answer in answers])
            agreed = sum(a == b for a, b in zip(*labels))
            self.assertGreaterEqual(agreed, 39, kernels)

    def test_recurrent_layers_compute_what_their_smaller_weights_say(self):
        source = FIXTURES / "coreml" / "recurrent" / "program.mlpackage"
        inputs = []
        for name, count in (("x", 3 * 32 * 6), ("t", 3 * 32)):
            path = self.folder / f"{name}.f32"
            path.write_bytes(struct.pack(f"<{count}f", *(math.sin(1 + 0.7 * index) for index in range(count))))
            inputs += ["--input", f"{name}={path}"]

        def answer(model):
            out = self.folder / "answers"
            self.hearth("predict", "--model", model, *inputs, "--output-dir", out)
            return floats(out / "y.f32")

        expected = answer(source)
        for form, bar in (("float16", 60), ("int8", 30), ("palette4", 12)):
            with self.subTest(form=form):
                small = self.folder / f"{form}.mlpackage"
                report = self.hearth("compress", source, "--to", form, "--min-elements", "31", "-o", small, "--json").json
                # A column of 32 numbers with a scale for each would be larger than it is.
                self.assertEqual(len(report["tensors"]), 5 if form == "int8" else 6)
                stayed = [s for s in report["skipped"] if s["reason"] == "it would not be smaller in this form"]
                self.assertEqual(len(stayed), 1 if form == "int8" else 0)
                found = answer(small)
                noise = sum((a - b) ** 2 for a, b in zip(expected, found))
                self.assertGreater(10 * math.log10(sum(a * a for a in expected) / noise), bar)

    def test_neural_networks_and_pipelines_answer_alike(self):
        digits = DIGITS / "neuralnetwork_fp32.mlmodel"
        images = sorted((DIGITS / "images").glob("*"))[:20]
        for form in ("float16", "int8", "palette6"):
            small = self.folder / f"{form}.mlmodel"
            report = self.hearth("compress", digits, "--to", form, "-o", small, "--json").json
            self.assertEqual(report["output"]["bytes"], small.stat().st_size)
            labels = []
            for model in (digits, small):
                answers = self.hearth("classify", "--model", model, "--top", "1", "--json", *images).lines
                labels.append([line["results"][0]["label"] for line in answers])
            agreed = sum(a == b for a, b in zip(*labels))
            self.assertGreaterEqual(agreed, 19, form)
        # A pipeline of a vectorizer and a network, compressed down to its last weight.
        flowers = FIXTURES / "coreml" / "tables" / "network.mlmodel"
        small = self.folder / "flowers.mlmodel"
        self.hearth("compress", flowers, "--to", "float16", "--min-elements", "4", "-o", small)
        row = json.dumps({"sepal length": 5.1, "sepal width": 3.5, "petal length": 1.4, "petal width": 0.2})
        answers = [self.hearth("predict", "--model", model, "--row", row, "--json").json for model in (flowers, small)]
        label, shares = zip(*(answer["outputs"] for answer in answers))
        self.assertEqual(label[0]["value"], label[1]["value"])
        self.assertAlmostEqual(*(max(answer["value"].values()) for answer in shares), delta=0.05)

    def test_ctrl_c_at_any_moment_is_no_crash(self):
        for moment in range(15):
            out = self.folder / f"{moment}.mlpackage"
            words = [PROGRAM, "compress", DIGITS / "fp16.mlpackage", "--to", "palette3", "--group-size", "1", "-o", out]
            process = subprocess.Popen(
                [*map(str, words)], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                env=dict(os.environ, **self.environment))
            time.sleep(0.02 + 0.005 * moment)
            process.send_signal(signal.SIGINT)
            error = process.communicate(timeout=PATIENCE)[1]
            # Before the program listens to signals, this one ends it.
            self.assertIn(process.returncode, (0, 130, -signal.SIGINT), error.decode(errors="replace")[-2000:])
            # Interrupted when all was written, it has left the whole package.
            self.assertTrue(out.exists() or process.returncode != 0)
            if out.exists():
                self.assertTrue(self.hearth("inspect", out, "--json").json["runnable"])


class TextModels(ProgramTest):
    def test_quantizing_is_what_the_reference_makes(self):
        for name, form in (("gemma3", "q8_0"), ("gemma2", "q8_0")):
            model = json.loads((GEMMA / f"{name}.json").read_text())
            variant = model["variants"][form]
            out, logits, tokens = (self.folder / f"{name}-{part}" for part in ("small.gguf", "logits", "tokens"))
            self.hearth("compress", GEMMA / f"{name}-f16.gguf", "--to", form, "-o", out)
            tokens.write_text(json.dumps(model["prompt_ids"] + variant["greedy"]))
            self.hearth("score", "--model", out, "--tokens-file", tokens, "--logits", logits, "--json")
            expected, found, width = floats(GEMMA / variant["logits"]), floats(logits), model["vocab"]
            for row, position in enumerate(variant["logit_positions"]):
                a, b = expected[row * width : (row + 1) * width], found[position * width : (position + 1) * width]
                self.assertLessEqual(max(abs(x - y) for x, y in zip(a, b)), 1e-2, f"{name} {position}")


if __name__ == "__main__":
    unittest.main()
