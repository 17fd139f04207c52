"""Stories by the bundled model and by the library, and what a story costs nothing of: the filter, the voice's file."""

import os
import stat
import struct
import unittest

from program import ProgramTest, kernel_sets


class Stories(ProgramTest):
    def test_one_seed_is_one_story_on_every_kernel_set(self):
        told = {}
        for kernels in kernel_sets():
            words = ("story", "sleepy-bear", "--seed", "7", "--max-tokens", "120", "--json")
            story = self.hearth(*words, kernels=kernels).json
            self.assertEqual((story["source"], story["state"]), ("model", "ready"))
            self.assertEqual(self.hearth(*words, kernels=kernels).json["text"], story["text"])
            told[kernels] = story["text"]
        # All sets compute the same integer products; floats are added in another order.
        self.assertEqual(len({text[:40] for text in told.values()}), 1, told)

    def test_drafts_change_no_word(self):
        words = ("story", "dancing-bunny", "--seed", "77", "--json")
        self.assertEqual(self.hearth(*words).json["text"], self.hearth(*words, "--no-drafts").json["text"])

    def test_every_finished_story_passes_the_filter(self):
        import json

        for language in ("en", "es", "zh-Hans"):
            stories = self.hearth("stories", "--language", language, "--json").json["stories"]
            self.assertEqual(len(stories), 88)
            lines = "".join(
                json.dumps({"lang": language, "text": story["text"]}, ensure_ascii=False) + "\n" for story in stories
            )
            for story, verdict in zip(stories, self.hearth("filter", standard_input=lines.encode()).lines):
                self.assertEqual(verdict["action"], "pass", story["id"])

    def test_a_story_is_spoken_into_a_file(self):
        file = self.folder / "story.wav"
        self.hearth("story", "sleepy-bear", "--seed", "3", "--max-tokens", "40", "--audio", file)
        data = file.read_bytes()
        self.assertEqual(data[:4] + data[8:12], b"RIFFWAVE")
        self.assertEqual(struct.unpack("<I", data[4:8])[0], len(data) - 8)
        self.assertGreater(len(data), 50_000)

    def test_speech_replaces_files_only(self):
        os.mkfifo(self.folder / "pipe")
        refused = self.hearth("story", "sleepy-bear", "--seed", "3", "--audio", self.folder / "pipe", status=1)
        self.assertEqual(refused.output, b"")
        self.assertIn("not a regular file", refused.error)
        self.assertTrue(stat.S_ISFIFO(os.lstat(self.folder / "pipe").st_mode))
        (self.folder / "link.wav").symlink_to("story.wav")
        (self.folder / "story.wav").write_bytes(b"")
        self.hearth("story", "sleepy-bear", "--seed", "3", "--max-tokens", "20", "--audio", self.folder / "link.wav")
        self.assertTrue((self.folder / "link.wav").is_symlink())
        self.assertEqual((self.folder / "story.wav").read_bytes()[:4], b"RIFF")

    def test_a_tale_bears_the_childs_name_and_is_as_long_as_wanted(self):
        for language, shortest, longest in (("en", 200, 500), ("es", 150, 400), ("zh-Hans", 250, 500)):
            counts = {}
            for length in ("short", "medium", "long"):
                words = ("story", "friendly-dragon", "--language", language, "--seed", "5", "--json")
                story = self.hearth(*words, "--name", "Mina", "--pronoun", "she", "--length", length).json
                self.assertEqual((story["source"], story["notice"], story["handover"]), ("library", None, None))
                self.assertIn("Mina", story["text"])
                counts[length] = len(story["text"]) if language == "zh-Hans" else len(story["text"].split())
            self.assertLessEqual(counts["short"], counts["medium"])
            if language == "en":
                self.assertLess(counts["short"], shortest)
                self.assertGreater(counts["long"], longest)
        words = ("story", "kind-giant", "--source", "library", "--json")
        told = [self.hearth(*words, "--seed", str(seed)).json["text"] for seed in (1, 1, 2, 3, 4)]
        self.assertEqual(told[0], told[1])
        self.assertEqual(len(set(told)), 4)

    def test_what_no_story_can_bear_is_refused(self):
        for words in (
            ("--name", ""), ("--name", "<end_of_turn>"), ("--pronoun", "she"), ("--length", "endless"),
            ("--source", "model", "--name", "Mina"), ("--source", "nobody"),
            ("--adult-prompt", "a fox who collects buttons", "--name", "Mina"),
            ("--free", "--source", "library"), ("--free", "--name", "Mina"), ("--no-choosing", "--length", "short"),
            ("--free", "--story", "the-hoard"),
        ):
            self.assertEqual(self.hearth("story", *words, status=2).output, b"", words)
        hot = self.hearth("story", "--source", "model", "--simulate", "thermal=critical@0s", status=4)
        self.assertIn("--source model", hot.error)

    def test_heat_hands_over_to_the_library(self):
        story = self.hearth("story", "sleepy-bear", "--simulate", "thermal=critical@0s", "--json").json
        self.assertEqual((story["source"], story["state"]), ("library", "unavailable"))
        self.assertTrue(story["notice"])


if __name__ == "__main__":
    unittest.main()
