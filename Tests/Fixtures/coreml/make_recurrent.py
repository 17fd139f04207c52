#!/usr/bin/env python3
"""Makes `recurrent/`: recurrent layers with random weights, for `hearth compress`.

    pip install coremltools==9.0 "numpy<2.3"
    python Tests/Fixtures/coreml/make_recurrent.py

    program.mlpackage   gru, rnn and lstm of one program, which share an initial state of 256 numbers that is no weight; the
                        lstm reads one number a step, so that its input weights have a dimension of 1
"""
import json
import pathlib
import shutil

import numpy as np

import coremltools as ct
from coremltools.converters.mil import Builder as mb

HERE = pathlib.Path(__file__).parent / "recurrent"
R = np.random.RandomState(20261128)
STEPS, BATCH, WIDTH, HIDDEN = 3, 32, 6, 8


def normal(*shape): return (R.standard_normal(shape) * 0.4).astype(np.float32)


@mb.program(input_specs=[mb.TensorSpec(shape=(STEPS, BATCH, WIDTH)), mb.TensorSpec(shape=(STEPS, BATCH, 1))],
            opset_version=ct.target.iOS15)
def program(x, t):
    state = mb.const(val=normal(BATCH, HIDDEN), name="state")
    first, _ = mb.gru(x=x, initial_h=state, weight_ih=mb.const(val=normal(3 * HIDDEN, WIDTH), name="gru_ih"),
                      weight_hh=mb.const(val=normal(3 * HIDDEN, HIDDEN), name="gru_hh"), bias=normal(3 * HIDDEN),
                      output_sequence=True)
    second, _ = mb.rnn(x=first, initial_h=state, weight_ih=mb.const(val=normal(HIDDEN, HIDDEN), name="rnn_ih"),
                       weight_hh=mb.const(val=normal(HIDDEN, HIDDEN), name="rnn_hh"), bias=normal(HIDDEN),
                       output_sequence=True)
    third, _, _ = mb.lstm(x=t, initial_h=state, initial_c=state,
                          weight_ih=mb.const(val=normal(4 * HIDDEN, 1), name="lstm_ih"),
                          weight_hh=mb.const(val=normal(4 * HIDDEN, HIDDEN), name="lstm_hh"), bias=normal(4 * HIDDEN),
                          output_sequence=True)
    return mb.add(x=second, y=third, name="y")


def main():
    HERE.mkdir(exist_ok=True)
    path = HERE / "program.mlpackage"
    shutil.rmtree(path, ignore_errors=True)
    ct.convert(program, convert_to="mlprogram", minimum_deployment_target=ct.target.iOS15,
               compute_precision=ct.precision.FLOAT32, skip_model_load=True).save(str(path))
    # Identifiers are drawn anew each time.
    manifest = path / "Manifest.json"
    text = manifest.read_text()
    for index, key in enumerate(json.loads(text)["itemInfoEntries"]):
        text = text.replace(key, "00000000-0000-0000-0000-%012d" % index)
    manifest.write_text(text)


if __name__ == "__main__": main()
