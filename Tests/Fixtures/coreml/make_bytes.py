#!/usr/bin/env python3
"""Makes `bytes/`: a network whose activations and weights are 8-bit integers (W8A8), and its results by numpy.

    pip install coremltools numpy
    python Tests/Fixtures/coreml/make_bytes.py

`quantize` and `dequantize` stand where coremltools' linear_quantize_activations and `hearth compress --activations int8` put
them. The network has each form that is computed in integers: a first layer of three channels with a stride, a depthwise and a
pointwise convolution, one with as many taps as it has dilation, one in groups, a sum with a function, a dense layer; and a maximum, which is not.

Results are exact: numpy multiplies the codes as 64-bit integers. No value that is rounded to a code lies near a half, so any
order of sums gives the same codes.
"""
import pathlib
import shutil

import numpy as np

import coremltools as ct
from coremltools.converters.mil import Builder as mb

HERE = pathlib.Path(__file__).parent / "bytes"
SHAPE = (1, 3, 13, 14)
MARGIN = 1e-4  # of a step of a code, from the nearest half: several times what rounding in float32 can move it


class Twin:
    """Builds the program, and computes it at the same time: a tensor is a MIL variable and its exact values in float64."""

    def __init__(self, seed):
        self.random = np.random.default_rng(seed)

    def rounded(self, x, zero):
        variable, values = x
        low = min(float(values.min()), 0.0)
        scale = np.float32(max((float(values.max()) - low) / 250, 1e-3))
        zero = np.int8(zero if zero is not None else np.clip(round(-128 - low / float(scale)), -128, 127))
        while True:
            steps = values / np.float64(scale)
            if not (np.abs(steps - np.floor(steps) - 0.5) < MARGIN).any():
                break
            scale = np.float32(scale * 1.0003)
        codes = np.clip(np.round(steps) + int(zero), -128, 127)
        kind = dict(scale=scale) if zero == 0 else dict(scale=scale, zero_point=zero)
        quantized = mb.quantize(input=variable, output_dtype="int8", **kind)
        return mb.dequantize(input=quantized, **kind), (codes - int(zero)) * np.float64(scale)

    def weight(self, shape, fan):
        codes = self.random.integers(-127, 128, shape).astype(np.int8)
        codes.flat[0] = -128
        scale = (self.random.uniform(0.6, 1.4, shape[0]) / (70 * np.sqrt(fan))).astype(np.float32)
        variable = mb.constexpr_affine_dequantize(
            quantized_data=codes, scale=scale, zero_point=np.zeros(shape[0], np.int8), axis=0)
        return variable, codes.astype(np.float64) * scale.astype(np.float64).reshape(-1, *[1] * (len(shape) - 1))

    def conv(self, x, outputs, kernel=3, stride=1, pad=1, dilation=1, groups=1):
        variable, values = x
        channels = values.shape[1]
        weight, w = self.weight((outputs, channels // groups, kernel, kernel), channels // groups * kernel * kernel)
        bias = self.random.normal(0, 0.3, outputs).astype(np.float32)
        made = mb.conv(
            x=variable, weight=weight, bias=bias, strides=[stride] * 2, pad_type="custom", pad=[pad] * 4,
            dilations=[dilation] * 2, groups=groups)
        padded = np.pad(values, [(0, 0), (0, 0), (pad, pad), (pad, pad)])
        reach = (kernel - 1) * dilation + 1
        height, width = (padded.shape[2] - reach) // stride + 1, (padded.shape[3] - reach) // stride + 1
        out = np.zeros((1, outputs, height, width)) + bias.astype(np.float64).reshape(1, -1, 1, 1)
        for ky in range(kernel):
            for kx in range(kernel):
                part = padded[:, :, ky * dilation :, kx * dilation :][:, :, : (height - 1) * stride + 1 : stride, : (width - 1) * stride + 1 : stride]
                part = part.reshape(1, groups, channels // groups, height, width)
                filters = w[:, :, ky, kx].reshape(groups, outputs // groups, channels // groups)
                out += np.einsum("ngchw,goc->ngohw", part, filters).reshape(out.shape)
        return made, out

    def relu(self, x):
        return mb.relu(x=x[0]), np.maximum(x[1], 0)

    def relu6(self, x):
        return mb.relu6(x=x[0]), np.clip(x[1], 0, 6)


def network(image):
    t = Twin(5)
    values = t.random.uniform(-2, 2, SHAPE).astype(np.float32)
    x = t.rounded((image, values.astype(np.float64)), None)
    x = t.rounded(t.relu(t.conv(x, 20, stride=2)), None)
    x = t.rounded(t.relu6(t.conv(x, 20, groups=20)), None)
    trunk = t.rounded(t.conv(x, 36, kernel=1, pad=0), 0)
    y = t.rounded(t.relu(t.conv(trunk, 16, pad=2, dilation=2)), None)
    y = t.rounded(t.conv(y, 36, kernel=1, pad=0), None)
    total = mb.add(x=trunk[0], y=y[0]), trunk[1] + y[1]
    x = t.rounded(t.relu(total), None)
    pooled = x[1][:, :, : x[1].shape[2] // 2 * 2, : x[1].shape[3] // 2 * 2]
    pooled = pooled.reshape(1, 36, pooled.shape[2] // 2, 2, pooled.shape[3] // 2, 2).max(axis=(3, 5))
    x = mb.max_pool(x=x[0], kernel_sizes=[2, 2], strides=[2, 2], pad_type="valid"), pooled
    x = t.rounded(x, None)
    x = t.rounded(t.relu(t.conv(x, 24, groups=3)), None)
    x = mb.reduce_mean(x=x[0], axes=[2, 3], keep_dims=False), x[1].mean(axis=(2, 3))
    x = t.rounded(x, None)
    weight, w = t.weight((10, 24), 24)
    bias = t.random.normal(0, 0.3, 10).astype(np.float32)
    made = mb.linear(x=x[0], weight=weight, bias=bias, name="scores")
    return made, x[1] @ w.T + bias.astype(np.float64), values


def main():
    kept = {}

    @mb.program(input_specs=[mb.TensorSpec(shape=SHAPE)], opset_version=ct.target.iOS17)
    def program(x):
        made, kept["result"], kept["input"] = network(x)
        return made

    pipeline = ct.PassPipeline.EMPTY
    model = ct.convert(
        program, convert_to="mlprogram", minimum_deployment_target=ct.target.iOS17, pass_pipeline=pipeline,
        compute_precision=ct.precision.FLOAT32, compute_units=ct.ComputeUnit.CPU_ONLY, skip_model_load=True)
    shutil.rmtree(HERE, ignore_errors=True)
    HERE.mkdir()
    model.save(str(HERE / "w8a8.mlpackage"))
    kept["input"].astype("<f4").tofile(HERE / "w8a8.in.f32")
    kept["result"].astype("<f4").tofile(HERE / "w8a8.out.f32")
    print(kept["result"].round(4).tolist())


if __name__ == "__main__":
    main()
