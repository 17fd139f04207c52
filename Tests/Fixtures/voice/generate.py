"""Writes a tiny Piper voice: a tone whose length follows the number of phonemes. Needs the package onnx.

    python3 generate.py tone.onnx
"""
import json
import pathlib
import sys

import numpy as np
import onnx
from onnx import TensorProto as T
from onnx import helper as h
from onnx import numpy_helper

HERTZ, RATE, PER_PHONEME = 440, 22050, 512


def constant(name, value, kind):
    return numpy_helper.from_array(np.array(value, dtype=kind), name)


def main(path):
    nodes = [
        h.make_node("ReduceMax", ["input_lengths"], ["phonemes"], keepdims=0),
        h.make_node("Mul", ["phonemes", "per_phoneme"], ["plain"]),
        h.make_node("Cast", ["plain"], ["plain_float"], to=T.FLOAT),
        h.make_node("Gather", ["scales", "length_scale"], ["stretch"]),
        h.make_node("Mul", ["plain_float", "stretch"], ["stretched"]),
        h.make_node("Cast", ["stretched"], ["samples"], to=T.INT64),
        h.make_node("Range", ["zero", "samples", "one"], ["times"]),
        h.make_node("Cast", ["times"], ["times_float"], to=T.FLOAT),
        h.make_node("Mul", ["times_float", "angle"], ["angles"]),
        h.make_node("Sin", ["angles"], ["tone"]),
        h.make_node("Mul", ["tone", "loudness"], ["quiet"]),
        h.make_node("Reshape", ["quiet", "shape"], ["output"]),
    ]
    graph = h.make_graph(
        nodes,
        "tone",
        [
            h.make_tensor_value_info("input", T.INT64, [1, "n"]),
            h.make_tensor_value_info("input_lengths", T.INT64, [1]),
            h.make_tensor_value_info("scales", T.FLOAT, [3]),
        ],
        [h.make_tensor_value_info("output", T.FLOAT, [1, 1, 1, "samples"])],
        [
            constant("per_phoneme", PER_PHONEME, np.int64),
            constant("length_scale", 1, np.int64),
            constant("zero", 0, np.int64),
            constant("one", 1, np.int64),
            constant("angle", 2 * np.pi * HERTZ / RATE, np.float32),
            constant("loudness", 0.3, np.float32),
            constant("shape", [1, 1, 1, -1], np.int64),
        ],
    )
    model = h.make_model(graph, opset_imports=[h.make_opsetid("", 15)])
    model.ir_version = 8
    onnx.checker.check_model(model)
    onnx.save(model, path)
    letters = "_^$ !,.:;?'abcdefghijklmnopqrstuvwxyzæðŋɐɑɒɔəɚɛɜɡɪɹɾʃʊʌʒˈˌːθɫ"
    config = {
        "audio": {"sample_rate": RATE},
        "espeak": {"voice": "en-us"},
        "inference": {"noise_scale": 0.667, "length_scale": 1, "noise_w": 0.8},
        "language": {"code": "en_US"},
        "num_speakers": 1,
        "num_symbols": len(letters),
        "phoneme_id_map": {letter: [number] for number, letter in enumerate(letters)},
        "phoneme_type": "espeak",
    }
    pathlib.Path(path + ".json").write_text(json.dumps(config, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1])
