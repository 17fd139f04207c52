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
