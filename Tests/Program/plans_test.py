"""The format of plans and slots that the story model is trained on (Training/README.md): nothing is lost between tales and plans."""

import random
import sys
import unittest

from program import ROOT

sys.path.insert(0, str(ROOT / "Training"))

import plans  # noqa: E402
import templates  # noqa: E402
from plans import tale  # noqa: E402


def all_tales():
    return [t for path in tale.files() for t in tale.read(path, path.parent.name)]


class PlansTest(unittest.TestCase):
    def test_renamed_tales_tell_the_same(self):
        for number, a_tale in enumerate(all_tales()):
            cast, words = tale.draw(a_tale, random.Random(number))
            names = plans.order(a_tale)
            people = [cast[role] for role in list(names)[: len(a_tale.roles)]]
            plan = plans.Plan(a_tale.language, a_tale.length, a_tale.wishes[0], [], [(p, None) for _, p in people], list(words.values()))
            for paragraph in a_tale.paragraphs:
                for wording in [w for alternatives in paragraph for w in alternatives]:
                    text = plans.renamed(wording, names)
                    self.assertEqual(
                        plans.filled(text, a_tale.language, people, plan.words), tale.fill(a_tale, wording, cast, words),
                        f"{a_tale.id}: {wording}")
                    self.assertEqual(plans.faults(text, plan), [], f"{a_tale.id}: {wording}")

    def test_a_plan_is_read_as_written(self):
        plan = plans.Plan("es", "long", "sleepy-bear", ["funny", "home"], [("f", None), ("m", "el oso: grande")], ["té, frío"])
        self.assertEqual(
            plan.prompt(), "{plan} es long sleepy-bear\nfunny, home\na f\nb m: el oso: grande\nx: té, frío")
        self.assertEqual(plans.read(plan.prompt()), plan)
        with self.assertRaisesRegex(ValueError, r"begins with \{plan\}"):
            plans.read("Tell a story about a bear.\na he")

    def test_faulty_answers_are_found(self):
        plan = plans.Plan("en", "short", "sleepy-bear", [], [("he", None)], [])
        self.assertEqual(plans.faults('{a} slept. {a.He} {a.was} tired, and {a:snores/snore} now.', plan), [])
        for text in ("{b} slept.", "{a.hers} bed", "{x} fell", "{a slept", "Then he slept.", "{a:one/two/three/four} bed"):
            self.assertNotEqual(plans.faults(text, plan), [], text)

    def test_template_stories_have_no_bare_names(self):
        for wish in templates.wishes()[::6]:
            told = [t for seed in range(12) if (t := templates.telling(wish, seed, 8))]
            self.assertTrue(told, wish["id"])
            for plan, text, cast in told:
                for name, _ in cast:
                    self.assertNotRegex(text, rf"\b{name}\b")
                self.assertEqual(plans.faults(text, plan), [])
                self.assertNotIn("{", plans.filled(text, "en", cast))

    def test_sentences_keep_their_quotation_marks(self):
        self.assertEqual(plans.splits('"Who?" asked {a}. "I."\n\nThen {a} slept.', "en"), ['"Who?" asked {a}.', '"I."', "Then {a} slept."])
        self.assertEqual(plans.splits("“谁？”{a}问。“我。”\n\n{a}睡了。", "zh-Hans"), ["“谁？”", "{a}问。", "“我。”", "{a}睡了。"])


if __name__ == "__main__":
    unittest.main()
