"""Train the tokenizer, runs/tokenizer.model: SentencePiece BPE laid out as Gemma 3's, over the three languages.

    python make_tokenizer.py                          # after make_corpus.py
    python make_tokenizer.py --vocab 6144 --measure   # only tell how long stories become

Text goes in untouched: no normalisation, no dummy prefix, spaces kept. Anything unknown falls back to its bytes. Line breaks and the
frequent slots are tokens of their own, slots also with a space in front, which all runtimes cut out before merging.
"""

import argparse
import collections
import json
import re
import tempfile

import sentencepiece as spm

from plans import MARK, RUNS

MODEL = RUNS / "tokenizer.model"
VOCAB = 8192
SLOT = re.compile(r" ?\{[a-zA-Z](?:\.[a-zA-Z]+\}|:|\})")


def read(stories: int):
    with (RUNS / "train.jsonl").open() as f:
        return [json.loads(line) for line, _ in zip(f, range(stories))]


def slots(rows, least=3e-6):
    """Slots that are at least this share of all characters, and the beginning of those with forms: `{a:`. SentencePiece looks for
    them after it has written spaces as U+2581."""
    counts = collections.Counter(s for r in rows for s in SLOT.findall(r["text"]))
    size = sum(len(r["text"]) for r in rows)
    return sorted(s.replace(" ", "\u2581") for s, n in counts.items() if n > least * size)


def texts(rows):
    """Blank lines and turns are tokens of their own, so lines go in one by one."""
    for row in rows:
        yield from row["text"].split("\n\n")
        yield from row["prompt"].split("\n")
    # Every printable ASCII character gets a piece, even those which the stories do not use.
    yield from (chr(c) for c in range(33, 127))


def train(rows, vocab, prefix):
    spm.SentencePieceTrainer.train(
        sentence_iterator=texts(rows), model_prefix=str(prefix), model_type="bpe", vocab_size=vocab,
        pad_id=0, eos_id=1, bos_id=2, unk_id=3, pad_piece="<pad>", eos_piece="<eos>", bos_piece="<bos>",
        control_symbols=["<start_of_turn>", "<end_of_turn>"], user_defined_symbols=["\n", "\n\n", MARK, *slots(rows)],
        byte_fallback=True, split_digits=True, character_coverage=0.9998, normalization_rule_name="identity",
        add_dummy_prefix=False, remove_extra_whitespaces=False, max_sentence_length=100000, num_threads=2,
        minloglevel=1,
    )
    return spm.SentencePieceProcessor(model_file=f"{prefix}.model")


def measure(t, rows):
    """Tokens per story and characters per token of each language, for plans with slots and for plain text."""
    for language in ("en", "es", "zh-Hans"):
        for kinds in (("plan",), ("filled", "finished")):
            some = [r["text"] for r in rows if r["language"] == language and r["kind"] in kinds]
            ids = t.encode(some)
            count, bytes_ = sum(map(len, ids)), sum(t.is_byte(i) for row in ids for i in row)
            print(f"{len(t)} {language} {'/'.join(kinds)}: {count / len(some):.0f} tokens a story, "
                  f"{sum(map(len, some)) / count:.2f} characters a token, {bytes_ / count:.2%} bytes")
    longest = sorted(len(i) for i in t.encode([r["text"] for r in rows]))
    print("longest answers", longest[-5:], "median", longest[len(longest) // 2], "sum", sum(longest))
    prompts = sorted(len(i) for i in t.encode([r["prompt"] for r in rows if r["prompt"].startswith(MARK)]))
    print("plans: median", prompts[len(prompts) // 2], "most", prompts[-1])


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--stories", type=int, default=4000)
    p.add_argument("--vocab", type=int, default=VOCAB)
    p.add_argument("--measure", action="store_true")
    a = p.parse_args()
    rows = read(a.stories)
    if a.measure:
        with tempfile.TemporaryDirectory() as folder:
            return measure(train(rows, a.vocab, f"{folder}/tokenizer"), rows)
    t = train(rows, a.vocab, MODEL.with_suffix(""))
    measure(t, rows)
    sample = 'Once upon a time, {a} {a.was} on a hill, said {B}.\n\nSe durmió {a:solo/sola}. {a}睡着了。'
    print(len(t), "tokens;", " ".join(t.encode(sample, out_type=str)))
    assert t.decode(t.encode(sample)) == sample


if __name__ == "__main__":
    main()
