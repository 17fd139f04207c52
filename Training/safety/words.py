"""Cuts a text into the words that the classifier has vectors of. `SentenceWords.swift` does the same, scalar by scalar.

A text is folded with the tables of the filter (compatibility forms, case and marks go; kana and Korean syllables stay), cut
into runs of letters and digits, and each run is looked for in the vocabulary: whole, or else the longest beginning that is
there, and then the rest in the same way. Chinese and Japanese runs are cut the same way, from a single character on.
"""
import pathlib

ROOT = pathlib.Path(__file__).resolve().parents[2]
FILES = ROOT / "Sources/CHearthLexicon/Files"
BLANK, MARK, IGNORABLE, DIGIT, LATIN = 1, 2, 3, 4, 5
HAN, HIRAGANA, KATAKANA, HANGUL, LETTER = 9, 10, 11, 12, 13
LIMIT = 0x32400
LEET = {ord(a): ord(b) for a, b in zip("013457", "oieast")}
LONGEST_WORD = 40
LONGEST_PIECE = 24
LONGEST_CJK_PIECE = 6
UNKNOWN = 0


def numbers(data):
    value = shift = 0
    for byte in data:
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            yield value
            value = shift = 0


def load_tables():
    kinds = bytearray(LIMIT)
    at = kind = 0
    stream = numbers((FILES / "unicode-classes.bin").read_bytes()[:-8])
    for distance in stream:
        end = min(at + distance, LIMIT)
        kinds[at:end] = bytes([kind]) * (end - at)
        at, kind = end, next(stream)
    folds, value = {}, 0
    stream = numbers((FILES / "unicode-folds.bin").read_bytes()[:-8])
    for distance in stream:
        value += distance
        folds[value] = [next(stream) for _ in range(next(stream))]
    return kinds, folds


KINDS, FOLDS = load_tables()


def kind_of(scalar):
    if scalar < LIMIT:
        return KINDS[scalar]
    return IGNORABLE if 0xE0000 <= scalar <= 0xE0FFF else 0


def is_word(kind):
    return DIGIT <= kind <= 8 or kind in (HANGUL, LETTER)


def is_cjk(kind):
    return HAN <= kind <= KATAKANA


def folded(text):
    """Scalars without what is invisible, and without marks."""
    result = []
    for char in text:
        scalar = ord(char)
        if kind_of(scalar) == IGNORABLE:
            continue
        if 0x3040 <= scalar <= 0x30FF or 0xAC00 <= scalar <= 0xD7A3:
            result.append(scalar)
            continue
        if 0x41 <= scalar <= 0x5A:
            scalar += 32
        elif scalar == 0x2019:
            scalar = 0x27
        elif scalar == 0x61F:
            scalar = 0x3F
        for part in FOLDS.get(scalar, (scalar,)):
            if kind_of(part) not in (MARK, IGNORABLE):
                result.append(part)
    return result


def runs(text):
    """(is CJK, scalars) for each run of letters; signs of question and exclamation are runs of their own."""
    scalars = folded(text)
    found, single, at = [], 0, 0

    def close_singles(count):
        # Letters that were spelled out make one word again.
        if count >= 3:
            word = [scalar for _, run in found[-count:] for scalar in run]
            del found[-count:]
            found.append((False, word))

    while at < len(scalars):
        kind = kind_of(scalars[at])
        if is_word(kind):
            end = at + 1
            while end < len(scalars):
                if is_word(kind_of(scalars[end])):
                    end += 1
                    continue
                if scalars[end] != 0x27:
                    break
                tail = end + 1
                while tail < len(scalars) and is_word(kind_of(scalars[tail])) and tail - end <= 3:
                    tail += 1
                if not 2 <= tail - end <= 3:
                    break
                end = tail
            word = [s for s in scalars[at:end] if s != 0x27]
            if sum(kind_of(s) == LATIN for s in word) >= 2 and any(kind_of(s) == DIGIT for s in word):
                word = [LEET.get(s, s) for s in word]
            if len(word) == 1 and kind_of(word[0]) not in (DIGIT, HANGUL):
                single += 1
            else:
                close_singles(single)
                single = 0
            found.append((False, word[:LONGEST_WORD]))
            at = end
        elif is_cjk(kind):
            close_singles(single)
            single, end = 0, at + 1
            while end < len(scalars) and is_cjk(kind_of(scalars[end])):
                end += 1
            found.append((True, scalars[at:end]))
            at = end
        else:
            if scalars[at] in (0x21, 0x3F):
                close_singles(single)
                single = 0
                found.append((False, [scalars[at]]))
            at += 1
    close_singles(single)
    return found


def key(scalars):
    """FNV-1a of 32 bits, over scalars instead of bytes."""
    value = 0x811C9DC5
    for scalar in scalars:
        value = (value ^ scalar) * 0x01000193 & 0xFFFFFFFF
    return value


def pieces(text, vocabulary, most=1 << 30):
    """Numbers of the words; `vocabulary` gives them by key. At most so many."""
    result = []
    for cjk, word in runs(text):
        shortest = 1 if cjk or kind_of(word[0]) == HANGUL else 3
        longest = LONGEST_CJK_PIECE if cjk else LONGEST_PIECE
        at = 0
        while at < len(word) and (at == 0 or len(word) - at >= shortest):
            # A whole word may be as short as it likes.
            least = 1 if at == 0 and len(word) < shortest else shortest
            for length in range(min(longest, len(word) - at), least - 1, -1):
                number = vocabulary.get(key(word[at:at + length]))
                if number is not None:
                    result.append(number)
                    at += length
                    break
            else:
                result.append(UNKNOWN)
                if not cjk:
                    break
                at += 1
        if len(result) >= most:
            return result[:most]
    return result
