#!/usr/bin/env python3
"""Makes `regressors/`: models that read a number from a picture of 16 x 16 pixels, built by hand.

    pip install coremltools==9.0 "numpy<2.3"
    python Tests/Fixtures/coreml/make_regressors.py

    gauge.mlpackage    an ML Program: 30 r - 20 g + 10 b + 5, where r, g and b are the means of the channels, 0 to 1
    rough.mlpackage    the same with 24 r
    gauge.mlmodel      the first as a network of layers: a regressor whose output is a double
    pair.mlpackage     returns two numbers: r + g and b
"""
import pathlib
import shutil

import numpy as np

import coremltools as ct
from coremltools.converters.mil import Builder as mb
from coremltools.models import datatypes
from coremltools.models.neural_network import NeuralNetworkBuilder

HERE = pathlib.Path(__file__).parent / "regressors"
SIZE = 16


def save(name, weight, bias, output):
    weight, bias = np.array(weight, np.float32), np.array(bias, np.float32)

    @mb.program(input_specs=[mb.TensorSpec(shape=(1, 3, SIZE, SIZE))], opset_version=ct.target.iOS16)
    def program(image):
        return mb.linear(x=mb.reduce_mean(x=image, axes=[2, 3], keep_dims=False), weight=weight, bias=bias, name=output)

    model = ct.convert(
        program, convert_to="mlprogram", minimum_deployment_target=ct.target.iOS16,
        inputs=[ct.ImageType(name="image", shape=(1, 3, SIZE, SIZE), scale=1 / 255, color_layout="RGB")],
        compute_precision=ct.precision.FLOAT32, compute_units=ct.ComputeUnit.CPU_ONLY, skip_model_load=True)
    path = HERE / f"{name}.mlpackage"
    shutil.rmtree(path, ignore_errors=True)
    model.save(str(path))
    print(path.name, sum(f.stat().st_size for f in path.rglob("*") if f.is_file()), "bytes")


def save_layers():
    builder = NeuralNetworkBuilder(
        [("image", datatypes.Array(3, SIZE, SIZE))], [("level", datatypes.Double())], mode="regressor")
    builder.add_pooling("mean", SIZE, SIZE, SIZE, SIZE, "AVERAGE", "VALID", "image", "mean_out", is_global=True)
    builder.add_inner_product(
        "sum", W=np.array([[30, -20, 10]], np.float32), b=np.array([5], np.float32), input_channels=3, output_channels=1,
        has_bias=True, input_name="mean_out", output_name="level")
    builder.set_pre_processing_parameters(image_input_names=["image"], is_bgr=False, image_scale=1 / 255)
    path = HERE / "gauge.mlmodel"
    ct.models.utils.save_spec(builder.spec, str(path))
    print(path.name, path.stat().st_size, "bytes")


HERE.mkdir(exist_ok=True)
save("gauge", [[30, -20, 10]], [5], "level")
save("rough", [[24, -20, 10]], [5], "level")
save("pair", [[1, 1, 0], [0, 0, 1]], [0, 0], "both")
save_layers()
