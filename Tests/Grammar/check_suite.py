"""The official JSON-Schema-Test-Suite through `hearth grammar accept`: for each keyword, how many instances are judged rightly, are
refused by name, are rejected though valid, and are accepted though invalid. The last must be none.

Instances are written compactly, with names in the order in which the schema has them. Where the suite's instance is written with
a fraction of zero or an exponent, a validator that reads values takes it for the integer; a grammar of texts need not.
"""

import argparse
import collections
import glob
import json
import os
import subprocess
import sys

FORMATS = ["date", "time", "date-time", "duration", "email", "hostname", "ipv4", "ipv6", "uuid", "uri",
           "uri-reference", "uri-template", "iri", "iri-reference", "json-pointer", "relative-json-pointer"]
OPTIONAL = ["bignum", "ecmascript-regex", "non-bmp-regex", "id", "anchor", "float-overflow"]
ADDRESSES = {f"draft{n}": f"http://json-schema.org/draft-0{n}/schema#" for n in (4, 6, 7)}
# A schema that is refused has not been judged; more than this share of all would be too many.
MOST_REFUSED = 0.15


def names(schema, found):
    if isinstance(schema, dict):
        if isinstance(schema.get("properties"), dict):
            for name in schema["properties"]:
                found.setdefault(name, len(found))
        for name in schema.get("required", []) if isinstance(schema.get("required"), list) else []:
            found.setdefault(name, len(found)) if isinstance(name, str) else None
        for value in schema.values():
            names(value, found)
    elif isinstance(schema, list):
        for value in schema:
            names(value, found)
    return found


def ordered(value, order):
    if isinstance(value, dict):
        return {k: ordered(value[k], order) for k in sorted(value, key=lambda k: order.get(k, 1 << 30))}
    return [ordered(v, order) for v in value] if isinstance(value, list) else value


def cases(suite):
    for draft in ("draft2020-12", "draft2019-09", "draft7", "draft6", "draft4"):
        files = sorted(glob.glob(f"{suite}/{draft}/*.json"))
        files += [f"{suite}/{draft}/optional/format/{name}.json" for name in FORMATS]
        files += [f"{suite}/{draft}/optional/{name}.json" for name in OPTIONAL]
        for file in filter(os.path.exists, files):
            keyword = os.path.basename(file)[: -len(".json")]
            if "/format/" in file:
                keyword = f"format {keyword}"
            elif keyword == "format":
                continue  # there, formats are annotations
            for group in json.load(open(file, encoding="utf-8")):
                schema = group["schema"]
                if draft in ADDRESSES and isinstance(schema, dict) and "$schema" not in schema:
                    schema = {"$schema": ADDRESSES[draft], **schema}
                order = names(schema, {})
                texts = [
                    json.dumps(ordered(test["data"], order), ensure_ascii=False, separators=(",", ":"))
                    for test in group["tests"]
                ]
                yield f"{draft} {keyword}", keyword, schema, group, texts


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--hearth", required=True)
    parser.add_argument("--suite", required=True)
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    all_cases = list(cases(options.suite))
    lines = "".join(json.dumps({"schema": c[2], "texts": c[4]}) + "\n" for c in all_cases)
    run = subprocess.run([options.hearth, "grammar", "accept"], input=lines.encode(), capture_output=True, timeout=3600)
    answers = [json.loads(line) for line in run.stdout.decode().splitlines()]
    if run.returncode != 0 or len(answers) != len(all_cases):
        sys.exit(f"test-grammar: {len(answers)} answers to {len(all_cases)} schemas\n{run.stderr.decode()}")

    counts = collections.defaultdict(lambda: [0, 0, 0, 0])
    wrong = []
    for (where, keyword, schema, group, texts), answer in zip(all_cases, answers):
        for index, (test, text) in enumerate(zip(group["tests"], texts)):
            count = counts[keyword]
            if "unsupported" in answer:
                count[1] += 1
                continue
            accepted = "error" not in answer and answer["accepted"][index]
            kind = 0 if accepted == test["valid"] else 3 if accepted else 2
            count[kind] += 1
            if kind == 3 or kind == 2 and options.verbose:
                wrong.append(f"{where}: {group['description']}: {test['description']}: {text}")
    print(f"{'keyword':26} {'right':>6} {'refused':>8} {'rejecting valid':>16} {'accepting invalid':>18}")
    for keyword, (right, refused, rejecting, accepting) in sorted(counts.items()):
        print(f"{keyword:26} {right:6} {refused:8} {rejecting:16} {accepting:18}")
    right, refused, rejecting, accepting = map(sum, zip(*counts.values()))
    print(f"{'in all':26} {right:6} {refused:8} {rejecting:16} {accepting:18}")
    print("\n".join(wrong))
    if accepting or refused > MOST_REFUSED * (right + refused + rejecting):
        sys.exit("test-grammar: failed")


main()
