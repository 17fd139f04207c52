"""Write the table of likely continuations that `hearth` drafts from, beside the model.

    python make_draft.py ../Models/hearth-nano.draft          # from runs/train.jsonl and runs/tokenizer.model

For each run of the last two to `--order` tokens that the training stories hold at least twice: the token that follows most
often, and how often it does. A run is left out where the shorter one says nearly the same. The table changes how fast a
story comes and never what it says: the model itself decides over every token (`DraftTable.swift`).

The file is one of sections (`SectionFile.swift`): 1, tokens of the vocabulary and length of the longest run; 2, slots of 32
bits: token in bits 0 to 15, chance in sixteenths in bits 16 to 19 (0: empty), check in bits 20 to 31.

A run's hash begins with 0 and takes the newest token first: h = (h ^ (token + 1)) * 0x9E3779B97F4A7C15 mod 2^64, then
h ^= h >> 29. Its upper bits choose four neighbouring slots, its lowest twelve are the check.
"""

import argparse
import json
import pathlib
import struct

import numpy as np

from plans import RUNS

FACTOR = np.uint64(0x9E3779B97F4A7C15)
BUCKET = 4
SHORTEST = 2


def stories(tokenizer, path):
    """Ids of the stories, each between the beginning and the end of the model's turn."""
    opening = [tokenizer.piece_to_id("<start_of_turn>"), *tokenizer.encode("model\n")]
    end = tokenizer.piece_to_id("<end_of_turn>")
    texts = [json.loads(line)["text"] for line in path.open()]
    return [opening + ids + [end] for ids in tokenizer.encode(texts)]


def mixed(hashes, tokens):
    hashes = (hashes ^ (tokens.astype(np.uint64) + np.uint64(1))) * FACTOR
    return hashes ^ (hashes >> np.uint64(29))


def runs(flat, first, order):
    """(hash, hash of the run that is a token shorter, likeliest token, its count, count of all) of every run that occurs twice."""
    place = np.arange(len(flat))
    start = np.maximum.accumulate(np.where(first, place, 0))
    hashes = np.zeros(len(flat), dtype=np.uint64)
    for back in range(1, order + 1):
        shorter = hashes
        hashes = mixed(hashes, np.concatenate([np.zeros(back, dtype=flat.dtype), flat[:-back]]))
    valid = place - start >= order
    hashes, shorter, following = hashes[valid], shorter[valid], flat[valid]
    by = np.lexsort((following, hashes))
    hashes, shorter, following = hashes[by], shorter[by], following[by]
    new = np.flatnonzero(np.concatenate([[True], (hashes[1:] != hashes[:-1]) | (following[1:] != following[:-1])]))
    count = np.diff(np.append(new, len(hashes)))
    hashes, shorter, following = hashes[new], shorter[new], following[new]
    group = np.flatnonzero(np.concatenate([[True], hashes[1:] != hashes[:-1]]))
    total = np.add.reduceat(count, group)
    best = np.lexsort((-count, hashes))[group]
    often = total >= 2
    return hashes[best][often], shorter[best][often], following[best][often], count[best][often], total[often]


def entries(flat, first, order):
    """Rows of (count, hash, token, confidence) of the runs that say something which shorter ones do not."""
    known, kept = {}, []
    for length in range(SHORTEST, order + 1):
        longer = {}
        for h, s, token, count, total in zip(*(a.tolist() for a in runs(flat, first, length))):
            # One of the occurrences counts for nothing: a run that was seen twice is not certain.
            confidence = min(15, max(1, int(16 * (count - 0.5) / total)))
            said = known.get(s)
            if said and said[0] == token and abs(said[1] - confidence) < 3:
                longer[h] = said
            else:
                longer[h] = (token, confidence)
                kept.append((total, h, token, confidence))
        known = longer
    return kept


def table(kept, slots):
    """The slots, and how many entries found no place. Where places are short, runs that are seen often go first."""
    words = [[] for _ in range(slots // BUCKET)]
    shift = 64 - (slots // BUCKET).bit_length() + 1
    lost = 0
    for _, h, token, confidence in sorted(kept, key=lambda e: (-e[0], e[1])):
        bucket, check = words[h >> shift], h & 0xFFF
        if len(bucket) == BUCKET or any(w >> 20 == check for w in bucket):
            lost += 1
        else:
            bucket.append(token | confidence << 16 | check << 20)
    return np.array([w + [0] * (BUCKET - len(w)) for w in words], dtype="<u4"), lost


def section_file(*sections):
    """The bytes of a `SectionFile` of arrays of 32-bit numbers, numbered from 1."""
    length = (32 + 24 * len(sections) + 63) // 64 * 64
    rows, data = b"", bytearray(length)
    for identity, values in enumerate(sections, 1):
        rows += struct.pack("<IIQQ", identity, 4, len(data), len(values))
        data += values.astype("<u4").tobytes()
        data += bytes(-len(data) % 64)
    head = b"HearthDt" + struct.pack("<IIQ", 1, len(sections), len(data))
    check = 0xCBF29CE484222325
    for byte in head + rows:
        check = (check ^ byte) * 0x100000001B3 % (1 << 64)
    beginning = head + struct.pack("<Q", check) + rows
    data[: len(beginning)] = beginning
    return bytes(data)


def main():
    import sentencepiece as spm

    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("out", type=pathlib.Path)
    p.add_argument("--stories", type=pathlib.Path, default=RUNS / "train.jsonl")
    p.add_argument("--tokenizer", type=pathlib.Path, default=RUNS / "tokenizer.model")
    p.add_argument("--order", type=int, default=4)
    p.add_argument("--slots", type=int, default=1 << 17)
    a = p.parse_args()
    tokenizer = spm.SentencePieceProcessor(str(a.tokenizer))
    texts = stories(tokenizer, a.stories)
    assert tokenizer.vocab_size() <= 1 << 16 and a.slots >= 8 and a.slots & a.slots - 1 == 0
    flat = np.concatenate([np.array(t, dtype=np.int64) for t in texts])
    first = np.zeros(len(flat), dtype=bool)
    first[np.cumsum([0] + [len(t) for t in texts[:-1]])] = True
    kept = entries(flat, first, a.order)
    slots, lost = table(kept, a.slots)
    a.out.write_bytes(section_file(np.array([tokenizer.vocab_size(), a.order]), slots.ravel()))
    print(f"{len(texts)} stories, {len(kept)} runs, {lost} of them without a place; {a.out.stat().st_size} bytes")


if __name__ == "__main__":
    main()
