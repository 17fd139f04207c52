"""The chunker, the filter and the sanitizer as programs, on every case of the shared files."""

import base64
import json
import unittest

from program import FIXTURES, ROOT, ProgramTest, json_lines

SAFETY = ROOT / "Tests" / "HearthSafetyTests" / "Fixtures"


def encoded(cases):
    return "".join(json.dumps(case, ensure_ascii=False) + "\n" for case in cases).encode()


class Programs(ProgramTest):
    def answers(self, command, cases):
        answers = self.hearth(command, standard_input=encoded(cases)).lines
        self.assertEqual(len(answers), len(cases))
        return list(zip(cases, answers))

    def test_filter(self):
        for case, answer in self.answers("filter", json_lines(SAFETY / "filter_cases.jsonl")):
            with self.subTest(case=case["id"]):
                self.assertEqual(answer["action"], case["expect"], case["text"])
                if case["expect"] == "pass":
                    self.assertEqual(answer["text"], case["text"])
                for word in case.get("must_not_contain") or []:
                    self.assertNotIn(word, answer["text"])

    def test_filter_starts_at_once(self):
        """The lexicons are made ahead: compiled from their texts they would take 60 to 240 ms of processor time."""
        for language in ("en", "ru", "zh-Hant"):
            line = json.dumps({"lang": language, "text": "…"}).encode() + b"\n"
            def first():
                result = self.hearth("filter", "--statistics", standard_input=line)
                return json.loads(result.error)["firstMS"]
            self.assertLess(min(first() for _ in range(5)), 30, language)

    def test_filter_reads_the_sentences_before(self):
        """A line of the data that its context makes harmful, with the context and without."""
        golden = json_lines(SAFETY / "meaning_golden.jsonl")
        cases = [{**case, "context": [case["context"]] if case["context"] else []} for case in golden]
        after = [answer["action"] for _, answer in self.answers("filter", cases)]
        alone = [answer["action"] for _, answer in self.answers("filter", [{**case, "context": []} for case in cases])]
        differs = [case for case, a, b in zip(cases, after, alone) if a != b]
        self.assertTrue(differs, "no verdict depends on the context")
        self.assertTrue(all(case["context"] for case in differs))

    def test_evaluate_filter(self):
        file = self.folder / "labelled.jsonl"
        rows = [
            {"lang": "en", "text": "He stabbed the man.", "label": "harm", "theme": "violence"},
            {"lang": "en", "text": "The moon rose.", "label": "harm", "theme": "danger"},
            {"lang": "en", "text": "The bear yawned.", "label": "safe", "context": ["The sun set."]},
        ]
        file.write_text("".join(json.dumps(row) + "\n" for row in rows))
        report = self.hearth("evaluate-filter", file, "--json").json
        self.assertEqual(report["sentences"], 3)
        self.assertEqual((report["all"]["harmfulCaught"]["count"], report["all"]["harmfulCaught"]["of"]), (1, 2))
        self.assertEqual(report["all"]["harmlessStopped"]["count"], 0)
        self.assertEqual(report["confusion"]["violence"], {"violence": 1})
        self.assertIn(b"1/2", self.hearth("evaluate-filter", file).output)
        # A bad line is named with its field.
        good = json.dumps(rows[0]) + "\n"
        for line, words in (
            ('{"text": "x"}', "'label' is missing"), ('{"text": 5, "label": "safe"}', "'text' is not a string"),
            ('{"text": "x", "label": "bad"}', "'label' has an unknown value"), ("[]", "not a JSON object"),
            ('{"text": "x", "label": "safe", "context": [1]}', "'context[0]' is not a string"),
        ):
            file.write_text(good + line + "\n")
            message = self.hearth("evaluate-filter", file, status=3).error
            self.assertIn(words, message)
            self.assertIn("labelled.jsonl:2", message)
        # A language without a lexicon is said once.
        file.write_text('{"lang": "tlh", "text": "x", "label": "safe"}\n' * 2)
        self.assertEqual(self.hearth("evaluate-filter", file).error.count('"tlh"'), 1)

    def test_sanitizer(self):
        for case, answer in self.answers("sanitize", json_lines(SAFETY / "sanitizer_cases.jsonl")):
            with self.subTest(case=case["id"]):
                self.assertEqual(answer["text"], case["expected"])
                self.assertEqual(answer["action"], "ok" if case["expected"] else "empty")

    def test_chunker(self):
        cases = json_lines(FIXTURES / "speech" / "chunker_cases.jsonl")
        whole = [case for case in cases if "expected_sentences" in case]
        self.assertGreater(len(whole), 100)

        def words(sentences):
            return ["".join(sentence.split()) for sentence in sentences]

        for case, answer in self.answers("chunk", whole):
            with self.subTest(case=case["id"]):
                self.assertEqual(words(answer["sentences"]), words(case["expected_sentences"]))
        # The same text byte by byte, so that characters are split too.
        split = []
        for case in whole:
            if "text" in case:
                pieces = [base64.b64encode(bytes([byte])).decode() for byte in case["text"].encode()]
                split.append({**{k: v for k, v in case.items() if k != "text"}, "pieces_b64": pieces})
        for case, answer in self.answers("chunk", split):
            with self.subTest(case=case["id"], pieces="bytes"):
                self.assertEqual(words(answer["sentences"]), words(case["expected_sentences"]))

    def test_a_bad_line_does_not_end_the_program(self):
        for command in ("filter", "sanitize", "chunk"):
            lines = b'{"id":"a","lang":"en"}\nnot json\n\xff\xfe\n{"id":"b","lang":"xx","text":"Good night.","input":"Good night."}\n'
            answers = self.hearth(command, standard_input=lines).lines
            self.assertEqual(["error" in answer for answer in answers], [True, True, True, False], command)


if __name__ == "__main__":
    unittest.main()
