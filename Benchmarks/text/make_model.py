#!/usr/bin/env python3
"""Random-weight GGUF files with the shapes of real Gemma models, for speed only: their text is noise.

    pip install numpy gguf
    python make_model.py OUTDIR [NAME ...]      # names: see MODELS; none = all
"""

import os
import pathlib
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
    "gemma3n-e2b-q4_0": ("gemma3n", 30, 2048, 8192, 8, 2, 256, 262400, 32768, 512, T.Q4_0, T.Q6_K),
    "embeddinggemma-q8_0": ("gemma-embedding", 24, 768, 1152, 3, 1, 256, 262144, 2048, 512, T.Q8_0, T.Q8_0),
    "embeddinggemma-q4_0": ("gemma-embedding", 24, 768, 1152, 3, 1, 256, 262144, 2048, 512, T.Q4_0, T.Q8_0),
    "gemma4-e2b-q4_0": ("gemma4", 35, 1536, 6144, 8, 1, 256, 262144, 131072, 512, T.Q4_0, T.Q6_K),
}
# Of the two generations that have more than the rest: layers that own keys and values, width of the per-layer embeddings,
# format of their table. Every fifth layer is global; Gemma 4's are 512 wide, and its layers without keys and values
# have feed-forward parts of double width.
PER_LAYER = {"gemma3n": (20, 256, T.Q4_0), "gemma4": (15, 256, T.Q4_0)}
STREAMS, RANK = 4, 64
DENSE = 3072  # the width between the two layers at the end of an embedding model
BLOCK = {T.Q4_0: (32, 18), T.Q8_0: (32, 34), T.Q6_K: (256, 210), T.F16: (32, 64), T.BF16: (32, 64)}
POOL_BLOCKS = 1 << 15  # blocks to draw from: random enough for timing, quick to make
PART_BLOCKS = 1 << 21  # blocks that are in memory at once: a per-layer table alone has 73 million

rng = np.random.default_rng(7)
pools = {}


def pool(kind):
    elements, size = BLOCK[kind]
    if kind != T.Q6_K:
        values = rng.normal(0, 0.02, (POOL_BLOCKS, elements)).astype(np.float32)
        return quantize(values, kind).view(np.uint8).reshape(POOL_BLOCKS, size)
    # gguf cannot quantize K types; blocks with plausible scales do: 128 ql, 64 qh, 16 int8 scales, f16 d.
    out = rng.integers(0, 256, (POOL_BLOCKS, size), dtype=np.uint8)
    scales = rng.integers(16, 48, (POOL_BLOCKS, 16)) * rng.choice([-1, 1], (POOL_BLOCKS, 16))
    out[:, 192:208] = scales.astype(np.int8).view(np.uint8)
    out[:, 208:210] = (rng.uniform(0.9, 1.1, POOL_BLOCKS) * 3.3e-5).astype(np.float16).view(np.uint8).reshape(-1, 2)
    return out


def parts(rows, columns, kind):
    """The bytes of a matrix, some rows at a time."""
    if kind not in pools:
        pools[kind] = pool(kind)
    blocks = columns // BLOCK[kind][0]
    at_once = max(1, PART_BLOCKS // blocks)
    for row in range(0, rows, at_once):
        yield pools[kind][rng.integers(0, POOL_BLOCKS, min(at_once, rows - row) * blocks)]


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


def per_layer_keys(w, arch, layers, ff, hd):
    owners, width, _ = PER_LAYER[arch]
    is_local = [i % 5 != 4 for i in range(layers)]
    w.add_uint32(arch + ".embedding_length_per_layer_input", width)
    w.add_uint32(arch + ".attention.shared_kv_layers", layers - owners)
    w.add_array(arch + ".attention.sliding_window_pattern", is_local)
    if arch == "gemma3n":
        w.add_uint32(arch + ".altup.num_inputs", STREAMS)
        w.add_uint32(arch + ".altup.active_idx", 0)
        w.add_array(arch + ".activation_sparsity_scale", [1.6448536 if i < 10 else float("-inf") for i in range(layers)])
        return [ff] * layers, [hd] * layers
    w.add_uint32(arch + ".attention.key_length_swa", hd)
    w.add_uint32(arch + ".attention.value_length_swa", hd)
    w.add_rope_dimension_count(2 * hd)
    w.add_rope_dimension_count_swa(hd)
    w.add_rope_freq_base_swa(1e4)
    w.add_final_logit_softcapping(30.0)
    return [ff if i < owners else 2 * ff for i in range(layers)], [hd if local else 2 * hd for local in is_local]


def make(folder, name):
    arch, layers, d, ff, heads, kv, hd, vocab, context, window, kind, embedding = MODELS[name]
    w = gguf.GGUFWriter(None, arch)
    w.add_name(name)
    w.add_context_length(context)
    w.add_embedding_length(d)
    w.add_block_count(layers)
    w.add_head_count(heads)
    w.add_head_count_kv(kv)
    w.add_layer_norm_rms_eps(1e-6)
    ffs, hds = per_layer_keys(w, arch, layers, ff, hd) if arch in PER_LAYER else ([ff] * layers, [hd] * layers)
    w.add_feed_forward_length(ffs if len(set(ffs)) > 1 else ff)
    w.add_key_length(max(hds))
    w.add_value_length(max(hds))
    if window:
        w.add_sliding_window(window)
        w.add_rope_freq_base(1e6)
    if arch == "gemma-embedding":
        w.add_causal_attention(False)
        w.add_pooling_type(gguf.PoolingType.MEAN)
        for layer, (features_in, features_out) in enumerate(((d, DENSE), (DENSE, d)), 2):
            w.add_uint32(f"{arch}.dense_{layer}_feat_in", features_in)
            w.add_uint32(f"{arch}.dense_{layer}_feat_out", features_out)
        w.add_add_eos_token(True)
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

    contents = []

    def put(tensor, rows, columns, kind):
        elements, size = BLOCK[kind]
        w.add_tensor_info(
            tensor + ".weight", (rows, columns), np.dtype(np.float32), rows * columns // elements * size, raw_dtype=kind)
        contents.append(parts(rows, columns, kind))

    def array(tensor, values):
        w.add_tensor_info(tensor + ".weight", values.shape, values.dtype, values.nbytes)
        contents.append([values])

    def norm(tensor, count):
        array(tensor, rng.normal(1, 0.1, count).astype(np.float32))

    put("token_embd", vocab, d, embedding)
    norm("output_norm", d)
    if arch == "gemma-embedding":
        put("dense_2", DENSE, d, T.Q8_0)
        put("dense_3", d, DENSE, T.Q8_0)
    if arch in PER_LAYER:
        owners, width, table = PER_LAYER[arch]
        put("per_layer_token_embd", vocab, layers * width, table)
        put("per_layer_model_proj", layers * width, d, T.BF16)
        norm("per_layer_proj_norm", width)
    if arch == "gemma4":
        pairs = max(hds) // 2
        array("rope_freqs", np.array([1.0] * (pairs // 4) + [1e30] * (pairs - pairs // 4), np.float32))
    if arch == "gemma3n":
        for tensor in ("altup_proj", "altup_unembd_proj"):
            values = np.concatenate(list(parts((STREAMS - 1) * d, d, T.F16)))
            array(tensor, values.view(np.float16).reshape(STREAMS - 1, d, d))
    for i, (ff, hd) in enumerate(zip(ffs, hds)):
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
        if arch != "gemma":
            norm(p + "post_attention_norm", d)
            norm(p + "post_ffw_norm", d)
            norm(p + "attn_q_norm", hd)
            norm(p + "attn_k_norm", hd)
        if arch in PER_LAYER:
            put(p + "inp_gate", width, d, kind)
            put(p + "proj", d, width, kind)
            norm(p + "post_norm", d)
        if arch == "gemma4":
            norm(p + "layer_output_scale", 1)
        if arch == "gemma3n":
            norm(p + "altup_correct_scale", d)
            norm(p + "altup_router_norm", d)
            norm(p + "laurel_post_norm", d)
            for tensor, rows, columns in (
                ("altup_router", STREAMS, d), ("altup_predict_coef", STREAMS * STREAMS, STREAMS),
                ("altup_correct_coef", STREAMS, STREAMS), ("laurel_l", RANK, d), ("laurel_r", d, RANK),
            ):
                array(p + tensor, rng.normal(0, 0.02, (rows, columns)).astype(np.float16))
    path = pathlib.Path(folder, name + ".gguf")
    w.write_header_to_file(path)
    w.write_kv_data_to_file()
    w.write_ti_data_to_file()
    w.close()
    with path.open("ab") as file:
        for content in contents:
            file.write(bytes(-file.tell() % w.data_alignment))
            for part in content:
                part.tofile(file)
        file.write(bytes(-file.tell() % w.data_alignment))
    print(name, round(path.stat().st_size / 1e6), "MB", flush=True)


if __name__ == "__main__":
    os.makedirs(sys.argv[1], exist_ok=True)
    for name in sys.argv[2:] or MODELS:
        make(sys.argv[1], name)
