"""Every answer against the types of OpenAI's client, validated strictly: the client itself reads answers leniently.

    Tests/Server/run strict_test.py
"""

import json
import typing
import urllib.error
import urllib.request

import pydantic
from harness import PATIENCE, ROOT, ServedCase, serving
from openai.types import Completion, CreateEmbeddingResponse, Model, ModerationCreateResponse
from openai.types.chat import ChatCompletion, ChatCompletionChunk
from openai.types.chat.completion_create_params import CompletionCreateParamsStreaming
from openai.types.responses import Response, ResponseStreamEvent
from openai.types.responses.response_create_params import ResponseCreateParamsStreaming

STORY = [{"role": "user", "content": "Tell a bedtime story about a sleepy bear."}]
TRIP = {"type": "object", "properties": {"days": {"type": "integer", "enum": [1, 2]}}, "required": ["days"],
        "additionalProperties": False}
FUNCTION = {"name": "plan", "description": "Plans a trip.", "parameters": TRIP, "strict": True}
FORM = {"type": "json_schema", "json_schema": {"name": "trip", "strict": True, "schema": TRIP}}

CHATS = {
    "plain": {},
    "several, with likelihoods": {"n": 2, "logprobs": True, "top_logprobs": 2, "seed": 1},
    "stopped": {"stop": ["e", "a"]},
    "in a form": {"response_format": FORM, "max_tokens": 40},
    "any JSON": {"response_format": {"type": "json_object"}},
    "a call": {"tools": [{"type": "function", "function": FUNCTION}], "tool_choice": "required", "max_tokens": 60,
               "parallel_tool_calls": False},
    "filtered": {"hearth_filter": True},
}


class StrictTest(ServedCase):
    def post(self, path, body):
        request = urllib.request.Request(
            self.server.url + path, json.dumps(body).encode(), {"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            return answer.read()

    def valid(self, kind, text):
        """The value, after strict validation, from JSON as the server sent it."""
        return pydantic.TypeAdapter(kind).validate_json(text, strict=True)

    def valid_completion(self, text):
        """The same of a completion. Its types leave out that OpenAI's streams have no reason before their end, and the first token
        of an echo no likelihood: both are null there, and here."""
        completion = json.loads(text)
        for choice in completion["choices"]:
            if choice["finish_reason"] is None:
                choice["finish_reason"] = "stop"
            for key, least in (("token_logprobs", 0.0), ("top_logprobs", {})):
                values = (choice.get("logprobs") or {}).get(key)
                if values and values[0] is None:
                    values[0] = least
        return self.valid(Completion, json.dumps(completion))

    def events(self, path, body):
        """The data of a stream's events."""
        lines = self.post(path, body | {"stream": True}).decode().splitlines()
        return [line.removeprefix("data: ") for line in lines if line.startswith("data: ") and line != "data: [DONE]"]

    def test_chats(self):
        for name, options in CHATS.items():
            with self.subTest(name):
                body = {"model": "hearth-nano", "messages": STORY, "max_tokens": 8} | options
                whole = self.valid(ChatCompletion, self.post("/v1/chat/completions", body))
                self.assertEqual(len(whole.choices), options.get("n", 1))
                self.assertEqual(whole.usage.total_tokens, whole.usage.prompt_tokens + whole.usage.completion_tokens)
                chunks = [self.valid(ChatCompletionChunk, event) for event in self.events(
                    "/v1/chat/completions", body | {"stream_options": {"include_usage": True}})]
                self.assertEqual(len({chunk.id for chunk in chunks}), 1)
                self.assertEqual([chunk.usage is not None for chunk in chunks], [False] * (len(chunks) - 1) + [True])
                ends = [choice.finish_reason for chunk in chunks for choice in chunk.choices if choice.finish_reason]
                self.assertEqual(len(ends), options.get("n", 1))

    def test_completions(self):
        for name, options in {"plain": {}, "several": {"n": 2, "prompt": ["Once", "A bear"]},
                              "echo": {"echo": True, "logprobs": 2}}.items():
            with self.subTest(name):
                body = {"model": "hearth-nano", "prompt": "Once", "max_tokens": 6, "seed": 2} | options
                whole = self.valid_completion(self.post("/v1/completions", body))
                self.assertNotIn(None, [choice.finish_reason for choice in whole.choices])
                events = self.events("/v1/completions", body)
                for event in events:
                    self.valid_completion(event)
                ends = [choice["finish_reason"] for event in events for choice in json.loads(event)["choices"]]
                self.assertEqual(len([end for end in ends if end]), len(whole.choices))

    def test_responses(self):
        for name, options in {
            "plain": {}, "in a form": {"text": {"format": {"type": "json_schema", "name": "trip", "schema": TRIP}}},
            "a call": {"tools": [{"type": "function"} | FUNCTION], "tool_choice": "required"},
        }.items():
            with self.subTest(name):
                body = {"model": "hearth-nano", "input": "Tell a story.", "max_output_tokens": 60} | options
                self.valid(Response, self.post("/v1/responses", body))
                events = [self.valid(ResponseStreamEvent, event) for event in self.events("/v1/responses", body)]
                self.assertEqual(events[0].type, "response.created")
                self.assertEqual([event.sequence_number for event in events], list(range(len(events))))

    def test_models(self):
        for model in self.server.json("/v1/models")["data"]:
            self.valid(Model, json.dumps(model))

    def test_embeddings(self):
        with serving("--embedding-model", str(ROOT / "Tests/Fixtures/gemma/embed-dense.gguf")) as server:
            self.server, usual = server, self.server
            try:
                for options in {}, {"input": ["a", "b"]}, {"dimensions": 8}:
                    self.valid(CreateEmbeddingResponse, self.post("/v1/embeddings", {"input": "Hi."} | options))
            finally:
                self.server = usual

    def test_every_field_is_known(self):
        """A value that no field takes is refused by name, or the field is one that changes no answer."""
        harmless = {"metadata", "prediction", "prompt_cache_key", "prompt_cache_options", "prompt_cache_retention",
                    "safety_identifier", "service_tier", "store", "user", "access_programs", "image"}
        for path, kind, body in [
            ("/v1/chat/completions", CompletionCreateParamsStreaming, {"messages": STORY, "max_tokens": 1}),
            ("/v1/responses", ResponseCreateParamsStreaming, {"input": "Hi.", "max_output_tokens": 1}),
        ]:
            for field in sorted(set(typing.get_type_hints(kind)) - set(body) - harmless):
                with self.subTest(path=path, field=field), self.assertRaises(urllib.error.HTTPError) as caught:
                    self.post(path, body | {field: 0.5 if field in ("instructions", "stop") else "nothing of the kind"}
                              if field != "temperature" else body | {field: "hot"})
                if caught.exception:
                    error = json.loads(caught.exception.read())["error"]
                    self.assertTrue((error["param"] or "").startswith(field), (field, error))
