#!/usr/bin/env python3
"""What a model costs in memory: dirty and resident, up to the first token and while it generates (Linux).

    python memory.py HEARTH MODEL.gguf [PROMPT_TOKENS [GENERATED_TOKENS]]

Resident memory is mostly the model's file, which the system may drop at any time; dirty memory is what it cannot take
back. Of a model with per-layer embeddings it also says how much of their table is mapped: the stretch of the file that is
marked as read at random.
"""

import json
import subprocess
import sys
import tempfile
import threading
import time


def sample(pid, model):
    """Bytes: resident, dirty, of the model's file, of the per-layer table. None when the process is gone."""
    found = {"resident": 0, "dirty": 0, "file": 0, "table": 0}
    is_file, size = False, 0
    try:
        with open(f"/proc/{pid}/smaps") as maps:
            for line in maps:
                words = line.split()
                if "-" in words[0] and not words[0].endswith(":"):
                    is_file, size = line.rstrip().endswith(model), 0
                elif words[0] == "Rss:":
                    size = int(words[1]) * 1024
                    found["resident"] += size
                    found["file"] += size if is_file else 0
                elif words[0] == "Private_Dirty:":
                    found["dirty"] += int(words[1]) * 1024
                elif words[0] == "VmFlags:" and is_file and "rr" in words:
                    found["table"] += size
    except (FileNotFoundError, ProcessLookupError):
        return None
    return found


def main():
    binary, model = sys.argv[1], sys.argv[2]
    prompt = int(sys.argv[3]) if len(sys.argv) > 3 else 16
    count = int(sys.argv[4]) if len(sys.argv) > 4 else 40
    with tempfile.NamedTemporaryFile("w", suffix=".json") as tokens:
        json.dump([2] + [1000 + i * 7919 % 200000 for i in range(prompt - 1)], tokens)
        tokens.flush()
        command = [binary, "generate", "--model", model, "--tokens-file", tokens.name]
        command += ["--max-tokens", str(count), "--seed", "3"]
        process = subprocess.Popen(command, stdout=subprocess.PIPE)
        written = threading.Event()

        def read():
            while process.stdout.read1(65536):
                written.set()

        threading.Thread(target=read, daemon=True).start()
        phases = {"up to the first token": {}, "while generating": {}}
        while process.poll() is None:
            phase = phases["while generating" if written.is_set() else "up to the first token"]
            for key, value in (sample(process.pid, model) or {}).items():
                phase[key] = max(phase.get(key, 0), value)
            time.sleep(0.02)
    for name, phase in phases.items():
        print(f"{name}, most MB:", {key: round(value / 1e6, 1) for key, value in phase.items()})


if __name__ == "__main__":
    main()
