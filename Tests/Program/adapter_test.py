"""LoRA adapters on the command line: tokens are those of merged weights (make_adapters.py), errors name file and field."""

import json

from program import FIXTURES, ProgramTest

GEMMA = FIXTURES / "gemma"


class Adapters(ProgramTest):
    def cases(self):
        return json.loads((GEMMA / "adapters.json").read_text())["cases"]

    def loras(self, case):
        for use in case["adapters"]:
            yield "--lora"
            yield str(GEMMA / use["file"]) + ("" if use["scale"] == 1 else f"={use['scale']}")

    def test_generate_and_score(self):
        for case in self.cases():
            with self.subTest(case["name"]):
                tokens = self.folder / "tokens.json"
                tokens.write_text(json.dumps(case["prompt_ids"]))
                words = ["--model", GEMMA / case["base"], "--tokens-file", tokens, "--json"]
                answer = self.hearth(
                    "generate", *words, "--greedy", "--max-tokens", 16, "--kv", "float32", "--activations", 16,
                    *self.loras(case)).json
                for step, (wanted, margin) in enumerate(zip(case["greedy"], case["margins"])):
                    if margin < 0.02 or step >= len(answer["tokens"]):
                        break
                    self.assertEqual(answer["tokens"][step], wanted, f"step {step}")
                self.assertGreater(len(answer["tokens"]), 0)
                plain = self.hearth("score", *words).json["meanNLL"]
                adapted = self.hearth("score", *words, *self.loras(case)).json["meanNLL"]
                self.assertNotEqual(plain, adapted)
                nothing = [word if word == "--lora" else word.split("=")[0] + "=0" for word in self.loras(case)]
                self.assertEqual(self.hearth("score", *words, *nothing).json["meanNLL"], plain)

    def test_a_story_by_the_bundled_model_is_no_substitute_for_an_adapter(self):
        for file, named in ((self.folder / "none.gguf", "none.gguf"), (GEMMA / "lora-gemma3.gguf", "blk.")):
            outcome = self.hearth("story", "sleepy-bear", "--lora", file, status=3)
            self.assertIn(named, outcome.error)
            self.assertEqual(outcome.output, b"")

    def test_inspect(self):
        report = self.hearth("inspect", GEMMA / "lora-gemma3.gguf", "--json").json
        self.assertEqual(report["adapter"]["ranks"], [4])
        self.assertEqual(report["adapter"]["alpha"], 6)
        self.assertIn("blk.0.attn_q.weight", report["adapter"]["targets"])
        self.assertFalse(report["runnable"])
        self.assertIn("--lora", report["reason"])
        self.assertIn("changes 49 matrices", self.hearth("inspect", GEMMA / "lora-gemma3.gguf").output.decode())

    def test_errors(self):
        adapter = GEMMA / "lora-gemma3.gguf"
        for words, part in [
            (["--model", GEMMA / "gemma2-f16.gguf", "--lora", adapter], "general.architecture"),
            (["--model", GEMMA / "gemma3-linear-f16.gguf", "--lora", adapter], "blk."),
            (["--model", GEMMA / "gemma3-f16.gguf", "--lora", GEMMA / "gemma3-f16.gguf"], "general.type"),
            (["--model", GEMMA / "gemma3-f16.gguf", "--lora", self.folder / "none.gguf"], "none.gguf"),
            (["--model", adapter], "--lora"),
        ]:
            for command in ("generate", "score"):
                text = self.folder / "text.txt"
                text.write_text("once")
                source = ["--prompt", "once"] if command == "generate" else ["--text-file", text]
                failed = self.hearth(command, *words, *source, status=3)
                self.assertIn(part, failed.error)
        self.hearth("generate", "--model", adapter, "--prompt", "x", "--lora", "=1", status=2)

    def test_full_context(self):
        words = ["generate", "--model", GEMMA / "gemma1-q4_0.gguf", "--prompt", "The cat", "--seed", 3, "--json",
                 "--max-tokens", 120, "--context", 40]
        stopped = self.hearth(*words).json
        shifted = self.hearth(*words, "--on-full", "shift").json
        self.assertNotIn("forgottenTokens", stopped)
        self.assertEqual(shifted["tokens"][: len(stopped["tokens"])], stopped["tokens"])
        if stopped["stop"] == "length":
            self.assertGreater(len(shifted["tokens"]), len(stopped["tokens"]))
            self.assertGreater(shifted["forgottenTokens"], 0)
