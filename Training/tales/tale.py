"""Reads, checks and tells tales: stories written by hand with slots for names and pronouns (README.md has the form).

    python3 Training/tales/tale.py check [FILE…]            every rule that a program can check; all files where none is named
    python3 Training/tales/tale.py embed                    writes the C files that embed them
    python3 Training/tales/tale.py tell FILE [ID] [--seed N] [--name NAME --pronoun he]
    python3 Training/tales/tale.py sample LANGUAGE COUNT [--seed N] [--without FILE]     tales drawn at random, to be read
"""

import argparse
import json
import pathlib
import random
import re
import sys
from dataclasses import dataclass, field

HERE = pathlib.Path(__file__).resolve().parent
TALES = HERE.parent.parent / "Sources/CHearthStories/Tales"

# The forms that a slot can ask for, by pronoun.
ENGLISH = {
    "he": {"he": "he", "him": "him", "his": "his", "theirs": "his", "himself": "himself", "was": "was", "is": "is", "has": "has"},
    "she": {"he": "she", "him": "her", "his": "her", "theirs": "hers", "himself": "herself", "was": "was", "is": "is", "has": "has"},
    "they": {"he": "they", "him": "them", "his": "their", "theirs": "theirs", "himself": "themself", "was": "were", "is": "are", "has": "have"},
    "it": {"he": "it", "him": "it", "his": "its", "theirs": "its", "himself": "itself", "was": "was", "is": "is", "has": "has"},
}
PRONOUNS = {"en": list(ENGLISH), "es": ["m", "f"], "zh-Hans": ["他", "她", "它"]}
BARE = {
    "en": re.compile(r"\b(he|she|him|his|her|hers|himself|herself|he's|she's|he'd|she'd|he'll|she'll)\b", re.I),
    "es": re.compile(r"\b(él|ella)\b", re.I),
    "zh-Hans": re.compile(r"[他她]|它(?!们)"),
}
LENGTHS = {
    "en": {"short": (80, 160), "medium": (170, 320), "long": (560, 950)},
    "es": {"short": (75, 160), "medium": (160, 320), "long": (520, 950)},
    "zh-Hans": {"short": (140, 280), "medium": (290, 560), "long": (900, 1700)},
}
SLOT = re.compile(r"\{([^{}]*)\}")


class TaleError(Exception):
    pass


@dataclass
class Tale:
    path: str
    line: int
    language: str
    id: str
    wishes: list = field(default_factory=list)
    length: str = "medium"
    title: str = ""
    tags: list = field(default_factory=list)
    roles: dict = field(default_factory=dict)  # name -> [(name, pronoun)]
    star: str = ""
    words: dict = field(default_factory=dict)  # name -> [value]
    paragraphs: list = field(default_factory=list)  # [[ [alternative] ]]

    def fail(self, why):
        raise TaleError(f"{self.path}:{self.line}: {self.id}: {why}")


def read(path, language):
    """All tales of a file."""
    tales, tale, body = [], None, False
    for number, line in enumerate(pathlib.Path(path).read_text(encoding="utf-8").splitlines(), 1):
        line = line.rstrip()
        if line.startswith("# "):
            tale, body = Tale(str(path), number, language, line[2:].strip()), False
            tales.append(tale)
        elif tale is None:
            if line:
                raise TaleError(f"{path}:{number}: a tale begins with '# id'.")
        elif not body and line == "---":
            body = True
            tale.paragraphs.append([])
        elif not body:
            if not line:
                continue
            key, colon, value = line.partition(":")
            key, value = key.strip(), value.strip()
            if not colon:
                tale.fail(f"line {number} is no 'key: value'.")
            values = [part.strip() for part in re.split(r"[,，]", value) if part.strip()]
            if key == "wishes":
                tale.wishes = values
            elif key == "length":
                tale.length = value
            elif key == "title":
                tale.title = value
            elif key == "tags":
                tale.tags = values
            elif key.startswith("role "):
                name = key[5:].strip()
                if name.endswith("*"):
                    name = name[:-1]
                    if tale.star:
                        tale.fail("two roles are marked with '*'.")
                    tale.star = name
                pairs = [part.rpartition("/") for part in values]
                if any(not first or last not in PRONOUNS[language] for first, _, last in pairs):
                    tale.fail(f"role {name}: each is NAME/PRONOUN with one of {PRONOUNS[language]}.")
                tale.roles[name] = [(first.strip(), last) for first, _, last in pairs]
            elif key.startswith("word "):
                tale.words[key[5:].strip()] = [part.strip() for part in value.split("|") if part.strip()]
            else:
                tale.fail(f"line {number}: there is no field '{key}'.")
        elif not line:
            if tale.paragraphs[-1]:
                tale.paragraphs.append([])
        elif line.startswith("> "):
            tale.paragraphs[-1].append([line[2:].strip()])
        elif line.startswith("| "):
            if not tale.paragraphs[-1]:
                tale.fail(f"line {number}: an alternative of nothing.")
            tale.paragraphs[-1][-1].append(line[2:].strip())
        else:
            tale.fail(f"line {number} begins with neither '> ' nor '| '.")
    for tale in tales:
        tale.paragraphs = [paragraph for paragraph in tale.paragraphs if paragraph]
    return tales


def upper(text):
    return text[:1].upper() + text[1:]


def fill(tale, text, cast, chosen):
    """The text with its slots filled: cast is role -> (name, pronoun), chosen is word -> value."""

    def slot(match):
        inner = match[1]
        if ":" in inner:  # {role:one/other}: by pronoun
            role, _, forms = inner.partition(":")
            forms = forms.split("/")
            if role not in cast:
                tale.fail(f"there is no role for {{{inner}}}.")
            place = PRONOUNS[tale.language].index(cast[role][1])
            if tale.language == "en":  # he and she and it together, they apart; or he, she, they
                if len(forms) == 2:
                    return forms[1] if cast[role][1] == "they" else forms[0]
                if len(forms) == 3:
                    return forms[{"he": 0, "she": 1}.get(cast[role][1], 2)]
            elif len(forms) == 2 and tale.language == "es":
                return forms[place]
            tale.fail(f"{{{inner}}} has {len(forms)} forms.")
        role, dot, form = inner.partition(".")
        low = role[:1].lower() + role[1:]
        if not dot:
            if role in cast or low in cast:
                name = cast.get(role, cast.get(low))[0]
                return name if role in cast else upper(name)
            if role in chosen or low in chosen:
                return chosen[role] if role in chosen else upper(chosen[low])
            tale.fail(f"there is no role and no word for {{{inner}}}.")
        if role not in cast:
            tale.fail(f"there is no role for {{{inner}}}.")
        if tale.language == "zh-Hans" and form == "ta":
            return cast[role][1]
        if tale.language == "en":
            forms = ENGLISH[cast[role][1]]
            if form in forms:
                return forms[form]
            if form.lower() in forms and form == upper(form.lower()):
                return upper(forms[form.lower()])
        tale.fail(f"there is no form '{form}' for {{{inner}}}.")

    # Spanish "y" is "e" before a name that begins with the sound of i: "Ana e Inés", but "¿Y Inés?".
    and_before_i = re.compile(r"(?<![^\W\d_])(?<!¿)([yY]) $")
    filled, end = "", 0
    for match in SLOT.finditer(text):
        value = slot(match)
        filled += text[end : match.start()]
        if tale.language == "es" and re.match(r"h*(í|i(?![aeouáéóú]))", value, re.I):
            filled = and_before_i.sub(lambda and_: {"y": "e ", "Y": "E "}[and_[1]], filled)
        filled, end = filled + value, match.end()
    return filled + text[end:]


def draw(tale, chance, name=None, pronoun=None):
    """A cast and words: no name twice, the child's own for the marked role."""
    cast, used = {}, set()
    if name and tale.star:
        cast[tale.star] = (name, pronoun or PRONOUNS[tale.language][0])
        used.add(name)
    for role, pool in tale.roles.items():
        if role in cast:
            continue
        free = [pair for pair in pool if pair[0] not in used] or pool
        cast[role] = chance.choice(free)
        used.add(cast[role][0])
    return cast, {word: chance.choice(pool) for word, pool in tale.words.items()}


def tell(tale, seed, name=None, pronoun=None):
    """One telling: title and paragraphs."""
    chance = random.Random(seed)
    cast, chosen = draw(tale, chance, name, pronoun)
    joint = "" if tale.language == "zh-Hans" else " "
    paragraphs = [
        joint.join(fill(tale, chance.choice(alternatives), cast, chosen) for alternatives in paragraph)
        for paragraph in tale.paragraphs
    ]
    return fill(tale, tale.title, cast, chosen), paragraphs


def size(text, language):
    if language == "zh-Hans":
        return len(re.findall(r"[\u4e00-\u9fff]", text))
    return len(text.split())


def check(tale, wishes):
    """Every rule that a program can check; a list of what is wrong."""
    wrong = []
    if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", tale.id):
        wrong.append("the id is not lower-case words with hyphens")
    if not tale.wishes or any(wish not in wishes for wish in tale.wishes):
        wrong.append(f"unknown wish in {tale.wishes}")
    if tale.length not in LENGTHS[tale.language]:
        wrong.append(f"unknown length '{tale.length}'")
        return wrong
    if not tale.title:
        wrong.append("no title")
    if not tale.star:
        wrong.append("no role is marked with '*' (the one that can bear the child's name)")
    for role, pool in tale.roles.items():
        if role == tale.star and len(pool) < 4:
            wrong.append(f"role {role}: four names or more")
    if tale.language == "en" and tale.star and not {"he", "she"} & {p for _, p in tale.roles.get(tale.star, [])}:
        wrong.append(f"role {tale.star}: he or she")
    needed = {"short": 3, "medium": 3, "long": 2}[tale.length]
    names = {name for pool in tale.roles.values() for name, _ in pool if name[:1].isupper() or tale.language == "zh-Hans"}
    for paragraph in tale.paragraphs:
        for alternatives in paragraph:
            first = alternatives[0]
            if len(alternatives) < needed:
                wrong.append(f"{len(alternatives)} of {needed} alternatives: {first[:60]}")
            if len(set(alternatives)) < len(alternatives):
                wrong.append(f"the same alternative twice: {first[:60]}")
            for text in alternatives:
                bare = SLOT.sub("§", text)
                found = BARE[tale.language].search(bare)
                if found:
                    wrong.append(f"'{found[0]}' without a slot: {text[:70]}")
                for name in names:
                    if re.search(rf"\b{re.escape(name)}\b" if tale.language != "zh-Hans" else re.escape(name), bare):
                        wrong.append(f"the name '{name}' without a slot: {text[:70]}")
                if "  " in text or re.search(r"\s[,.;:!?]", text):
                    wrong.append(f"spaces: {text[:70]}")
                if tale.language == "zh-Hans" and re.search(r"[,.!?;:\"]", bare):
                    wrong.append(f"western punctuation: {text[:50]}")
                if not re.search(r"[.!?…:\"”»。！？：—’」]$", text):
                    wrong.append(f"no end: …{text[-40:]}")
                if tale.language != "zh-Hans" and text.count('"') % 2:
                    wrong.append(f"a quotation mark is missing: {text[:70]}")
                if tale.language == "zh-Hans" and text.endswith("—"):
                    wrong.append(f"a dash is no end, the next sentence follows at once: …{text[-30:]}")
                if tale.language == "zh-Hans" and text.count("“") != text.count("”"):
                    wrong.append(f"a quotation mark is missing: {text[:50]}")
    if wrong:
        return wrong
    least, most = LENGTHS[tale.language][tale.length]
    pronouns = PRONOUNS[tale.language]
    for seed in range(24):
        title, paragraphs = tell(tale, seed, "Noa" if seed % 2 else None, pronouns[seed % min(len(pronouns), 3)])
        count = size(" ".join(paragraphs), tale.language)
        if not least <= count <= most:
            wrong.append(f"{count} words, not {least} to {most} (seed {seed})")
            break
        for sentence in " ".join(paragraphs).split(". "):
            if tale.language != "zh-Hans" and re.search(r"\b(\w+) \1\b", sentence) and not re.search(
                r"\b(\w+),? \1\b(?=.*[\"”])", sentence
            ):
                wrong.append(f"a word twice: {sentence[:80]} (seed {seed})")
            if tale.language != "zh-Hans" and re.match(r"[\"“¿¡]*[a-zñáéíóú]", sentence.split("\n")[0]) and sentence[:1].islower():
                wrong.append(f"begins with a small letter: {sentence[:60]} (seed {seed})")
        if wrong:
            break
    return wrong


def clashes(tale, others):
    """What keeps a tale from being a second evening after another one about its wish: somebody in it who listens to it."""
    wrong = []
    for other in others:
        friend = next((role for role in other.roles if role != other.star), None)
        if other is tale or friend is None or "apart" in other.tags:
            continue
        for role, pool in tale.roles.items():
            for name, _ in other.roles[friend]:
                if all(person in name for person, _ in pool):
                    wrong.append(f"role {role}: one more name, for {name} listens to it on the evening after {other.id}")
    return wrong


# Names that children give themselves in a sample, by pronoun; None leaves the tale its own.
NAMES = {
    "en": {"she": ["Mina", "Chloe", "Abigail"], "he": ["Theo", "James", "Elias"], "they": ["Robin", "Noa", "Sky"], None: [None]},
    "es": {"f": ["Lucía", "Ane", "Valentina"], "m": ["Mateo", "Hugo", "Íñigo"], None: [None]},
    "zh-Hans": {"她": ["小雨", "朵朵", "思琪"], "他": ["乐乐", "子轩", "小满"], None: [None]},
}


def sample(language, count, seed, without=()):
    """What to tell so that a reader hears every wish, length and pronoun about equally often: tales and options at random."""
    chance = random.Random(seed)

    def spread(values):
        rows = []
        while len(rows) < count:
            rows += chance.sample(values, len(values))
        return rows[:count]

    paths, drawn = list(files(language)), []
    lengths, pronouns = spread(list(LENGTHS[language])), spread(list(NAMES[language]))
    for path, length, pronoun in zip(spread(paths), lengths, pronouns):
        everything = read(path, language)
        tales = [tale for tale in everything if tale.length == length] or everything
        free = [tale for tale in tales if tale.id not in without] or tales
        tale, told = chance.choice(free), chance.randrange(100_000)
        without = {*without, tale.id}
        drawn.append((path, tale, told, chance.choice(NAMES[language][pronoun]), pronoun))
    return drawn


def files(language=None):
    for path in sorted(TALES.glob("*/*.tale")):
        if language in (None, path.parent.name):
            yield path


def embed():
    """One C file a language: a program's constants, found by wish."""
    for language in LENGTHS:
        name, lines, rows = language.replace("-", "_"), [], []
        for path in files(language):
            constant = path.stem.replace("-", "_")
            lines += [f"static const unsigned char {constant}[] = {{", f'#embed "Tales/{language}/{path.name}"', "};"]
            rows.append(f'    {{"{path.stem}", {{{constant}, sizeof {constant}}}}},')
        text = [
            "// Written by Training/tales/tale.py embed. Data, no code: one file a wish, as it is, in the program's constants.",
            '#include "tales.h"', "", "#ifdef __clang__", '#pragma clang diagnostic ignored "-Wc23-extensions"', "#endif", "",
            *lines, "", f"const hearth_tales_row hearth_tales_{name}[] = {{", *rows, "    {NULL, {NULL, 0}},", "};",
        ]
        (TALES.parent / f"tales_{name}.c").write_text("\n".join(text) + "\n", encoding="utf-8")


def all_wishes():
    source = HERE.parent.parent / "Sources/HearthStory/Resources/wishes.json"
    return {wish["id"]: wish for wish in json.loads(source.read_text(encoding="utf-8"))["wishes"]}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["check", "tell", "sample", "embed"])
    parser.add_argument("paths", nargs="*")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--name")
    parser.add_argument("--pronoun")
    parser.add_argument("--without", help="a file such as tellings.jsonl: other tales than those, where there are any")
    arguments = parser.parse_args()
    wishes, bad, seen, count = all_wishes(), 0, {}, 0
    if arguments.what == "embed":
        return embed()
    if arguments.what == "tell":
        path = pathlib.Path(arguments.paths[0])
        for tale in read(path, path.parent.name):
            if len(arguments.paths) < 2 or tale.id == arguments.paths[1]:
                if arguments.pronoun not in (None, *PRONOUNS[tale.language]):
                    sys.exit(f"tale: the pronouns of {path} are {', '.join(PRONOUNS[tale.language])}, not {arguments.pronoun}.")
                title, paragraphs = tell(tale, arguments.seed, arguments.name, arguments.pronoun)
                print(f"## {title}\n\n" + "\n\n".join(paragraphs) + "\n")
        return
    if arguments.what == "sample":
        language, rows = arguments.paths[0], []
        if arguments.without:
            rows = [json.loads(line) for line in pathlib.Path(arguments.without).read_text(encoding="utf-8").splitlines()]
        known = {row["id"] for row in rows if row["language"] == language}
        for path, tale, seed, name, pronoun in sample(language, int(arguments.paths[1]), arguments.seed, known):
            title, paragraphs = tell(tale, seed, name, pronoun)
            options = {"language": language, "wish": path.stem, "id": tale.id, "length": tale.length, "seed": seed}
            options.update({"name": name, "pronoun": pronoun} if name else {})
            print(json.dumps(options, ensure_ascii=False) + f"\n\n## {title}\n\n" + "\n\n".join(paragraphs) + "\n")
        return
    for path in [pathlib.Path(p) for p in arguments.paths] or files():
        try:
            tales = read(path, path.resolve().parent.name)
        except TaleError as error:
            print(error)
            bad += 1
            continue
        for tale in tales:
            count += 1
            try:
                wrong = check(tale, wishes) + clashes(tale, tales)
            except TaleError as error:
                wrong = [str(error)]
            key = (tale.language, tale.id)
            if key in seen:
                wrong.append(f"the id is also in {seen[key]}")
            seen[key] = str(path)
            for line in wrong:
                print(f"{path}: {tale.id}: {line}")
            bad += bool(wrong)
    print(f"{count} tales, {bad} to mend")
    sys.exit(bool(bad))


if __name__ == "__main__":
    main()
