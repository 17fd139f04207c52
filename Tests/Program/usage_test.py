"""Every command as somebody meets it who does not know it: its help, options that are misspelt, without a value or with one that is
not meant, and files that are not what they should be. The message names the option or the file, and says what to do."""

import json
import os
import re
import shutil
import struct
import subprocess
import unittest
from pathlib import Path

from program import FIXTURES, PATIENCE, PROGRAM, ProgramTest, run

GEMMA = FIXTURES / "gemma/gemma1-q8_0.gguf"
COREML = FIXTURES / "coreml"
OPTION = re.compile(r"^  (?:-\w, )?--([a-z0-9-]+)(?: (\S+))?", re.MULTILINE)


def commands():
    """All commands, those below others too, as `hearth help` lists them."""
    found = []
    for name in re.findall(r"^  ([a-z-]+)  +\S", run("help").output.decode(), re.MULTILINE):
        if name == "help":
            continue
        found.append([name])
        below = run(name, "--help").output.decode()
        found += [words.split() for words in re.findall(rf"^  ({name} [a-z-]+)  +\S", below, re.MULTILINE)]
    return found


class Usage(ProgramTest):
    @classmethod
    def setUpClass(cls):
        cls.help = {" ".join(words): run(*words, "--help") for words in commands()}

    def refused(self, *words, status=2, names):
        outcome = self.hearth(*words, status=status, timeout=PATIENCE)
        self.assertEqual(outcome.output, b"", outcome)
        self.assertRegex(outcome.error, r"\Ahearth: error: [^\n]+ \([^\n]+\)\. [^\n]+\n\Z")
        for name in names if isinstance(names, (list, tuple)) else [names]:
            self.assertIn(name, outcome.error)
        return outcome

    def test_every_command_has_help_with_examples(self):
        self.assertGreater(len(self.help), 40)
        for name, outcome in self.help.items():
            self.assertEqual((outcome.status, outcome.error), (0, ""), name)
            text = outcome.output.decode()
            self.assertIn(f"USAGE\n  hearth {name}", text)
            self.assertIn("EXAMPLES\n  $ hearth ", text, name)
        for name in ("story", "bench text"):
            self.assertEqual(self.hearth("help", *name.split()).output, self.help[name].output)

    def test_the_help_of_serve_says_that_input_is_judged_too(self):
        text = " ".join(self.help["serve"].output.decode().split())
        for part in ("what the request hands in is judged too", "results of functions", "and to what requests hand in."):
            self.assertIn(part, text)

    def test_a_misspelt_option_suggests_the_nearest(self):
        for name, outcome in self.help.items():
            option = max((option for option, _ in OPTION.findall(outcome.output.decode())), key=len)
            self.refused(*name.split(), f"--{option[:-1]}", names=[f"'--{option[:-1]}'", f"Did you mean '--{option}'?"])
            far = self.refused(*name.split(), "--zzzzzzzz", names=["'--zzzzzzzz'", f"hearth help {name}"])
            self.assertNotIn("Did you mean", far.error)

    def test_a_misspelt_command_suggests_the_nearest(self):
        self.refused("generat", names="Did you mean 'generate'?")
        self.refused("bench", "txt", names="Did you mean 'bench text'?")
        self.refused("help", "generat", names="generate")

    def test_an_option_without_its_value_is_named(self):
        seen = set()
        for name, outcome in self.help.items():
            for option, value in OPTION.findall(outcome.output.decode()):
                if not value or option in seen:
                    continue
                seen.add(option)
                # The next option is none.
                following = ["--help=x"] if len(seen) % 2 else []
                self.refused(*name.split(), f"--{option}", *following, names=f"'--{option}' needs a value")
        self.assertGreater(len(seen), 100)

    def test_a_number_that_is_none_is_named(self):
        seen = set()
        for name, outcome in self.help.items():
            for option, value in OPTION.findall(outcome.output.decode()):
                # Names are texts.
                if value not in ("N", "X", "K") or option == "name" or option in seen:
                    continue
                seen.add(option)
                word = ("nan", "1é", "99999999999999999999999e999")[len(seen) % 3]
                self.refused(*name.split(), f"--{option}={word}", names=[f"'{word}'", f"'--{option}'"])
        self.assertGreater(len(seen), 30)

    def test_a_value_out_of_range_is_named(self):
        generate = ("generate", "--model", GEMMA, "--prompt", "a")
        for option, word in [("typical", "0"), ("top-p", "1.5"), ("min-p", "-1"), ("temperature", "-1"), ("top-k", "-1"),
                             ("threads", "0"), ("max-tokens", "0"), ("logprobs", "101"), ("simulate", "abc"),
                             ("simulate", ""), ("activations", "7")]:
            self.refused(*generate, f"--{option}={word}", names=f"--{option}")
        self.refused("compress", GEMMA, "--to", "q4_0", "-o", "", names="--output")
        self.refused("compress", COREML / "digits/fp16.mlpackage", "--to", "palette4", "--vector", "65", "-o",
                     self.folder / "x.mlpackage", names="--vector 65")
        self.refused("bench", "text", "--model", GEMMA, "--minutes", "1e9", names=["--minutes", "0.0 to 1440.0"])
        self.refused("simulate", "--only", f"1,{2 ** 62}", names=["--only", "hearth simulate"])
        self.refused("wishes", "--language", "es-MX-", names=["'es-MX-'", "--language"])

    def test_the_digest_of_a_simulation_has_16_digits(self):
        for words in (("--json",), ()):
            outcome = self.hearth("simulate", "--seed", 2, "--events", 10, *words).output.decode()
            self.assertRegex(outcome, r"\bdigest\W+0[0-9a-f]{15}\b")

    def test_a_top_p_of_0_takes_the_most_likely_token(self):
        generate = ("generate", "--model", GEMMA, "--prompt", "a", "--max-tokens", 8, "--json")
        greedy = self.hearth(*generate, "--greedy").json["tokens"]
        self.assertEqual(self.hearth(*generate, "--top-p", "0").json["tokens"], greedy)
        self.assertEqual(self.hearth(*generate, "--top-p", "1e-60", "--temperature", "2").json["tokens"], greedy)


class Files(ProgramTest):
    """Files that are not what they should be, each named."""

    def refused(self, *words, status=3, names):
        outcome = self.hearth(*words, status=status, timeout=PATIENCE)
        self.assertEqual(outcome.output, b"", outcome)
        self.assertEqual(outcome.error.count("hearth: error:"), 1, outcome)
        for name in names:
            self.assertIn(str(name), outcome.error)

    def file(self, name, content):
        path = self.folder / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    def test_manifests(self):
        file = {"path": "a.gguf", "bytes": 3, "sha256": "0" * 64, "urls": []}
        manifest = {"schema": 1, "name": "bed", "version": "1", "engine": "text", "files": [file]}
        for text, field in (("{", "file"), (json.dumps(dict(manifest, files=[dict(file, bytes=-3)])), "files[0].bytes"),
                            (json.dumps(dict(manifest, name="../bed")), "name")):
            path = self.file("bed.json", text)
            self.refused("pull", path, names=[f"({path}: {field})"])
        for text, words in (("[]", "it is not an object"), (json.dumps(dict(manifest, files={})), "it is not an array"),
                            (json.dumps(dict(manifest, name=5)), "it is not a string"),
                            (json.dumps(dict(manifest, schema="1")), "it is not a whole number")):
            self.refused("pull", self.file("bed.json", text), names=[words])

    def test_numbers(self):
        folder = COREML / "ops"
        values = bytearray((folder / "mlp_fp32_ios16.in.f32").read_bytes())
        values[8:12] = struct.pack("<f", float("nan"))
        path = self.file("x.f32", bytes(values))
        predict = ("predict", "--model", folder / "mlp_fp32_ios16.mlpackage", "--output-dir", self.folder / "out")
        self.refused(*predict, "--input", f"x={path}", names=["element 2", f"({path}: --input x)"])
        self.refused(*predict, "--input", f"x={self.file('y.f32', b'abc')}", names=["y.f32", "--input x"])

    def test_places_of_outputs_that_cannot_be(self):
        text = self.file("text", "a")
        net = COREML / "digits/fp16.mlpackage"
        generate = ("generate", "--model", GEMMA, "--prompt", "a")
        for place in (text / "x", Path("/dev/null/x"), self.folder / ("x" * 300)):
            for words in (("compress", net, "--to", "int8", "-o", f"{place}.mlpackage"),
                          ("compress", GEMMA, "--to", "q4_0", "-o", f"{place}.gguf"),
                          (*generate, "--trace", place)):
                outcome = self.hearth(*words, status=1)
                self.assertEqual(outcome.output, b"", outcome)
                self.assertRegex(outcome.error, r"\Ahearth: error: cannot write the [a-z]+: (Not a directory|File name "
                                                r"too long) \([^\n]+\)\. [^\n]+\n\Z")
        self.assertFalse(list(self.folder.glob("x*")))

    def test_no_output_replaces_what_is_read(self):
        ids, labels = self.file("ids.json", "[2, 3, 4]"), self.file("labels.csv", "0000.png,zero\n")
        schema, model = self.file("s.json", "true"), self.file("model.gguf", GEMMA.read_bytes())
        digits = COREML / "digits"
        evaluate = ("evaluate", "--images", digits / "images", "--labels", labels, digits / "fp16.mlpackage")
        part = self.folder / "part.jsonl"
        self.hearth(*evaluate, "--results", part)
        kept = {path: path.read_bytes() for path in (ids, labels, schema, model, part)}
        score = ("score", "--model", model, "--tokens-file", ids)
        generate = ("generate", "--model", model, "--max-tokens", 1)
        for words, option, reader in (
                ((*score, "--logits", ids), "--logits", "'--tokens-file'"),
                ((*score[:3], "--text-file", labels, "--logits", labels), "--logits", "'--text-file'"),
                ((*generate, "--tokens-file", ids, "--trace", ids), "--trace", "'--tokens-file'"),
                ((*generate, "--prompt", "a", "--schema", schema, "--trace", f"{self.folder}/./s.json"), "--trace",
                 "'--schema'"),
                ((*generate, "--prompt", "a", "--trace", model), "--trace", "the model"),
                (("story", "--model", model, "--audio", model), "--audio", "the model"),
                (("story", "--audio", self.folder / "a", "--trace", self.folder / "a"), "--trace", "'--audio'"),
                (("startup", "--model", model, "--trace", model), "--trace", "the model"),
                ((*evaluate, "--csv", labels), "--csv", "'--labels'"),
                ((*evaluate, "--results", labels), "--results", "'--labels'"),
                ((*evaluate, "--results", part, "--html", part), "--html", "'--results'"),
                (("evaluate", "merge", part, "--csv", part), "--csv", "'FILE'")):
            self.refused(*words, status=2, names=[f"'{option} ", reader])
            self.assertEqual({path: path.read_bytes() for path in kept}, kept)

    def test_reports_on_standard_output(self):
        score = ("score", "--model", GEMMA, "--tokens-file", "-")
        for option, words in (("--logits", score), ("--trace", ("generate", "--model", GEMMA, "--prompt", "a"))):
            self.refused(*words, option, "-", status=2, names=[f"'{option}'", "standard output"])
        self.hearth("generate", "--model", GEMMA, "--prompt", "a", "--max-tokens", 1)
        table = self.hearth("startup", "report", "--csv", "-")
        self.assertEqual((table.error, len(table.output.splitlines())), ("", 2))
        self.assertTrue(table.output.startswith(b"time,kind,"))
        self.hearth("startup", "report", "--csv", self.folder / "starts.csv")
        self.assertEqual((self.folder / "starts.csv").read_bytes(), table.output)
        # A file that standard output goes to is continued, not replaced.
        log = self.file("log", "before\n")
        environment = {**os.environ, **self.environment}
        with open(log, "ab") as out:
            for place, words in ((1, ("startup", "report", "--csv", "/dev/stdout")),
                                 (2, ("startup", "report", "--csv", "/dev/fd/2"))):
                subprocess.run([PROGRAM, *words], check=True, env=environment, timeout=PATIENCE,
                               **{("stdout", "stderr")[place - 1]: out})
            logits = subprocess.run(
                [PROGRAM, *score, "--logits", "/dev/stdout"], input=b"[2, 3]", stdout=out, stderr=subprocess.PIPE,
                env=environment, timeout=PATIENCE)
        self.assertEqual(logits.returncode, 1, logits.stderr)
        self.assertIn(b"not a regular file (/dev/stdout)", logits.stderr)
        self.assertEqual(log.read_bytes(), b"before\n" + 2 * table.output + b"hearth: wrote /dev/fd/2\n")
        self.refused("startup", "report", "--csv", "-", "--json", status=2, names=["'--json'", "'--csv -'"])
        self.refused("startup", "report", "--html", "", status=2, names=["'--html'"])
        digits = COREML / "digits"
        evaluate = ("evaluate", "--images", digits / "images", "--labels", self.file("l.csv", "0000.png,zero\n"),
                    digits / "fp16.mlpackage")
        lines = self.hearth(*evaluate, "--csv", "-").output.decode().splitlines()
        self.assertEqual((len(lines), lines[0].split(",")[0]), (2, "model"))

    @unittest.skipIf(os.geteuid() == 0, "root may read every file")
    def test_a_file_that_may_not_be_read(self):
        path = self.file("model.gguf", GEMMA.read_bytes())
        path.chmod(0)
        for words in (("inspect", path), ("pull", path, "--name", "a"), ("tokenize", "--model", path, "a")):
            self.refused(*words, names=[path, "Permission denied"])

    def test_an_empty_token_is_none(self):
        path = self.file("token", "")
        path.chmod(0o600)
        self.refused("serve", "--port", 0, "--token-file", path, names=["the token is not valid", "--token-file"])

    def test_rows(self):
        names = ["sepal length", "sepal width", "petal length", "petal width"]
        path = self.file("rows.csv", ",".join(names[:3]) + "\n1,2,3\n")
        model = COREML / "tables/line.mlmodel"
        self.refused("predict", "--model", model, "--csv", path, names=[f"({path}: line 2, input petal width)"])
        row = json.dumps(dict.fromkeys(names, 1) | {"petal width": "wide"})
        self.refused("predict", "--model", model, "--row", row, names=["(--row, input petal width)"])
        row = json.dumps(dict.fromkeys(names, 1))
        self.refused("predict", "--model", model, "--row", row, "--output-dir", self.folder / "out", status=2,
                     names=["--output-dir"])
        row = json.dumps(dict.fromkeys(names, 1) | {"petal": 1})
        self.refused("predict", "--model", model, "--row", row, names=["(--row, input petal)", "sepal length"])

    def test_adapters(self):
        adapter = bytearray((FIXTURES / "gemma/lora-gemma1.gguf").read_bytes())
        # Not a number in single precision and in half.
        adapter[-64:] = b"\0\0\xc0\x7f" * 16
        path = self.file("lora.gguf", bytes(adapter))
        self.refused("generate", "--model", GEMMA, "--prompt", "a", "--lora", path,
                     names=[f"{path}, ", ".lora_", "not a finite number"])

    def test_lengths_of_a_model_name_the_option(self):
        generate = ("generate", "--model", GEMMA, "--prompt", "a")
        self.refused(*generate, "--context", 2 ** 40, names=["in 1...256 (context)", "--context"])
        self.refused(*generate[:3], "--prompt", "a " * 300, names=["context of 256 (context)"])
        self.refused(*generate, "--logit-bias", "99999=1", names=["0..<512 (token ids)", "--logit-bias"])
        embed = FIXTURES / "gemma/embed-plain.gguf"
        outcome = self.hearth("embed", "--model", embed, "--dimensions", 97, "a", status=2)
        self.assertIn("--dimensions", outcome.error)

    def test_a_compiled_model_with_states_opens(self):
        package = self.folder / "state.mlpackage"
        shutil.copytree(COREML / "flow/state.mlpackage", package)
        self.hearth("compile", "--model", package)
        artifact = next((self.folder / "home/Artifacts").glob("*/artifact.json")).parent
        ones = self.file("x.f32", struct.pack("<3f", 1, 1, 1))
        outputs = []
        for model, place in ((package, self.folder / "one"), (artifact, self.folder / "two")):
            self.hearth("predict", "--model", model, "--input", f"x={ones}", "--output-dir", place)
            outputs.append([(place / name).read_bytes() for name in ("y.f32", "z.f32")])
        self.assertEqual(*outputs)
        # It is refused for what it is, from its artifact too.
        image = COREML / "digits/images/0000.png"
        for model in (package, artifact):
            self.refused("classify", "--model", model, image, names=["the model has no labels"])


if __name__ == "__main__":
    unittest.main()
