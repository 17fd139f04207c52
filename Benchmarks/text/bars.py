#!/usr/bin/env python3
"""Every bar of text in one run: hearth beside llama.cpp, the same file, the same tokens, in turn, two threads.

    pip install numpy gguf llama-cpp-python
    python make_model.py models gemma-2b-q4_0
    python bars.py --model models/gemma-2b-q4_0.gguf --json 2b.json
    python plot.py 2b.json 270m.json

Each figure is the median of pairs, as a ratio [lowest..highest] to llama.cpp's, as a share of what this machine can do at most
(kernels/ceilings.c, in the same run), and with its bar. --quick takes two pairs and leaves long texts out; --only takes some of
    {kinds}
Run it on an idle machine: the last line says how much others took of it. How to read the figures: ../README.md.
"""

import argparse
import datetime
import json
import os
import re
import statistics
import sys
import time
from importlib.metadata import version

import machine
import peer
from cost import Cost

HERE = os.path.dirname(os.path.abspath(__file__))
KINDS = ["decode", "prefill", "neighbour", "batch", "crowd", "warm", "first", "cold", "first-cold", "memory", "long"]
BY_DEFAULT = [kind for kind in KINDS if kind != "first-cold"]
TOGETHER = 8  # texts at once
LONG = 4096
# The least ratio (speeds) or the largest (times, memory), by the size in the model's name; None: every model.
LEAST = {
    "decode": {"2b": 1.12, "1b": 1.25, "270m": 1.5},
    "prefill": {"2b": 2.2, "270m": 1.5},
    "neighbour": {None: 2.0},
    "neighbour-own": {None: 1.0},
    "long": {None: 0.80},
    "batch": {"270m": 4.0},
    "batch-own": {"270m": 4.5},
}
MOST = {
    "warm": {"2b": 0.20, "270m": 0.15},
    "first": {"2b": 0.50},
    "cold": {"2b": 0.50},
    "resident": {"2b": 0.62},
    "crowd": {"270m": 1000},  # ms
    "anonymous": {None: 64},  # MiB beyond keys and values; those of sixteen tokens are under one
}
ABSOLUTE = ("anonymous", "crowd")  # limits in the figure's own unit


def bar(kind, model):
    """(limit or None, whether more is better)."""
    more = kind in LEAST
    for size, limit in (LEAST if more else MOST).get(kind, {}).items():
        if size is None or re.search(rf"(?<![0-9a-z]){size}(?![0-9a-z])", os.path.basename(model).lower()):
            return limit, more
    return None, more


class Bars:
    def __init__(self, a, folder):
        self.a, self.rows = a, []
        self.pairs = 2 if a.quick else a.runs
        self.tokens = peer.prompt(16)
        self.hearth = peer.Hearth(os.path.abspath(a.hearth), a.model, a.threads, folder, self.tokens)
        self.cost = Cost(self.hearth.inspect())
        self.ceilings = machine.Ceilings(a.threads, folder)

    def wants(self, *kinds):
        return any(kind in self.a.only for kind in kinds)

    def run(self):
        self.ceilings.take()
        machine.warm(self.a.model)
        self.hearth.compile()
        if self.wants("decode", "prefill", "neighbour"):
            llama = peer.Llama(self.a.model, self.a.threads)
            self.speeds(llama)
            llama.close()
            self.ceilings.take()
        if self.wants("batch"):
            self.batch()
        if self.wants("crowd"):
            self.crowd()
        if self.wants("warm", "first", "cold", "first-cold", "memory"):
            self.starts(peer.LlamaStart(self.a.model, self.a.threads, self.tokens))
        if self.wants("long") and not self.a.quick:
            self.long()
        if len(self.a.only) > 1:
            self.ceilings.take()

    def speeds(self, llama):
        a = self.a
        pair = lambda tokens, count: (self.hearth.generate(tokens, count), llama.generate(tokens, count))
        if self.wants("decode"):
            tokens = peer.prompt(a.prompt)
            pair(tokens, 2)  # brings programs and weights into memory
            found = [pair(tokens, a.tokens) for _ in range(self.pairs)]
            self.add("decode", f"decode behind {a.prompt}", "tok/s", [(x[1], y[1]) for x, y in found])
        if self.wants("prefill"):
            found = [pair(peer.prompt(a.prefill), 1) for _ in range(self.pairs)]
            self.add("prefill", f"prefill {a.prefill}", "tok/s", [(x[0], y[0]) for x, y in found])
        if self.wants("neighbour"):
            tokens, count = peer.prompt(4), max(4, a.tokens // 3)
            theirs, own = [], []
            for _ in range(self.pairs):
                with machine.busy_neighbour():
                    ours, other = pair(tokens, count)
                theirs.append((ours[1], other[1]))
                own.append((ours[1], self.hearth.generate(tokens, count, threads=1)[1]))
            self.add("neighbour", "decode, busy neighbour", "tok/s", theirs)
            self.add("neighbour-own", "decode, busy neighbour, to own thread", "tok/s", own, "own")

    def batch(self):
        """All tokens of several texts written at the same time; ours as a multiple of llama.cpp's, and of one text of our own."""
        tokens, count = peer.prompt(self.a.prompt), self.a.tokens
        llama = peer.Llama(self.a.model, self.a.threads, texts=TOGETHER)
        theirs, own = [], []
        for run in range(self.pairs + 1):
            one, many = self.hearth.together(len(tokens), count, TOGETHER)
            other = llama.together(tokens, count, TOGETHER)
            if run > 0:  # the first brings weights into memory
                theirs.append((many, other))
                own.append((many, one))
        llama.close()
        self.add("batch", f"{TOGETHER} texts at once", "tok/s", theirs)
        self.add("batch-own", f"{TOGETHER} texts at once, to one", "tok/s", own, "own")

    def crowd(self):
        """Until the first piece of a short answer while the server writes long ones; beside that of an idle server."""
        with self.hearth.serving(TOGETHER) as server:
            server.first_piece()
            pairs = []
            for _ in range(self.pairs):
                alone = server.first_piece()
                with server.busy_with(TOGETHER - 1):
                    pairs.append((1000 * server.first_piece(), 1000 * alone))
        self.add("crowd", f"first token beside {TOGETHER - 1} long texts", "ms", pairs, "own")

    def starts(self, llama):
        """Of 16 tokens. A first start finds an empty home; a cold one neither model nor artifact in the page cache."""
        found = {kind: [] for kind in ("warm", "first", "cold", "first-cold")}
        if self.wants("warm", "first"):
            llama.seconds()
            for _ in range(self.pairs):
                self.hearth.compile()
                warm, theirs = self.hearth.seconds(), llama.seconds()
                self.hearth.forget()
                found["warm"].append((warm, theirs))
                found["first"].append((self.hearth.seconds(), theirs))
        for kind in [kind for kind in ("cold", "first-cold") if self.wants(kind)]:
            for _ in range(self.pairs):
                pair = []
                for side in (self.hearth, llama):
                    self.hearth.forget() if kind == "first-cold" else self.hearth.compile()
                    machine.drop(self.a.model, self.hearth.home)
                    pair.append(side.seconds())
                found[kind].append(pair)
        names = {
            "warm": "start to first token", "first": "start, first ever", "cold": "start, page cache dropped",
            "first-cold": "start, first ever, cache dropped",
        }
        for kind, pairs in found.items():
            if self.wants(kind):
                self.add(kind, names[kind], "ms", [(1000 * x, 1000 * y) for x, y in pairs])
        if self.wants("memory"):
            machine.warm(self.a.model)
            self.hearth.compile()
            pairs = [(self.hearth.memory(), llama.memory()) for _ in range(min(3, self.pairs))]
            self.add("resident", "peak resident", "MiB", [(x[0], y[0]) for x, y in pairs])
            self.add("anonymous", "peak anonymous", "MiB", [(x[1], y[1]) for x, y in pairs])

    def long(self):
        """Decoding behind a long text over decoding behind a short one: our own, since reading the long one takes a minute."""
        pairs, begin = [], time.perf_counter()
        while len(pairs) < self.pairs and (not pairs or time.perf_counter() - begin < self.a.long_seconds / 2):
            short, far = (self.hearth.generate(peer.prompt(n), self.a.tokens)[1] for n in (128, LONG))
            pairs.append((far, short))
        self.add("long", f"decode behind {LONG}, to behind 128", "tok/s", pairs, "own")

    def add(self, kind, name, unit, pairs, against="peer"):
        ours, theirs = (statistics.median(column) for column in zip(*pairs))
        ratios = [x / y for x, y in pairs]
        limit, more = bar(kind, self.a.model)
        row = {
            "bar": kind, "name": name, "unit": unit, "against": against, "hearth": ours, "other": theirs,
            "ratio": statistics.median(ratios), "low": min(ratios), "high": max(ratios), "pairs": pairs,
            "limit": limit, "moreIsBetter": more,
        }
        if limit is not None:
            value = ours if kind in ABSOLUTE else row["ratio"]
            row["met"] = value >= limit if more else value <= limit
        self.rows.append(row)
        print(line(row), flush=True)

    def share(self):
        """Adds to decoding and prefill what they are of the ceilings, which are known when all are taken."""
        best = self.ceilings.best
        for row in self.rows:
            if row["bar"] == "decode":
                row["ofCeiling"] = {
                    side: row[side] * self.cost.bytes_per_token * 1e-9 / best["readGBs"][1] for side in ("hearth", "other")}
                print(f"{row['name']}: {self.cost.bytes_per_token / 1e6:.0f} MB a token, ", end="")
                print(shares(row["ofCeiling"], "reading memory"))
            elif row["bar"] == "prefill":
                giga = self.cost.products(self.a.prefill) / self.a.prefill * 1e-9
                for field, kind, name in (
                    ("ofCeiling", "int8GMACs", "int8 dot products"), ("ofPairs", "int16GMACs", "int16 pairs")):
                    if best.get(kind):
                        row[field] = {side: row[side] * giga / best[kind][1] for side in ("hearth", "other")}
                        print(f"{row['name']}: {giga:.2f} GMAC a token, {shares(row[field], name)}")


def shares(found, name):
    return f"{100 * found['hearth']:.0f} % of {name} (llama.cpp {100 * found['other']:.0f} %)"


def line(row):
    number = lambda value: f"{value:.0f}" if value >= 100 else f"{value:.1f}"
    verdict = ""
    if row["limit"] is not None:
        limit = f"{row['limit']} {row['unit']}" if row["bar"] in ABSOLUTE else f"{row['limit']:.2f}"
        verdict = f"bar {'≥' if row['moreIsBetter'] else '≤'} {limit} {'met' if row['met'] else 'MISSED'}"
    return (
        f"{row['name']:36} {number(row['hearth']):>7} {number(row['other']):>9} {row['unit']:5} {row['ratio']:6.2f} "
        f"[{row['low']:.2f}..{row['high']:.2f}] of {len(row['pairs'])}  {verdict}").rstrip()


def parsed():
    parser = argparse.ArgumentParser(
        description=__doc__.format(kinds=", ".join(KINDS)), formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", required=True)
    parser.add_argument("--hearth", default=os.path.join(HERE, "../../.build/release/hearth"))
    parser.add_argument("--json", help="file for all figures")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--only", type=lambda text: text.split(","), default=BY_DEFAULT, help="kinds, with commas between them")
    parser.add_argument("--runs", type=int, default=5, help="pairs of each kind")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--tokens", type=int, default=24, help="tokens that are generated to time decoding")
    parser.add_argument("--prompt", type=int, default=16, help="tokens before those")
    parser.add_argument("--prefill", type=int, default=512, help="tokens of the prompt that is timed")
    parser.add_argument("--long-seconds", type=float, default=60, help="time after which no further long text is read")
    a = parser.parse_args()
    a.model = os.path.abspath(a.model)
    unknown = set(a.only) - set(KINDS)
    if unknown or a.runs < 1 or a.tokens < 4 or a.prompt < 1 or a.prefill < 1:
        parser.error(f"unknown kinds: {', '.join(unknown)}" if unknown else "--runs, --tokens and lengths are too small")
    for path, remedy in ((a.hearth, "swift build -c release --product hearth"), (a.model, "make_model.py writes models")):
        if not os.path.exists(path):
            sys.exit(f"{path} is missing: {remedy}")
    return a


def main():
    a = parsed()
    busy = machine.busy_cores(1)
    if busy and busy > 0.1:
        print(f"other processes take {busy:.1f} cores: the figures will say little", file=sys.stderr)
    begin, others = time.perf_counter(), machine.Others()
    machine.pin(a.threads)
    print(f"{os.path.basename(a.model)}, {a.threads} threads, {machine.processor()}")
    print(f"{'':36} {'hearth':>7} {'llama.cpp':>9} {'':5} {'ratio':>6} [low..high] of pairs", flush=True)
    with machine.folder() as folder:
        bars = Bars(a, folder)
        bars.run()
    bars.share()
    seconds, cores = time.perf_counter() - begin, others.cores()
    best = bars.ceilings.best
    print("ceilings, 1 and {} threads ({}): ".format(a.threads, best["set"]) + ", ".join(
        f"{name} {best[key][0]:.1f} and {best[key][1]:.1f} {unit}" for name, key, unit in (
            ("read", "readGBs", "GB/s"), ("int8", "int8GMACs", "GMAC/s"), ("int16", "int16GMACs", "GMAC/s"),
            ("fma", "fmaGFLOPs", "GFLOP/s")) if best.get(key)))
    print(f"{seconds:.0f} s" + ("" if cores is None else f"; other processes took {cores:.2f} cores meanwhile"))
    missed = [row["name"] for row in bars.rows if row.get("met") is False]
    print(f"{sum('met' in row for row in bars.rows)} bars, {'all met' if not missed else 'MISSED: ' + '; '.join(missed)}")
    if a.json:
        record = {
            "model": os.path.basename(a.model), "bytes": os.path.getsize(a.model), "threads": a.threads, "quick": a.quick,
            "processor": machine.processor(), "peer": f"llama-cpp-python {version('llama-cpp-python')}",
            "date": datetime.date.today().isoformat(), "seconds": seconds, "otherCores": cores, "ceilings": best,
            "bytesPerToken": bars.cost.bytes_per_token, "bars": bars.rows,
        }
        with open(a.json, "w") as file:
            json.dump(record, file, indent=1)


if __name__ == "__main__":
    main()
