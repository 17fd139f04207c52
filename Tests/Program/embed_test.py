"""Embeddings of an independent implementation, through the shipped program, on every kernel set of this machine."""

import json
import math
import os
import subprocess
import unittest

from program import FIXTURES, PATIENCE, PROGRAM, ProgramTest, kernel_sets

GEMMA = FIXTURES / "gemma"
MODELS = ("embed-dense", "embed-plain")
# What is allowed; float32 throughout gives 1e-10.
DISTANCE = 1e-4


def goldens(name):
    return json.loads((GEMMA / f"{name}.json").read_text())["rows"]


def distance(a, b):
    """1 minus the cosine of the angle."""
    dot = lambda x, y: math.fsum(p * q for p, q in zip(x, y, strict=True))
    return 1 - dot(a, b) / math.sqrt(dot(a, a) * dot(b, b))


class Embeddings(ProgramTest):
    def embed(self, name, *words, **options):
        return self.hearth("embed", "--model", GEMMA / f"{name}.gguf", *words, **options)

    def test_goldens(self):
        compared = 0
        for name in MODELS:
            for kernels in kernel_sets():
                for task in ("query", "document", "similarity", "none"):
                    rows = [row for row in goldens(name) if row["task"] == task]
                    words = ["--task", task, "--json", "--", *(row["text"] for row in rows)]
                    answer = self.embed(name, *words, kernels=kernels).json
                    self.assertEqual(set(answer), {"embeddings", "promptTokens"})
                    self.assertEqual(answer["promptTokens"], sum(len(row["tokens"]) for row in rows))
                    for row, found in zip(rows, answer["embeddings"], strict=True):
                        self.assertLessEqual(distance(found, row["embedding"]), DISTANCE, row["text"])
                        self.assertAlmostEqual(math.fsum(x * x for x in found), 1, places=5)
                        compared += 1
        self.assertGreaterEqual(compared, 44)

    def test_dimensions(self):
        for name in MODELS:
            for row in goldens(name):
                if "dimensions_32" in row:
                    words = ["--task", row["task"], "--dimensions", 32, "--json", row["text"]]
                    found = self.embed(name, *words).json["embeddings"][0]
                    self.assertLessEqual(distance(found, row["dimensions_32"]), DISTANCE)
        for wrong in (0, -3, 65, "x"):
            self.embed("embed-dense", "--dimensions", wrong, "a", status=2)

    def test_lines(self):
        rows = [row for row in goldens("embed-dense") if row["task"] == "query"]
        lines = []
        for index, row in enumerate(rows):
            lines.append({"id": index, "text": row["text"], "unknown": [1]})
            lines += [{"id": f"bad {index}"}, {"id": None, "text": 7}]
        text = "\n".join(json.dumps(line) for line in lines)
        text = '{"text":"no id"}\nno JSON\n[1]\n' + text + '\n{"id":{"a":[1,2.50]},"text":"' + "a " * 600 + '"}'
        answers = self.embed("embed-dense", "--task", "query", "--lines", standard_input=text.encode()).lines
        self.assertEqual(set(answers[0]), {"embedding"})
        self.assertEqual([set(answer) for answer in answers[1:3]], [{"error"}, {"error"}])
        for index, row in enumerate(rows):
            good, missing, wrong = answers[3 + 3 * index : 6 + 3 * index]
            self.assertEqual((good["id"], missing["id"], wrong["id"]), (index, f"bad {index}", None))
            self.assertLessEqual(distance(good["embedding"], row["embedding"]), DISTANCE)
            self.assertIn("text", missing["error"])
            self.assertIn("text", wrong["error"])
        self.assertEqual(answers[-1]["id"], {"a": [1, 2.5]})
        self.assertIn("512", answers[-1]["error"])
        self.assertEqual(len(answers), 4 + 3 * len(rows))

    def test_lines_are_answered_as_they_come(self):
        process = subprocess.Popen(
            [PROGRAM, "embed", "--model", GEMMA / "embed-plain.gguf", "--lines"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, env={**os.environ, **self.environment})
        with process:
            for index in range(3):
                process.stdin.write(json.dumps({"id": index, "text": f"line {index}"}).encode() + b"\n")
                process.stdin.flush()
                self.assertEqual(json.loads(process.stdout.readline())["id"], index)
            process.stdin.close()
            self.assertEqual(process.wait(PATIENCE), 0)

    def test_other_kinds_of_model(self):
        embedding, other = GEMMA / "embed-dense.gguf", GEMMA / "gemma3-f16.gguf"
        report = self.hearth("inspect", embedding, "--json").json
        self.assertEqual((report["runnable"], report["embeddingWidth"]), (True, 64))
        self.assertIsNone(self.hearth("inspect", other, "--json").json["embeddingWidth"])
        for words in (("generate", "--prompt", "a"), ("generate", "--chat", "a"), ("score", "--tokens-file", "-")):
            outcome = self.hearth(*words, "--model", embedding, status=3, standard_input=b"[2,3]")
            self.assertIn("an embedding model", outcome.error)
            self.assertEqual(outcome.output, b"")
        outcome = self.hearth("embed", "--model", other, "a", status=3)
        self.assertIn("not an embedding model", outcome.error)
        self.hearth("embed", "--model", embedding, status=2)
        self.hearth("embed", "--model", embedding, "--lines", "a", status=2)
        self.assertIn("TEXT 2", self.hearth("embed", "--model", embedding, "a", "a " * 600, status=3).error)

    def test_quantized(self):
        """A file that this program made smaller gives nearly the same vectors."""
        small = self.folder / "small.gguf"
        self.hearth("compress", GEMMA / "embed-dense.gguf", "--to", "q8_0", "-o", small)
        rows = [row for row in goldens("embed-dense") if row["task"] == "document"]
        words = ["--model", small, "--task", "document", "--json", "--", *(row["text"] for row in rows)]
        for kernels in kernel_sets():
            for row, found in zip(rows, self.hearth("embed", *words, kernels=kernels).json["embeddings"], strict=True):
                self.assertLessEqual(distance(found, row["embedding"]), 2e-3)

    def test_compiled(self):
        """The compiled artifact gives the same vectors, by its folder and by the file that it was made from."""
        words = ["embed", "--json", "--task", "query", "The fox sleeps.", "--model"]
        model = GEMMA / "embed-dense.gguf"
        before = self.hearth(*words, model).json
        self.hearth("compile", "--model", model)
        self.assertEqual(self.hearth(*words, model).json, before)


if __name__ == "__main__":
    unittest.main()
