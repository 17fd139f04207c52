#!/usr/bin/env python3
"""Lets a native speaker review the training sentences of a language: one sentence, one key.

    python review.py page de review-de.html          writes a page; open it in a browser, no server is needed
    python review.py page de review-de.html --pass e only the sentences of one pass
    python review.py apply de review-de.tsv          applies what the page saved to data/de/*.tsv

The page shows each sentence with those before it, and asks whether a child may be told it, without showing the label. Answers
stay in the browser until they are saved to a file: `pair line answer comment`, separated by tabs, for every line that was answered.
`apply` changes labels that the reviewer disagrees with, deletes pairs that are neither clearly harmful nor clearly harmless, and
prints what has to be rewritten by hand. It changes nothing if a line of the file does not fit the data.
"""
import argparse
import collections
import json
import pathlib
import random
import sys

HERE = pathlib.Path(__file__).resolve().parent
ANSWERS = {"y": "safe", "n": "harm", "u": "unnatural", "d": "doubtful"}


def rows(language, only=None):
    """(file, line number, cells) of all sentences of a language."""
    folder = HERE / "data" / language
    if not folder.is_dir():
        sys.exit(f"review.py: no such language: {language} (there are {', '.join(sorted(p.name for p in (HERE / 'data').iterdir()))})")
    found = []
    for path in sorted(folder.glob("*.tsv")):
        if only and path.stem != only:
            continue
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
            found.append((path, number, line.split("\t")))
    return found


def page(language, path, only):
    items = [{"pair": cells[0], "line": f"{file.stem}:{number}", "theme": cells[1], "before": cells[3].split(" | ") if cells[3] else [],
              "text": cells[4]} for file, number, cells in rows(language, only)]
    # Partners apart, so that one does not give the other away; the same order each time.
    random.Random(language).shuffle(items)
    data = json.dumps(items, ensure_ascii=False).replace("<", "\\u003c")
    direction = "rtl" if language == "ar" else "ltr"
    page = (HERE / "review.html").read_text("utf-8")
    for name, value in (("LANGUAGE", language), ("DIRECTION", direction), ("SENTENCES", data)):
        page = page.replace(f"[[{name}]]", value)
    pathlib.Path(path).write_text(page, "utf-8")
    print(f"{len(items)} sentences: open {path} in a browser")


def apply(language, path):
    known = {f"{file.stem}:{number}": (file, number, cells) for file, number, cells in rows(language)}
    answers = {}
    for number, line in enumerate(pathlib.Path(path).read_text("utf-8").splitlines(), 1):
        cells = line.split("\t")
        if len(cells) != 4 or cells[2] not in ANSWERS.values():
            sys.exit(f"{path}:{number}: not 'pair line answer comment', answer one of {', '.join(ANSWERS.values())}")
        if cells[1] not in known or known[cells[1]][2][0] != cells[0]:
            sys.exit(f"{path}:{number}: {cells[1]} is not of the pair {cells[0]}; was the data changed since the page was made?")
        answers[cells[1]] = cells[2:]
    dropped = {known[place][2][0] for place, (answer, _) in answers.items() if answer == "doubtful"}
    counts, changed = collections.Counter(), collections.defaultdict(dict)
    for place, (answer, comment) in answers.items():
        file, number, cells = known[place]
        if cells[0] in dropped:
            continue
        if answer == "unnatural":
            counts["to be rewritten"] += 1
            print(f"{file.relative_to(HERE)}:{number}: {cells[4]}" + (f"  ({comment})" if comment else ""))
        elif answer != cells[2]:
            counts["label changed"] += 1
            changed[file][number] = "\t".join(cells[:2] + [answer] + cells[3:])
        else:
            counts["label confirmed"] += 1
    for file in {file for file, _, _ in known.values()}:
        kept = []
        for number, line in enumerate(file.read_text("utf-8").splitlines(), 1):
            if line.split("\t")[0] not in dropped:
                kept.append(changed[file].get(number, line))
        text = "".join(line + "\n" for line in kept)
        if text != file.read_text("utf-8"):
            part = file.with_suffix(".part")
            part.write_text(text, "utf-8")
            part.replace(file)
    counts["pairs deleted"] = len(dropped)
    print(", ".join(f"{count} {name}" for name, count in counts.items()))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=["page", "apply"])
    parser.add_argument("language")
    parser.add_argument("file")
    parser.add_argument("--pass", dest="only", metavar="P", help="with page: one pass, such as e")
    options = parser.parse_args()
    if options.command == "page":
        page(options.language, options.file, options.only)
    else:
        apply(options.language, options.file)


if __name__ == "__main__":
    main()
