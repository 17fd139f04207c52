"""`hearth chat`, and what `hearth generate` has in common with it, through the shipped program."""

import json
import math
import os
import pty
import select
import signal
import subprocess
import time
import unittest

from program import FIXTURES, NANO, PATIENCE, PROGRAM, WITHOUT_END, ProgramTest, floats, with_long_context

# A context that no text fills while a test waits for it.
LONG = 65536
LINES = ["Tell a story about a bear.", "And then?", "Who else was there?"]


class Pipe(ProgramTest):
    def chat(self, lines, *words, model=NANO, **options):
        return self.hearth(
            "chat", "--model", model, "--json", *words, standard_input="".join(f"{l}\n" for l in lines).encode(),
            **options)

    def prompt(self, turns, system=None):
        """The tokens of a conversation, laid out by hand."""
        text, first = "<bos>", f"{system}\n\n" if system else ""
        for question, answer in turns:
            text += f"<start_of_turn>user\n{first}{question}<end_of_turn>\n<start_of_turn>model\n"
            text, first = text + (f"{answer.strip()}<end_of_turn>\n" if answer is not None else ""), ""
        return self.hearth("tokenize", "--model", NANO, "--special", "--json", text).json["ids"]

    def test_turns_are_those_of_a_fresh_program(self):
        for sampling in (["--greedy"], ["--seed", 5, "--presence-penalty", 1, "--dry-multiplier", 0.8]):
            turns = []
            answers = self.chat(LINES, "--system", "Be kind.", "--max-tokens", 16, *sampling).lines
            self.assertEqual(len(answers), 3)
            for question, answer in zip(LINES, answers):
                ids = self.prompt(turns + [(question, None)], "Be kind.")
                self.assertEqual(answer["promptTokens"], len(ids))
                tokens = self.folder / "ids.json"
                tokens.write_text(json.dumps(ids))
                fresh = self.hearth(
                    "generate", "--model", NANO, "--tokens-file", tokens, "--max-tokens", 16, "--json", *sampling).json
                self.assertEqual((answer["tokens"], answer["text"], answer["stop"]),
                                 (fresh["tokens"], fresh["text"], fresh["stop"]))
                turns.append((question, answer["text"]))
            self.assertEqual(answers[0]["cachedTokens"], 0)
            for before, after in zip(answers, answers[1:]):
                self.assertGreaterEqual(after["cachedTokens"], before["promptTokens"])
                self.assertLess(after["cachedTokens"], after["promptTokens"])

    def test_session(self):
        whole = self.chat(LINES, "--greedy", "--max-tokens", 16).lines
        file = self.folder / "talk.chat"
        parts = []
        for line in LINES:
            parts += self.chat([line], "--greedy", "--max-tokens", 16, "--session", file).lines
        for field in ("text", "tokens", "promptTokens", "cachedTokens"):
            self.assertEqual([part[field] for part in parts], [turn[field] for turn in whole], field)
        self.assertEqual(oct(file.stat().st_mode & 0o777), "0o600")
        # Text alone, with another model.
        other = self.chat(["Hi"], "--greedy", "--max-tokens", 4, "--session", file, model=FIXTURES / "gemma/gemma3-f16.gguf")
        self.assertIn("another model", other.error)
        self.assertEqual(other.json["cachedTokens"], 0)

        good = file.read_bytes()
        for bad, word in ((good.replace(b"bear", b"boar"), "sha256"), (good[:-5], "bytes"), (b"", "first line"),
                          (good.replace(b'"version":1', b'"version":9'), "version"), (NANO.read_bytes()[:5000], "first line")):
            file.write_bytes(bad)
            refused = self.chat(["Hi"], "--session", file, status=3)
            self.assertIn(f"{file}: {word}", refused.error)
            self.assertEqual(file.read_bytes(), bad)
        self.assertIn("none/talk", self.chat(["Hi"], "--session", self.folder / "none/talk", status=1).error)

    def test_killed_between_turns(self):
        file = self.folder / "talk.chat"
        process = subprocess.Popen(
            [PROGRAM, "chat", "--model", NANO, "--json", "--greedy", "--max-tokens", "12", "--session", file],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, env={**os.environ, **self.environment})
        process.stdin.write(b"Tell a story.\n")
        process.stdin.flush()
        first = json.loads(process.stdout.readline())
        process.kill()
        process.communicate()
        after = self.chat(["And then?"], "--greedy", "--max-tokens", 12, "--session", file).json
        whole = self.chat(["Tell a story.", "And then?"], "--greedy", "--max-tokens", 12).lines
        self.assertEqual([first["tokens"], after["tokens"]], [turn["tokens"] for turn in whole])
        self.assertEqual(after["promptTokens"], whole[1]["promptTokens"])

    def test_trimming(self):
        outcome = self.chat([f"Tell a story about a boat, {n}." for n in range(9)],
                            "--greedy", "--max-tokens", 20, "--context", 160)
        self.assertIn("outgrown the context of 160 tokens", outcome.error)
        for turn in outcome.lines:
            self.assertLessEqual(turn["promptTokens"], 140)
        self.assertTrue(any(turn.get("notices") for turn in outcome.lines))
        self.assertIn("context of 160", self.chat(["long " * 400], "--context", 160, status=3).error)

    def test_a_message_that_is_too_long_is_reported_and_those_after_it_are_answered(self):
        file = self.folder / "talk.chat"
        words = ("--greedy", "--max-tokens", 4, "--context", 160)
        outcome = self.chat(["Hi", "long " * 400, "", "And?"], *words, "--session", file, status=3)
        first, second, third = outcome.lines
        self.assertEqual(list(second), ["error"])
        self.assertRegex(second["error"], r"^the message takes \d{3,} tokens, more than the context of 160$")
        self.assertRegex(outcome.error, r"\Ahearth: error: a message [^\n]+ \(standard input: line 2\)\. [^\n]+\n\Z")
        # As if it had not been there.
        self.assertEqual([first["tokens"], third["tokens"]],
                         [turn["tokens"] for turn in self.chat(["Hi", "And?"], *words).lines])
        self.assertGreater(self.chat(["And then?"], *words, "--session", file).json["promptTokens"],
                           third["promptTokens"])

    def test_lines(self):
        outcome = self.chat(["", "Hi", "   "], "--max-tokens", 2)
        self.assertEqual(len(outcome.lines), 1)
        broken = self.hearth("chat", "--model", NANO, "--json", "--max-tokens", 2, standard_input=b"\xff\xfe\nHi\n")
        self.assertIn("UTF-8", broken.lines[0]["error"])
        self.assertEqual(len(broken.lines), 2)
        text = self.hearth("chat", "--model", NANO, "--greedy", "--max-tokens", 8, standard_input=b"Hi\nAnd?\n").output
        turns = self.chat(["Hi", "And?"], "--greedy", "--max-tokens", 8).lines
        self.assertEqual(text.decode(), "".join(turn["text"] + "\n" for turn in turns))
        self.assertEqual(self.chat([], status=0).output, b"")

    def test_interrupted(self):
        # Before the answer is begun there is none, and nothing says when that is; one that is interrupted has a few seconds
        # at most to end, which a busy machine may not give.
        model, stops = with_long_context(self.folder / "long.gguf", LONG), []
        while stops[-1:] != ["cancelled"]:
            self.assertLess(len(stops), 30, stops)
            stops.append(self.interrupt(model, min(0.05 * 1.4 ** len(stops), 10)))

    def interrupt(self, model, delay):
        """Interrupts a chat after a time; returns why its answer stopped, or None where the program had no time to say so."""
        with open(self.folder / "out", "w+b") as out:
            process = subprocess.Popen(
                [PROGRAM, "chat", "--model", model, "--json", "--context", str(LONG), "--max-tokens", str(LONG), "--seed", "1",
                 *WITHOUT_END, "--session", self.folder / "talk.chat"],
                stdin=subprocess.PIPE, stdout=out, stderr=subprocess.PIPE, env={**os.environ, **self.environment})
            process.stdin.write(b"Tell a very long story.\n")
            process.stdin.flush()
            time.sleep(delay)
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=PATIENCE)
            out.seek(0)
            said = out.read()
        # Before the program listens to signals, this one ends it.
        self.assertIn(process.returncode, (130, -signal.SIGINT))
        if not said.endswith(b"}\n"):
            return None
        self.assertEqual(json.loads(said)["stop"], "cancelled")
        return "cancelled"

    def test_other_template(self):
        """A template of the file's own is never run, and is told of where it is none of the known ones."""
        data = bytearray(NANO.read_bytes())
        start = data.index(b"tokenizer.chat_template")
        place = data.index(b"<end_of_turn>", start)
        self.assertLess(place - start, 4000)
        data[place : place + 13] = b"<|im_end|>   "
        model = self.folder / "other.gguf"
        model.write_bytes(data)
        other = self.chat(["Hi"], "--greedy", "--max-tokens", 4, model=model)
        self.assertIn("tokenizer.chat_template", other.error)
        self.assertIn("<|im_end|>", other.error)
        known = self.chat(["Hi"], "--greedy", "--max-tokens", 4)
        self.assertEqual(known.error, "")
        self.assertEqual(known.json["tokens"], other.json["tokens"])
        for words, notes in (("--chat", "Hi"), 1), (("--prompt", "Hi"), 0):
            single = self.hearth("generate", "--model", model, *words, "--greedy", "--max-tokens", 4)
            self.assertEqual(single.error.count("tokenizer.chat_template"), notes, single.error)

    def test_usage(self):
        for words in (["--top-k", "-1"], ["--presence-penalty", "x"], ["--logit-bias", "5"], ["--logit-bias", "a=1"],
                      ["--samplers", "top-k,nonsense"], ["--samplers", "top-k,top-k"], ["--stop", ""], ["--logprobs", "-1"],
                      ["--max-tokens", "0"], ["--typical", "2"], ["--xtc-probability", "nan"], ["--mirostat-tau", "-1"],
                      ["--dry-allowed-length", "0"]):
            for command in (["chat"], ["generate", "--prompt", "a"]):
                self.hearth(*command, "--model", NANO, "--json", *words, status=2)
        self.hearth("chat", status=2)
        self.hearth("chat", "--model", NANO, "--logprobs", 2, status=2)
        self.hearth("chat", "--model", self.folder / "none.gguf", status=3)
        self.hearth("generate", "--model", NANO, "--prompt", "a", "--logit-bias", "99999999=1", status=3)


class Generate(ProgramTest):
    def generate(self, *words, **options):
        return self.hearth("generate", "--model", NANO, "--json", *words, **options).json

    def test_stop(self):
        whole = self.generate("--prompt", "Once", "--greedy", "--max-tokens", 60)
        words = whole["text"].split(" ")
        for stop in (words[5], words[4][-2:] + " " + words[5][:2], whole["text"][20:21]):
            cut = self.generate("--prompt", "Once", "--greedy", "--max-tokens", 60, "--stop", "@@@", stop)
            self.assertEqual(cut["text"], whole["text"][: whole["text"].index(stop)])
            self.assertEqual(cut["stop"], "end")
            self.assertEqual(cut["tokens"], whole["tokens"][: len(cut["tokens"])])
            printed = self.hearth("generate", "--model", NANO, "--prompt", "Once", "--greedy", "--max-tokens", 60,
                                  "--stop", stop).output.decode()
            self.assertEqual(printed.rstrip("\n"), cut["text"].rstrip("\n"))

    def test_logprobs(self):
        """Against the logits of `hearth score`."""
        prompt = self.hearth("tokenize", "--model", NANO, "--json", "Once upon a time").json["ids"]
        ids = self.folder / "ids.json"
        ids.write_text(json.dumps(prompt))
        answer = self.generate("--tokens-file", ids, "--seed", 3, "--temperature", 1.5, "--max-tokens", 8, "--logprobs", 5,
                               "--kv", "float32")
        self.assertEqual([row["id"] for row in answer["logprobs"]], answer["tokens"])
        ids.write_text(json.dumps(prompt + answer["tokens"]))
        self.hearth("score", "--model", NANO, "--tokens-file", ids, "--logits", self.folder / "logits.f32", "--json")
        logits = floats(self.folder / "logits.f32")
        width = len(logits) // (len(prompt) + len(answer["tokens"]))
        for index, row in enumerate(answer["logprobs"]):
            start = (len(prompt) - 1 + index) * width
            values = logits[start : start + width]
            top = max(values)
            total = top + math.log(math.fsum(math.exp(value - top) for value in values))
            order = sorted(range(width), key=lambda id: (-values[id], id))
            self.assertEqual([entry["id"] for entry in row["top"]], order[:5])
            for entry in row["top"] + [row]:
                self.assertAlmostEqual(entry["logprob"], values[entry["id"]] - total, places=4)
                self.assertEqual(bytes(entry["bytes"]).decode("utf-8", "replace"), entry["text"])
        self.assertNotIn("logprobs", self.generate("--prompt", "Once", "--max-tokens", 2))

    def test_penalties(self):
        plain = self.generate("--prompt", "Once", "--greedy", "--max-tokens", 60)["tokens"]
        self.assertLess(len(set(plain)), 60)
        never = self.generate("--prompt", "Once", "--greedy", "--max-tokens", 60, "--presence-penalty", 100)["tokens"]
        self.assertEqual(len(set(never)), len(never))
        always = self.generate("--prompt", "Once", "--greedy", "--max-tokens", 5, "--logit-bias", "300=100")["tokens"]
        self.assertEqual(always, [300] * 5)
        for words in (["--typical", 0.5], ["--top-n-sigma", 1], ["--mirostat-tau", 2], ["--xtc-probability", 1],
                      ["--samplers", "temperature;top_p;top_k"], ["--dry-multiplier", 1]):
            first = self.generate("--prompt", "Once", "--seed", 9, "--max-tokens", 20, *words)
            self.assertEqual(first["tokens"], self.generate(
                "--prompt", "Once", "--seed", 9, "--max-tokens", 20, *words, "--threads", 1)["tokens"])


class TerminalTest(ProgramTest):
    """At a terminal of its own."""

    def start(self, *words, model=NANO):
        main, side = pty.openpty()
        process = subprocess.Popen(
            [PROGRAM, "chat", "--model", model, "--seed", "3", *map(str, words)], stdin=side, stdout=side, stderr=side,
            env={**os.environ, **self.environment, "TERM": "dumb"}, start_new_session=True,
            preexec_fn=lambda: __import__("fcntl").ioctl(0, __import__("termios").TIOCSCTTY, 0))
        os.close(side)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        self.addCleanup(os.close, main)
        return process, main

    def read(self, main, until):
        text, end = b"", time.monotonic() + PATIENCE
        while until not in text:
            self.assertGreater(end, time.monotonic(), text)
            if select.select([main], [], [], 0.05)[0]:
                try:
                    text += os.read(main, 65536)
                except OSError:
                    break
        return text.decode("utf-8", "replace")

    def test_commands(self):
        file = self.folder / "talk.chat"
        process, main = self.start("--max-tokens", 6)
        self.read(main, b"> ")

        def say(line):
            os.write(main, line.encode() + b"\n")
            return self.read(main, b"> ").split("\n", 1)[1]

        self.assertIn("/regenerate", say("/help"))
        self.assertIn("no message yet", say("/undo"))
        self.assertIn("/help", say("/udno"))
        first = say("Tell a story.")
        self.assertGreater(len(first), 12)
        second = say("/regenerate")
        self.assertNotEqual(first, second)
        self.assertIn("pass a file", say("/save"))
        self.assertIn("saved to", say(f"/save {file}"))
        self.assertIn("Tell a story.", file.read_text())
        self.assertIn("removed: Tell a story.", say("/undo"))
        self.assertEqual(say("Tell a story."), first)
        os.write(main, b"/quit\n")
        self.assertEqual(process.wait(PATIENCE), 0)

    def test_control_c(self):
        # The answer has no end but this one.
        model = with_long_context(self.folder / "long.gguf", LONG)
        process, main = self.start("--context", LONG, "--max-tokens", LONG, *WITHOUT_END, model=model)
        self.read(main, b"> ")
        os.write(main, b"Tell a long story.\n")
        self.read(main, b"long story.\r\n")
        self.read(main, b" ")
        os.write(main, b"\x03")
        self.read(main, b"\n> ")
        self.assertIsNone(process.poll())
        os.write(main, b"\x03")
        self.assertEqual(process.wait(PATIENCE), 130)


if __name__ == "__main__":
    unittest.main()
