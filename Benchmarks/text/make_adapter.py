#!/usr/bin/env python3
"""A LoRA adapter with random weights for all layers of a model, for speed only.

    pip install numpy gguf
    python make_adapter.py MODEL.gguf OUT.gguf [RANK]      # rank: 16
"""

import re
import sys

import gguf
import numpy as np

TARGETS = re.compile(r"blk\.\d+\.(attn_q|attn_k|attn_v|attn_output|ffn_gate|ffn_up|ffn_down)\.weight$")


def main():
    model, out = gguf.GGUFReader(sys.argv[1]), sys.argv[2]
    rank = int(sys.argv[3]) if len(sys.argv) > 3 else 16
    random = np.random.default_rng(1)
    writer = gguf.GGUFWriter(out, model.get_field("general.architecture").contents())
    writer.add_type("adapter")
    writer.add_string("adapter.type", "lora")
    writer.add_float32("adapter.lora.alpha", float(rank))
    for tensor in model.tensors:
        if not TARGETS.match(tensor.name):
            continue
        columns, rows = (int(n) for n in tensor.shape)
        writer.add_tensor(tensor.name + ".lora_a", (random.standard_normal((rank, columns)) / columns**0.5).astype(np.float16))
        writer.add_tensor(tensor.name + ".lora_b", (random.standard_normal((rows, rank)) * 0.01).astype(np.float16))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


main()
