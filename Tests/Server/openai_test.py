"""OpenAI's own Python client against the server: what works there works with everything made for it.

    Tests/Server/run openai_test.py
"""

import array
import json
import pathlib
import shutil
import subprocess
import tempfile
import threading
import unittest

import openai
from harness import ENDLESS, NANO, PATIENCE, PROGRAM, ServedCase, model_with_word, serving, source

STORY = [{"role": "user", "content": "Tell a bedtime story about a sleepy bear."}]


class OpenAITest(ServedCase):
    def test_models(self):
        models = list(self.client.models.list())
        self.assertIn("hearth-nano", [model.id for model in models])
        self.assertEqual(self.client.models.retrieve("hearth-nano").object, "model")
        with self.assertRaises(openai.NotFoundError):
            self.client.models.retrieve("gpt-4")

    def chat(self, **options):
        return self.client.chat.completions.create(model="hearth-nano", messages=STORY, **options)

    def test_chat(self):
        answer = self.chat(max_tokens=30, seed=1)
        self.assertEqual(answer.choices[0].finish_reason, "length")
        self.assertEqual(answer.usage.completion_tokens, 30)
        self.assertEqual(answer.choices[0].message.role, "assistant")
        self.assertEqual(
            answer.choices[0].message.content, self.chat(max_completion_tokens=30, seed=1).choices[0].message.content
        )
        whole = self.chat(seed=1)
        self.assertEqual(whole.choices[0].finish_reason, "stop")
        self.assertTrue(whole.choices[0].message.content.startswith(answer.choices[0].message.content))

    def test_chat_stream(self):
        whole = self.chat(max_tokens=60, seed=2, temperature=0.7, top_p=0.9).choices[0].message.content
        pieces = list(
            self.chat(
                max_tokens=60, seed=2, temperature=0.7, top_p=0.9, stream=True, stream_options={"include_usage": True}
            )
        )
        text = "".join(piece.choices[0].delta.content or "" for piece in pieces if piece.choices)
        self.assertEqual(text, whole)
        self.assertEqual(pieces[-1].usage.completion_tokens, 60)
        self.assertGreater(len(pieces), 20)

    def test_stop(self):
        whole = self.chat(max_tokens=60, seed=2).choices[0].message.content
        word = whole.split()[5]
        answer = self.chat(max_tokens=60, seed=2, stop=[word])
        self.assertEqual(answer.choices[0].message.content, whole[: whole.index(word)])
        self.assertEqual(answer.choices[0].finish_reason, "stop")

    def test_several_answers(self):
        answers = self.chat(max_tokens=12, seed=4, n=3)
        self.assertEqual([choice.index for choice in answers.choices], [0, 1, 2])
        texts = [choice.message.content for choice in answers.choices]
        self.assertEqual(texts, [self.chat(max_tokens=12, seed=4 + n).choices[0].message.content for n in range(3)])
        self.assertEqual(len(set(texts)), 3)
        self.assertEqual(answers.usage.completion_tokens, 36)
        streamed = ["", "", ""]
        for piece in self.chat(max_tokens=12, seed=4, n=3, stream=True):
            streamed[piece.choices[0].index] += piece.choices[0].delta.content or ""
        self.assertEqual(streamed, texts)

    def test_logprobs(self):
        answer = self.chat(max_tokens=10, seed=1, logprobs=True, top_logprobs=3)
        tokens = answer.choices[0].logprobs.content
        self.assertEqual(len(tokens), 10)
        self.assertEqual(b"".join(bytes(token.bytes) for token in tokens).decode().strip(),
                         answer.choices[0].message.content.strip())
        for token in tokens:
            self.assertLessEqual(token.logprob, 0)
            self.assertEqual(len(token.top_logprobs), 3)
            likely = [top.logprob for top in token.top_logprobs]
            self.assertEqual(likely, sorted(likely, reverse=True))
            self.assertLessEqual(token.logprob, likely[0])
        pieces = list(self.chat(max_tokens=10, seed=1, logprobs=True, top_logprobs=3, stream=True))
        streamed = [token.token for piece in pieces if piece.choices[0].logprobs
                    for token in piece.choices[0].logprobs.content]
        self.assertEqual(streamed, [token.token for token in tokens])
        self.assertIsNone(self.chat(max_tokens=2, seed=1).choices[0].logprobs)

        text = self.client.completions.create(
            model="hearth-nano", prompt="Once upon a time", max_tokens=6, seed=4, logprobs=2
        ).choices[0]
        self.assertEqual(len(text.logprobs.tokens), 6)
        self.assertEqual("".join(text.logprobs.tokens).strip(), text.text.strip())
        self.assertEqual(len(text.logprobs.top_logprobs[0]), 2)
        self.assertEqual(text.logprobs.text_offset[0], 0)
        for prompt, options in (("Once", {}), ("\u8bb2", {"echo": True}), ("Once", {"n": 2, "echo": True})):
            options = {"logprobs": 1, "max_tokens": 12, "stop": "."} | options
            choices = self.complete(prompt, **options).choices
            offsets = [[] for _ in choices]
            for piece in self.complete(prompt, stream=True, **options):
                for choice in piece.choices:
                    offsets[choice.index] += choice.logprobs.text_offset if choice.logprobs else []
            self.assertEqual(offsets, [choice.logprobs.text_offset for choice in choices])
            for choice in choices:
                for token, offset in zip(choice.logprobs.tokens, choice.logprobs.text_offset, strict=True):
                    # A stop string ends the text within its token; part of a character is no text.
                    if "\ufffd" not in token and not token.startswith("<"):
                        self.assertTrue(token.startswith(choice.text[offset : offset + len(token)]), (token, offset))
        with self.assertRaises(openai.BadRequestError) as caught:
            self.chat(logprobs=True, extra_body={"hearth_filter": True})
        self.assertEqual(caught.exception.param, "logprobs")

    def test_several_prompts(self):
        prompts = ["Once upon a time", "A small bear", "Once upon a time"]
        answers = self.complete(prompts, n=2)
        self.assertEqual([choice.index for choice in answers.choices], list(range(6)))
        alone = [self.complete(prompt, n=2) for prompt in prompts]
        self.assertEqual([choice.text for choice in answers.choices],
                         [choice.text for answer in alone for choice in answer.choices])
        self.assertEqual(answers.usage.prompt_tokens, sum(answer.usage.prompt_tokens for answer in alone))
        self.assertEqual(answers.usage.completion_tokens, 48)
        texts = [""] * 6
        for piece in self.complete(prompts, n=2, stream=True):
            for choice in piece.choices:
                texts[choice.index] += choice.text
        self.assertEqual(texts, [choice.text for choice in answers.choices])
        with_start = self.tokens(prompts[1])
        self.assertEqual(self.complete([with_start, with_start[:2]]).choices[0].text, alone[1].choices[0].text)

    def complete(self, prompt, **options):
        options = {"max_tokens": 8, "seed": 4} | options
        return self.client.completions.create(model="hearth-nano", prompt=prompt, **options)

    def tokens(self, text):
        """As the server reads a prompt: after the token that begins a text."""
        command = [PROGRAM, "tokenize", "--model", str(NANO), "--json", text]
        return [2] + json.loads(subprocess.check_output(command))["ids"]

    def test_echo(self):
        prompt = "Once upon a time"
        plain = self.complete(prompt, logprobs=2).choices[0]
        answer = self.complete(prompt, logprobs=2, echo=True)
        echoed = answer.choices[0]
        self.assertEqual(echoed.text, prompt + plain.text)
        self.assertEqual(answer.usage.completion_tokens, 8)
        before = len(echoed.logprobs.tokens) - 8
        self.assertEqual(before, answer.usage.prompt_tokens)
        self.assertEqual(echoed.logprobs.tokens[before:], plain.logprobs.tokens)
        self.assertEqual(echoed.logprobs.token_logprobs[before:], plain.logprobs.token_logprobs)
        self.assertIsNone(echoed.logprobs.token_logprobs[0])
        self.assertIsNone(echoed.logprobs.top_logprobs[0])
        self.assertEqual(echoed.logprobs.text_offset[0], 0)
        self.assertEqual(echoed.logprobs.text_offset[before], len(prompt))

        # What language-model evaluations ask for: how likely a given text is. `score` computes the same.
        scored = self.complete(prompt, logprobs=1, echo=True, max_tokens=0)
        self.assertEqual(scored.choices[0].text, prompt)
        self.assertEqual(scored.choices[0].finish_reason, "length")
        self.assertEqual(scored.usage.completion_tokens, 0)
        likely = scored.choices[0].logprobs.token_logprobs[1:]
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            json.dump(self.tokens(prompt), file)
            file.flush()
            score = json.loads(subprocess.check_output(
                [PROGRAM, "score", "--model", str(NANO), "--kv", "float16", "--tokens-file", file.name, "--json"]))
        self.assertEqual(score["tokens"], len(likely) + 1)
        self.assertAlmostEqual(-sum(likely) / len(likely), score["meanNLL"], places=3)

        pieces = list(self.complete(prompt, logprobs=2, echo=True, stream=True))
        self.assertEqual("".join(piece.choices[0].text for piece in pieces if piece.choices), echoed.text)
        with self.assertRaises(openai.BadRequestError) as caught:
            self.complete(prompt, echo=True, extra_body={"hearth_filter": True})
        self.assertEqual(caught.exception.param, "echo")

    def test_penalties_and_biases(self):
        def tokens(**options):
            answer = self.chat(max_tokens=40, temperature=0, logprobs=True, **options)
            return [bytes(token.bytes) for token in answer.choices[0].logprobs.content]

        plain = tokens()
        self.assertLess(len(set(plain)), len(plain))
        self.assertGreater(len(set(tokens(presence_penalty=2, frequency_penalty=2))), len(set(plain)))
        top = self.chat(max_tokens=1, temperature=0, logprobs=True, top_logprobs=1).choices[0]
        # A token that is never chosen otherwise, and then always.
        self.assertEqual(len(set(tokens(logit_bias={"300": 100}))), 1)
        self.assertNotEqual(tokens(logit_bias={"300": 100})[0], bytes(top.logprobs.content[0].bytes))
        with self.assertRaises(openai.BadRequestError) as caught:
            self.chat(logit_bias={"1000000": 1})
        self.assertIn("1000000", str(caught.exception))

    def test_cached_tokens(self):
        messages = list(STORY)
        cached = []
        for question in ("And then?", "And then what?"):
            answer = self.client.chat.completions.create(
                model="hearth-nano", messages=messages, max_tokens=10, temperature=0)
            cached.append((answer.usage.prompt_tokens, answer.usage.prompt_tokens_details.cached_tokens))
            messages += [{"role": "assistant", "content": answer.choices[0].message.content},
                         {"role": "user", "content": question}]
        self.assertGreaterEqual(cached[1][1], cached[0][0])
        self.assertLess(cached[1][1], cached[1][0])

    def test_temperature_zero(self):
        answers = {self.chat(max_tokens=20, temperature=0, seed=n).choices[0].message.content for n in range(3)}
        self.assertEqual(len(answers), 1)

    def test_completions(self):
        answer = self.client.completions.create(
            model="hearth-nano", prompt="Once upon a time", max_tokens=12, seed=4
        )
        stream = self.client.completions.create(
            model="hearth-nano", prompt=["Once upon a time"], max_tokens=12, seed=4, stream=True
        )
        self.assertEqual("".join(piece.choices[0].text for piece in stream), answer.choices[0].text)
        self.assertEqual(answer.usage.total_tokens, answer.usage.prompt_tokens + 12)

    def test_refusals(self):
        with self.assertRaises(openai.BadRequestError) as caught:
            self.chat(temperature=-1)
        self.assertEqual(caught.exception.param, "temperature")
        with self.assertRaises(openai.NotFoundError) as caught:
            self.client.chat.completions.create(model="gpt-4o", messages=STORY)
        self.assertEqual(caught.exception.code, "model_not_found")
        with self.assertRaises(openai.BadRequestError):
            self.chat(n=17)
        with self.assertRaises(openai.APIStatusError) as caught:
            self.client.completions.create(model="hearth-nano", prompt="a" * (2 << 20))
        self.assertEqual(caught.exception.status_code, 413)

    def test_speech(self):
        answer = self.client.audio.speech.create(
            model="hearth-voice", voice="alloy", input="Good night, little bear.", response_format="wav"
        )
        self.assertEqual(answer.content[:4], b"RIFF")
        self.assertGreater(len(answer.content), 20_000)
        slow = self.client.audio.speech.create(
            model="hearth-voice", voice="es", input="Buenas noches.", response_format="wav", speed=0.5
        )
        quick = self.client.audio.speech.create(
            model="hearth-voice", voice="es", input="Buenas noches.", response_format="wav", speed=2
        )
        self.assertGreater(len(slow.content), 1.5 * len(quick.content))

    @unittest.skipUnless(shutil.which("ffmpeg") and shutil.which("ffprobe"), "ffmpeg is not installed")
    def test_compressed_speech(self):
        text = "Good night, little bear. The moon is up. Sleep well."

        def seconds(data):
            """As a player hears it: every sample decoded."""
            raw = subprocess.run(
                ["ffmpeg", "-v", "error", "-i", "pipe:0", "-f", "s16le", "-ar", "22050", "-ac", "1", "pipe:1"],
                input=data, capture_output=True, check=True)
            self.assertEqual(raw.stderr, b"")
            samples = array.array("h", raw.stdout)
            self.assertGreater(max(samples), 3000)
            return len(samples) / 22050

        def speak(format):
            return self.client.audio.speech.create(
                model="hearth-voice", voice="en", input=text, response_format=format)

        wav = seconds(speak("wav").content)
        for format, codec in (("mp3", "mp3"), ("opus", "opus"), ("aac", "aac"), ("flac", "flac")):
            with self.subTest(format=format):
                data = speak(format).content
                probe = subprocess.run(
                    ["ffprobe", "-v", "error", "-show_entries", "stream=codec_name,channels", "-of", "json", "-"],
                    input=data, capture_output=True, check=True)
                stream = json.loads(probe.stdout)["streams"][0]
                self.assertEqual((stream["codec_name"], stream["channels"]), (codec, 1))
                self.assertAlmostEqual(seconds(data), wav, delta=1.5)
        with self.client.audio.speech.with_streaming_response.create(
            model="hearth-voice", voice="en", input=text, response_format="mp3"
        ) as answer:
            self.assertEqual(answer.headers["content-type"], "audio/mpeg")
            self.assertEqual(answer.headers["transfer-encoding"], "chunked")
            self.assertEqual(answer.read(), speak("mp3").content)
        for fields in ({"response_format": "ogg"}, {"extra_body": {"stream_format": "sse"}}, {"instructions": "Softly."}):
            with self.assertRaises(openai.BadRequestError):
                self.client.audio.speech.create(model="v", voice="en", input="a", **fields)

    def test_speech_without_ffmpeg(self):
        espeak = shutil.which("espeak-ng")
        with tempfile.TemporaryDirectory() as folder:
            if espeak:
                pathlib.Path(folder, "espeak-ng").symlink_to(espeak)
            with serving(environment={"PATH": folder}, ready=False) as server:
                client = openai.OpenAI(base_url=server.url + "/v1", api_key="none", max_retries=0)
                with self.assertRaises(openai.BadRequestError) as caught:
                    client.audio.speech.create(model="v", voice="en", input="Hello.", response_format="mp3")
                self.assertEqual(caught.exception.param, "response_format")
                self.assertIn("ffmpeg", str(caught.exception))
                wav = client.audio.speech.create(model="v", voice="en", input="Hello.", response_format="wav")
                self.assertEqual(wav.content[:4], b"RIFF")

    def test_moderations(self):
        answer = self.client.moderations.create(input=["A bear sleeps.", "He stabbed her with a knife."])
        self.assertEqual([result.flagged for result in answer.results], [False, True])
        self.assertTrue(answer.results[1].categories.violence)
        self.assertLess(answer.results[0].category_scores.violence, 0.5)
        # Parts are one input with one result; a picture is refused with its place.
        parts = [{"type": "text", "text": "A bear sleeps."}, {"type": "text", "text": "He stabbed her."}]
        answer = self.client.moderations.create(input=parts)
        self.assertEqual([result.flagged for result in answer.results], [True])
        picture = {"type": "image_url", "image_url": {"url": "https://example.org/a.png"}}
        with self.assertRaises(openai.BadRequestError) as caught:
            self.client.moderations.create(input=[parts[0], picture])
        self.assertEqual(caught.exception.param, "input[1].type")

    def test_leaving_a_stream_stops_the_model(self):
        cancelled = 'hearth_generations_total{outcome="cancelled"}'
        before = self.server.figure(cancelled)
        stream = self.client.completions.create(model="hearth-nano", **ENDLESS)
        next(iter(stream))
        stream.close()
        self.server.wait(lambda: not self.server.json("/health")["generating"])
        self.server.wait(lambda: self.server.figure(cancelled) > before)

    def test_fifty_at_once(self):
        answers = {}

        def ask(number):
            answers[number] = self.chat(max_tokens=10, seed=number % 3).choices[0].message.content

        threads = [threading.Thread(target=ask, args=(number,)) for number in range(50)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(len(answers), 50)
        self.assertEqual(len(set(answers.values())), 3)


class FilterTest(unittest.TestCase):
    """A model that says what no child should hear."""

    @classmethod
    def setUpClass(cls):
        folder = cls.enterClassContext(tempfile.TemporaryDirectory(prefix="hearth-rude-"))
        cls.path = pathlib.Path(folder) / "rude.gguf"
        model_with_word(cls.path, "stab", instead_of="moon")

    def ask(self, server, stream=False, **options):
        client = openai.OpenAI(base_url=server.url + "/v1", api_key="none", max_retries=0, timeout=PATIENCE)
        answer = client.chat.completions.create(
            model="rude", messages=STORY, seed=2, stream=stream, extra_body=options or None
        )
        if not stream:
            return answer.choices[0].message.content, answer.choices[0].finish_reason
        pieces = list(answer)
        return "".join(p.choices[0].delta.content or "" for p in pieces), pieces[-1].choices[0].finish_reason

    def test_who_asks(self):
        with serving("--model", str(self.path)) as server:
            text, finish = self.ask(server)
            self.assertIn("stab", text)
            self.assertEqual(finish, "stop")
            filtered, finish = self.ask(server, hearth_filter=True)
            self.assertNotIn("stab", filtered)
            self.assertEqual(finish, "content_filter")
            self.assertEqual(self.ask(server, stream=True, hearth_filter=True), (filtered, finish))
            # Sentence by sentence, as far as it may be told.
            self.assertTrue(" ".join(text.split()).startswith(" ".join(filtered.split())))

    def test_handed_in(self):
        """Messages of people, results of functions and texts to read aloud are judged; the app's instructions are not."""
        harm, harmless = "She stabbed him with a knife.", "It rains in Ulm."
        call = {"role": "assistant", "tool_calls": [
            {"id": "1", "type": "function", "function": {"name": "look", "arguments": '{"city":"Ulm"}'}}]}
        with serving("--model", str(self.path), "--filter") as server:
            client = openai.OpenAI(base_url=server.url + "/v1", api_key="none", max_retries=0, timeout=PATIENCE)

            def finish(*messages):
                answer = client.chat.completions.create(model="rude", messages=messages, seed=2, max_tokens=4)
                if answer.choices[0].finish_reason == "content_filter":
                    self.assertEqual((answer.choices[0].message.content, answer.usage.prompt_tokens), ("", 0))
                return answer.choices[0].finish_reason

            asked = {"role": "user", "content": "Hello."}
            self.assertEqual(finish({"role": "user", "content": harm}), "content_filter")
            for text, expected in (harm, "content_filter"), (json.dumps({"note": harm}), "content_filter"), (harmless, "length"):
                result = {"role": "tool", "tool_call_id": "1", "content": text}
                self.assertEqual(finish(asked, call, result), expected, text)
            # An earlier message is left out, so that the conversation goes on; instructions name what to avoid.
            answered = {"role": "assistant", "content": "Hi."}
            self.assertEqual(finish({"role": "user", "content": harm}, answered, asked), "length")
            self.assertEqual(finish({"role": "system", "content": f"Never say: {harm}"}, asked), "length")
            whole = client.responses.create(model="rude", input=harm, max_output_tokens=4)
            self.assertEqual((whole.status, whole.output_text), ("incomplete", ""))
            with self.assertRaises(openai.BadRequestError) as caught:
                client.audio.speech.create(model="any", voice="en", input=harm, response_format="wav")
            self.assertEqual((caught.exception.param, caught.exception.code), ("input", "content_filter"))

    def test_everybody(self):
        with serving("--model", str(self.path), "--filter") as server:
            text, finish = self.ask(server)
            self.assertEqual(finish, "content_filter")
            self.assertNotIn("stab", text)
            with self.assertRaises(openai.BadRequestError) as caught:
                self.ask(server, hearth_filter=False)
            self.assertEqual(caught.exception.param, "hearth_filter")


class FetchTest(unittest.TestCase):
    def test_client_waits_by_itself(self):
        """OpenAI's client tries again after what Retry-After says, and gets its answer when the model is there."""
        with source() as origin, serving("--model", origin.url, ready=False) as server:
            impatient = openai.OpenAI(base_url=server.url + "/v1", api_key="none", max_retries=0)
            with self.assertRaises(openai.InternalServerError) as caught:
                impatient.completions.create(model="teller", prompt="Once", max_tokens=4)
            self.assertEqual(caught.exception.status_code, 503)
            self.assertEqual(caught.exception.code, "model_not_ready")
            self.assertGreater(int(caught.exception.response.headers["Retry-After"]), 0)
            self.assertNotIn("teller", [model.id for model in impatient.models.list()])
            origin.go.set()
            patient = openai.OpenAI(base_url=server.url + "/v1", api_key="none", max_retries=100)
            answer = patient.completions.create(model="teller", prompt="Once", max_tokens=4)
            self.assertEqual(answer.usage.completion_tokens, 4)
            self.assertIn("teller", [model.id for model in impatient.models.list()])


class TokenTest(unittest.TestCase):
    def test_token(self):
        token = "a-token-of-more-than-sixteen-characters"
        with serving(ready=False, environment={"HEARTH_TOKEN": token}) as server:
            good = openai.OpenAI(base_url=server.url + "/v1", api_key=token, max_retries=0)
            self.assertTrue(list(good.models.list()))
            bad = openai.OpenAI(base_url=server.url + "/v1", api_key="wrong", max_retries=0)
            with self.assertRaises(openai.AuthenticationError):
                bad.models.list()


if __name__ == "__main__":
    unittest.main()
