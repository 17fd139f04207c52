"""Constraints through the shipped program: what is generated, judged, refused and measured."""

import json
import unittest

from program import FIXTURES, ROOT, ProgramTest

NANO = ROOT / "Models" / "hearth-nano.gguf"
SCHEMA = {
    "type": "object",
    "properties": {"n": {"type": "integer", "minimum": 0, "maximum": 99}, "c": {"enum": ["red", "blue"]}},
    "required": ["n", "c"],
    "additionalProperties": False,
}


class Constraints(ProgramTest):
    def file(self, name, text):
        path = self.folder / name
        path.write_text(text)
        return path

    def test_choices_are_strings(self):
        lines = [{"id": 1, "choices": ["a", "b"], "texts": ["b", "c"]}, {"id": 2, "choices": ["a", 5], "texts": ["5"]},
                 {"id": 3, "choices": "a", "texts": ["a"]}]
        sent = "".join(json.dumps(line) + "\n" for line in lines).encode()
        answers = self.hearth("grammar", "accept", standard_input=sent).lines
        self.assertEqual(answers[0]["accepted"], [True, False])
        self.assertIn("a choice is not a string", answers[1]["error"])
        self.assertIn("an array of strings", answers[2]["error"])

    def test_standard_input_is_read_once(self):
        outcome = self.hearth("generate", "--model", NANO, "--tokens-file", "-", "--schema", "-", status=2)
        self.assertIn("only once", outcome.error)

    def test_generated_texts_are_what_they_have_to_be(self):
        schema = self.file("schema.json", json.dumps(SCHEMA))
        for seed in range(3):
            made = self.hearth(
                "generate", "--model", NANO, "--prompt", "Once", "--schema", schema, "--seed", seed, "--json"
            ).json
            self.assertEqual(made["stop"], "end")
            value = json.loads(made["text"])
            self.assertEqual(list(value), ["n", "c"])
            self.assertIn(value["c"], ["red", "blue"])
            self.assertTrue(0 <= value["n"] <= 99)
        words = ["yes", "no", "perhaps not"]
        chosen = self.hearth("generate", "--model", NANO, "--prompt", "Once", "--choice", *words, "--json").json
        self.assertIn(chosen["text"], words)
        number = self.hearth("generate", "--model", NANO, "--prompt", "Once", "--regex", r"\d{3}-é", "--json").json
        self.assertRegex(number["text"], r"^\d{3}-é$")
        grammar = self.file("list.gbnf", 'root ::= "(" [a-c]{2} ("," [0-9])? ")"')
        listed = self.hearth("generate", "--model", NANO, "--prompt", "Once", "--grammar", grammar, "--json").json
        self.assertRegex(listed["text"], r"^\([a-c]{2}(,\d)?\)$")

    def test_what_is_not_enforced_is_refused_before_a_model_is_looked_at(self):
        schema = self.file("schema.json", '{"properties":{"a":{"uniqueItems":true}}}')
        refused = self.hearth("generate", "--model", "none", "--prompt", "x", "--schema", schema, status=3)
        self.assertIn("#/properties/a: uniqueItems", refused.error)
        grammar = self.file("broken.gbnf", "root ::= other")
        self.assertIn("line 1", self.hearth("generate", "--model", "none", "--prompt", "x", "--grammar", grammar, status=3).error)
        self.hearth("generate", "--model", NANO, "--prompt", "x", "--regex", "a", "--choice", "b", status=2)

    def test_texts_are_judged_alike_with_and_without_a_tokenizer(self):
        lines = [
            {"id": 1, "schema": SCHEMA, "texts": ['{"n":5,"c":"red"}', '{"n":100,"c":"red"}', '{"n":5']},
            {"id": "two", "grammar": 'root ::= "a" root "b" | "ü"', "texts": ["aaübb", "aüc", ""]},
            {"id": None, "regex": "(a|b)+", "texts": ["abba", "abc"]},
            {"id": 4, "schema": {"not": {"multipleOf": 2}}, "texts": ["1"]},
            {"id": 5, "regex": "(", "texts": []},
        ]
        sent = "".join(json.dumps(line) + "\n" for line in lines).encode() + b"nothing\n"
        answers = self.hearth("grammar", "accept", standard_input=sent).lines
        self.assertEqual(answers[0], {"id": 1, "accepted": [True, False, False], "rejectedAt": [None, 7, 6]})
        self.assertEqual(answers[1], {"id": "two", "accepted": [True, False, False], "rejectedAt": [None, 3, 0]})
        self.assertEqual(answers[2], {"id": None, "accepted": [True, False], "rejectedAt": [None, 2]})
        self.assertEqual(answers[3], {"id": 4, "unsupported": ["#/not: multipleOf"]})
        self.assertEqual((answers[4]["id"], len(answers)), (5, 6))
        self.assertTrue("error" in answers[4] and "error" in answers[5])
        for model in (NANO, FIXTURES / "gemma/tokenizer-gemma4.gguf", FIXTURES / "gemma/tokenizer-llama.gguf"):
            masked = self.hearth("grammar", "accept", "--model", model, standard_input=sent).lines
            self.assertEqual(masked, answers)

    def test_of_many_left_recursive_rules_every_run_names_the_same(self):
        names = "abcdefgh"
        rules = [f'{name} ::= {name} "x" | "{name}"' for name in names]
        line = {"grammar": "\n".join(["root ::= " + " | ".join(names)] + rules), "texts": ["a"]}
        sent = json.dumps(line).encode() + b"\n"
        # Hashing differs from run to run.
        answers = {self.hearth("grammar", "accept", standard_input=sent).output for _ in range(5)}
        self.assertEqual(len(answers), 1, answers)
        self.assertRegex(answers.pop().decode(), r"^\{\"unsupported\":\[\"[a-h]: left recursion\"\]\}")

    def test_costs_are_measured_along_a_text(self):
        schema = self.file("schema.json", json.dumps(SCHEMA))
        text = self.file("text.json", '{"n":5,"c":"red"}\n')
        figures = self.hearth(
            "bench", "grammar", "--model", FIXTURES / "gemma/tokenizer-llama.gguf", "--schema", schema, "--text-file", text,
            "--json",
        ).json
        self.assertTrue(figures["tokens"] > 3 and figures["compileMS"] > 0)
        self.assertLessEqual(figures["maskMicrosMedian"], figures["maskMicrosP99"])


if __name__ == "__main__":
    unittest.main()
