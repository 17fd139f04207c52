#!/usr/bin/env python3
"""Process start to first token, and memory, of hearth beside llama.cpp: the same file, the same 16 tokens, in turn.

    pip install numpy gguf llama-cpp-python
    python ../text/make_model.py models
    python compare.py models/gemma-2b-q4_0.gguf models/gemma3-270m-q8_0.gguf

Each sample is a fresh process. Four kinds:

    first   nothing compiled yet (an empty HEARTH_HOME), file in the page cache
    cold    compiled; the model's file and the artifact dropped from the page cache
    first, cold   both
    warm    compiled, everything in the page cache

hearth's time runs from starting the process to its first byte of output. llama.cpp's begins after the interpreter and
the library are loaded, which is in its favour. Memory is what /proc shows at most, every two milliseconds. Medians, with
the range of the pairs' ratios. Run it on an idle machine.
"""

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
# Most that the ratio to the peer may be, by part of the model's name and kind of start.
BARS = {("2b", "warm"): 0.20, ("2b", "cold"): 0.50, ("2b", "first"): 0.50, ("270m", "warm"): 0.15}
RSS_BAR = 0.62

PEER = """
import ctypes, json, sys, time
import llama_cpp
@llama_cpp.llama_log_callback
def silent(level, text, user): pass
llama_cpp.llama_backend_init()
llama_cpp.llama_log_set(silent, ctypes.c_void_p(0))
path, threads, tokens = sys.argv[1], int(sys.argv[2]), json.loads(sys.argv[3])
begin = time.perf_counter()
model = llama_cpp.llama_model_load_from_file(path.encode(), llama_cpp.llama_model_default_params())
params = llama_cpp.llama_context_default_params()
params.n_ctx, params.n_threads, params.n_threads_batch = 4096, threads, threads
context = llama_cpp.llama_init_from_model(model, params)
array = (llama_cpp.llama_token * len(tokens))(*tokens)  # the batch only points at it
assert llama_cpp.llama_decode(context, llama_cpp.llama_batch_get_one(array, len(tokens))) == 0
first = llama_cpp.llama_get_logits_ith(context, -1)[0]
print(time.perf_counter() - begin, flush=True)
"""


def tokens(count=16):
    return [2] + [300 + (i * 2654435761) % 200000 for i in range(1, count)]


def drop(*roots):
    """Takes files out of the page cache. Needs no privilege; the files must not be mapped by anyone."""
    os.sync()
    for root in roots:
        paths = [root] if os.path.isfile(root) else [
            os.path.join(folder, name) for folder, _, names in os.walk(root) for name in names
        ]
        for path in paths:
            descriptor = os.open(path, os.O_RDONLY)
            os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
            os.close(descriptor)


def warm(path):
    with open(path, "rb") as file:
        while file.read(1 << 24):
            pass


def watched(command, environment):
    """(seconds to the first byte, its output, peak resident, peak anonymous, in MiB)"""
    begin = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment)
    peak = {"VmHWM": 0, "RssAnon": 0}

    def watch():
        while process.returncode is None:
            try:
                with open(f"/proc/{process.pid}/status") as status:
                    for line in status:
                        name = line.split(":")[0]
                        if name in peak:
                            peak[name] = max(peak[name], int(line.split()[1]) / 1024)
            except (OSError, ValueError):
                return
            time.sleep(0.002)

    watcher = threading.Thread(target=watch)
    watcher.start()
    first = process.stdout.read(1)
    seconds = time.perf_counter() - begin
    output = first + process.stdout.read()
    process.wait()
    watcher.join()
    if process.returncode:
        sys.exit(f"failed with status {process.returncode}: {' '.join(command)}")
    return seconds, output.decode(), peak["VmHWM"], peak["RssAnon"]


class Hearth:
    def __init__(self, binary, model, threads, folder):
        self.home = os.path.join(folder, "home")
        self.binary, self.model = binary, model
        ids = os.path.join(folder, "tokens.json")
        with open(ids, "w") as file:
            json.dump(tokens(), file)
        self.command = [binary, "generate", "--model", model, "--tokens-file", ids, "--greedy", "--max-tokens", "1"]
        self.command += ["--threads", str(threads), "--context", "4096", "--json"]
        # What a first start does after its answer is not to disturb the next sample.
        self.environment = dict(os.environ, HEARTH_HOME=self.home, HEARTH_BACKGROUND="0")

    def compile(self):
        command = [self.binary, "compile", "--model", self.model, "--context", "4096", "--json"]
        out = subprocess.run(command, env=self.environment, capture_output=True, check=True, text=True).stdout
        return json.loads(out)

    def forget(self):
        shutil.rmtree(self.home, ignore_errors=True)

    def run(self):
        seconds, output, resident, anonymous = watched(self.command, self.environment)
        return seconds, resident, anonymous


def peer(model, threads):
    command = [sys.executable, "-c", PEER, model, str(threads), json.dumps(tokens())]
    _, output, resident, anonymous = watched(command, dict(os.environ))
    return float(output), resident, anonymous


def compare(hearth, model, threads, kind, runs):
    rows = []
    for run in range(runs + 1):
        pair = []
        for side in ("hearth", "peer"):
            if side == "hearth":
                hearth.forget() if "first" in kind else hearth.compile()
            if "cold" in kind:
                drop(model, hearth.home)
            elif run == 0:
                warm(model)
            pair.append(hearth.run() if side == "hearth" else peer(model, threads))
        if run:  # the first pair brings libraries and programs into memory
            rows.append(pair)
    return rows


def report(model, kind, rows):
    name = os.path.basename(model)
    ours, theirs = ([statistics.median(row[side][0] for row in rows) for side in (0, 1)])
    ratios = [row[0][0] / row[1][0] for row in rows]
    ratio = statistics.median(ratios)
    bar = next((value for (part, which), value in BARS.items() if part in name and which == kind), None)
    verdict = "" if bar is None else f"bar {bar:.2f} {'met' if ratio <= bar else 'MISSED'}"
    print(
        f"{name:26} {kind:12} {ours * 1000:8.0f} {theirs * 1000:9.0f} {ratio:7.2f} "
        f"[{min(ratios):.2f}..{max(ratios):.2f}]  {verdict}",
        flush=True,
    )
    return {"model": name, "kind": kind, "hearthMS": ours * 1000, "peerMS": theirs * 1000, "ratio": ratio, "bar": bar}


def memory(model, rows):
    (ours, our_anonymous), (theirs, their_anonymous) = (
        [statistics.median(row[side][column] for row in rows) for column in (1, 2)] for side in (0, 1)
    )
    ratio = ours / theirs
    bar = RSS_BAR if "2b" in os.path.basename(model) else None
    verdict = "" if bar is None else f"bar {bar:.2f} {'met' if ratio <= bar else 'MISSED'}"
    print(
        f"{os.path.basename(model):26} {'peak MiB':12} {ours:8.0f} {theirs:9.0f} {ratio:7.2f}  "
        f"anonymous {our_anonymous:.0f} and {their_anonymous:.0f}  {verdict}",
        flush=True,
    )
    return {
        "model": os.path.basename(model), "kind": "memory", "hearthMiB": ours, "peerMiB": theirs, "ratio": ratio,
        "hearthAnonymousMiB": our_anonymous, "peerAnonymousMiB": their_anonymous,
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="+")
    parser.add_argument("--hearth", default=os.path.join(HERE, "../../.build/release/hearth"))
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--kinds", default="warm;cold;first;first, cold", help="separated by semicolons")
    parser.add_argument("--json", help="file for the figures")
    a = parser.parse_args()

    results = []
    print(f"{'model':26} {'start':12} {'hearth':>8} {'llama.cpp':>9} {'ratio':>7}  (ms, medians of {a.runs})")
    if not os.path.exists(a.hearth):
        sys.exit(f"{a.hearth} is missing: swift build -c release --product hearth")
    for model in map(os.path.abspath, a.models):
        with tempfile.TemporaryDirectory(prefix="hearth-startup-") as folder:
            hearth = Hearth(os.path.abspath(a.hearth), model, a.threads, folder)
            for kind in a.kinds.split(";"):
                rows = compare(hearth, model, a.threads, kind, a.runs)
                results.append(report(model, kind, rows))
                if kind == "warm":
                    results.append(memory(model, rows))
            hearth.forget()
            begin = time.perf_counter()
            compiled = hearth.compile()
            print(
                f"{os.path.basename(model):26} {'compile':12} {(time.perf_counter() - begin) * 1000:8.0f}"
                f"{'':18} {compiled['bytes'] / 1e6:.1f} MB on disk",
                flush=True,
            )
    if a.json:
        with open(a.json, "w") as file:
            json.dump(results, file, indent=1)


if __name__ == "__main__":
    main()
