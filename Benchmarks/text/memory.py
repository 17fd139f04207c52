#!/usr/bin/env python3
"""What a model costs in memory while it is loaded and reads a prompt, and while it generates (Linux).

    python memory.py --model MODEL.gguf [--peer]        (--peer: of llama.cpp too; needs numpy and llama-cpp-python)

Resident memory is mostly the model's file, which the system may drop at any time; dirty memory is what it cannot take
back. Of a model with per-layer embeddings (Gemma 3n, Gemma 4) it also says how much of their table is resident: a token needs
one row of it. The most that was seen of each, every 20 milliseconds, in MB (10^6 bytes). llama.cpp's figures hold
Python's too, some 40 MB.
"""

import argparse
import json
import mmap
import os
import subprocess
import sys
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
TABLE = "per_layer_token_embd.weight"
LLAMA = """
import json, sys
sys.path.insert(0, sys.argv[1])
import peer
llama = peer.Llama(sys.argv[2], int(sys.argv[3]))
token = llama.step(json.load(open(sys.argv[4])))
print("first", flush=True)
for _ in range(int(sys.argv[5])):
    token = llama.step([token])
"""


def table_range(hearth, model):
    """Where the per-layer table lies in the file (first byte, end), or None.

    Data is in the tensors' order, each at a multiple of 32, up to the end of the file (GGUF's default alignment, which
    make_model.py and llama.cpp write).
    """
    out = subprocess.run([hearth, "inspect", model, "--json"], check=True, capture_output=True, text=True).stdout
    tensors = [(tensor["name"], (tensor["bytes"] + 31) // 32 * 32) for tensor in json.loads(out)["tensors"]]
    begin = os.path.getsize(model) - sum(size for _, size in tensors)
    for name, size in tensors:
        if name == TABLE:
            return begin, begin + size
        begin += size
    return None


def sample(pid, model, table):
    """Bytes: resident, dirty, of the model's file, of the per-layer table. None when the process is gone."""
    found = {"resident": 0, "dirty": 0, "file": 0}
    pages = []  # (address, bytes) of mappings that show the table
    is_file = False
    try:
        with open(f"/proc/{pid}/smaps") as maps:
            for line in maps:
                words = line.split()
                if "-" in words[0] and not words[0].endswith(":"):
                    is_file = line.rstrip().endswith(model)
                    first, end = (int(word, 16) for word in words[0].split("-"))
                    offset = int(words[2], 16)
                    if is_file and table:
                        low, high = max(table[0], offset), min(table[1], offset + end - first)
                        if low < high:
                            pages.append((first + low - offset, high - low))
                elif words[0] == "Rss:":
                    found["resident"] += int(words[1]) * 1024
                    found["file"] += int(words[1]) * 1024 if is_file else 0
                elif words[0] == "Private_Dirty:":
                    found["dirty"] += int(words[1]) * 1024
        if table:
            found["table"] = sum(present(pid, *range) for range in pages)
    except (FileNotFoundError, ProcessLookupError):
        return None
    return found


def present(pid, address, size):
    """Bytes of a range that this process has in memory: bit 63 of its page map's entries."""
    first, end = address // mmap.PAGESIZE, -(-(address + size) // mmap.PAGESIZE)
    with open(f"/proc/{pid}/pagemap", "rb") as file:
        file.seek(8 * first)
        entries = file.read(8 * (end - first))
    return sum(byte >> 7 for byte in entries[7::8]) * mmap.PAGESIZE


def watch(command, model, table):
    """Phase: the most of each figure."""
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    written = threading.Event()

    def read():
        while process.stdout.read1(65536):
            written.set()

    threading.Thread(target=read, daemon=True).start()
    phases = {"up to the first token": {}, "while generating": {}}
    while process.poll() is None:
        phase = phases["while generating" if written.is_set() else "up to the first token"]
        for key, value in (sample(process.pid, model, table) or {}).items():
            phase[key] = max(phase.get(key, 0), value)
        time.sleep(0.02)
    if process.returncode:
        sys.exit(f"failed with status {process.returncode}: {' '.join(command)}")
    return phases


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", required=True)
    parser.add_argument("--hearth", default=os.path.join(HERE, "../../.build/release/hearth"))
    parser.add_argument("--peer", action="store_true", help="llama.cpp too")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--prompt", type=int, default=16)
    parser.add_argument("--tokens", type=int, default=40)
    a = parser.parse_args()
    model = os.path.abspath(a.model)
    os.sync()  # pages of a file that was just written count as dirty until they are on the disk
    table = table_range(a.hearth, model)
    with tempfile.NamedTemporaryFile("w", suffix=".json") as tokens:
        json.dump([2] + [1000 + i * 7919 % 200000 for i in range(a.prompt - 1)], tokens)
        tokens.flush()
        programs = {"hearth": [a.hearth, "generate", "--model", model, "--tokens-file", tokens.name, "--threads", str(a.threads)]}
        programs["hearth"] += ["--max-tokens", str(a.tokens), "--seed", "3"]
        if a.peer:
            programs["llama.cpp"] = [sys.executable, "-c", LLAMA, HERE, model, str(a.threads), tokens.name, str(a.tokens)]
        print(f"{os.path.basename(model)}, {os.path.getsize(model) / 1e6:.0f} MB" + (
            f", {(table[1] - table[0]) / 1e6:.0f} of them the per-layer table" if table else ""))
        print(f"{'':33}{'resident':>9}{'dirty':>9}{'of the file':>13}" + (f"{'of the table':>14}" if table else ""))
        for name, command in programs.items():
            for phase, most in watch(command, model, table).items():
                mb = {key: value / 1e6 for key, value in most.items()}
                row = f"{name:10} {phase:22}{mb['resident']:9.1f}{mb['dirty']:9.1f}{mb['file']:13.1f}"
                if table:
                    row += f"{mb['table']:14.1f} ({100 * most['table'] / (table[1] - table[0]):.2f} %)"
                print(row, flush=True)


if __name__ == "__main__":
    main()
