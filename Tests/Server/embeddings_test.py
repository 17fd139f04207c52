"""`/v1/embeddings` with OpenAI's own Python client.

    Tests/Server/run embeddings_test.py
"""

import base64
import json
import math
import struct
import unittest

import openai
from harness import PATIENCE, ROOT, ServedCase, serving

GEMMA = ROOT / "Tests/Fixtures/gemma"
MODEL = "embed-dense"


def distance(a, b):
    dot = lambda x, y: math.fsum(p * q for p, q in zip(x, y, strict=True))
    return 1 - dot(a, b) / math.sqrt(dot(a, a) * dot(b, b))


class EmbeddingsTest(ServedCase):
    arguments = ("--embedding-model", str(GEMMA / f"{MODEL}.gguf"))
    rows = json.loads((GEMMA / f"{MODEL}.json").read_text())["rows"]

    def create(self, **options):
        return self.client.embeddings.create(**{"model": MODEL, **options})

    def refused(self, field, **options):
        with self.assertRaises(openai.BadRequestError) as caught:
            self.create(**options)
        self.assertEqual(caught.exception.param, field)
        return caught.exception

    def test_goldens(self):
        self.assertIn(MODEL, [model.id for model in self.client.models.list()])
        for task in ("query", "document", "similarity", "none"):
            rows = [row for row in self.rows if row["task"] == task]
            # The client asks for base64 by itself.
            answer = self.create(input=[row["text"] for row in rows], extra_body={"hearth_task": task})
            self.assertEqual((answer.object, answer.model), ("list", MODEL))
            tokens = sum(len(row["tokens"]) for row in rows)
            self.assertEqual((answer.usage.prompt_tokens, answer.usage.total_tokens), (tokens, tokens))
            for index, (row, found) in enumerate(zip(rows, answer.data, strict=True)):
                self.assertEqual((found.index, found.object), (index, "embedding"))
                self.assertLessEqual(distance(found.embedding, row["embedding"]), 1e-4)

    def test_forms_of_input_and_output(self):
        row = next(row for row in self.rows if "dimensions_32" in row and row["task"] == "none")
        whole = self.create(input=row["text"], encoding_format="float").data[0].embedding
        self.assertLessEqual(distance(whole, row["embedding"]), 1e-4)
        for tokens in (row["tokens"], [row["tokens"]]):
            self.assertEqual(self.create(input=tokens, encoding_format="float").data[0].embedding, whole)
        pair = self.create(input=[row["tokens"], [2, 1]], encoding_format="float")
        self.assertEqual([pair.data[0].embedding, len(pair.data)], [whole, 2])
        coded = self.create(input=row["text"], encoding_format="base64").data[0].embedding
        numbers = struct.unpack("<64f", base64.b64decode(coded))
        self.assertLessEqual(max(abs(a - b) for a, b in zip(numbers, whole)), 1e-7)
        short = self.create(input=row["text"], dimensions=32).data[0].embedding
        self.assertEqual(len(short), 32)
        self.assertLessEqual(distance(short, row["dimensions_32"]), 1e-4)

    def test_refusals(self):
        self.refused("input", input=[])
        self.refused("input[1]", input=["a", 7])
        self.refused("input[0]", input=[[]])
        self.refused("input[0][1]", input=[[3, 1.5]])
        self.refused("input", input=[512])
        self.refused("input[1]", input=["a", "a " * 600])
        self.refused("dimensions", input="a", dimensions=65)
        self.refused("dimensions", input="a", dimensions=0)
        self.refused("encoding_format", input="a", encoding_format="int8")
        self.refused("hearth_task", input="a", extra_body={"hearth_task": "poetry"})
        self.refused("truncate_prompt_tokens", input="a", extra_body={"truncate_prompt_tokens": 5})
        self.refused("model", model="hearth-nano", input="a")
        with self.assertRaises(openai.NotFoundError):
            self.create(model="text-embedding-3-small", input="a")
        self.assertEqual(len(self.create(input="", user="somebody").data[0].embedding), 64)

    def test_models_of_the_other_kind(self):
        with self.assertRaises(openai.BadRequestError) as caught:
            self.client.chat.completions.create(model=MODEL, messages=[{"role": "user", "content": "a"}])
        self.assertIn("/v1/embeddings", str(caught.exception))
        # Texts are still written by the default model.
        answer = self.client.completions.create(model="hearth-nano", prompt="The moon", max_tokens=3)
        self.assertEqual(answer.usage.completion_tokens, 3)


class FirstModelTest(unittest.TestCase):
    def test_an_embedding_model_alone_leaves_stories_to_the_bundled_one(self):
        with serving("--model", str(GEMMA / "embed-plain.gguf")) as server:
            client = openai.OpenAI(base_url=server.url + "/v1", api_key="none", max_retries=0, timeout=PATIENCE)
            self.assertEqual(server.json("/api/state")["state"], "ready")
            self.assertEqual(len(client.embeddings.create(model="embed-plain", input="a").data[0].embedding), 96)


if __name__ == "__main__":
    unittest.main()
