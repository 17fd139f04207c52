"""hearth and llama.cpp, each doing the same: loaded once and asked often, or started anew each time."""

import contextlib
import ctypes
import http.client
import json
import os
import shutil
import subprocess
import sys
import threading
import time

import llama_cpp
import numpy as np

CONTEXT = 4096  # tokens that both make room for


@llama_cpp.llama_log_callback
def SILENT(level, text, user):
    """Keeps llama.cpp's log out of the table."""


def prompt(count):
    """Ids that exist in every vocabulary of make_model.py, in no pattern that a cache could like."""
    return [2] + [300 + (i * 2654435761) % 200000 for i in range(1, count)]


class Llama:
    """llama.cpp with the model loaded, in this process."""

    def __init__(self, path, threads, texts=1):
        llama_cpp.llama_backend_init()
        llama_cpp.llama_log_set(SILENT, ctypes.c_void_p(0))
        self.model = llama_cpp.llama_model_load_from_file(path.encode(), llama_cpp.llama_model_default_params())
        if not self.model:
            sys.exit(f"llama.cpp does not load {path}")
        params = llama_cpp.llama_context_default_params()
        params.n_ctx, params.n_batch = CONTEXT, 1024
        params.n_threads = params.n_threads_batch = threads
        params.n_seq_max = texts
        self.context = llama_cpp.llama_init_from_model(self.model, params)
        self.vocabulary = llama_cpp.llama_vocab_n_tokens(llama_cpp.llama_model_get_vocab(self.model))

    def generate(self, tokens, count):
        """(prompt tokens/s, generated tokens/s), greedy; 0 for the second where only one token is generated."""
        llama_cpp.llama_memory_clear(llama_cpp.llama_get_memory(self.context), False)
        start = time.perf_counter()
        token = self.step(tokens)
        first = time.perf_counter()
        for _ in range(count - 1):
            token = self.step([token])
        end = time.perf_counter()
        return len(tokens) / (first - start), (count - 1) / (end - first)

    def together(self, tokens, count, texts):
        """Generated tokens/s of several texts that are written at the same time, greedy; their prompts differ in the second token."""
        llama_cpp.llama_memory_clear(llama_cpp.llama_get_memory(self.context), False)
        for text in range(texts):
            self.decode([(tokens[:1] + [tokens[1] + text] + tokens[2:], 0, text)])
        latest = [tokens[-1]] * texts
        start = time.perf_counter()
        for position in range(len(tokens), len(tokens) + count):
            rows = self.decode([([token], position, text) for text, token in enumerate(latest)])
            latest = [int(row.argmax()) for row in rows]
        return texts * count / (time.perf_counter() - start)

    def decode(self, runs):
        """One step over [(tokens, position of the first, text)]; the logits of each run's last token."""
        batch = llama_cpp.llama_batch_init(sum(len(tokens) for tokens, _, _ in runs), 0, 1)
        last, at = [], 0
        for tokens, position, text in runs:
            for offset, token in enumerate(tokens):
                batch.token[at], batch.pos[at] = token, position + offset
                batch.n_seq_id[at], batch.seq_id[at][0] = 1, text
                batch.logits[at] = offset == len(tokens) - 1
                at += 1
            last.append(at - 1)
        batch.n_tokens = at
        failed = llama_cpp.llama_decode(self.context, batch)
        llama_cpp.llama_batch_free(batch)
        if failed:
            raise RuntimeError("llama_decode failed")
        found = [llama_cpp.llama_get_logits_ith(self.context, row) for row in last]
        return [np.ctypeslib.as_array(logits, (self.vocabulary,)) for logits in found]

    def step(self, tokens):
        array = (llama_cpp.llama_token * len(tokens))(*tokens)
        batch = llama_cpp.llama_batch_get_one(array, len(tokens))
        if llama_cpp.llama_decode(self.context, batch) != 0:
            raise RuntimeError("llama_decode failed")
        logits = llama_cpp.llama_get_logits_ith(self.context, -1)
        return int(np.ctypeslib.as_array(logits, (self.vocabulary,)).argmax())

    def close(self):
        """Gives the memory back, and the file, which could not leave the page cache otherwise."""
        llama_cpp.llama_free(self.context)
        llama_cpp.llama_model_free(self.model)


# A start of llama.cpp: the interpreter and the library are in memory before the clock and the memory are looked at.
LLAMA_START = """
import ctypes, json, sys, time
import llama_cpp
@llama_cpp.llama_log_callback
def silent(level, text, user): pass
def own():
    with open("/proc/self/status") as status:
        found = {line.split(":")[0]: int(line.split()[1]) / 1024 for line in status if line.startswith(("VmRSS", "RssAnon"))}
    return found["VmRSS"], found["RssAnon"]
llama_cpp.llama_backend_init()
llama_cpp.llama_log_set(silent, ctypes.c_void_p(0))
path, threads, context, tokens = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), json.loads(sys.argv[4])
before = own()
begin = time.perf_counter()
model = llama_cpp.llama_model_load_from_file(path.encode(), llama_cpp.llama_model_default_params())
params = llama_cpp.llama_context_default_params()
params.n_ctx, params.n_threads, params.n_threads_batch = context, threads, threads
context = llama_cpp.llama_init_from_model(model, params)
array = (llama_cpp.llama_token * len(tokens))(*tokens)  # the batch only points at it
assert llama_cpp.llama_decode(context, llama_cpp.llama_batch_get_one(array, len(tokens))) == 0
first = llama_cpp.llama_get_logits_ith(context, -1)[0]
print(json.dumps([time.perf_counter() - begin, *before]), flush=True)
"""


class LlamaStart:
    """Fresh processes of llama.cpp, up to the first token."""

    def __init__(self, model, threads, tokens):
        self.command = [sys.executable, "-c", LLAMA_START, model, str(threads), str(CONTEXT), json.dumps(tokens)]

    def seconds(self):
        return json.loads(run_to_first_byte(self.command, None)[1])[0]

    def memory(self):
        """(peak resident, peak anonymous) MiB beyond those of the interpreter with the library."""
        output, resident, anonymous = watched(self.command, None)
        _, before, anonymous_before = json.loads(output)
        return resident - before, anonymous - anonymous_before


class Hearth:
    """Fresh processes of hearth, with a home of their own."""

    def __init__(self, binary, model, threads, folder, tokens):
        self.binary, self.model, self.threads, self.folder = binary, model, threads, folder
        self.home = os.path.join(folder, "home")
        self.start = self.command(tokens, 1)
        # What a first start does after its answer is not to disturb the next sample.
        self.environment = dict(os.environ, HEARTH_HOME=self.home, HEARTH_BACKGROUND="0")

    def command(self, tokens, count, threads=None, context=CONTEXT):
        path = os.path.join(self.folder, f"tokens{len(tokens)}.json")
        with open(path, "w") as file:
            json.dump(tokens, file)
        command = [self.binary, "generate", "--model", self.model, "--tokens-file", path, "--greedy", "--json"]
        command += ["--max-tokens", str(count), "--threads", str(threads or self.threads)]
        return command + ["--context", str(max(context, len(tokens) + count))]

    def json(self, command):
        done = subprocess.run(command, env=self.environment, capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"{' '.join(command)}: status {done.returncode}\n{done.stderr.strip()}")
        return json.loads(done.stdout)

    def generate(self, tokens, count, threads=None):
        """(prompt tokens/s, generated tokens/s)."""
        out = self.json(self.command(tokens, count, threads))
        return len(tokens) / out["prefillMS"] * 1000, out["tokensPerSecond"]

    def together(self, prompt, count, texts):
        """Generated tokens/s of one text, and of several that are written at the same time."""
        command = [self.binary, "bench", "text", "--model", self.model, "--parallel", f"1,{texts}", "--prompts", str(prompt)]
        command += ["--contexts", str(prompt), "--tokens", str(count), "--runs", "1", "--no-drafts", "--json"]
        rows = self.json(command + ["--threads", str(self.threads)])["parallel"]
        for row in rows:
            if row["tokensPerSecond"] is None:
                sys.exit(f"{' '.join(command)}: {row['texts']} texts: {row['reason']}")
        return tuple(row["tokensPerSecond"] for row in rows)

    def serving(self, texts):
        return Serving(self, texts)

    def compile(self):
        return self.json([self.binary, "compile", "--model", self.model, "--context", str(CONTEXT), "--json"])

    def inspect(self):
        return self.json([self.binary, "inspect", self.model, "--json"])

    def forget(self):
        shutil.rmtree(self.home, ignore_errors=True)

    def seconds(self):
        """From starting the process to its first byte of output."""
        return run_to_first_byte(self.start, self.environment)[0]

    def memory(self):
        """(peak resident, peak anonymous) MiB, the program's own included."""
        return watched(self.start, self.environment)[1:]


class Serving:
    """hearth serve, which several clients ask at the same time."""

    def __init__(self, hearth, texts):
        self.command = [hearth.binary, "serve", "--model", hearth.model, "--port", "0", "--parallel", str(texts)]
        self.command += ["--threads", str(hearth.threads)]
        self.environment = hearth.environment

    def __enter__(self):
        self.process = subprocess.Popen(self.command, env=self.environment, stderr=subprocess.PIPE, text=True)
        for line in self.process.stderr:
            if "listening on " in line:
                self.address = line.split("listening on ")[1].split()[0].rstrip("/").removeprefix("http://")
                threading.Thread(target=self.process.stderr.read, daemon=True).start()
                return self
        sys.exit(f"failed: {' '.join(self.command)}")

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()

    def stream(self, prompt, count):
        """A streamed answer: its connection and its response."""
        connection = http.client.HTTPConnection(self.address, timeout=300)
        body = {"prompt": prompt, "max_tokens": count, "stream": True, "temperature": 0}
        connection.request("POST", "/v1/completions", json.dumps(body), {"Content-Type": "application/json"})
        answer = connection.getresponse()
        if answer.status != 200:
            sys.exit(f"hearth serve: {answer.status} {answer.read().decode()}")
        return connection, answer

    def first_piece(self):
        """Seconds from asking for a short answer to its first event."""
        begin = time.perf_counter()
        connection, answer = self.stream("Once upon a time", 4)
        while not answer.readline().startswith(b"data:"):
            pass
        seconds = time.perf_counter() - begin
        answer.read()
        connection.close()
        return seconds

    @contextlib.contextmanager
    def busy_with(self, texts):
        """Long answers that are all being written; given up at the end."""
        running = []
        for number in range(texts):
            connection, answer = self.stream(f"Story number {number} is long:", 2000)
            answer.readline()
            running.append(connection)
        try:
            yield
        finally:
            for connection in running:
                connection.close()
            time.sleep(0.5)


def run_to_first_byte(command, environment):
    """(seconds to the first byte, all output). Nobody watches meanwhile: that takes time on the same cores."""
    begin = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment)
    first = process.stdout.read(1)
    seconds = time.perf_counter() - begin
    output = first + process.stdout.read()
    if process.wait():
        sys.exit(f"failed with status {process.returncode}: {' '.join(command)}")
    return seconds, output.decode()


def watched(command, environment):
    """(output, peak resident MiB, peak anonymous MiB), as /proc shows them every two milliseconds (Linux)."""
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
    output = process.stdout.read()
    process.wait()
    watcher.join()
    if process.returncode:
        sys.exit(f"failed with status {process.returncode}: {' '.join(command)}")
    return output.decode(), peak["VmHWM"], peak["RssAnon"]
