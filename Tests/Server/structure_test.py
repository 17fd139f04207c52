"""Answers of a given form and calls of functions, with OpenAI's client as it comes.

The bundled model tells stories and knows nothing of JSON: what holds for it holds whatever a model says.

    Tests/Server/run structure_test.py
"""

import json
import typing
import unittest

import openai
import pydantic
from harness import ServedCase

STORY = [{"role": "user", "content": "Tell a bedtime story about a sleepy bear."}]
CITY = {
    "type": "object",
    "properties": {
        "city": {"enum": ["Ulm", "Bonn", "Köln"]},
        "days": {"type": "integer", "minimum": 1, "maximum": 9},
        "note": {"type": "string", "maxLength": 8},
    },
    "required": ["city", "days"],
    "additionalProperties": False,
}
WEATHER = {"type": "function", "function": {"name": "get_weather", "description": "Tells the weather.", "parameters": CITY}}
NOW = {"type": "function", "function": {"name": "now", "description": "Tells the time."}}


class Trip(pydantic.BaseModel):
    class Stop(pydantic.BaseModel):
        town: typing.Literal["Ulm", "Bonn"]
        nights: int = pydantic.Field(ge=1, le=5)

    stops: list[Stop] = pydantic.Field(max_length=2)
    season: typing.Literal["spring", "autumn"] | None


def check_city(test: unittest.TestCase, arguments: dict):
    test.assertIn(arguments["city"], CITY["properties"]["city"]["enum"])
    test.assertIn(arguments["days"], range(1, 10))
    test.assertLessEqual(len(arguments.get("note", "")), 8)
    test.assertLessEqual(set(arguments), set(CITY["properties"]))


class StructureTest(ServedCase):
    def chat(self, messages=STORY, **options):
        options = {"max_tokens": 300, "seed": 1, **options}
        return self.client.chat.completions.create(model="hearth-nano", messages=messages, **options)

    def streamed(self, **options):
        """An answer put together of its pieces, as clients do: text, calls by index, the reason of its end."""
        text, calls, finish = "", {}, None
        for piece in self.chat(stream=True, **options):
            choice = piece.choices[0]
            text += choice.delta.content or ""
            finish = choice.finish_reason or finish
            for call in choice.delta.tool_calls or []:
                if call.id:
                    self.assertEqual(call.type, "function")
                    self.assertNotIn(call.index, calls)
                    calls[call.index] = [call.id, call.function.name, ""]
                calls[call.index][2] += call.function.arguments or ""
        return text, [calls[index] for index in sorted(calls)], finish

    # Answers of a given form

    def test_json_schema(self):
        form = {"type": "json_schema", "json_schema": {"name": "city", "strict": True, "schema": CITY}}
        for seed in range(6):
            answer = self.chat(response_format=form, seed=seed, temperature=1.5).choices[0]
            self.assertEqual(answer.finish_reason, "stop")
            check_city(self, json.loads(answer.message.content))
            text, _, finish = self.streamed(response_format=form, seed=seed, temperature=1.5)
            self.assertEqual((text, finish), (answer.message.content, "stop"))
        # Cut by length: a beginning of what it would have been.
        whole = self.chat(response_format=form, temperature=0).choices[0].message.content
        cut = self.chat(response_format=form, temperature=0, max_tokens=4).choices[0]
        self.assertEqual(cut.finish_reason, "length")
        self.assertTrue(whole.startswith(cut.message.content) and cut.message.content.startswith("{"))

    def test_parse(self):
        """The client's own types: it sends their schema, and reads the answer."""
        for seed in range(3):
            answer = self.client.chat.completions.parse(
                model="hearth-nano", messages=STORY, response_format=Trip, seed=seed, max_tokens=400)
            trip = answer.choices[0].message.parsed
            self.assertIsInstance(trip, Trip)
            self.assertLessEqual(len(trip.stops), 2)

    def test_json_object(self):
        answer = self.chat(response_format={"type": "json_object"}, temperature=0, max_tokens=60).choices[0]
        self.assertTrue(answer.message.content.startswith("{"))
        if answer.finish_reason == "stop":
            self.assertIsInstance(json.loads(answer.message.content), dict)

    def test_other_forms(self):
        for extra, texts in [
            ({"grammar": 'root ::= "yes" | "no"'}, {"yes", "no"}),
            ({"guided_choice": ["red", "green"]}, {"red", "green"}),
            ({"guided_regex": "[ab]"}, {"a", "b"}),
            ({"json_schema": {"enum": [1, "x"]}}, {"1", '"x"'}),
            ({"guided_json": {"const": True}}, {"true"}),
            ({"response_format": {"type": "json_object", "schema": {"const": {"a": 1}}}}, {'{"a":1}'}),
        ]:
            with self.subTest(extra=extra):
                self.assertIn(self.chat(extra_body=extra).choices[0].message.content, texts)
                text = self.client.completions.create(
                    model="hearth-nano", prompt="Once", max_tokens=30, extra_body=extra).choices[0]
                self.assertIn(text.text, texts)

    def refused(self, **options):
        with self.assertRaises(openai.BadRequestError) as caught:
            self.chat(**options)
        return caught.exception

    def test_refused(self):
        def form(schema, **fields):
            return {"type": "json_schema", "json_schema": {"name": "a", "schema": schema, **fields}}

        error = self.refused(response_format=form({"properties": {"a/b": {"uniqueItems": True}}}))
        self.assertEqual(error.param, "response_format.json_schema.schema")
        self.assertIn("#/properties/a~1b: uniqueItems", str(error))
        self.assertIn("#/not", str(self.refused(response_format=form({"not": {"multipleOf": 2}}))))
        error = self.refused(response_format=form({"type": "object", "properties": {}}, strict=True))
        self.assertIn("additionalProperties", str(error))
        self.assertIn("nothing satisfies", str(self.refused(response_format=form(False))))
        self.assertIn("line 1", str(self.refused(extra_body={"grammar": "root ::= x"})))
        bad = {"type": "function", "function": {"name": "f", "parameters": {"properties": {"a": {"format": "odd"}}}}}
        error = self.refused(tools=[NOW, bad])
        self.assertEqual(error.param, "tools[1].function.parameters")
        self.assertIn("#/properties/a: format", str(error))
        self.refused(tools=[{"type": "function", "function": {"name": "f", "parameters": {"type": "string"}}}])
        error = self.refused(response_format={"type": "json_object"}, extra_body={"hearth_filter": True})
        self.assertIn("filter", str(error))
        # Schemas that refer to each other in a long chain, or in a ring that nothing satisfies.
        chain = {f"t{n}": {"properties": {"x": {"$ref": f"#/$defs/t{n + 1}"}}, "type": "object"} for n in range(1500)}
        chain["t1500"] = {"type": "null"}
        try:
            self.chat(response_format=form({"$defs": chain, "$ref": "#/$defs/t0"}), max_tokens=5)
        except openai.BadRequestError as error:
            self.assertIn("complex", str(error))
        self.refused(response_format=form({"$defs": {"a": {"type": "object", "properties": {"a": {"$ref": "#/$defs/a"}},
                                                           "required": ["a"]}}, "$ref": "#/$defs/a"}))

    # Functions

    def test_required(self):
        for seed in range(6):
            options = {"tools": [WEATHER, NOW], "tool_choice": "required", "seed": seed, "temperature": 1.5,
                       "max_tokens": 900, "parallel_tool_calls": seed % 2 == 0}
            answer = self.chat(**options).choices[0]
            self.assertIsNone(answer.message.content)
            calls = answer.message.tool_calls
            if answer.finish_reason == "length":
                # The context ended within the list.
                self.assertEqual(seed % 2, 0)
                calls = calls[:-1]
            else:
                self.assertEqual(answer.finish_reason, "tool_calls")
            self.assertIn(len(calls), range(17) if seed % 2 == 0 else [1])
            for call in calls:
                arguments = json.loads(call.function.arguments)
                if call.function.name == "get_weather":
                    check_city(self, arguments)
                else:
                    self.assertEqual((call.function.name, arguments), ("now", {}))
            self.assertEqual(len({call.id for call in calls}), len(calls))
            text, pieces, finish = self.streamed(**options)
            self.assertEqual((text, finish), ("", answer.finish_reason))
            self.assertEqual([piece[1:] for piece in pieces][: len(calls)],
                             [[call.function.name, call.function.arguments] for call in calls])

    def test_named_and_pieces(self):
        choice = {"type": "function", "function": {"name": "get_weather"}}
        answer = self.chat(tools=[NOW, WEATHER], tool_choice=choice).choices[0]
        self.assertEqual([call.function.name for call in answer.message.tool_calls], ["get_weather"])
        check_city(self, json.loads(answer.message.tool_calls[0].function.arguments))
        pieces = [piece for piece in self.chat(tools=[NOW, WEATHER], tool_choice=choice, stream=True)
                  if piece.choices[0].delta.tool_calls]
        # The name comes first, and the arguments as they are written.
        self.assertEqual(pieces[0].choices[0].delta.tool_calls[0].function.arguments, "")
        self.assertGreater(len(pieces), 3)
        cut = self.chat(tools=[NOW, WEATHER], tool_choice=choice, max_tokens=22).choices[0]
        self.assertEqual(cut.finish_reason, "length")

    def test_auto_and_none(self):
        for choice in ["auto", "none", openai.omit]:
            options = {"tools": [WEATHER], "tool_choice": choice, "max_tokens": 40}
            answer = self.chat(**options).choices[0]
            text, calls, finish = self.streamed(**options)
            self.assertEqual(finish, answer.finish_reason)
            self.assertEqual(text, answer.message.content or "")
            self.assertEqual(len(calls), len(answer.message.tool_calls or []))
            if choice == "none":
                self.assertIsNone(answer.message.tool_calls)
                self.assertEqual(text, self.chat(max_tokens=40).choices[0].message.content)

    def test_pydantic_ai(self):
        """An agent of pydantic-ai: its answer is a call of a function, whose arguments it validates."""
        from pydantic_ai import Agent
        from pydantic_ai.models.openai import OpenAIChatModel
        from pydantic_ai.providers.openai import OpenAIProvider

        model = OpenAIChatModel(
            "hearth-nano", provider=OpenAIProvider(base_url=self.server.url + "/v1", api_key="none"))
        agent = Agent(model, output_type=Trip, instructions="Be brief.", retries=0)
        trip = agent.run_sync("Plan a trip.", model_settings={"max_tokens": 400, "seed": 2}).output
        self.assertIsInstance(trip, Trip)

    def test_round(self):
        """A call, its result, and what the model says then."""
        messages = [{"role": "developer", "content": "Be kind."}, *STORY]
        answer = self.chat(messages, tools=[WEATHER], tool_choice="required").choices[0].message
        messages.append(answer.model_dump(exclude_none=True))
        for call in answer.tool_calls:
            messages.append({"role": "tool", "tool_call_id": call.id, "content": '{"sky":"blue"}'})
        said = self.chat(messages, tools=[WEATHER], tool_choice="none", max_tokens=10)
        self.assertTrue(said.choices[0].message.content)
        self.assertGreater(said.usage.prompt_tokens, 40)
        messages[-1] = {**messages[-1], "tool_call_id": "another"}
        with self.assertRaises(openai.BadRequestError) as caught:
            self.chat(messages, tools=[WEATHER])
        self.assertEqual(caught.exception.param, f"messages[{len(messages) - 1}].tool_call_id")

    def test_tools_together(self):
        """Beside a form of the answer, with the filter, and with thinking."""
        form = {"type": "json_schema", "json_schema": {"name": "trip", "schema": {
            "type": "object", "properties": {"days": {"enum": [1, 2]}}, "required": ["days"]}}}
        for seed in range(6):
            choice = self.chat(
                STORY, tools=[WEATHER], response_format=form, seed=seed, temperature=2, max_tokens=300).choices[0]
            if choice.message.tool_calls:
                # The last one of a list may have been cut.
                for call in choice.message.tool_calls[: None if choice.finish_reason == "tool_calls" else -1]:
                    check_city(self, json.loads(call.function.arguments))
            elif choice.finish_reason == "stop":
                self.assertIn(json.loads(choice.message.content)["days"], (1, 2))
        forced = self.chat(STORY, tools=[WEATHER], response_format=form, tool_choice="required", max_tokens=900,
                           parallel_tool_calls=False)
        self.assertEqual(forced.choices[0].finish_reason, "tool_calls")
        with self.assertRaises(openai.BadRequestError) as caught:
            self.chat(STORY, tools=[WEATHER], response_format={"type": "json_object"})
        self.assertEqual(caught.exception.param, "response_format")
        filtered = {"hearth_filter": True}
        call = self.chat(STORY, tools=[WEATHER], tool_choice="required", parallel_tool_calls=False, max_tokens=900,
                         extra_body=filtered).choices[0]
        self.assertEqual(call.finish_reason, "tool_calls")
        check_city(self, json.loads(call.message.tool_calls[0].function.arguments))
        knife = {"type": "function", "function": {"name": "note", "parameters": {
            "type": "object", "properties": {"text": {"const": "He stabbed the man with a knife."}}, "required": ["text"]}}}
        stopped = self.chat(STORY, tools=[knife], tool_choice="required", max_tokens=200, extra_body=filtered).choices[0]
        self.assertEqual((stopped.finish_reason, stopped.message.tool_calls), ("content_filter", None))
        pieces = list(self.chat(STORY, tools=[knife], tool_choice="required", max_tokens=200, stream=True,
                                extra_body=filtered))
        self.assertFalse(any(piece.choices[0].delta.tool_calls for piece in pieces))
        thinking = {"chat_template_kwargs": {"enable_thinking": True}}
        called = self.chat(STORY, tools=[WEATHER], tool_choice="required", parallel_tool_calls=False, max_tokens=900,
                           extra_body=thinking).choices[0]
        self.assertEqual(called.finish_reason, "tool_calls")

    # Responses

    def test_responses(self):
        create = self.client.responses.create
        whole = create(model="hearth-nano", input="Tell a story.", instructions="Be kind.", max_output_tokens=12, temperature=0)
        self.assertEqual((whole.status, whole.usage.output_tokens), ("incomplete", 12))
        self.assertEqual(whole.incomplete_details.reason, "max_output_tokens")
        with self.client.responses.stream(
            model="hearth-nano", input="Tell a story.", instructions="Be kind.", max_output_tokens=12, temperature=0
        ) as stream:
            text = "".join(event.delta for event in stream if event.type == "response.output_text.delta")
        self.assertTrue(text)
        self.assertEqual(text, whole.output_text)
        parsed = self.client.responses.parse(
            model="hearth-nano", input=[{"role": "user", "content": "Plan a trip."}], text_format=Trip, max_output_tokens=400)
        self.assertIsInstance(parsed.output_parsed, Trip)
        tool = {"type": "function", "name": "get_weather", "parameters": CITY, "strict": False}
        called = create(model="hearth-nano", input="Weather?", tools=[tool], tool_choice="required", parallel_tool_calls=False)
        call = called.output[0]
        self.assertEqual((call.type, call.name, len(called.output)), ("function_call", "get_weather", 1))
        check_city(self, json.loads(call.arguments))
        after = create(model="hearth-nano", max_output_tokens=5, input=[
            {"role": "user", "content": "Weather?"}, call.model_dump(exclude_none=True),
            {"type": "function_call_output", "call_id": call.call_id, "output": "sunny"}])
        self.assertTrue(after.output_text)
        with self.assertRaises(openai.BadRequestError):
            create(model="hearth-nano", input="a", previous_response_id=whole.id)

    def test_turns(self):
        two = self.chat([STORY[0], {"role": "user", "content": "And be brief."}], max_tokens=8)
        joined = STORY[0]["content"] + "\n\nAnd be brief."
        self.assertEqual(two.choices[0].message.content,
                         self.chat([{"role": "user", "content": joined}], max_tokens=8).choices[0].message.content)
        # The beginning of the answer: the model goes on with it.
        whole = self.chat(temperature=0, max_tokens=30).choices[0].message.content
        begun = whole[: whole.index(" ", 20)]
        rest = self.chat([*STORY, {"role": "assistant", "content": begun}], temperature=0, max_tokens=20)
        self.assertTrue(whole.startswith(begun + rest.choices[0].message.content[:20]),
                        (whole, begun, rest.choices[0].message.content))


if __name__ == "__main__":
    unittest.main()
