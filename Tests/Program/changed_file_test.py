"""Model files that are cut short or overwritten while the program uses them: never a signal, no text of what is gone, an error that
names the file. HEARTH_CHANGE_MOMENTS=200 tries as many random moments (default 10). Runs the built program (HEARTH_PROGRAM)."""

import contextlib
import json
import os
import pathlib
import random
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.error
import urllib.request

from program import ENDLESS, NANO, PATIENCE, PROGRAM, ROOT

PACKAGE = ROOT / "Tests/Fixtures/cards/WishCards.mlpackage"
MOMENTS = int(os.environ.get("HEARTH_CHANGE_MOMENTS", "10"))
CHANGED = "the file was changed while it was in use"


def cut(path, random):
    """Cuts a file somewhere, or empties it."""
    os.truncate(path, random.choice([0, random.randrange(os.path.getsize(path) or 1)]))


def overwrite(path, random):
    """Writes other bytes over a file, which stays as long as it is."""
    with open(path, "r+b") as file:
        file.write(random.randbytes(os.path.getsize(path)))


class Case(unittest.TestCase):
    """A copy of a model in a folder of its own, and programs that use it."""

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="hearth-changed-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.model = self.folder / "teller.gguf"
        self.seed = random.randrange(1 << 32)
        self.random = random.Random(self.seed)
        self.environment = dict(os.environ, HEARTH_HOME=str(self.folder / "home"), HEARTH_BACKGROUND="0")

    def copy(self):
        shutil.copyfile(NANO, self.model)

    def start(self, *words, **options):
        process = subprocess.Popen(
            [PROGRAM, *map(str, words)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            env=self.environment, **options)
        self.addCleanup(process.kill)
        return process

    def finish(self, process, context):
        out, err = process.communicate(timeout=PATIENCE)
        self.assertGreaterEqual(process.returncode, 0, f"{context}: ended by signal {-process.returncode}: {err[-2000:]}")
        self.assertIn(process.returncode, (0, 3), f"{context}: {err.decode()}")
        if process.returncode == 3:
            self.assertEqual(err.decode().count("hearth: error:"), 1, f"{context}: {err.decode()}")
            self.assertIn(str(self.folder), err.decode(), context)
        return process.returncode, out, err.decode()


class ChangedFileTest(Case):
    def moments(self, words, longest):
        """Changes the model's file some time after a command was started; how often that was in time. Goes on until it was once."""
        failures = 0
        for round in range(10 * MOMENTS):
            if round >= MOMENTS and failures:
                break
            self.copy()
            change = [cut, overwrite][round % 2]
            delay = self.random.uniform(0, longest)
            context = f"seed {self.seed}, round {round}: {change.__name__} after {delay * 1000:.1f} ms of {words[0]}"
            process = self.start(*words)
            time.sleep(delay)
            change(self.model, self.random)
            status, _, _ = self.finish(process, context)
            failures += status == 3
        return failures

    def test_generate(self):
        self.assertEqual(self.moments(["generate", "--model", self.model, *ENDLESS], 0.3), MOMENTS)

    def test_generate_names_the_file_in_the_middle_of_a_text(self):
        for change in (cut, overwrite):
            self.copy()
            process = self.start("generate", "--model", self.model, *ENDLESS)
            self.assertEqual(len(process.stdout.read(1)), 1)
            change(self.model, self.random)
            status, _, err = self.finish(process, f"seed {self.seed}, {change.__name__}")
            self.assertEqual(status, 3, err)
            self.assertIn(f"hearth: error: {CHANGED} ({self.model}: file).", err)

    def test_score(self):
        tokens = self.folder / "tokens.json"
        tokens.write_text(json.dumps([2] + [self.random.randrange(4, 1000) for _ in range(1000)]))
        words = ["score", "--model", self.model, "--tokens-file", tokens, "--logits", self.folder / "out.f32"]
        self.assertGreater(self.moments(words, 0.5), 0)

    def test_story(self):
        words = ["story", "sleepy-bear", "--model", self.model, "--max-tokens", 600]
        self.assertGreater(self.moments(words, 0.3), 0)

    def test_story_is_told_to_its_end_and_then_the_file_is_named(self):
        for attempt in range(20):
            self.copy()
            process = self.start("story", "sleepy-bear", "--model", self.model, "--seed", attempt, bufsize=0)
            process.stdout.read(1)
            cut(self.model, self.random)
            status, out, err = self.finish(process, f"seed {self.seed}, attempt {attempt}")
            if status == 3:
                break
        self.assertEqual(status, 3, "every story was over too soon")
        self.assertIn(f"hearth: error: {CHANGED} ({self.model}: file).", err)
        # What follows what was told is a finished story: much longer than a sentence.
        self.assertGreater(len(out), 500)

    def test_predict(self):
        package = self.folder / "Cards.mlpackage"
        weights = "Data/com.apple.CoreML/weights/weight.bin"
        values = self.folder / "image.f32"
        description = json.loads(
            subprocess.run([PROGRAM, "inspect", "--json", PACKAGE], env=self.environment, capture_output=True, timeout=PATIENCE,
                           check=True).stdout)
        name, shape = description["inputs"][0]["name"], description["inputs"][0]["shape"]
        count = 1
        for dimension in shape:
            count *= dimension
        values.write_bytes(struct.pack(f"<{count}f", *([100.0] * count)))
        words = ["predict", "--model", package, "--input", f"{name}={values}", "--output-dir", self.folder / "out"]
        shutil.copytree(PACKAGE, package)
        begin = time.monotonic()
        status, _, err = self.finish(self.start(*words), "whole package")
        self.assertEqual(status, 0, err)
        duration = time.monotonic() - begin
        for round in range(MOMENTS):
            shutil.rmtree(package)
            shutil.copytree(PACKAGE, package)
            change = [cut, overwrite][round % 2]
            delay = self.random.uniform(0, duration)
            process = self.start(*words)
            time.sleep(delay)
            change(package / weights, self.random)
            self.finish(process, f"seed {self.seed}, round {round}: {change.__name__} after {delay * 1000:.1f} ms")

    def test_compiled_model_that_is_changed_is_made_again(self):
        package = self.folder / "Cards.mlpackage"
        shutil.copytree(PACKAGE, package)
        picture = sorted((ROOT / "Tests/Fixtures/cards/heldout").glob("*.jpg"))[0]
        words = ["classify", "--model", package, "--json"] + [picture] * 40
        status, expected, err = self.finish(self.start(*words), "whole artifact")
        self.assertEqual(status, 0, err)
        for round in range(MOMENTS):
            # Not those that were put aside: they go away by themselves.
            files = [file for file in (self.folder / "home").rglob("weights.bin") if ".damaged" not in str(file)]
            process = self.start(*words)
            time.sleep(self.random.uniform(0, 0.1))
            for file in files:
                # The program may put it aside at this moment.
                with contextlib.suppress(FileNotFoundError):
                    os.chmod(file, 0o644)
                    [cut, overwrite][round % 2](file, self.random)
            status, out, err = self.finish(process, f"seed {self.seed}, round {round}")
            self.assertEqual(status, 0, err)
            self.assertEqual(results(out), results(expected), f"seed {self.seed}, round {round}")


class ChangedFileServerTest(Case):
    """The same for a server, which lives on."""

    def serve(self):
        process = self.start("serve", "--port", 0, "--model", self.model)
        lines = []
        while True:
            line = process.stderr.readline().decode()
            lines.append(line)
            found = re.search(r"listening on (http://\S+)", line)
            if found:
                break
            self.assertNotEqual(line, "", lines)
        return process, found.group(1)

    def request(self, url, body):
        return urllib.request.Request(
            url + "/v1/completions", data=json.dumps(body).encode(), headers={"Content-Type": "application/json"})

    def complete(self, url, model, **more):
        body = dict(model=model, prompt="Once upon a time", max_tokens=8, temperature=0, **more)
        with urllib.request.urlopen(self.request(url, body), timeout=PATIENCE) as answer:
            return json.load(answer)["choices"][0]["text"]

    def test_stream_ends_with_an_error_and_the_server_lives_on(self):
        for change in (cut, overwrite):
            self.copy()
            process, url = self.serve()
            expected = self.complete(url, "teller")
            for attempt in range(20):
                # Without the tokens that end a text, each fills the context; so many take minutes.
                body = dict(model="teller", prompt=["Once upon a time"] * 8, n=16, max_tokens=2000, stream=True, seed=attempt,
                            logit_bias={"1": -100, "5": -100})
                with urllib.request.urlopen(self.request(url, body), timeout=PATIENCE) as answer:
                    events = [answer.readline()]
                    change(self.model, self.random)
                    events += answer.read().splitlines()
                events = [json.loads(event[6:]) for event in events if event.startswith(b"data: {")]
                if "error" in events[-1]:
                    break
                self.copy()
            self.assertEqual(events[-1]["error"]["code"], "model_changed", events[-1])
            self.assertIn("'teller.gguf'", events[-1]["error"]["message"])
            self.assertNotIn(str(self.folder), events[-1]["error"]["message"])
            with urllib.request.urlopen(url + "/health", timeout=PATIENCE) as answer:
                self.assertEqual(json.load(answer)["status"], "ok")
            # Another model, and then the same one, whole again.
            self.assertGreater(len(self.complete(url, "hearth-nano")), 0)
            with self.assertRaises(urllib.error.HTTPError) as refused:
                self.complete(url, "teller")
            self.assertEqual(refused.exception.code, 500)
            refused.exception.close()
            self.copy()
            self.assertEqual(self.complete(url, "teller"), expected)
            self.assertIsNone(process.poll())
            process.send_signal(signal.SIGTERM)
            process.communicate(timeout=PATIENCE)
            self.assertEqual(process.returncode, 0)

    def test_random_moments(self):
        self.copy()
        process, url = self.serve()
        for round in range(MOMENTS):
            self.copy()
            change = [cut, overwrite][round % 2]
            context = f"seed {self.seed}, round {round}: {change.__name__}"
            body = dict(model="teller", prompt="Once", max_tokens=400, stream=True, seed=round)
            try:
                with urllib.request.urlopen(self.request(url, body), timeout=PATIENCE) as answer:
                    time.sleep(self.random.uniform(0, 0.15))
                    change(self.model, self.random)
                    answer.read()
            except urllib.error.HTTPError as error:
                self.assertEqual(error.code, 500, context)
                error.close()
            self.assertIsNone(process.poll(), context)
        with urllib.request.urlopen(url + "/health", timeout=PATIENCE) as answer:
            self.assertEqual(json.load(answer)["status"], "ok")


def results(lines):
    """What was seen in each picture, without the time that it took."""
    return [json.loads(line)["results"] for line in lines.splitlines()]


if __name__ == "__main__":
    sys.exit(unittest.main())
