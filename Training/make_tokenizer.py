"""Train the tokenizer, runs/tokenizer.model: SentencePiece BPE laid out as Gemma 3's.

    python make_tokenizer.py            # after make_corpus.py

Text goes in untouched: no normalisation, no dummy prefix, spaces kept. Anything unknown falls back to its bytes.
"""

import argparse
import json
import pathlib
import random

import sentencepiece as spm

from chat import prompt
from make_corpus import wishes

RUNS = pathlib.Path(__file__).resolve().parent / "runs"
MODEL = RUNS / "tokenizer.model"
VOCAB = 4096


def texts(stories: int):
    """Stories with one prompt each. Blank lines and turns are tokens of their own, so lines go in one by one."""
    rng = random.Random(1)
    titles = {w["id"]: w["title"]["en"] for w in wishes()}
    with (RUNS / "train.jsonl").open() as f:
        for line, _ in zip(f, range(stories)):
            row = json.loads(line)
            yield from row["text"].split("\n\n")
            yield from prompt(titles[row["wish"]], rng).split("\n\n")
    # Every printable ASCII character gets a piece, even those which the stories do not use.
    yield from (chr(c) for c in range(33, 127))


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--stories", type=int, default=20000)
    a = p.parse_args()
    spm.SentencePieceTrainer.train(
        sentence_iterator=texts(a.stories), model_prefix=str(MODEL.with_suffix("")), model_type="bpe", vocab_size=VOCAB,
        pad_id=0, eos_id=1, bos_id=2, unk_id=3, pad_piece="<pad>", eos_piece="<eos>", bos_piece="<bos>",
        control_symbols=["<start_of_turn>", "<end_of_turn>"], user_defined_symbols=["\n", "\n\n"],
        byte_fallback=True, split_digits=True, character_coverage=1.0, normalization_rule_name="identity",
        add_dummy_prefix=False, remove_extra_whitespaces=False, max_sentence_length=100000, num_threads=2,
        minloglevel=1,
    )
    t = spm.SentencePieceProcessor(model_file=str(MODEL))
    sample = "Once upon a time, a friendly dragon named Ember lived on a hill.\n\nSe durmió."
    print(len(t), "tokens;", " ".join(t.encode(sample, out_type=str)))
    assert t.decode(t.encode(sample)) == sample


if __name__ == "__main__":
    main()
