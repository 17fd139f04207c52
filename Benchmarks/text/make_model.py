#!/usr/bin/env python3
"""Random-weight GGUF files with the shapes of real Gemma models, for speed only: their text is noise.

    pip install numpy gguf
    python make_model.py OUTDIR [NAME ...]      # names: see MODELS; none = all
"""

import os
import sys

import gguf
import numpy as np
from gguf import GGMLQuantizationType as T
from gguf.quants import quantize

# name: (architecture, layers, width, feed-forward, heads, kv heads, head width, vocabulary, context, window,
#        format of the matrices, format of the embedding)
MODELS = {
    "gemma-2b-q4_0": ("gemma", 18, 2048, 16384, 8, 1, 256, 256000, 8192, 0, T.Q4_0, T.Q6_K),
    "gemma3-270m-q8_0": ("gemma3", 18, 640, 2048, 4, 1, 256, 262144, 32768, 512, T.Q8_0, T.Q8_0),
}
BLOCK = {T.Q4_0: (32, 18), T.Q8_0: (32, 34), T.Q6_K: (256, 210)}
POOL_BLOCKS = 1 << 15  # blocks to draw from: random enough for timing, quick to make

rng = np.random.default_rng(7)
pools = {}


def pool(kind):
    elements, size = BLOCK[kind]
    if kind != T.Q6_K:
        values = rng.normal(0, 0.02, (POOL_BLOCKS, elements)).astype(np.float32)
        return quantize(values, kind).reshape(POOL_BLOCKS, size)
    # gguf cannot quantize K types; blocks with plausible scales do: 128 ql, 64 qh, 16 int8 scales, f16 d.
    out = rng.integers(0, 256, (POOL_BLOCKS, size), dtype=np.uint8)
    scales = rng.integers(16, 48, (POOL_BLOCKS, 16)) * rng.choice([-1, 1], (POOL_BLOCKS, 16))
    out[:, 192:208] = scales.astype(np.int8).view(np.uint8)
    out[:, 208:210] = (rng.uniform(0.9, 1.1, POOL_BLOCKS) * 3.3e-5).astype(np.float16).view(np.uint8).reshape(-1, 2)
    return out


def matrix(rows, columns, kind):
    if kind not in pools:
        pools[kind] = pool(kind)
    elements, size = BLOCK[kind]
    index = rng.integers(0, POOL_BLOCKS, rows * (columns // elements))
    return pools[kind][index].reshape(rows, columns // elements * size)


def vocabulary(count):
    tokens = [b"<pad>", b"<eos>", b"<bos>", b"<unk>"] + [b"<0x%02X>" % i for i in range(256)]
    types = [3, 3, 3, 2] + [6] * 256
    letters = np.frombuffer(b"etaoinshrdlucmfwypvbgkjqxz", np.uint8)
    draw = np.random.default_rng(11)
    seen = set(tokens)
    while len(tokens) < count:
        piece = bytes(letters[np.minimum(25, draw.geometric(0.12, draw.integers(1, 11)) - 1)])
        if draw.random() < 0.5:
            piece = "\u2581".encode() + piece
        if piece not in seen:
            seen.add(piece)
            tokens.append(piece)
            types.append(1)
    return tokens, [0.0] * 260 + [-float(i) for i in range(count - 260)], types


def make(folder, name):
    arch, layers, d, ff, heads, kv, hd, vocab, context, window, kind, embedding = MODELS[name]
    w = gguf.GGUFWriter(os.path.join(folder, name + ".gguf"), arch)
    w.add_name(name)
    w.add_context_length(context)
    w.add_embedding_length(d)
    w.add_block_count(layers)
    w.add_feed_forward_length(ff)
    w.add_head_count(heads)
    w.add_head_count_kv(kv)
    w.add_layer_norm_rms_eps(1e-6)
    w.add_key_length(hd)
    w.add_value_length(hd)
    if window:
        w.add_sliding_window(window)
        w.add_rope_freq_base(1e6)
    tokens, scores, types = vocabulary(vocab)
    w.add_tokenizer_model("llama")
    w.add_tokenizer_pre("default")
    w.add_token_list(tokens)
    w.add_token_scores(scores)
    w.add_token_types(types)
    w.add_bos_token_id(2)
    w.add_eos_token_id(1)
    w.add_unk_token_id(3)
    w.add_add_bos_token(True)
    w.add_add_space_prefix(False)

    def put(tensor, rows, columns, kind):
        w.add_tensor(tensor + ".weight", matrix(rows, columns, kind), raw_dtype=kind)

    def norm(tensor, count):
        w.add_tensor(tensor + ".weight", rng.normal(1, 0.1, count).astype(np.float32))

    put("token_embd", vocab, d, embedding)
    norm("output_norm", d)
    for i in range(layers):
        p = f"blk.{i}."
        put(p + "attn_q", heads * hd, d, kind)
        put(p + "attn_k", kv * hd, d, kind)
        put(p + "attn_v", kv * hd, d, kind)
        put(p + "attn_output", d, heads * hd, kind)
        put(p + "ffn_gate", ff, d, kind)
        put(p + "ffn_up", ff, d, kind)
        put(p + "ffn_down", d, ff, kind)
        norm(p + "attn_norm", d)
        norm(p + "ffn_norm", d)
        if arch == "gemma3":
            norm(p + "post_attention_norm", d)
            norm(p + "post_ffw_norm", d)
            norm(p + "attn_q_norm", hd)
            norm(p + "attn_k_norm", hd)
    w.write_header_to_file()
    w.write_kv_data_to_file()
    w.write_tensors_to_file()
    w.close()
    print(name, round(os.path.getsize(os.path.join(folder, name + ".gguf")) / 1e6), "MB", flush=True)


if __name__ == "__main__":
    os.makedirs(sys.argv[1], exist_ok=True)
    for name in sys.argv[2:] or MODELS:
        make(sys.argv[1], name)
