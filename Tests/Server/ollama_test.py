"""Ollama's own Python client against the server, as it comes.

    Tests/Server/run ollama_test.py
"""

import http.client
import json
import unittest
import urllib.error
import urllib.request

import ollama
from harness import PATIENCE, ROOT, serving

GEMMA = ROOT / "Tests/Fixtures/gemma"
STORY = [{"role": "user", "content": "Tell a bedtime story about a sleepy bear."}]
CITY = {
    "type": "object",
    "properties": {"city": {"enum": ["Ulm", "Bonn"]}, "days": {"type": "integer", "minimum": 1, "maximum": 9}},
    "required": ["city", "days"],
}
WEATHER = {"type": "function", "function": {"name": "get_weather", "description": "Weather.", "parameters": CITY}}


class OllamaTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.context = serving()
        cls.server = cls.context.__enter__()
        cls.client = ollama.Client(host=cls.server.url)

    @classmethod
    def tearDownClass(cls):
        cls.context.__exit__(None, None, None)

    def test_models(self):
        models = self.client.list().models
        names = [model.model for model in models]
        self.assertIn("hearth-nano:latest", names)
        nano = models[names.index("hearth-nano:latest")]
        self.assertEqual(len(nano.digest), 64)
        self.assertEqual(nano.size, (ROOT / "Models/hearth-nano.gguf").stat().st_size)
        self.assertEqual(nano.details.format, "gguf")
        for name in ("hearth-nano", "hearth-nano:latest"):
            shown = self.client.show(name)
            self.assertIn("completion", shown.capabilities)
            self.assertIn("tools", shown.capabilities)
            self.assertEqual(shown.details.family, shown.modelinfo["general.architecture"])
            self.assertGreater(shown.modelinfo["general.parameter_count"], 4_000_000)
        self.client.generate("hearth-nano", "Hello", options={"num_predict": 1})
        running = self.client.ps().models
        self.assertEqual([model.model for model in running], ["hearth-nano:latest"])
        self.assertGreater(running[0].context_length, 100)
        with self.assertRaises(ollama.ResponseError) as caught:
            self.client.show("llama3")
        self.assertEqual((caught.exception.status_code, caught.exception.error), (404, "model 'llama3' not found"))
        version = self.server.json("/api/version")
        self.assertRegex(version["version"], r"^\d+\.\d+\.\d+$")
        connection = http.client.HTTPConnection("127.0.0.1", self.server.port)
        connection.request("HEAD", "/")
        self.assertEqual(connection.getresponse().status, 200)
        connection.close()

    def test_chat(self):
        options = {"seed": 1, "num_predict": 20, "temperature": 0.7, "top_k": 30, "top_p": 0.9, "repeat_last_n": -1}
        whole = self.client.chat("hearth-nano", STORY, options=options)
        self.assertTrue(whole.done and whole.message.role == "assistant")
        self.assertEqual((whole.done_reason, whole.eval_count, whole.model), ("length", 20, "hearth-nano"))
        self.assertGreater(whole.prompt_eval_count, 5)
        for figure in (whole.total_duration, whole.prompt_eval_duration, whole.eval_duration):
            self.assertGreater(figure, 1000)
        self.assertGreaterEqual(
            whole.total_duration, whole.load_duration + whole.prompt_eval_duration + whole.eval_duration)
        pieces = list(self.client.chat("hearth-nano:latest", STORY, options=options, stream=True))
        self.assertEqual("".join(piece.message.content for piece in pieces), whole.message.content)
        self.assertEqual([piece.done for piece in pieces], [False] * (len(pieces) - 1) + [True])
        self.assertGreater(len(pieces), 5)
        self.assertEqual((pieces[-1].done_reason, pieces[-1].eval_count), ("length", 20))
        openai = json.loads(self.post("/v1/chat/completions", {
            "messages": STORY, "seed": 1, "max_tokens": 20, "temperature": 0.7, "top_k": 30, "top_p": 0.9,
            "repeat_last_n": -1}))
        self.assertEqual(openai["choices"][0]["message"]["content"], whole.message.content)
        story = self.client.chat("hearth-nano", STORY, options={"seed": 1})
        self.assertEqual(story.done_reason, "stop")

    def test_generate(self):
        options = {"seed": 2, "num_predict": 15}
        whole = self.client.generate("hearth-nano", STORY[0]["content"], options=options)
        self.assertEqual((whole.done, whole.done_reason, whole.eval_count), (True, "length", 15))
        same = self.client.chat("hearth-nano", STORY, options=options)
        self.assertEqual(whole.response, same.message.content)
        pieces = list(self.client.generate("hearth-nano", STORY[0]["content"], options=options, stream=True))
        self.assertEqual("".join(piece.response for piece in pieces), whole.response)
        raw = self.client.generate("hearth-nano", "Once upon a time", raw=True, options=options)
        completion = json.loads(self.post("/v1/completions", {
            "prompt": "Once upon a time", "seed": 2, "max_tokens": 15}))
        self.assertEqual(raw.response, completion["choices"][0]["text"])
        told = self.client.generate("hearth-nano", STORY[0]["content"], system="Be brief.", options=options)
        self.assertGreater(told.prompt_eval_count, whole.prompt_eval_count)
        word = whole.response.split()[3]
        stopped = self.client.generate("hearth-nano", STORY[0]["content"], options={**options, "stop": [word]})
        self.assertEqual(stopped.response, whole.response[: whole.response.index(word)])
        self.assertEqual(stopped.done_reason, "stop")

    def test_keeping(self):
        loaded = self.client.generate("hearth-nano")
        self.assertEqual((loaded.done_reason, loaded.response), ("load", ""))
        self.assertEqual([model.model for model in self.client.ps().models], ["hearth-nano:latest"])
        gone = self.client.chat("hearth-nano", [], keep_alive=0)
        self.assertEqual((gone.done_reason, gone.message.content), ("unload", ""))
        self.assertEqual(list(self.client.ps().models), [])
        again = self.client.generate("hearth-nano", "Hello", options={"num_predict": 3}, keep_alive="10m")
        self.assertEqual(again.eval_count, 3)

    def test_logprobs(self):
        whole = self.client.chat("hearth-nano", STORY, logprobs=True, top_logprobs=2, options={"num_predict": 5})
        self.assertEqual(len(whole.logprobs), 5)
        self.assertTrue(all(token.logprob <= 0 and len(token.top_logprobs) == 2 for token in whole.logprobs))

    def test_format(self):
        for seed in range(3):
            answer = self.client.chat(
                "hearth-nano", STORY, format=CITY, options={"seed": seed, "temperature": 1.5})
            value = json.loads(answer.message.content)
            self.assertIn(value["city"], ["Ulm", "Bonn"])
            self.assertIn(value["days"], range(1, 10))
        answer = self.client.generate("hearth-nano", "Hello", format="json", options={"num_predict": 8})
        self.assertTrue(answer.response.startswith("{"))

    def test_tools(self):
        # What the bundled model says is of no matter: whether it calls is up to chance, and its calls are what they have to be.
        for seed in range(8):
            options = {"seed": seed, "temperature": 2, "num_predict": 60}
            answer = self.client.chat("hearth-nano", STORY, tools=[WEATHER], options=options)
            pieces = list(self.client.chat("hearth-nano", STORY, tools=[WEATHER], options=options, stream=True))
            self.assertEqual("".join(piece.message.content for piece in pieces), answer.message.content)
            streamed = [call for piece in pieces for call in piece.message.tool_calls or []]
            calls = list(answer.message.tool_calls or [])
            self.assertEqual([call.function for call in streamed], [call.function for call in calls])
            for call in calls:
                self.assertEqual(call.function.name, "get_weather")
                self.assertIn(call.function.arguments["city"], ["Ulm", "Bonn"])
        results = STORY + [
            {"role": "assistant", "tool_calls": [{"function": {"name": "get_weather", "arguments": {"city": "Ulm", "days": 2}}}]},
            {"role": "tool", "tool_name": "get_weather", "content": "sunny"},
        ]
        answer = self.client.chat("hearth-nano", results, tools=[WEATHER], options={"num_predict": 5})
        self.assertGreater(answer.prompt_eval_count, 50)
        del results[-1]["tool_name"]
        same = self.client.chat("hearth-nano", results, tools=[WEATHER], options={"num_predict": 5})
        self.assertEqual(answer.prompt_eval_count, same.prompt_eval_count)

    def post(self, path, body, headers=None):
        request = urllib.request.Request(
            self.server.url + path, json.dumps(body).encode(), {"Content-Type": "application/json", **(headers or {})})
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            return answer.read()

    def test_models_are_not_changed(self):
        for call in (
            lambda: self.client.pull("x"), lambda: self.client.push("x"), lambda: self.client.delete("x"),
            lambda: self.client.copy("hearth-nano", "x"), lambda: self.client.create("x", from_="hearth-nano"),
        ):
            with self.assertRaises(ollama.ResponseError) as caught:
                call()
            self.assertEqual(caught.exception.status_code, 404)
            # The client passes on what it gets, which may be no text.
            self.assertIsInstance(caught.exception.error, str)

    def test_refused(self):
        for fields, word in (
            ({"options": {"mirostat": 2}}, "options.mirostat"), ({"options": {"temperature": 9}}, "options.temperature"),
            ({"options": 3}, "options"), ({"format": "xml"}, "format"), ({"format": {"type": 3}}, "format"),
            ({"images": ["aGk="]}, "images"), ({"suffix": "x"}, "suffix"), ({"template": "x"}, "template"),
            ({"context": [1]}, "context"), ({"think": True}, "think"), ({"think": 3}, "think"),
            ({"raw": True, "system": "x"}, "system"), ({"tools": [WEATHER]}, "tools"), ({"keep_alive": "soon"}, "keep_alive"),
            ({"model": None}, "model"), ({"stream": 3}, "stream"),
        ):
            with self.subTest(fields=fields):
                with self.assertRaises(urllib.error.HTTPError) as caught:
                    # A stream that had to wait has begun when this is known.
                    self.post("/api/generate", {"model": "hearth-nano", "prompt": "a", "stream": False, **fields})
                self.assertEqual(caught.exception.code, 400)
                error = json.loads(caught.exception.read())
                self.assertEqual(list(error), ["error"])
                self.assertIn(word, error["error"])
        with self.assertRaises(ollama.ResponseError) as caught:
            self.client.chat("hearth-nano", [{"role": "user", "content": "a", "images": [b"x"]}])
        self.assertEqual(caught.exception.status_code, 400)
        with self.assertRaises(ollama.ResponseError) as caught:
            self.client.chat("llama3", STORY)
        self.assertEqual((caught.exception.status_code, caught.exception.error), (404, "model 'llama3' not found"))
        with self.assertRaises(ollama.ResponseError) as caught:
            self.client.embed("hearth-nano", "a")
        self.assertEqual(caught.exception.status_code, 400)

    def test_access(self):
        """No type is a program's; with an origin it is a page's, and a form's types are never taken."""
        body = json.dumps({"model": "hearth-nano", "prompt": "a", "options": {"num_predict": 1}, "stream": False})

        def status(headers):
            connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=PATIENCE)
            connection.putrequest("POST", "/api/generate")
            for name, value in {"Content-Length": str(len(body)), **headers}.items():
                connection.putheader(name, value)
            connection.endheaders(body.encode())
            answer = connection.getresponse()
            error = json.loads(answer.read()).get("error")
            connection.close()
            return answer.status, type(error)

        self.assertEqual(status({}), (200, type(None)))
        self.assertEqual(status({"Content-Type": "application/x-www-form-urlencoded"}), (415, str))
        self.assertEqual(status({"Content-Type": "text/plain"}), (415, str))
        self.assertEqual(status({"Origin": "http://evil.example"}), (403, str))
        self.assertEqual(status({"Origin": self.server.url}), (415, str))
        self.assertEqual(status({"Sec-Fetch-Site": "same-origin"}), (415, str))


class EmbeddingTest(unittest.TestCase):
    def test_embeddings(self):
        rows = json.loads((GEMMA / "embed-dense.json").read_text())["rows"]
        rows = [row for row in rows if row["task"] == "none"]
        with serving("--embedding-model", str(GEMMA / "embed-dense.gguf")) as server:
            client = ollama.Client(host=server.url)
            answer = client.embed("embed-dense", [row["text"] for row in rows])
            self.assertEqual(answer.prompt_eval_count, sum(len(row["tokens"]) for row in rows))
            for vector, row in zip(answer.embeddings, rows, strict=True):
                self.assertLessEqual(max(abs(a - b) for a, b in zip(vector, row["embedding"], strict=True)), 1e-3)
            one = client.embed("embed-dense:latest", rows[0]["text"]).embeddings
            self.assertEqual([list(one[0])], [list(answer.embeddings[0])])
            older = client.embeddings("embed-dense", rows[0]["text"]).embedding
            self.assertEqual(list(older), list(one[0]))
            self.assertEqual(len(client.embed("embed-dense", "a", dimensions=32).embeddings[0]), 32)
            self.assertEqual(list(client.embed("embed-dense", []).embeddings), [])
            long = "a b c d " * 5000
            self.assertEqual(len(client.embed("embed-dense", long).embeddings), 1)
            with self.assertRaises(ollama.ResponseError) as caught:
                client.embed("embed-dense", long, truncate=False)
            self.assertEqual(caught.exception.status_code, 400)
            self.assertEqual(client.show("embed-dense").capabilities, ["embedding"])
            with self.assertRaises(ollama.ResponseError) as caught:
                client.chat("embed-dense", STORY)
            self.assertEqual(caught.exception.status_code, 400)


class FilteredTest(unittest.TestCase):
    def test_filter(self):
        with serving("--filter") as server:
            client = ollama.Client(host=server.url)
            pieces = list(client.chat("hearth-nano", STORY, options={"seed": 1, "num_predict": 60}, stream=True))
            self.assertGreater(len("".join(piece.message.content for piece in pieces)), 20)
            with self.assertRaises(ollama.ResponseError) as caught:
                client.chat("hearth-nano", STORY, format="json")
            self.assertEqual(caught.exception.status_code, 400)
            harm = "She stabbed him with a knife."
            stopped = client.chat("hearth-nano", [{"role": "user", "content": harm}])
            self.assertEqual((stopped.message.content, stopped.done_reason), ("", "content_filter"))
            for raw in (False, True):
                stopped = client.generate("hearth-nano", harm, raw=raw)
                self.assertEqual((stopped.response, stopped.done_reason), ("", "content_filter"))


class TokenTest(unittest.TestCase):
    def test_token(self):
        with serving(environment={"HEARTH_TOKEN": "0123456789abcdef0123"}, ready=False) as server:
            with self.assertRaises(ollama.ResponseError) as caught:
                ollama.Client(host=server.url).list()
            self.assertEqual(caught.exception.status_code, 401)
            client = ollama.Client(host=server.url, headers={"Authorization": "Bearer 0123456789abcdef0123"})
            self.assertTrue(client.list().models)


if __name__ == "__main__":
    unittest.main()
