"""Which letters and words a text has: numbers of hashed features, each once. `SentenceFeatures.swift` does the same."""
import words

BUCKETS = 1 << 19
WORD, PAIR, LETTERS = 1, 2, 3
CONTEXT = 16  # added to the kind where the text is the context
EDGE = 0x20
STEP = 0x01000193


def bucket(value):
    value ^= value >> 15
    value = value * 0x2C1B3C6D & 0xFFFFFFFF
    value ^= value >> 12
    return value & (BUCKETS - 1)


def features(text, context=False):
    """Words, pairs of words, and runs of 2 to 5 letters within a word and its edges (1 to 4 where words are not apart)."""
    shift = CONTEXT if context else 0
    found = set()
    before = None
    for unspaced, word in words.runs(text):
        if not unspaced:
            value = words.key([WORD + shift] + word)
            found.add(bucket(value))
            if before is not None:
                found.add(bucket(words.key([PAIR + shift] + before + [EDGE] + word)))
            before = word
        else:
            before = None
        letters = word if unspaced else [EDGE] + word + [EDGE]
        least, most = (1, 4) if unspaced else (2, 5)
        start = words.key([LETTERS + shift])
        for at in range(len(letters)):
            value = start
            for length, scalar in enumerate(letters[at:at + most], 1):
                value = (value ^ scalar) * STEP & 0xFFFFFFFF
                if length >= least:
                    found.add(bucket(value))
    return found
