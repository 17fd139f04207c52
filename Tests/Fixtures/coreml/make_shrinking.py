#!/usr/bin/env python3
"""Makes `shrinking/`: networks for `compress --calibrate` that are more than one program in one piece. Weights are drawn by seed.

    pip install coremltools==9.0 "numpy<2.3"
    python Tests/Fixtures/coreml/make_shrinking.py        (some seconds)

    parts.mlpackage   a pipeline of two programs: `backbone` makes `features` of a picture, `head` makes `scores` of them
    mixed.mlpackage   the same, where the head is a network of layers
    loop.mlpackage    a loop of three rounds with a dense layer, whose weight stands outside, and one whose weight stands in its body,
                      and a branch on the input with a convolution on either side
"""
import json
import pathlib
import shutil

import numpy as np

import coremltools as ct
from coremltools.converters.mil import Builder as mb

HERE = pathlib.Path(__file__).parent / "shrinking"
R = np.random.RandomState(20261129)
SIZE = 32


def weight(*shape):
    return (R.randn(*shape) / np.sqrt(np.prod(shape[1:]))).astype(np.float32)


def conv(x, outputs, kernel, stride=1, **more):
    inputs = x.shape[1]
    return mb.conv(
        x=x, weight=weight(outputs, inputs, kernel, kernel), bias=weight(1, outputs)[0], strides=[stride, stride],
        pad_type="custom", pad=[kernel // 2] * 4, **more)


def save(name, model):
    path = HERE / name
    shutil.rmtree(path, ignore_errors=True)
    model.save(str(path))
    # Identifiers are drawn anew each time.
    manifest = path / "Manifest.json"
    text = manifest.read_text()
    for index, key in enumerate(json.loads(text)["itemInfoEntries"]): text = text.replace(key, "00000000-0000-0000-0000-%012d" % index)
    manifest.write_text(text)


def convert(program, convert_to="mlprogram", target=ct.target.iOS16, **more):
    options = dict(compute_precision=ct.precision.FLOAT32) if convert_to == "mlprogram" else {}
    return ct.convert(
        program, convert_to=convert_to, minimum_deployment_target=target, skip_model_load=True, **options, **more)


def backbone():
    @mb.program(input_specs=[mb.TensorSpec(shape=(1, 3, SIZE, SIZE))], opset_version=ct.target.iOS16)
    def program(image):
        x = mb.relu(x=conv(image, 16, 3, stride=2))
        return mb.relu(x=conv(x, 24, 3, stride=2), name="features")

    return convert(
        program, inputs=[ct.ImageType(name="image", shape=(1, 3, SIZE, SIZE), scale=1 / 64, bias=[-2, -2, -2])])


def head(convert_to, target):
    @mb.program(input_specs=[mb.TensorSpec(shape=(1, 24, SIZE // 4, SIZE // 4))], opset_version=target)
    def program(features):
        x = mb.relu(x=conv(features, 32, 3))
        x = mb.reduce_mean(x=x, axes=[2, 3], keep_dims=False)
        return mb.linear(x=x, weight=weight(12, 32), bias=weight(1, 12)[0], name="scores")

    return convert(program, convert_to, target)


def pipeline(*named):
    model = ct.utils.make_pipeline(*[model for _, model in named])
    names = model.get_spec().pipeline.names
    del names[:]
    spec = model.get_spec()
    del spec.pipeline.names[:]
    spec.pipeline.names.extend(name for name, _ in named)
    return ct.models.MLModel(spec, weights_dir=model.weights_dir, skip_model_load=True)


def loop():
    outside, outer_bias = weight(20, 20), weight(1, 20)[0]

    @mb.program(input_specs=[mb.TensorSpec(shape=(4, 20))], opset_version=ct.target.iOS16)
    def program(x):
        shared = mb.const(val=outside, name="outside")

        def test(i, y): return mb.less(x=i, y=3)

        def body(i, y):
            y = mb.tanh(x=mb.linear(x=y, weight=shared, bias=outer_bias))
            inside = mb.const(val=weight(20, 20), name="inside")
            return mb.add(x=i, y=1), mb.add(x=y, y=mb.tanh(x=mb.linear(x=y, weight=inside)))

        _, y = mb.while_loop(_cond=test, _body=body, loop_vars=(np.int32(0), x))
        z = mb.reshape(x=y, shape=[1, 4, 4, 5])
        is_large = mb.greater(x=mb.reduce_sum(x=x, axes=[0, 1], keep_dims=False), y=0.0)
        z = mb.cond(
            pred=is_large, _true_fn=lambda: mb.relu(x=conv(z, 8, 3)), _false_fn=lambda: mb.tanh(x=conv(z, 8, 3)))
        return mb.reduce_mean(x=z, axes=[2, 3], keep_dims=False, name="y")

    return convert(program)


def main():
    HERE.mkdir(exist_ok=True)
    save("parts.mlpackage", pipeline(("backbone", backbone()), ("head", head("mlprogram", ct.target.iOS16))))
    save("mixed.mlpackage", pipeline(("backbone", backbone()), ("head", head("neuralnetwork", ct.target.iOS14))))
    save("loop.mlpackage", loop())


main()
