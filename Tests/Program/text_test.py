"""Text models of an independent implementation, through the shipped program, on every kernel set of this machine."""

import json
import unittest

from program import FIXTURES, ProgramTest, floats, kernel_sets

GEMMA = FIXTURES / "gemma"
# Float weights are multiplied in float32; quantized ones meet activations of 16 bits (see Tests/Fixtures/gemma/README.md).
FLOAT_TOLERANCE, QUANTIZED_TOLERANCE = 5e-4, 1e-2


class Models(ProgramTest):
    def test_logits_and_greedy_tokens(self):
        sets = kernel_sets()
        self.assertIn("portable", sets)
        compared = 0
        for description in sorted(GEMMA.glob("gemma*.json")):
            model = json.loads(description.read_text())
            for name, variant in model["variants"].items():
                is_float = name in ("f32", "f16", "bf16")
                tolerance = FLOAT_TOLERANCE if is_float else QUANTIZED_TOLERANCE
                expected = floats(GEMMA / variant["logits"])
                tokens = self.folder / "tokens.json"
                for kernels in sets:
                    with self.subTest(file=variant["gguf"], kernels=kernels):
                        tokens.write_text(json.dumps(model["prompt_ids"] + variant["greedy"]))
                        out = self.folder / "logits.f32"
                        self.hearth(
                            "score", "--model", GEMMA / variant["gguf"], "--tokens-file", tokens, "--logits", out,
                            "--json", kernels=kernels,
                        )
                        found, width = floats(out), model["vocab"]
                        worst = 0.0
                        for row, position in enumerate(variant["logit_positions"]):
                            a = expected[row * width : (row + 1) * width]
                            b = found[position * width : (position + 1) * width]
                            worst = max(worst, max(abs(x - y) for x, y in zip(a, b)))
                        self.assertLessEqual(worst, tolerance)

                        tokens.write_text(json.dumps(model["prompt_ids"]))
                        answer = self.hearth(
                            "generate", "--model", GEMMA / variant["gguf"], "--tokens-file", tokens, "--greedy",
                            "--max-tokens", len(variant["greedy"]), "--json", kernels=kernels,
                        ).json
                        # A step whose two best logits are nearer than the tolerance may go either way, and ends what
                        # can be compared.
                        for step, (wanted, margin) in enumerate(zip(variant["greedy"], variant["margins"])):
                            if margin < 2 * tolerance or step >= len(answer["tokens"]):
                                break
                            self.assertEqual(answer["tokens"][step], wanted, f"step {step}")
                        compared += 1
        self.assertGreaterEqual(compared, 15 * len(sets))

    def test_every_model_file_is_runnable(self):
        for file in sorted(GEMMA.glob("gemma*.gguf")):
            with self.subTest(file=file.name):
                self.assertTrue(self.hearth("inspect", file, "--json").json["runnable"])

    def test_a_logit_that_is_no_number_names_the_file(self):
        source = FIXTURES / "gemma/gemma1-q8_0.gguf"
        data = bytearray(source.read_bytes())
        tensors = self.hearth("inspect", source, "--json").json["tensors"]
        self.assertEqual((tensors[0]["name"], tensors[0]["type"]), ("token_embd.weight", "Q8_0"))
        # The scale of the first block of the first row is NaN, and so is the logit of token 0.
        place = len(data) - sum(tensor["bytes"] for tensor in tensors)
        data[place : place + 2] = b"\x00\x7e"
        model = self.folder / "nan.gguf"
        model.write_bytes(data)
        for words in (
            ("generate", "--model", model, "--prompt", "a", "--max-tokens", "3"),
            ("generate", "--model", model, "--prompt", "a", "--max-tokens", "3", "--regex", "[a-z]+"),
            ("score", "--model", model, "--tokens-file", "-"),
        ):
            error = self.hearth(*words, status=1, standard_input=b"[2,3,4]").error
            self.assertIn(f"the logit of token 0 is nan ({model})", error)


class Tokenizers(ProgramTest):
    def test_encoding(self):
        for name in ("tokenizer-llama", "tokenizer-gemma4"):
            goldens = json.loads((GEMMA / f"{name}.json").read_text())
            rows = [row for row in goldens["encode"] if not row["literal_u2581"]]
            lines = "".join(json.dumps({"text": row["text"]}) + "\n" for row in rows).encode()
            for words, field in (([], "ids"), (["--special"], "ids_parse_special")):
                answers = self.hearth(
                    "tokenize", "--model", GEMMA / f"{name}.gguf", "--lines", *words, standard_input=lines
                ).lines
                self.assertEqual([answer["ids"] for answer in answers], [row[field] for row in rows])

    def test_decoding(self):
        for name in ("tokenizer-llama", "tokenizer-gemma4"):
            for row in json.loads((GEMMA / f"{name}.json").read_text())["decode"]:
                answer = self.hearth(
                    "tokenize", "--model", GEMMA / f"{name}.gguf", "--json", "--decode", *row["ids"]
                ).json
                self.assertEqual(answer["text"], row["lossy"])


if __name__ == "__main__":
    unittest.main()
