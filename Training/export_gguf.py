"""Write a checkpoint as a GGUF v3 file: matrices in F16 or Q8_0, norm gains in F32, tokenizer and chat template included.

    python export_gguf.py ../Models/hearth-nano.gguf
    python export_gguf.py small.gguf --type q8_0
"""

import argparse
import pathlib
import struct

import numpy as np
import sentencepiece as spm

import chat
from make_tokenizer import SLOT
from plans import FORMAT, LANGUAGES, MARK, RUNS
from train import load

F32, F16, Q8_0 = 0, 1, 8
ALIGN = 32
# Defaults of the file for sampling; see README.md for how they were chosen.
TEMPERATURE, TOP_K, TOP_P = 0.7, 40, 0.9
NORMAL, UNKNOWN, CONTROL, USER, BYTE = 1, 2, 3, 4, 6


def to_half(x: np.ndarray) -> bytes:
    """Matrices are stored as float16: small enough, and every runtime computes the same greedy answers from it."""
    return np.ascontiguousarray(x, np.float32).astype("<f2").tobytes()


def from_half(data: bytes, shape) -> np.ndarray:
    return np.frombuffer(data, "<f2").astype(np.float32).reshape(shape)


def to_q8_0(x: np.ndarray) -> bytes:
    """Blocks of 32 numbers of a row: a float16 scale, then int8."""
    blocks = np.ascontiguousarray(x, np.float32).reshape(-1, 32)
    scale = np.abs(blocks).max(1, keepdims=True) / 127
    inverse = np.divide(1, scale, out=np.zeros_like(scale), where=scale > 0)
    packed = np.zeros(len(blocks), [("d", "<f2"), ("q", "i1", 32)])
    packed["d"], packed["q"] = scale[:, 0], np.rint(blocks * inverse)
    return packed.tobytes()


def string(s) -> bytes:
    b = s if isinstance(s, bytes) else s.encode()
    return struct.pack("<Q", len(b)) + b


def value(v) -> bytes:
    """A value with its type in front: bool, int (u32), float (f32), str, or a list of one of these (ints as i32)."""
    if isinstance(v, bool):
        return struct.pack("<IB", 7, v)
    if isinstance(v, int):
        return struct.pack("<II", 4, v)
    if isinstance(v, float):
        return struct.pack("<If", 6, v)
    if isinstance(v, str):
        return struct.pack("<I", 8) + string(v)
    kind, form = {int: (5, "<%di"), float: (6, "<%df"), str: (8, None), bytes: (8, None)}[type(v[0])]
    body = struct.pack(form % len(v), *v) if form else b"".join(map(string, v))
    return struct.pack("<IIQ", 9, kind, len(v)) + body


def vocabulary(t):
    """Token texts, scores and types as llama.cpp's converter writes them.

    Normal pieces keep U+2581 for a space. User-defined ones hold their plain text and a score so low that they are
    never the result of a merge: a runtime cuts them out of the raw text first."""
    tokens, scores, types = [], [], []
    for i in range(len(t)):
        piece, score, kind = t.id_to_piece(i), float(t.get_score(i)), NORMAL
        if t.is_unknown(i):
            kind = UNKNOWN
        elif t.is_control(i):
            kind = CONTROL
        elif t.is_byte(i):
            kind = BYTE
        elif piece in ("\n", "\n\n", MARK) or SLOT.fullmatch(piece.replace("\u2581", " ")):
            kind, score = USER, -1000.0
        tokens.append(piece.replace("\u2581", " ") if kind == USER else piece)
        scores.append(score)
        types.append(kind)
    assert {"\n", "\n\n", MARK, "{a}"} <= set(tokens)
    return tokens, scores, types


def metadata(c, t, kind):
    tokens, scores, types = vocabulary(t)
    return {
        "general.architecture": "gemma3",
        "general.type": "model",
        "general.name": "hearth-nano",
        "general.description": "Bedtime stories for children from three to eight, in English, Spanish and Chinese.",
        "general.license": "Apache-2.0",
        "hearth.story.format": FORMAT,
        "general.languages": list(LANGUAGES),
        "general.file_type": {F16: 1, Q8_0: 7}[kind],
        "general.sampling.temp": TEMPERATURE,
        "general.sampling.top_k": ("i32", TOP_K),
        "general.sampling.top_p": TOP_P,
        "gemma3.context_length": c.context,
        "gemma3.embedding_length": c.width,
        "gemma3.block_count": c.layers,
        "gemma3.feed_forward_length": c.hidden,
        "gemma3.attention.head_count": c.heads,
        "gemma3.attention.head_count_kv": c.kv_heads,
        "gemma3.attention.key_length": c.head,
        "gemma3.attention.value_length": c.head,
        "gemma3.attention.layer_norm_rms_epsilon": c.eps,
        "gemma3.attention.sliding_window": c.window,
        "gemma3.rope.freq_base": c.base_global,
        "gemma3.rope.freq_base_swa": c.base_local,
        "gemma3.vocab_size": c.vocab,
        "tokenizer.ggml.model": "llama",
        "tokenizer.ggml.pre": "default",
        "tokenizer.ggml.tokens": tokens,
        "tokenizer.ggml.scores": scores,
        "tokenizer.ggml.token_type": types,
        "tokenizer.ggml.bos_token_id": t.bos_id(),
        "tokenizer.ggml.eos_token_id": t.eos_id(),
        "tokenizer.ggml.eot_token_id": t.piece_to_id("<end_of_turn>"),
        "tokenizer.ggml.unknown_token_id": t.unk_id(),
        "tokenizer.ggml.padding_token_id": t.pad_id(),
        "tokenizer.ggml.add_bos_token": True,
        "tokenizer.ggml.add_eos_token": False,
        "tokenizer.ggml.add_space_prefix": False,
        "tokenizer.chat_template": chat.TEMPLATE,
    }


def write(path, keys, tensors, kind):
    """`tensors`: name -> float32 array. Dimensions are written fastest first, as GGUF wants them."""
    head = [b"GGUF" + struct.pack("<IQQ", 3, len(tensors), len(keys))]
    for k, v in keys.items():
        head.append(string(k) + (struct.pack("<Ii", 5, v[1]) if isinstance(v, tuple) else value(v)))
    data, offset = [], 0
    for name, x in tensors.items():
        body = {F16: to_half, Q8_0: to_q8_0}[kind](x) if x.ndim == 2 else x.astype("<f4").tobytes()
        dims = x.shape[::-1]
        head.append(string(name) + struct.pack(f"<I{len(dims)}QIQ", len(dims), *dims, kind if x.ndim == 2 else F32, offset))
        body += b"\0" * (-len(body) % ALIGN)
        data.append(body)
        offset += len(body)
    head = b"".join(head)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(head + b"\0" * (-len(head) % ALIGN) + b"".join(data))


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("out", type=pathlib.Path)
    p.add_argument("--checkpoint", type=pathlib.Path, default=RUNS / "checkpoint.pt")
    p.add_argument("--type", choices=["f16", "q8_0"], default="f16")
    a = p.parse_args()
    model, _ = load(a.checkpoint)
    tokenizer = spm.SentencePieceProcessor(model_file=str(RUNS / "tokenizer.model"))
    assert len(tokenizer) == model.c.vocab
    tensors = {n: w.numpy() for n, w in model.state_dict().items()}
    kind = {"f16": F16, "q8_0": Q8_0}[a.type]
    write(a.out, metadata(model.c, tokenizer, kind), tensors, kind)
    print(a.out, a.out.stat().st_size, "bytes")


if __name__ == "__main__":
    main()
