#!/usr/bin/env python3
"""What a runtime's own rounding costs: KL divergence of its logits from those of the same weights in float32.

    pip install numpy gguf llama-cpp-python
    python kl.py --model ../../Models/hearth-nano.gguf --texts heldout.jsonl
    python kl.py --model … --texts … --lora adapter.gguf=0.5 --greedy 32      # adapters; make_adapter.py writes one

The model is quantized to each format (`hearth compress`), and what the quantized file holds is written as float32 (gguf-py): its
logits, with keys and values in float32, are the reference, so weights that lost bits count for nothing and activations, keys and
values for everything. Each setting reads the same tokens: hearth with activations of 8 and of 16 bits, and llama.cpp, both with
keys and values in float16. Printed: mean KL in nats over all positions, and the share of positions with the same first token.
With --lora both apply the adapters to the quantized weights, and in the reference they are merged into the weights in float32. With
--greedy N each text's first half is continued by N tokens, and the mean number that equal the reference's is printed too.
Texts are lines of JSON with a field `text` (Training/make_corpus.py writes held-out stories), or one plain file.
"""

import argparse
import ctypes
import json
import os
import pathlib
import subprocess
import tempfile

import gguf
import numpy as np

try:
    import llama_cpp
except ImportError:
    llama_cpp = None  # hearth alone is measured then

ROOT = pathlib.Path(__file__).resolve().parents[2]


def values_of(tensor):
    """A tensor as float32, rows first."""
    values = gguf.quants.dequantize(tensor.data, tensor.tensor_type)
    return values.astype(np.float32).reshape(tuple(int(n) for n in reversed(tensor.shape)))


def changes(adapters):
    """What adapters, as pairs of a file and a scale, add to each weight."""
    total = {}
    for path, scale in adapters:
        reader = gguf.GGUFReader(path)
        tensors = {tensor.name: tensor for tensor in reader.tensors}
        alpha = float(reader.fields["adapter.lora.alpha"].contents()) if "adapter.lora.alpha" in reader.fields else 0
        for name in [name.removesuffix(".lora_a") for name in tensors if name.endswith(".lora_a")]:
            down, up = (values_of(tensors[name + half]).astype(np.float64) for half in (".lora_a", ".lora_b"))
            own = alpha / len(down) if alpha else 1
            total[name] = total.get(name, 0) + scale * own * (up @ down)
    return total


def to_float32(source, target, adapters=()):
    """The same file with every tensor as float32, and with adapters merged."""
    merged = changes(adapters)
    reader = gguf.GGUFReader(source)
    writer = gguf.GGUFWriter(target, reader.fields["general.architecture"].contents())
    for field in reader.fields.values():
        if field.name == "general.architecture" or field.name.startswith("GGUF."):
            continue
        kind = field.types[0]
        writer.add_key_value(
            field.name, field.contents(), kind, field.types[-1] if kind == gguf.GGUFValueType.ARRAY else None)
    for tensor in reader.tensors:
        values = values_of(tensor) + merged.pop(tensor.name, 0)
        writer.add_tensor(tensor.name, values.astype(np.float32))
    if merged:
        raise SystemExit(f"{source} has no weights named {', '.join(sorted(merged))}")
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


class Hearth:
    def __init__(self, program, folder, environment):
        self.program, self.folder, self.environment = program, folder, environment

    def run(self, *words, input=None):
        return subprocess.run(
            [self.program, *words], check=True, capture_output=True, env=self.environment, text=True, input=input).stdout

    def ids(self, model, texts):
        """The tokens of each text, behind the one that begins a text."""
        lines = "".join(json.dumps({"text": text}) + "\n" for text in texts)
        found = self.run("tokenize", "--model", model, "--lines", input=lines).splitlines()
        first = gguf.GGUFReader(model).fields["tokenizer.ggml.bos_token_id"].contents()
        return [[int(first)] + json.loads(line)["ids"] for line in found]

    def logits(self, model, ids, *options):
        tokens, out = (os.path.join(self.folder, name) for name in ("ids.json", "out.f32"))
        pathlib.Path(tokens).write_text(json.dumps(ids))
        self.run("score", "--model", model, "--tokens-file", tokens, "--logits", out, *options)
        return np.fromfile(out, "<f4").reshape(len(ids), -1)

    def greedy(self, model, ids, count, *options):
        tokens = os.path.join(self.folder, "ids.json")
        pathlib.Path(tokens).write_text(json.dumps(ids))
        found = self.run("generate", "--model", model, "--tokens-file", tokens, "--greedy", "--max-tokens", str(count),
                         "--logprobs", "0", "--json", *options)
        return [token["id"] for token in json.loads(found)["logprobs"]]


class Llama:
    """llama.cpp with the model loaded, keys and values in its default format, float16."""

    def __init__(self, path, context, adapters=()):
        llama_cpp.llama_backend_init()
        self.silent = llama_cpp.llama_log_callback(lambda level, text, user: None)
        llama_cpp.llama_log_set(self.silent, ctypes.c_void_p(0))
        self.model = llama_cpp.llama_model_load_from_file(path.encode(), llama_cpp.llama_model_default_params())
        params = llama_cpp.llama_context_default_params()
        params.n_ctx = params.n_batch = params.n_ubatch = context
        params.n_threads = params.n_threads_batch = 2
        self.context = llama_cpp.llama_init_from_model(self.model, params)
        loaded = [llama_cpp.llama_adapter_lora_init(self.model, file.encode()) for file, _ in adapters]
        if not all(loaded):
            raise SystemExit("llama.cpp does not load an adapter")
        if loaded:
            pointers = (llama_cpp.llama_adapter_lora_p_ctypes * len(loaded))(*loaded)
            scales = (ctypes.c_float * len(loaded))(*(scale for _, scale in adapters))
            llama_cpp.llama_set_adapters_lora(self.context, pointers, len(loaded), scales)
        vocabulary = llama_cpp.llama_model_get_vocab(self.model)
        self.ends = lambda token: llama_cpp.llama_vocab_is_eog(vocabulary, token)
        self.width = llama_cpp.llama_vocab_n_tokens(llama_cpp.llama_model_get_vocab(self.model))

    def logits(self, ids):
        llama_cpp.llama_memory_clear(llama_cpp.llama_get_memory(self.context), True)
        return self.step(ids, 0)

    def greedy(self, ids, count):
        rows, found = self.logits(ids), []
        while len(found) < count:
            token = int(rows[-1].argmax())
            if self.ends(token):
                break
            rows = self.step([token], len(ids) + len(found))
            found.append(token)
        return found

    def step(self, ids, start):
        batch = llama_cpp.llama_batch_init(len(ids), 0, 1)
        batch.n_tokens = len(ids)
        for i, token in enumerate(ids):
            batch.token[i], batch.pos[i], batch.n_seq_id[i], batch.logits[i] = token, start + i, 1, True
            batch.seq_id[i][0] = 0
        if llama_cpp.llama_decode(self.context, batch) != 0:
            raise RuntimeError("llama_decode failed")
        found = np.ctypeslib.as_array(llama_cpp.llama_get_logits(self.context), (len(ids), self.width)).copy()
        llama_cpp.llama_batch_free(batch)
        return found

    def close(self):
        llama_cpp.llama_free(self.context)
        llama_cpp.llama_model_free(self.model)


def log_softmax(x):
    x = x.astype(np.float64)
    x -= x.max(axis=1, keepdims=True)
    return x - np.log(np.exp(x).sum(axis=1, keepdims=True))


def divergence(reference, found):
    """KL of each position, and whether the first token is the same."""
    p, q = log_softmax(reference), log_softmax(found)
    return (np.exp(p) * (p - q)).sum(axis=1), p.argmax(axis=1) == q.argmax(axis=1)


def texts(path, count):
    if not path.endswith(".jsonl"):
        return [pathlib.Path(path).read_text()]
    lines = pathlib.Path(path).read_text().splitlines()
    return [json.loads(line)["text"] for line in lines[:: max(1, len(lines) // count)][:count]]


def common(a, b):
    """How many tokens two texts have in common at their beginning."""
    return next((i for i, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))


def adapter(text):
    path, _, scale = text.partition("=")
    return path, float(scale or 1)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", default=str(ROOT / "Models/hearth-nano.gguf"))
    parser.add_argument("--texts", required=True)
    parser.add_argument("--count", type=int, default=40, help="texts (40), spread over the file")
    parser.add_argument("--formats", nargs="+", default=["q8_0", "q4_0", "q4_K"])
    parser.add_argument("--lora", nargs="+", type=adapter, default=[], metavar="FILE[=S]", help="adapters and their scales")
    parser.add_argument("--greedy", type=int, default=0, metavar="N", help="tokens to continue each text by (0)")
    parser.add_argument("--kernels", help="hearth's kernel set (the fastest)")
    parser.add_argument("--hearth", default=str(ROOT / ".build/release/hearth"))
    parser.add_argument("--json")
    a = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        environment = dict(os.environ, HOME=folder, HEARTH_BACKGROUND="0")
        if a.kernels:
            environment["HEARTH_KERNELS"] = a.kernels
        hearth = Hearth(os.path.abspath(a.hearth), folder, environment)
        sources = [ids[:480] for ids in hearth.ids(a.model, texts(a.texts, a.count))]
        print(f"{len(sources)} texts, {sum(map(len, sources))} tokens")
        loras = [word for path, scale in a.lora for word in ("--lora", f"{path}={scale}")]
        print(f"{'format':8}{'setting':28}{'KL':>12}{'of llama.cpp':>14}{'same first':>12}" + f"{'greedy':>9}" * (a.greedy > 0))
        for format in a.formats:
            model, plain = (os.path.join(folder, f"{format}{suffix}.gguf") for suffix in ("", "-f32"))
            hearth.run("compress", a.model, "--to", format, "-o", model)
            to_float32(model, plain, a.lora)
            llama = Llama(model, 512 + a.greedy, a.lora) if llama_cpp else None
            found = {"llama.cpp": []} if llama else {}
            found |= {"hearth 16 bits": [], "hearth 8 bits": []}
            equal = {setting: [] for setting in found}
            for ids in sources:
                reference = hearth.logits(plain, ids, "--kv", "float32")
                if llama:
                    found["llama.cpp"].append(divergence(reference, llama.logits(ids)))
                for bits in (16, 8):
                    logits = hearth.logits(model, ids, "--kv", "float16", "--activations", str(bits), *loras)
                    found[f"hearth {bits} bits"].append(divergence(reference, logits))
                if a.greedy:
                    half = ids[: len(ids) // 2]
                    right = hearth.greedy(plain, half, a.greedy, "--kv", "float32")
                    if llama:
                        equal["llama.cpp"].append(common(right, llama.greedy(half, a.greedy)))
                    for bits in (16, 8):
                        text = hearth.greedy(model, half, a.greedy, "--activations", str(bits), *loras)
                        equal[f"hearth {bits} bits"].append(common(right, text))
            theirs = np.nan
            if llama:
                llama.close()
                theirs = np.concatenate([kl for kl, _ in found["llama.cpp"]]).mean()
            for setting, parts in found.items():
                kl, same = (np.concatenate(column) for column in zip(*parts))
                row = {"format": format, "setting": setting, "kl": kl.mean(), "ratio": kl.mean() / theirs, "same": same.mean()}
                line = f"{format:8}{setting:28}{row['kl']:12.3e}{row['ratio']:14.3f}{row['same']:12.4f}"
                if a.greedy:
                    row["greedy"] = float(np.mean(equal[setting]))
                    line += f"{row['greedy']:9.1f}"
                rows.append(row)
                print(line, flush=True)
    if a.json:
        pathlib.Path(a.json).write_text(json.dumps(rows, indent=1))


if __name__ == "__main__":
    main()
