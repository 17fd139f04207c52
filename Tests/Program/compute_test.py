"""`--compute`: which processor runs a model, through the shipped program."""

import ctypes
import json
import os
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest

from program import FIXTURES, ROOT, ProgramTest, floats, run

GEMMA = FIXTURES / "gemma"
NANO = FIXTURES.parent.parent / "Models/hearth-nano.gguf"
# The tolerances of text_test: the same goldens.
FLOAT_TOLERANCE, QUANTIZED_TOLERANCE = 5e-4, 1e-2
MODEL = GEMMA / "gemma3-q8_0.gguf"
COREML = FIXTURES / "coreml"
DIGITS = COREML / "digits/fp16.mlpackage"
# A loader of no driver: the machine as one without a GPU.
NO_DEVICE = {"VK_ICD_FILENAMES": "/nonexistent", "VK_DRIVER_FILES": "/nonexistent"}
# Commands that run a model, with what they need.
COMMANDS = {
    "story": ["story", "sleepy-bear", "--source", "model", "--max-tokens", "4"],
    "generate": ["generate", "--model", MODEL, "--prompt", "a", "--max-tokens", "4", "--greedy"],
    "chat": ["chat", "--model", MODEL, "--max-tokens", "4"],
    "compile": ["compile", "--model", MODEL],
    "score": ["score", "--model", MODEL, "--tokens-file", "-"],
    "serve": ["serve", "--port", "0"],
    "startup": ["startup", "--model", MODEL, "--runs", "1"],
    "predict": ["predict", "--model", DIGITS, "--input", "image=missing.f32", "--output-dir", "missing"],
    "classify": ["classify", "--model", DIGITS, "missing.png"],
    "detect": ["detect", "--model", COREML / "rectangles/nms.mlpackage", "missing.png"],
    "bench text": ["bench", "text", "--model", MODEL, "--runs", "1", "--tokens", "2", "--prompts", "4", "--contexts", "4"],
}


class ComputeOption(ProgramTest):
    def test_gpu_where_there_is_none_is_unavailable_and_says_why(self):
        for name, words in COMMANDS.items():
            with self.subTest(command=name):
                outcome = self.hearth(
                    *words, "--compute", "gpu", status=4, environment=NO_DEVICE, standard_input=b"[2,3,4]")
                self.assertIn("hearth: error:", outcome.error)
                self.assertIn("there is no GPU", outcome.error)
                self.assertIn("--compute cpu", outcome.error)
                self.assertEqual(outcome.output, b"")

    def test_an_unknown_processor_is_a_usage_error(self):
        for name, words in COMMANDS.items():
            with self.subTest(command=name):
                outcome = self.hearth(*words, "--compute", "npu", status=2)
                self.assertIn("cpu, gpu, auto", outcome.error)

    def test_help_tells_of_it(self):
        for name in COMMANDS:
            with self.subTest(command=name):
                self.assertIn("--compute", self.hearth("help", *name.split()).output.decode())

    def test_cpu_and_auto_without_a_device_are_the_same(self):
        outputs = [
            self.hearth(
                *COMMANDS["score"], *words, "--json", environment=NO_DEVICE, standard_input=b"[2,3,4]").json
            for words in ([], ["--compute", "cpu"], ["--compute", "auto"])
        ]
        self.assertEqual(outputs[0], outputs[1])
        self.assertEqual(outputs[0], outputs[2])


def has_device():
    """Whether a model runs on a GPU here; why not, where it does not."""
    with tempfile.TemporaryDirectory(prefix="hearth-program-") as home:
        outcome = run(
            "score", "--model", MODEL, "--tokens-file", "-", "--compute", "gpu", standard_input=b"[2,3,4]",
            environment={"HEARTH_HOME": home},
        )
    return outcome.status == 0, outcome.error.strip()


HAS_DEVICE, WHY_NOT = has_device()


@unittest.skipUnless(HAS_DEVICE, f"no GPU: {WHY_NOT}")
class OnTheGPU(ProgramTest):
    """Every model that is covered gives on the GPU what its goldens say, and what the CPU gives."""

    def variants(self):
        for description in sorted(GEMMA.glob("gemma*.json")):
            model = json.loads(description.read_text())
            for name, variant in model["variants"].items():
                yield model, name, variant

    @staticmethod
    def tolerance(name):
        return FLOAT_TOLERANCE if name in ("f32", "f16", "bf16") else QUANTIZED_TOLERANCE

    def logits(self, model, name, variant, environment={}):
        """The logits on the GPU, which have to be near the golden ones, and the command that wrote them to a file."""
        tokens = self.folder / "tokens.json"
        out = self.folder / "logits.f32"
        out.unlink(missing_ok=True)
        tokens.write_text(json.dumps(model["prompt_ids"] + variant["greedy"]))
        words = ["score", "--model", GEMMA / variant["gguf"], "--tokens-file", tokens, "--logits", out, "--json"]
        self.assertEqual(self.hearth(*words, "--compute", "gpu", environment=environment).error, "")
        found, width = floats(out), model["vocab"]
        expected = floats(GEMMA / variant["logits"])
        worst = 0.0
        for row, position in enumerate(variant["logit_positions"]):
            a = expected[row * width : (row + 1) * width]
            b = found[position * width : (position + 1) * width]
            worst = max(worst, max(abs(x - y) for x, y in zip(a, b)))
        self.assertLessEqual(worst, self.tolerance(name))
        return found, words, out

    def test_logits_of_shaders_without_subgroups(self):
        seen = set()
        for model, name, variant in self.variants():
            generation = variant["gguf"].split("-")[0]
            if generation in seen:
                continue
            seen.add(generation)
            with self.subTest(file=variant["gguf"]):
                self.logits(model, name, variant, environment={"HEARTH_GPU_SUBGROUPS": "0"})
        self.assertGreaterEqual(len(seen), 5)

    def test_logits_of_every_way_of_the_weights(self):
        seen = set()
        for model, name, variant in self.variants():
            generation = variant["gguf"].split("-")[0]
            if generation in seen:
                continue
            seen.add(generation)
            with self.subTest(file=variant["gguf"]):
                found = [
                    self.logits(model, name, variant, environment={"HEARTH_GPU_WEIGHTS": way})[0]
                    for way in ("copied", "staged", "imported")]
                self.assertEqual(found[0], found[1])
                self.assertEqual(found[0], found[2])
        self.assertGreaterEqual(len(seen), 5)

    @unittest.skipUnless(sys.platform == "linux" and shutil.which("cc"), "no C compiler, or no Linux")
    def test_a_device_with_a_queue_that_only_copies(self):
        ctypes.CDLL("libvulkan.so.1")
        maps = pathlib.Path("/proc/self/maps").read_text().splitlines()
        vulkan = next(line.split()[-1] for line in maps if "libvulkan.so" in line)
        subprocess.run(
            ["cc", "-std=c11", "-Wall", "-Werror", "-shared", "-fPIC", "-I", ROOT / "Sources/CHearthGPU",
             ROOT / "Tests/Program/copy_queue.c", "-o", self.folder / "libvulkan.so.1", "-ldl"],
            check=True)
        found = self.folder / "found.json"
        others = os.environ.get("LD_LIBRARY_PATH")
        environment = {
            "REAL_VULKAN": vulkan, "FOUND": str(found), "HEARTH_GPU_WEIGHTS": "staged",
            "LD_LIBRARY_PATH": f"{self.folder}:{others}" if others else str(self.folder),
        }
        for model, name, variant in self.variants():
            if variant["gguf"] in ("gemma3-q8_0.gguf", "gemma3n-f16.gguf"):
                with self.subTest(file=variant["gguf"]):
                    expected = self.logits(model, name, variant)[0]
                    self.assertEqual(self.logits(model, name, variant, environment=environment)[0], expected)
                    counts = json.loads(found.read_text()) if found.exists() else {}
                    if not counts:
                        self.skipTest("the device has several families of queues")
                    for count in counts.values():
                        self.assertGreater(count, 0, counts)

    def test_a_start_tells_how_its_weights_came(self):
        for way in ("copied", "staged", "imported"):
            with self.subTest(way=way):
                starts = self.hearth(
                    *COMMANDS["startup"], "--json", "--compute", "gpu", environment={"HEARTH_GPU_WEIGHTS": way}).json
                self.assertGreaterEqual(len(starts["samples"]), 2)
                for sample in starts["samples"]:
                    weights = sample["weights"]
                    self.assertGreaterEqual(weights["waitMS"], 0)
                    self.assertLessEqual(weights["waitMS"], sample["firstInferenceMS"] + 1)
                    self.assertGreaterEqual(weights["pipelineMS"], 0)
                    self.assertGreater(weights["importedBytes"] + weights["copiedBytes"], 0)
                    # A device may import nothing, or be one whose memory the processor does not see.
                    if weights["importedBytes"]:
                        self.assertEqual((way, weights["way"]), ("imported", "imported"))
                    elif way == "staged":
                        self.assertEqual(weights["way"], "staged")
                    else:
                        self.assertIn(weights["way"], ("copied", "staged"))
                place = "in place" if starts["samples"][-1]["weights"]["importedBytes"] else "copied"
                self.assertTrue(starts["profile"]["computeUnits"].endswith(f"weights: {place}"))
        # Nothing of a GPU in starts on the CPU.
        starts = self.hearth(*COMMANDS["startup"], "--json", "--compute", "cpu").json
        for sample in starts["samples"]:
            self.assertNotIn("weights", sample)

    def test_logits_and_greedy_tokens(self):
        covered = set()
        for model, name, variant in self.variants():
            file = variant["gguf"]
            tolerance = self.tolerance(name)
            with self.subTest(file=file):
                found, words, out = self.logits(model, name, variant)
                tokens = self.folder / "tokens.json"
                self.hearth(*words, "--compute", "cpu")
                self.assertLessEqual(max(abs(x - y) for x, y in zip(found, floats(out))), tolerance)

                tokens.write_text(json.dumps(model["prompt_ids"]))
                answer = self.hearth(
                    "generate", "--model", GEMMA / file, "--tokens-file", tokens, "--greedy", "--max-tokens",
                    len(variant["greedy"]), "--json", "--compute", "gpu",
                ).json
                for step, (wanted, margin) in enumerate(zip(variant["greedy"], variant["margins"])):
                    if margin < 2 * tolerance or step >= len(answer["tokens"]):
                        break
                    self.assertEqual(answer["tokens"][step], wanted, f"step {step}")
                covered.add(file)
        self.assertGreaterEqual(len(covered), 15)
        for generation in ("gemma1", "gemma2", "gemma3-", "gemma3n", "gemma4"):
            self.assertTrue(any(file.startswith(generation) for file in covered), generation)

    def test_the_bundled_model_writes_the_same_text(self):
        for words in (
            ["--prompt", "Once upon a time", "--max-tokens", 60],
            ["--chat", "Tell a story about a bear.", "--max-tokens", 60],
            ["--prompt", "Once upon a time", "--max-tokens", 40, "--no-drafts", "--kv", "float32"],
        ):
            with self.subTest(words=words):
                on = [
                    self.hearth("generate", "--model", NANO, *words, "--greedy", "--json", "--compute", compute).json
                    for compute in ("gpu", "cpu")
                ]
                self.assertEqual(on[0]["tokens"], on[1]["tokens"])
                self.assertEqual(on[0]["text"], on[1]["text"])

    def test_a_text_longer_than_a_step_and_a_window(self):
        tokens = self.folder / "tokens.json"
        tokens.write_text(json.dumps([2] + [5 + i * 37 % 900 for i in range(599)]))
        # An int8 cache itself changes 1e-3, one of int4 7e-2.
        for kv, tolerance in (("float32", 2e-3), ("float16", 2e-3), ("int8", 5e-3), ("int4", 8e-2)):
            found = [
                self.hearth(
                    "score", "--model", NANO, "--tokens-file", tokens, "--kv", kv, "--json", "--compute", compute
                ).json["meanNLL"]
                for compute in ("gpu", "cpu")
            ]
            self.assertAlmostEqual(found[0], found[1], delta=tolerance, msg=kv)

    def test_a_story_a_conversation_figures(self):
        stories = [
            self.hearth(
                "story", "sleepy-bear", "--seed", 3, "--json", "--source", "model", "--max-tokens", 60, "--compute",
                compute,
            ).json
            for compute in ("gpu", "cpu")
        ]
        self.assertEqual(stories[0]["text"], stories[1]["text"])
        turns = b"Tell a story about a bear.\nAnd then?\n"
        talks = [
            self.hearth(
                "chat", "--model", NANO, "--temperature", 0, "--max-tokens", 20, "--json", "--session",
                self.folder / f"{compute}.chat", "--compute", compute, standard_input=turns,
            ).lines
            for compute in ("gpu", "cpu")
        ]
        self.assertEqual([turn["tokens"] for turn in talks[0]], [turn["tokens"] for turn in talks[1]])
        self.assertGreater(talks[0][1]["cachedTokens"], 0)
        # Rows of a GPU stay there.
        self.assertFalse((self.folder / "gpu.chat.kv").exists())
        figures = self.hearth(*COMMANDS["bench text"], "--json", "--compute", "gpu").json
        self.assertGreater(figures["decode"][0]["tokensPerSecond"], 0)
        starts = self.hearth("startup", "--model", NANO, "--runs", 1, "--json", "--compute", "gpu").json
        self.assertGreaterEqual(len(starts["samples"]), 2)
        # Starts on a GPU are not compared with those on the CPU.
        self.assertRegex(starts["profile"]["computeUnits"], "^gpu: .+, driver: .+, weights: (copied|in place)$")
        self.assertRegex(starts["profile"]["kernelSet"], "^shaders-[0-9a-f]{16}$")

    def test_what_is_not_covered_is_refused_by_name(self):
        outcome = self.hearth(
            "generate", "--model", self.without_shader(), "--prompt", "a", "--max-tokens", 4, "--compute", "gpu",
            status=4)
        self.assertIn("weights in iq4_nl", outcome.error.lower())
        outcome = self.hearth(*COMMANDS["generate"], "--compute", "gpu", status=4, environment={"HEARTH_GPU": "99"})
        self.assertIn("there is no GPU", outcome.error)

    def test_adapters(self):
        for case in json.loads((GEMMA / "adapters.json").read_text())["cases"]:
            with self.subTest(case["name"]):
                tokens = self.folder / "tokens.json"
                tokens.write_text(json.dumps(case["prompt_ids"]))
                words = ["--model", GEMMA / case["base"], "--tokens-file", tokens, "--json", "--kv", "float32"]
                adapters = []
                for use in case["adapters"]:
                    adapters += ["--lora", str(GEMMA / use["file"]) + ("" if use["scale"] == 1 else f"={use['scale']}")]
                outcome = self.hearth(
                    "generate", *words, *adapters, "--greedy", "--max-tokens", 16, "--compute", "gpu")
                self.assertEqual(outcome.error, "")
                answer = outcome.json
                for step, (wanted, margin) in enumerate(zip(case["greedy"], case["margins"])):
                    if margin < 0.02 or step >= len(answer["tokens"]):
                        break
                    self.assertEqual(answer["tokens"][step], wanted, f"step {step}")
                self.assertGreater(len(answer["tokens"]), 0)
                found = [
                    self.hearth("score", *words, *adapters, "--compute", compute).json["meanNLL"]
                    for compute in ("gpu", "cpu")
                ]
                self.assertAlmostEqual(found[0], found[1], delta=QUANTIZED_TOLERANCE)
                plain = self.hearth("score", *words, "--compute", "gpu").json["meanNLL"]
                self.assertNotEqual(plain, found[0])

    def without_shader(self):
        """A model with a matrix in a format that there is no shader for: IQ4_NL, whose blocks are as large as those of Q4_0."""
        content = bytearray((GEMMA / "gemma3-q4_0.gguf").read_bytes())
        # Name, two dimensions of 64 bits, type.
        place = content.index(b"blk.0.attn_q.weight") + len(b"blk.0.attn_q.weight")
        self.assertEqual(struct.unpack_from("<I", content, place)[0], 2)
        self.assertEqual(struct.unpack_from("<I", content, place + 20)[0], 2)
        struct.pack_into("<I", content, place + 20, 20)
        path = self.folder / "iq4.gguf"
        path.write_bytes(content)
        return path

    def predict(self, model, name, file, compute, status=0):
        out = self.folder / compute
        outcome = self.hearth(
            "predict", "--model", model, "--input", f"{name}={file}", "--output-dir", out, "--json", "--compute", compute,
            status=None)
        self.assertIn(outcome.status, (0, status), outcome)
        if outcome.status:
            return outcome, None
        self.assertNotIn("continuing on the CPU", outcome.error)
        (result, *_) = outcome.json["outputs"]
        return outcome, floats(out / f"{result['name']}.f32")

    def test_networks(self):
        # Products are summed in another order than on the CPU, whose tolerances these are.
        cases = [
            (COREML / "networks" / case["file"], "x", f"networks/{case['network']}", case["tolerance"])
            for case in json.loads((COREML / "networks/networks.json").read_text())]
        cases += [
            (COREML / "ops" / f"{case['name']}.mlpackage", case["input"], f"ops/{case['name']}", case["tol_abs"])
            for case in json.loads((COREML / "ops/ops.json").read_text())]
        covered = 0
        for model, name, files, tolerance in cases:
            with self.subTest(model=model.name):
                outcome, found = self.predict(model, name, COREML / f"{files}.in.f32", "gpu", status=4)
                if found is None:
                    self.assertIn("the GPU engine does not support this", outcome.error)
                    continue
                covered += 1
                expected = floats(COREML / f"{files}.out.f32")
                self.assertEqual(len(found), len(expected))
                largest = max([1.0, *map(abs, expected)])
                worst = max(abs(a - b) for a, b in zip(found, expected))
                self.assertLessEqual(worst, (2 * tolerance + 1e-5) * largest)
        self.assertGreaterEqual(covered, 28)

    def test_pictures(self):
        images = sorted((COREML / "digits/images").glob("*.png"))[:6]
        self.assertTrue(images)
        for model in ("fp32", "pal4", "int8_sym"):
            lines = [
                self.hearth(
                    "classify", "--model", COREML / f"digits/{model}.mlpackage", *images, "--json", "--compute", compute
                ).lines
                for compute in ("gpu", "cpu")
            ]
            for gpu, cpu in zip(*lines):
                with self.subTest(model=model, image=gpu["image"]):
                    self.assertEqual(gpu["results"][0]["label"], cpu["results"][0]["label"])
                    self.assertAlmostEqual(gpu["results"][0]["confidence"], cpu["results"][0]["confidence"], delta=1e-4)
        # One cache of pipelines for texts and networks.
        self.hearth(*COMMANDS["generate"], "--compute", "gpu")
        artifacts = list((self.folder / "home").rglob("*.pipelines"))
        self.assertGreaterEqual(len(artifacts), 1)
        self.assertEqual(len({file.name for file in artifacts}), 1)

    def test_a_table_is_for_the_cpu(self):
        outcome = self.hearth("predict", "--model", DIGITS, "--row", "{}", "--compute", "gpu", status=2)
        self.assertIn("tables run on the CPU", outcome.error)

    def test_constraints_and_a_full_context(self):
        schema = self.folder / "schema.json"
        schema.write_text(json.dumps({
            "type": "object", "properties": {"name": {"type": "string", "maxLength": 12}, "age": {"type": "integer"}},
            "required": ["name", "age"],
        }))
        for words in (
            ["--chat", "Who?", "--max-tokens", 24, "--schema", schema],
            ["--prompt", "Once", "--max-tokens", 12, "--regex", "[a-z]+ [a-z]+"],
            ["--prompt", "Once", "--max-tokens", 30, "--context", 24, "--on-full", "shift"],
        ):
            with self.subTest(words=words):
                on = [
                    self.hearth("generate", "--model", NANO, *words, "--greedy", "--json", "--compute", compute).json
                    for compute in ("gpu", "cpu")
                ]
                self.assertEqual(on[0]["tokens"], on[1]["tokens"])
                self.assertEqual(on[0]["text"], on[1]["text"])

    def test_several_texts_at_once(self):
        figures = self.hearth(
            *COMMANDS["bench text"], "--tokens", "12", "--parallel", "2", "--no-drafts", "--json", "--compute", "gpu").json
        self.assertEqual([row["texts"] for row in figures["parallel"]], [2])
        self.assertGreater(figures["parallel"][0]["tokensPerSecond"], 0)

    def test_pipelines_are_kept_and_listed(self):
        self.hearth(*COMMANDS["generate"], "--compute", "gpu")
        caches = list((self.folder / "home/GPU").glob("*.pipelines"))
        self.assertEqual(len(caches), 1)
        checks = self.hearth("doctor", "--json", status=None).json["checks"]
        check = next(check for check in checks if check["name"] == "gpu")
        self.assertEqual(check["status"], "ok")
        self.assertRegex(check["detail"], r"1 pipeline cache")
        # A damaged one is made anew.
        content = bytearray(caches[0].read_bytes())
        content[-1] ^= 1
        caches[0].write_bytes(content)
        self.hearth(*COMMANDS["generate"], "--compute", "gpu")
        content[-1] ^= 1
        self.assertEqual(caches[0].read_bytes(), bytes(content))

    def test_compile_keeps_pipelines_with_the_artifact_and_says_what_drifted(self):
        words = ["compile", "--model", MODEL, "--compute", "gpu", "--json"]

        def compile_():
            outcome = self.hearth(*words)
            return outcome.json, outcome.error

        found, error = compile_()
        self.assertEqual((found["gpu"]["reused"], error), (False, ""))
        # Norms, rotation, gates, the embedding, products of one token and of several, the same of adapters, keys and values in four
        # formats, one of which is rotated.
        self.assertEqual(found["gpu"]["pipelines"], 17)
        folder = pathlib.Path(found["path"])
        (file,) = folder.glob("*.pipelines")
        content = file.read_bytes()
        self.assertEqual(len(content.split(b"\n", 5)[5]), found["gpu"]["bytes"])
        again, error = compile_()
        self.assertEqual((again["reused"], again["gpu"]["reused"], error), (True, True, ""))
        self.assertNotIn("drift", again["gpu"])
        # A start uses these, and none are stored elsewhere.
        self.hearth(*COMMANDS["generate"], "--compute", "gpu")
        self.assertFalse((self.folder / "home/GPU").exists())
        self.assertEqual(file.read_bytes(), content)
        check = next(c for c in self.hearth("doctor", "--json", status=None).json["checks"] if c["name"] == "gpu")
        self.assertIn("1 pipeline cache", check["detail"])

        fields = content.split(b"\n", 5)
        for place, reason in ((2, "the driver changed"), (3, "the shaders changed")):
            with self.subTest(reason=reason):
                changed = list(fields)
                changed[place] = b"0" * len(changed[place])
                file.unlink()
                (folder / "earlier.pipelines").write_bytes(b"\n".join(changed))
                found, error = compile_()
                self.assertEqual((found["gpu"]["reused"], found["gpu"]["drift"]), (False, reason))
                self.assertIn(reason, error)
                self.assertEqual(list(folder.glob("*.pipelines")), [file])
        file.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
        found, error = compile_()
        self.assertEqual((found["gpu"]["reused"], found["gpu"]["drift"]), (False, "it is damaged"))
        self.assertEqual(file.read_bytes(), content)

    def test_compile_keeps_the_pipelines_of_a_network(self):
        words = ["compile", "--model", DIGITS, "--compute", "gpu", "--json"]
        found = self.hearth(*words).json
        self.assertEqual((found["reused"], found["gpu"]["reused"]), (False, False))
        # Nine shaders, one of them in four forms.
        self.assertEqual(found["gpu"]["pipelines"], 12)
        (file,) = pathlib.Path(found["path"]).glob("*.pipelines")
        content = file.read_bytes()
        again = self.hearth(*words).json
        self.assertEqual((again["reused"], again["gpu"]["reused"]), (True, True))
        self.assertNotIn("drift", again["gpu"])
        # The first start uses these, and none are stored elsewhere.
        image = sorted((COREML / "digits/images").glob("*.png"))[0]
        self.assertEqual(self.hearth("classify", "--model", DIGITS, image, "--compute", "gpu").error, "")
        self.assertFalse((self.folder / "home/GPU").exists())
        self.assertEqual(file.read_bytes(), content)

        file.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
        outcome = self.hearth(*words)
        self.assertEqual((outcome.json["gpu"]["reused"], outcome.json["gpu"]["drift"]), (False, "it is damaged"))
        self.assertIn("it is damaged", outcome.error)
        self.assertEqual(file.read_bytes(), content)

    def test_compile_refuses_what_is_not_covered(self):
        outcome = self.hearth("compile", "--model", self.without_shader(), "--compute", "gpu", status=4)
        self.assertIn("weights in iq4_nl", outcome.error.lower())


if __name__ == "__main__":
    unittest.main()
