"""The files of the filter (Sources/CHearthLexicon/Files) for the scripts that write them: tables, folding and check sums."""
import pathlib
import struct

FILES = pathlib.Path(__file__).resolve().parent.parent / "Sources/CHearthLexicon/Files"
LATIN_LANGUAGES = {"en", "es", "fr", "de", "pt", "it"}
# As in `ScalarClass`.
OTHER, BLANK, MARK, IGNORABLE, DIGIT, LATIN, CYRILLIC, GREEK, ARABIC, HAN, HIRAGANA, KATAKANA, HANGUL, LETTER, PICTOGRAPH = range(15)
ALPHABETIC = {LATIN, CYRILLIC, GREEK, ARABIC, LETTER}
CJK = {HAN, HIRAGANA, KATAKANA}
LETTERS = ALPHABETIC | CJK | {HANGUL}


class Tables:
    def __init__(self):
        self.classes, self.folds = [0] * 0x32400, {}
        numbers = self.numbers("unicode-classes.bin")
        value = kind = 0
        for distance, following in zip(numbers[::2], numbers[1::2]):
            end = min(value + distance, len(self.classes))
            self.classes[value:end] = [kind] * (end - value)
            value, kind = end, following
        numbers = self.numbers("unicode-folds.bin")
        value = at = 0
        while at < len(numbers):
            value += numbers[at]
            self.folds[value] = numbers[at + 2:at + 2 + numbers[at + 1]]
            at += 2 + numbers[at + 1]
        self.lookalikes = {"latin": {}, "cyrillic": {}, "arabic": {}}
        section = "latin"
        for line in (FILES / "lookalikes.txt").read_text(encoding="utf-8").split("\n"):
            if line.startswith(":"):
                section = line[1:] if line[1:] in self.lookalikes else "latin"
            elif line and not line.startswith("#"):
                target, others = line.split(" ", 1)
                self.lookalikes[section].update({ord(other): ord(target) for other in others if other != " "})
        for first in (0x1F130, 0x1F150, 0x1F170):
            self.lookalikes["latin"].update({first + letter: 0x61 + letter for letter in range(26)})

    @staticmethod
    def numbers(name):
        result, value, shift = [], 0, 0
        for byte in (FILES / name).read_bytes()[:-8]:
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                result.append(value)
                value = shift = 0
        return result

    def kind(self, scalar):
        if scalar < len(self.classes):
            return self.classes[scalar]
        return IGNORABLE if 0xE0000 <= scalar <= 0xE0FFF else OTHER


class Folder:
    def __init__(self, tables, language, letters):
        self.tables, self.language = tables, language
        self.own = {tuple(tables.folds[ord(char)]): ord(char) for char in letters if len(tables.folds.get(ord(char), [])) == 2}

    def fold(self, text):
        """The scalars, and whether each has a mark of the language's own."""
        if text.isascii() and text.isprintable() and "  " not in text:
            return list(text.lower().encode()), [False] * len(text)
        assert "<" not in text and "&" not in text, text
        scalars, marked, marks = [], [], 0
        def put(value, depth):
            nonlocal marks
            if value >= 0x80:
                like = self.lookalike(value)
                if like is not None:
                    value = like
                elif depth == 0 and value in self.tables.folds:
                    if self.tables.kind(value) != IGNORABLE:
                        for part in self.tables.folds[value]:
                            put(part, 1)
                    return
                else:
                    kind = self.tables.kind(value)
                    if kind == IGNORABLE:
                        return
                    if kind == MARK:
                        marks += 1
                        letter = self.own.get((scalars[-1], value)) if scalars else None
                        if marks == 1 and letter is not None:
                            scalars[-1], marked[-1] = letter, True
                        return
                    if kind == HANGUL and scalars and (syllable := composed(scalars[-1], value)):
                        scalars[-1] = syllable
                        return
                    if kind == BLANK:
                        value = 0x20
                    elif value in (0x2018, 0x2019, 0x201B, 0x2BC, 0xB4, 0x2032):
                        value = 0x27
                    elif 0x2010 <= value <= 0x2013 or value in (0x2212, 0xAD):
                        value = 0x2D
            if value == 0x20 or 9 <= value <= 13:
                value = 0x20
                if scalars and scalars[-1] == 0x20:
                    return
            elif value < 0x20 or value == 0x7F:
                return
            scalars.append(value + 32 if 0x41 <= value <= 0x5A else value)
            marked.append(False)
            marks = 0
        for char in text:
            put(ord(char), 0)
        self.resolve_mixed(scalars)
        return scalars, marked

    def lookalike(self, value):
        likes = self.tables.lookalikes
        if self.language in LATIN_LANGUAGES:
            return likes["latin"].get(value)
        if self.language == "ar":
            return likes["arabic"].get(value)
        return likes["latin"].get(value) if value >= 0x1F130 else None

    def resolve_mixed(self, scalars):
        if self.language in LATIN_LANGUAGES:
            return
        at = 0
        while at < len(scalars):
            end = at
            while end < len(scalars) and self.tables.kind(scalars[end]) in ALPHABETIC:
                end += 1
            kinds = {self.tables.kind(scalar) for scalar in scalars[at:end]}
            if LATIN in kinds and len(kinds) > 1:
                likes = self.tables.lookalikes["cyrillic" if self.language == "ru" and CYRILLIC in kinds else "latin"]
                scalars[at:end] = [likes.get(scalar, scalar) for scalar in scalars[at:end]]
            at = max(end, at + 1)


def composed(first, second):
    if 0x1100 <= first <= 0x1112 and 0x1161 <= second <= 0x1175:
        return 0xAC00 + ((first - 0x1100) * 21 + second - 0x1161) * 28
    if 0xAC00 <= first <= 0xD7A3 and (first - 0xAC00) % 28 == 0 and 0x11A8 <= second <= 0x11C2:
        return first + second - 0x11A7
    return None


def checked(content, *others):
    """The bytes and their check sum, which covers the others too: FNV-1a of 64 bits over little-endian words of 64 bits, the last word of
    each part filled up with zeros (`CheckSum`)."""
    total = 0xCBF29CE484222325
    for part in (content, *others):
        for (word,) in struct.iter_unpack("<Q", bytes(part) + bytes(-len(part) % 8)):
            total = (total ^ word) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return bytes(content) + struct.pack("<Q", total)
