"""Random schemas in both directions, beside jsonschema: what `hearth generate` writes under a schema validates, a text that was cut
is a beginning that `hearth grammar accept` takes, and instances are accepted and rejected as jsonschema says, by bytes and through
the masks of a tokenizer."""

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile

import jsonschema

FORMATS = {"date": ["2024-02-29", "2023-02-29", "x"], "ipv4": ["1.2.3.4", "1.2.3.400"], "uuid": ["0" * 8 + "-0000-0000-0000-" + "0" * 12]}
WORDS = ["", "a", "ab", "aXb", "ü", "😀😀", 'q"\\', "line\nend", "a/b", "12", "abcabc"]


class Maker:
    def __init__(self, draw):
        self.draw = draw

    def schema(self, depth):
        draw = self.draw
        kinds = ["integer", "number", "string", "boolean", "null", "enum", "const"]
        kinds += ["array", "object", "object", "anyOf", "allOf", "list"] if depth else []
        kind = draw.choice(kinds)
        if kind in ("integer", "number"):
            schema = {"type": kind}
            low = draw.randint(-30, 30)
            for name, value in (("minimum", low), ("maximum", low + draw.randint(3, 40)), ("multipleOf", draw.choice([2, 3, 0.5]))):
                if draw.random() < 0.4:
                    schema[name] = value
            return schema
        if kind == "string":
            schema = {"type": "string"}
            shape = draw.randrange(4)
            if shape == 0:
                schema["minLength"], schema["maxLength"] = draw.randint(0, 2), draw.randint(2, 6)
            elif shape == 1:
                schema["pattern"] = draw.choice(["^[a-z]+$", "b", "^a|[0-9]$", "^.{2,3}$"])
            elif shape == 2:
                schema["format"] = draw.choice(sorted(FORMATS))
            return schema
        if kind in ("boolean", "null"):
            return {"type": kind}
        if kind == "enum":
            return {"enum": draw.sample([1, "a", None, True, [1], {"k": 2}, "ü"], 3)}
        if kind == "const":
            return {"const": draw.choice([3, "x", False])}
        if kind == "list":
            return {"type": draw.sample(["integer", "string", "null", "boolean"], 2)}
        if kind == "array":
            schema = {"type": "array", "items": self.schema(depth - 1)}
            if draw.random() < 0.4:
                schema["prefixItems"] = [self.schema(depth - 1)]
            if draw.random() < 0.5:
                schema["minItems"], schema["maxItems"] = draw.randint(0, 1), draw.randint(1, 3)
            return schema
        if kind == "object":
            names = draw.sample(["a", "b", "name", "ü", "x y"], draw.randint(1, 4))
            schema = {"type": "object", "properties": {n: self.schema(depth - 1) for n in names}}
            schema["required"] = [n for n in names if draw.random() < 0.5]
            schema["additionalProperties"] = draw.choice([False, False, {"type": "integer"}])
            if draw.random() < 0.3:
                schema["minProperties"] = draw.randint(0, 2)
            return schema
        if kind == "anyOf":
            return {"anyOf": [self.schema(depth - 1), self.schema(depth - 1)]}
        return {"allOf": [self.schema(depth - 1), {"type": ["object", "array", "string", "integer", "null", "boolean"]}]}

    def instance(self, schema):
        """Something near the schema, valid or not; names in the order of `properties`."""
        draw = self.draw
        if draw.random() < 0.06:
            return draw.choice([None, 1, "a", [], {}, True])
        if "anyOf" in schema:
            return self.instance(draw.choice(schema["anyOf"]))
        if "allOf" in schema:
            return self.instance(schema["allOf"][0])
        if "enum" in schema:
            return draw.choice(schema["enum"] + [5])
        if "const" in schema:
            return schema["const"]
        kind = schema["type"] if isinstance(schema["type"], str) else draw.choice(schema["type"])
        if kind == "integer":
            return draw.randint(-35, 75)
        if kind == "number":
            return draw.choice([draw.randint(-35, 75), draw.randint(-300, 700) / 10, draw.randint(-99, 99) / 4])
        if kind == "string":
            return draw.choice(WORDS + FORMATS.get(schema.get("format"), []) * 4)
        if kind == "boolean":
            return draw.random() < 0.5
        if kind == "null":
            return None
        if kind == "array":
            firsts = schema.get("prefixItems", [])
            count = draw.randint(0, 3)
            return [self.instance(firsts[i] if i < len(firsts) else schema["items"]) for i in range(count)]
        value = {n: self.instance(s) for n, s in schema["properties"].items() if n in schema["required"] or draw.random() < 0.5}
        if draw.random() < 0.2:
            value["more"] = draw.choice([1, "x"])
        return value


def text(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--hearth", required=True)
    parser.add_argument("--model", required=True)
    parser.add_argument("--schemas", type=int, default=400)
    parser.add_argument("--generated", type=int, default=40)
    options = parser.parse_args()
    seed = int(os.environ.get("HEARTH_SEED", random.randrange(1 << 32)))
    print(f"check_random: HEARTH_SEED={seed}")
    maker = Maker(random.Random(seed))
    checker = jsonschema.Draft202012Validator.FORMAT_CHECKER
    schemas = [maker.schema(3) for _ in range(options.schemas)]
    failures = []

    def valid(schema, value):
        return jsonschema.Draft202012Validator(schema, format_checker=checker).is_valid(value)

    def accept(lines, *arguments):
        sent = "".join(json.dumps(line) + "\n" for line in lines)
        run = subprocess.run([options.hearth, "grammar", "accept", *arguments], input=sent.encode(), capture_output=True, timeout=3600)
        assert run.returncode == 0, run.stderr.decode()
        return [json.loads(line) for line in run.stdout.decode().splitlines()]

    # Instances, as jsonschema judges them.
    instances = [[maker.instance(schema) for _ in range(12)] for schema in schemas]
    lines = [{"schema": s, "texts": [text(v) for v in values]} for s, values in zip(schemas, instances)]
    answers = accept(lines)
    judged = 0
    for schema, values, answer in zip(schemas, instances, answers):
        for index, value in enumerate(values):
            accepted = answer.get("accepted", [False] * len(values))[index]
            # 2.0 is an integer for jsonschema; texts of integers have no fraction.
            if accepted != valid(schema, value) and not (isinstance(value, float) or ".0" in text(value)):
                failures.append(f"{'accepted' if accepted else 'rejected'}: {text(value)} by {text(schema)} {answer}")
            judged += 1
    masked = accept(lines[:100], "--model", options.model)
    for line, one, other in zip(lines, answers, masked):
        if one != other:
            failures.append(f"through masks: {other} instead of {one}: {text(line)}")

    # Texts that a model writes.
    whole = 0
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "schema.json")
        for index, (schema, answer) in enumerate(zip(schemas, answers)):
            if index >= options.generated or "error" in answer:
                continue
            with open(file, "w", encoding="utf-8") as out:
                json.dump(schema, out)
            run = subprocess.run(
                [options.hearth, "generate", "--model", options.model, "--prompt", "Once", "--schema", file, "--json",
                 "--max-tokens", "120", "--temperature", "2", "--top-k", "0", "--top-p", "1", "--seed", str(index)],
                capture_output=True, timeout=3600,
            )
            if run.returncode != 0:
                failures.append(f"generate: {run.stderr.decode()} {text(schema)}")
                continue
            made = json.loads(run.stdout)
            if made["stop"] == "end":
                whole += 1
                if not valid(schema, json.loads(made["text"])):
                    failures.append(f"generated: {made['text']} under {text(schema)}")
            elif "\ufffd" not in made["text"]:
                size = len(made["text"].encode())
                place = accept([{"schema": schema, "texts": [made["text"]]}])[0]["rejectedAt"][0]
                if place not in (size, None):
                    failures.append(f"no beginning: {made['text']} under {text(schema)}")
    print(f"check_random: {judged} instances judged, {whole} whole texts generated, {len(failures)} wrong")
    print("\n".join(failures[:20]))
    sys.exit(1 if failures or whole == 0 else 0)


main()
