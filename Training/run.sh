#!/usr/bin/env bash
# The whole training run: corpus, tokenizer, training, export, checks. What exists already is not made again, and training goes on
# where it was killed, so the same command begins and continues a run.
#
#     PYTHON=.venv/bin/python ./run.sh [OPTIONS OF train.py]
set -euo pipefail
cd "$(dirname "$0")"
python=${PYTHON:-python3}
runs=${HEARTH_RUNS:-runs}
hearth=${HEARTH_PROGRAM:-../.build/release/hearth}
mkdir -p "$runs"
[[ -f $runs/train.jsonl && -f $runs/heldout.jsonl ]] || "$python" make_corpus.py
[[ -f $runs/tokenizer.model ]] || "$python" make_tokenizer.py
"$python" train.py "$@"
"$python" export_gguf.py "$runs/story.gguf"
"$python" evaluate.py --torch "$runs/checkpoint.pt" --perplexity | tee "$runs/perplexity.txt"
"$python" reference.py "$runs/torch.json"
[[ ! -x $hearth ]] || "$python" evaluate.py --hearth "$hearth" --model "$runs/story.gguf" --plans 60 --out "$runs/plans.json" |
    tee "$runs/plans.txt"
