"""Makes flexible/: valid models that leave shapes open, compute them, or keep states, with what has to come out by numpy.

    python3 -m venv venv && venv/bin/pip install coremltools && venv/bin/python make_flexible.py
"""

import json
import shutil
from pathlib import Path

import coremltools as ct
import numpy as np
from coremltools.converters.mil import Builder as mb
from coremltools.models import datatypes
from coremltools.models.neural_network import NeuralNetworkBuilder, flexible_shape_utils

HERE = Path(__file__).parent / "flexible"
RANDOM = np.random.default_rng(18)
CASES = []


def numbers(*shape):
    return RANDOM.standard_normal(shape).astype(np.float32)


def convert(program, name, target, inputs=None):
    model = ct.convert(
        program, convert_to="mlprogram", minimum_deployment_target=target, inputs=inputs,
        compute_precision=ct.precision.FLOAT32, skip_model_load=True)
    model.save(str(HERE / f"{name}.mlpackage"))


def case(model, inputs, outputs=None, **more):
    """A run: inputs and expected outputs are kept as raw float32."""
    number = len(CASES)
    entry = {"model": model, "inputs": [], "outputs": [], **more}
    for name, value in inputs.items():
        file = f"{number}.{name}.in.f32"
        np.asarray(value, "<f4").tofile(HERE / file)
        entry["inputs"].append({"name": name, "file": file, "shape": list(value.shape)})
    for name, value in (outputs or {}).items():
        file = f"{number}.{name}.out.f32"
        np.asarray(value, "<f4").tofile(HERE / file)
        entry["outputs"].append({"name": name, "file": file, "shape": list(np.shape(value))})
    CASES.append(entry)


def view():
    """`x.view(x.shape[0], -1)` as converters write it: shape, one element of it, a list of numbers, reshape."""
    from coremltools.converters.mil.mil import get_new_symbol

    batch, height = get_new_symbol(), get_new_symbol()
    weight = numbers(5, 3)

    @mb.program(input_specs=[mb.TensorSpec(shape=(batch, 3, height, 4))], opset_version=ct.target.iOS16)
    def program(x):
        rows = mb.gather(x=mb.shape(x=x), indices=0, axis=0)
        height = mb.gather(x=mb.shape(x=x), indices=2, axis=0)
        flat = mb.reshape(x=x, shape=mb.concat(values=[rows, np.int32(3), np.int32(-1)], axis=0))
        mean = mb.reduce_mean(x=flat, axes=[2], keep_dims=False)
        scores = mb.linear(x=mean, weight=weight, bias=np.zeros(5, np.float32))
        # Arithmetic on single numbers, too.
        count = mb.cast(x=mb.mul(x=rows, y=height), dtype="fp32")
        return mb.add(x=scores, y=count, name="y")

    shape = ct.Shape((ct.RangeDim(1, 4, default=1), 3, ct.RangeDim(2, 8, default=4), 4))
    convert(program, "view", ct.target.iOS16, [ct.TensorType(name="x", shape=shape)])
    for n, h in [(1, 4), (3, 2), (4, 8)]:
        x = numbers(n, 3, h, 4)
        case("view.mlpackage", {"x": x}, {"y": x.mean((2, 3)) @ weight.T + n * h})
    for shape in [(5, 3, 4, 4), (1, 3, 9, 4), (1, 3, 1, 4)]:
        case("view.mlpackage", {"x": numbers(*shape)}, status=3, says=["(input x)", "1...4", "2...8"])


def enumerated():
    """A few shapes and no others."""
    from coremltools.converters.mil.mil import get_new_symbol

    height = get_new_symbol()

    @mb.program(input_specs=[mb.TensorSpec(shape=(1, 2, height, height))], opset_version=ct.target.iOS16)
    def program(x):
        return mb.reduce_sum(x=mb.relu(x=x), axes=[2, 3], keep_dims=False, name="y")

    shapes = ct.EnumeratedShapes([(1, 2, 4, 4), (1, 2, 6, 6)], default=(1, 2, 4, 4))
    convert(program, "enumerated", ct.target.iOS16, [ct.TensorType(name="x", shape=shapes)])
    for side in (4, 6):
        x = numbers(1, 2, side, side)
        case("enumerated.mlpackage", {"x": x}, {"y": np.maximum(x, 0).sum((2, 3))})
    case(
        "enumerated.mlpackage", {"x": numbers(1, 2, 5, 5)}, status=3,
        says=["(input x)", "[1, 2, 4, 4]", "[1, 2, 6, 6]"])


def layers():
    """A network of layers with a reshape that leaves one dimension open."""
    builder = NeuralNetworkBuilder(
        [("x", datatypes.Array(1, 4, 6))], [("y", datatypes.Array(8, 3))], disable_rank5_shape_mapping=True)
    builder.add_reshape_static("open", "x", "folded", (-1, 3))
    builder.add_activation("relu", "RELU", "folded", "y")
    ct.models.MLModel(builder.spec, skip_model_load=True).save(str(HERE / "layers.mlmodel"))
    x = numbers(1, 4, 6)
    case("layers.mlmodel", {"x": x}, {"y": np.maximum(x.reshape(-1, 3), 0)})


def states():
    """A running sum in a state, which is zero before the first prediction."""

    @mb.program(
        input_specs=[mb.TensorSpec(shape=(1, 4)), mb.StateTensorSpec(shape=(1, 4), dtype=ct.converters.mil.mil.types.fp16)],
        opset_version=ct.target.iOS18)
    def program(x, sum):
        total = mb.add(x=mb.cast(x=x, dtype="fp16"), y=mb.read_state(input=sum))
        kept = mb.coreml_update_state(state=sum, value=total)
        return mb.cast(x=kept, dtype="fp32", name="y")

    model = ct.convert(
        program, convert_to="mlprogram", minimum_deployment_target=ct.target.iOS18, skip_model_load=True)
    model.save(str(HERE / "states.mlpackage"))
    x = numbers(1, 4)
    case("states.mlpackage", {"x": x}, {"y": x})


def infinite():
    """The logarithm of a negative number, three operations before the end."""

    @mb.program(input_specs=[mb.TensorSpec(shape=(1, 4))], opset_version=ct.target.iOS16)
    def program(x):
        shifted = mb.sub(x=x, y=np.float32(2), name="shifted")
        logs = mb.log(x=shifted, epsilon=np.float32(1e-10), name="logs")
        halves = mb.mul(x=logs, y=np.float32(0.5), name="halves")
        return mb.tanh(x=halves, name="y")

    convert(program, "logarithm", ct.target.iOS16)
    x = np.array([[3, 4, 5, 6]], np.float32)
    case("logarithm.mlpackage", {"x": x}, {"y": np.tanh(np.log(x - 2) / 2)})
    case(
        "logarithm.mlpackage", {"x": np.array([[3, 4, 1, 6]], np.float32)}, status=1,
        says=["(log 'logs'", "-1.0", "4.0"])


def small():
    """What an optimiser may take for something else: a little more than nothing next to zero."""

    @mb.program(input_specs=[mb.TensorSpec(shape=(1, 8))], opset_version=ct.target.iOS16)
    def program(x):
        square = mb.add(x=mb.mul(x=x, y=x), y=np.float32(1e-10))
        log = mb.log(x=mb.add(x=mb.abs(x=x), y=np.float32(1e-6)), epsilon=np.float32(1e-45), name="log")
        inverse = mb.inverse(x=mb.add(x=mb.relu(x=x), y=np.float32(1e-6)), epsilon=np.float32(0), name="inverse")
        return mb.rsqrt(x=square, epsilon=np.float32(0), name="root"), log, inverse

    convert(program, "small", ct.target.iOS16)
    x = np.array([[0, -1, 1e-7, 1e-4, 2, -30, 1e-12, 0.5]], np.float32)
    wide = x.astype(np.float64)
    case(
        "small.mlpackage", {"x": x},
        {
            "root": 1 / np.sqrt(wide * wide + np.float32(1e-10)),
            "log": np.log(np.abs(wide) + np.float32(1e-6)),
            "inverse": 1 / (np.maximum(wide, 0) + np.float32(1e-6)),
        })


if __name__ == "__main__":
    shutil.rmtree(HERE, ignore_errors=True)
    HERE.mkdir()
    for make in (view, enumerated, layers, states, infinite, small):
        make()
    (HERE / "goldens.json").write_text(json.dumps({"cases": CASES}, indent=1) + "\n")
