"""Several clients at once: each gets the text that it gets alone."""

import contextlib
import json
import threading
import time
import unittest
import urllib.error
import urllib.request

from harness import ENDLESS, NANO, PATIENCE, serving

SUBJECTS = ["bear", "fox", "owl", "mouse", "boat", "star", "moon", "tree"]


def body(number: int, stream: bool, **fields) -> dict:
    fields = {"max_tokens": 60 + 10 * (number % 3), **fields}
    if number % 2:
        fields |= {"temperature": 0.9, "seed": number, "top_p": 0.95}
    else:
        fields |= {"temperature": 0}
    if number == 3:
        fields["response_format"] = {
            "type": "json_schema",
            "json_schema": {"name": "pet", "schema": {
                "type": "object", "properties": {"name": {"type": "string", "maxLength": 12}},
                "required": ["name"], "additionalProperties": False,
            }},
        }
    if number == 5:
        fields["stop"] = ["the"]
    message = {"role": "user", "content": f"Tell a story about a {SUBJECTS[number % len(SUBJECTS)]}."}
    return {"messages": [message], "stream": stream, **fields}


def ask(server, fields: dict, on_piece=None) -> str:
    """The text of an answer; piece by piece where it is a stream."""
    request = urllib.request.Request(
        server.url + "/v1/chat/completions", json.dumps(fields).encode(), {"Content-Type": "application/json"}
    )
    with urllib.request.urlopen(request, timeout=5 * PATIENCE) as answer:
        if not fields["stream"]:
            return json.load(answer)["choices"][0]["message"]["content"]
        text = ""
        for line in answer:
            if not line.startswith(b"data: {"):
                continue
            choices = json.loads(line[6:])["choices"]
            piece = choices[0]["delta"].get("content") if choices else None
            if piece:
                text += piece
                if on_piece:
                    on_piece()
        return text


def at_once(works: list) -> list:
    """Runs functions at the same time; their results, in order."""
    results = [None] * len(works)

    def run(index):
        try:
            results[index] = works[index]()
        except Exception as error:  # Compared like a result: the test fails and says which.
            results[index] = error

    threads = [threading.Thread(target=run, args=(index,)) for index in range(len(works))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


class ParallelTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = cls.enterClassContext(serving("--parallel", "8", "--model", str(NANO)))

    def test_eight_streams_are_the_texts_that_each_is_alone(self):
        alone = [ask(self.server, body(number, stream=False)) for number in range(8)]
        self.assertEqual(len(set(alone)), 8)
        for _ in range(3):
            together = at_once([lambda n=n: ask(self.server, body(n, stream=True)) for n in range(8)])
            self.assertEqual(together, alone)

    def test_they_are_written_at_the_same_time_and_counted(self):
        most, seen = 0, threading.Event()
        latest = time.monotonic() + PATIENCE

        def write(number):
            # The watcher may look in between: until it has seen texts being written.
            while not seen.is_set() and time.monotonic() < latest:
                ask(self.server, body(2 * number, stream=False, max_tokens=300))

        def watch():
            nonlocal most
            looks = 0
            # Some looks more: never are there more than eight.
            while (most < 2 or looks < 50) and time.monotonic() < latest:
                looks += 1
                running = max(self.server.figure("hearth_generations_running"), self.server.json("/api/state")["running"])
                most = max(most, running)
            seen.set()

        self.assertEqual(at_once([watch] + [lambda n=n: write(n) for n in range(20)]), [None] * 21)
        self.assertGreater(most, 1)
        self.assertLessEqual(most, 8)
        self.assertEqual(self.server.figure("hearth_generations_parallel"), 8)
        self.server.wait(lambda: self.server.json("/health")["running"] == 0)

    def test_one_that_leaves_does_nothing_to_the_others(self):
        wanted = ask(self.server, body(2, stream=False))

        def leave():
            request = urllib.request.Request(
                self.server.url + "/v1/chat/completions", json.dumps(body(1, stream=True)).encode(),
                {"Content-Type": "application/json"},
            )
            with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
                answer.read(200)

        found = at_once([leave, lambda: ask(self.server, body(2, stream=True)), leave, leave])
        self.assertEqual(found, [None, wanted, None, None])

    def test_a_short_request_is_begun_while_long_ones_run(self):
        with contextlib.ExitStack() as stack:
            # They take minutes, and are left when the short one is over.
            for _ in range(3):
                request = urllib.request.Request(
                    self.server.url + "/v1/completions", json.dumps({**ENDLESS, "prompt": ["word and " * 280] * 8}).encode(),
                    {"Content-Type": "application/json"})
                stack.enter_context(urllib.request.urlopen(request, timeout=PATIENCE))
            pieces = []
            ask(self.server, body(2, stream=True, max_tokens=5), on_piece=lambda: pieces.append(None))
            self.assertTrue(pieces)
            self.server.wait(lambda: self.server.json("/health")["running"] >= 3)
        self.server.wait(lambda: self.server.json("/health")["running"] == 0)

    def test_other_work_goes_on_beside_texts(self):
        story = json.dumps({"wish": "sleepy-bear", "language": "en", "seed": 4}).encode()

        def tell():
            request = urllib.request.Request(
                self.server.url + "/api/story", story, {"Content-Type": "application/json"}
            )
            with urllib.request.urlopen(request, timeout=5 * PATIENCE) as answer:
                lines = answer.read().decode()
            return [line for line in lines.splitlines() if '"text"' in line and '"index"' in line]

        def sentences(lines):
            return [json.loads(line.removeprefix("data: "))["text"] for line in lines]

        alone = sentences(tell())
        self.assertGreater(len(alone), 3)
        found = at_once([tell, tell] + [lambda n=n: ask(self.server, body(n, stream=True)) for n in range(4)])
        self.assertEqual(sentences(found[0]), alone)
        self.assertEqual(sentences(found[1]), alone)


class NarrowTest(unittest.TestCase):
    def test_one_at_a_time_where_that_is_wanted(self):
        with serving("--parallel", "1", "--model", str(NANO)) as server:
            alone = [ask(server, body(number, stream=False)) for number in range(4)]
            together = at_once([lambda n=n: ask(server, body(n, stream=True)) for n in range(4)])
            self.assertEqual(together, alone)
            self.assertEqual(server.json("/health")["parallel"], 1)

    def test_numbers_out_of_range_are_refused(self):
        for number in ("0", "65", "x"):
            with self.assertRaises(RuntimeError) as caught:
                with serving("--parallel", number, ready=False):
                    pass
            self.assertIn("--parallel", str(caught.exception))


if __name__ == "__main__":
    unittest.main()
