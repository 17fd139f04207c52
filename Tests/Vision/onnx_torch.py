"""An ONNX network as a PyTorch module that coremltools can convert: shapes are fixed, ONNX Runtime folds what follows from
them, and the operations that remain are computed one by one by PyTorch's function of the same meaning."""
import os, tempfile
import numpy as np
import onnx
import onnxruntime
import torch
import torch.nn.functional as F
from onnx import numpy_helper


def folded(path, shapes):
    """The network for inputs of these shapes ({name: list}), with everything constant in it computed."""
    model = onnx.load(path) if isinstance(path, str) else path
    for value in model.graph.input:
        if value.name in shapes:
            dims = value.type.tensor_type.shape.dim
            while len(dims) < len(shapes[value.name]): dims.add()
            for dim, size in zip(dims, shapes[value.name]):
                dim.ClearField("dim_param")
                dim.dim_value = size
    for value in model.graph.output: value.type.tensor_type.ClearField("shape")
    del model.graph.value_info[:]
    with tempfile.TemporaryDirectory() as folder:
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 4
        options.optimized_model_filepath = os.path.join(folder, "folded.onnx")
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
        onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
        return onnx.load(options.optimized_model_filepath)


class Network(torch.nn.Module):
    """Runs the nodes in their order. Values that are known without the inputs stay NumPy arrays and are not traced."""

    def __init__(self, model, inputs):
        super().__init__()
        self.graph, self.names = model.graph, inputs
        self.known, self.weights = {}, {}
        for index, tensor in enumerate(self.graph.initializer):
            values = numpy_helper.to_array(tensor)
            if values.dtype == np.float16: values = values.astype(np.float32)
            if values.dtype == np.float32 and values.size > 1:
                self.register_buffer(f"w{index}", torch.from_numpy(values.copy()))
                self.weights[tensor.name] = f"w{index}"
            self.known[tensor.name] = values
        for node in self.graph.node:
            if node.op_type in ("LSTM", "GRU"): self.recurrent(node)

    def recurrent(self, node):
        """Weights in PyTorch's order of the gates, in a layer that the converter knows."""
        a = attributes(node)
        w, r = (self.known[name] for name in node.input[1:3])
        size, inputs = a["hidden_size"], w.shape[2]
        b = self.known[node.input[3]] if len(node.input) > 3 and node.input[3] else np.zeros((len(w), 2 * w.shape[1]), "f4")
        assert a.get("linear_before_reset", 1) == 1 or node.op_type == "LSTM"
        order = [0, 2, 3, 1] if node.op_type == "LSTM" else [1, 0, 2]  # i o f c; z r h
        swap = lambda m: np.concatenate([np.split(m, len(order))[k] for k in order])
        both = a.get("direction") == b"bidirectional"
        layer = getattr(torch.nn, node.op_type)(inputs, size, bidirectional=both)
        with torch.no_grad():
            for side, end in enumerate(["", "_reverse"][:len(w)]):
                gates = len(order) * size
                for name, values in [("weight_ih_l0", w[side]), ("weight_hh_l0", r[side]), ("bias_ih_l0", b[side][:gates]),
                                     ("bias_hh_l0", b[side][gates:])]:
                    getattr(layer, name + end).copy_(torch.tensor(swap(values)))
        self.add_module("layer_" + node.output[0].replace(".", "_").replace("/", "_"), layer)

    def forward(self, *inputs):
        values = dict(zip(self.names, inputs))

        def get(name):
            if not name: return None
            if name in values: return values[name]
            if name in self.weights: return getattr(self, self.weights[name])
            return self.known[name]

        for node in self.graph.node:
            operands = [get(name) for name in node.input]
            a = attributes(node)
            if node.op_type in ("LSTM", "GRU"):
                layer = getattr(self, "layer_" + node.output[0].replace(".", "_").replace("/", "_"))
                results = recurrence(layer, node, a, operands)
            else:
                results = OPERATIONS[node.op_type](a, *operands)
                if not isinstance(results, (list, tuple)): results = [results]
            for name, value in zip(node.output, results):
                if name: values[name] = value
        return tuple(tensor(get(output.name)) for output in self.graph.output)


def attributes(node):
    found = {a.name: onnx.helper.get_attribute_value(a) for a in node.attribute}
    if node.op_type == "Split": found.setdefault("num_outputs", len(node.output))
    return found


def recurrence(layer, node, a, operands):
    x, back = operands[0], a.get("direction") == b"reverse"
    lengths = operands[4] if len(operands) > 4 else None
    assert lengths is None or known(lengths) and np.all(lengths == sizes(x)[0])
    if back: x = torch.flip(x, [0])
    start = [tensor(v) for v in operands[5:7] if v is not None]
    if node.op_type == "LSTM": y, (h, c) = layer(x, tuple(start)) if len(start) == 2 else layer(x)
    else: (y, h), c = (layer(x, start[0]) if start else layer(x)), None
    steps, batch, _ = sizes(x)
    sides = 2 if layer.bidirectional else 1
    if back: y = torch.flip(y, [0])
    y = y.reshape(steps, batch, sides, layer.hidden_size).permute(0, 2, 1, 3) if sides == 2 else y.unsqueeze(1)
    return [y, h, c]


def tensor(value):
    if isinstance(value, torch.Tensor): return value
    value = np.array(value)
    return torch.from_numpy(value.astype(np.float32) if value.dtype == np.float64 else value)


def sizes(x):
    """Numbers also while PyTorch traces."""
    return [int(s) for s in x.shape]


def ints(value):
    if isinstance(value, torch.Tensor): value = value.detach().numpy()
    return [int(v) for v in np.asarray(value).reshape(-1)]


def number(value):
    return float(np.asarray(value.detach() if isinstance(value, torch.Tensor) else value).reshape(()))


def known(*values): return all(not isinstance(v, torch.Tensor) for v in values)


def both(numeric, symbolic):
    """NumPy's function where everything is known, else PyTorch's."""
    def run(_, *values):
        if known(*values): return numeric(*values)
        return symbolic(*map(tensor, values))
    return run


def padding(a, spatial):
    pads = a.get("pads", [0] * 2 * spatial)
    return pads[:spatial], pads[spatial:]


def padded(a, x, kernel, strides, dilations, value=0.0):
    """x with what a layer's own padding cannot say in front of and behind it, and the padding that it can say."""
    spatial = x.dim() - 2
    before, after = padding(a, spatial)
    if a.get("auto_pad", b"NOTSET") in (b"SAME_UPPER", b"SAME_LOWER"):
        before, after = [], []
        for size, k, s, d in zip(sizes(x)[2:], kernel, strides, dilations):
            total = max((-(-size // s) - 1) * s + (k - 1) * d + 1 - size, 0)
            small, large = total // 2, total - total // 2
            before.append(small if a["auto_pad"] == b"SAME_UPPER" else large)
            after.append(large if a["auto_pad"] == b"SAME_UPPER" else small)
    if before == after and value == 0.0: return x, before
    if any(before) or any(after):
        x = F.pad(x, [p for pair in reversed(list(zip(before, after))) for p in pair], value=value)
    return x, [0] * spatial


def conv(a, x, w, b=None):
    spatial = w.dim() - 2
    strides, dilations = a.get("strides", [1] * spatial), a.get("dilations", [1] * spatial)
    x, pads = padded(a, x, w.shape[2:], strides, dilations)
    run = [F.conv1d, F.conv2d, F.conv3d][spatial - 1]
    return run(x, w, None if b is None else tensor(b), strides, pads, dilations, a.get("group", 1))


def transposed(a, x, w, b=None):
    spatial = w.dim() - 2
    before, after = padding(a, spatial)
    assert before == after
    run = [F.conv_transpose1d, F.conv_transpose2d][spatial - 1]
    return run(x, w, None if b is None else tensor(b), a.get("strides", [1] * spatial), before,
               a.get("output_padding", [0] * spatial), a.get("group", 1), a.get("dilations", [1] * spatial))


def pool(kind):
    def run(a, x):
        kernel = a["kernel_shape"]
        spatial = len(kernel)
        strides, ceil = a.get("strides", [1] * spatial), bool(a.get("ceil_mode", 0))
        if kind == "max":
            x, pads = padded(a, x, kernel, strides, [1] * spatial, value=-1e30) if a.get("auto_pad", b"").startswith(b"SAME") else (x, padding(a, spatial)[0])
            if padding(a, spatial)[0] != padding(a, spatial)[1]:
                before, after = padding(a, spatial)
                x = F.pad(x, [p for pair in reversed(list(zip(before, after))) for p in pair], value=-1e30)
                pads = [0] * spatial
            return [F.max_pool1d, F.max_pool2d][spatial - 1](x, kernel, strides, pads, ceil_mode=ceil)
        x, pads = padded(a, x, kernel, strides, [1] * spatial)
        return [F.avg_pool1d, F.avg_pool2d][spatial - 1](
            x, kernel, strides, pads, ceil_mode=ceil, count_include_pad=bool(a.get("count_include_pad", 0)))
    return run


def slices(a, x, starts=None, ends=None, axes=None, steps=None):
    starts = ints(a["starts"] if starts is None else starts)
    ends = ints(a["ends"] if ends is None else ends)
    axes = ints(axes) if axes is not None else a.get("axes", list(range(len(starts))))
    steps = ints(steps) if steps is not None else [1] * len(starts)
    for start, end, axis, step in zip(starts, ends, axes, steps):
        if known(x) or step > 0:
            size = sizes(x)[axis]
            end = min(end, size) if end >= 0 else end
            index = [slice(None)] * (axis % len(x.shape)) + [slice(start, end if end < 2**31 - 1 else None, step)]
            x = x[tuple(index)]
        else:
            rows = list(range(sizes(x)[axis]))[slice(start, end if abs(end) < 2**31 - 1 else None, step)]
            x = x.index_select(axis, torch.tensor(rows))
    return x


def split(a, x, sizes=None):
    axis = a.get("axis", 0)
    sizes = ints(sizes) if sizes is not None else a.get("split") or [int(x.shape[axis]) // a["num_outputs"]] * a["num_outputs"]
    return list(np.split(x, np.cumsum(sizes)[:-1], axis)) if known(x) else list(torch.split(x, sizes, axis))


def reshape(a, x, shape):
    shape = [sizes(x)[i] if s == 0 and not a.get("allowzero") else s for i, s in enumerate(ints(shape))]
    return x.reshape(shape)


def squeeze(a, x, axes=None):
    axes = ints(axes) if axes is not None else a.get("axes", [i for i, s in enumerate(sizes(x)) if s == 1])
    for axis in sorted((axis % len(x.shape) for axis in axes), reverse=True):
        x = np.squeeze(x, axis) if known(x) else x.squeeze(axis)
    return x


def unsqueeze(a, x, axes=None):
    axes = ints(axes) if axes is not None else a["axes"]
    rank = len(np.shape(x) if known(x) else x.shape) + len(axes)
    for axis in sorted(axis % rank for axis in axes): x = np.expand_dims(x, axis) if known(x) else x.unsqueeze(axis)
    return x


def gather(a, x, index):
    axis = a.get("axis", 0)
    if known(x, index): return np.take(x, index, axis)
    x = tensor(x)
    if known(index):
        index = np.asarray(index)
        rows = np.where(index < 0, index + sizes(x)[axis], index)
        if rows.ndim == 0: return x.select(axis, int(rows))
        y = x.index_select(axis, torch.tensor(rows.reshape(-1)))
        return y.reshape(sizes(x)[:axis] + list(rows.shape) + sizes(x)[axis + 1:])
    if axis == 0 and x.dim() == 2: return F.embedding(index.long(), x)
    return x.index_select(axis, index.reshape(-1).long()).reshape(
        sizes(x)[:axis] + sizes(index) + sizes(x)[axis + 1:])


def resize(a, x, *rest):
    rest = [r for r in rest if r is not None]
    last = rest[-1]
    scales = np.asarray(last.detach() if isinstance(last, torch.Tensor) else last)
    size = [int(s) for s in scales[2:]] if scales.dtype.kind == "i" else [int(n * s) for n, s in zip(sizes(x)[2:], scales[2:])]
    mode = a.get("mode", b"nearest").decode()
    if mode == "nearest": return F.interpolate(x, size=size, mode="nearest")
    names = {1: "linear", 2: "bilinear"} if mode == "linear" else {2: "bicubic"}
    corners = a.get("coordinate_transformation_mode", b"half_pixel") == b"align_corners"
    return F.interpolate(x, size=size, mode=names[x.dim() - 2], align_corners=corners)


def pad(a, x, pads=None, value=None, axes=None):
    pads = ints(pads) if pads is not None else a["pads"]
    rank = x.dim()
    axes = ints(axes) if axes is not None else list(range(rank))
    before, after = [0] * rank, [0] * rank
    for i, axis in enumerate(axes): before[axis], after[axis] = pads[i], pads[len(axes) + i]
    flat = [p for pair in reversed(list(zip(before, after))) for p in pair]
    while len(flat) > 2 and flat[-2:] == [0, 0]: flat = flat[:-2]
    mode = a.get("mode", b"constant").decode()
    if mode != "constant": return F.pad(x, flat, mode={"reflect": "reflect", "edge": "replicate"}[mode])
    return F.pad(x, flat, value=number(value) if value is not None else 0.0)


def reduction(run):
    def reduce(a, x, axes=None):
        x = tensor(x)
        axes = ints(axes) if axes is not None else a.get("axes") or list(range(x.dim()))
        return run(x, list(axes), bool(a.get("keepdims", 1)))
    return reduce


def batch_norm(a, x, gamma, beta, mean, variance):
    return F.batch_norm(x, tensor(mean), tensor(variance), tensor(gamma), tensor(beta), eps=a.get("epsilon", 1e-5))


def layer_norm(a, x, gamma, beta=None):
    shape = sizes(x)[a.get("axis", -1) % x.dim():]
    return F.layer_norm(x, tuple(shape), tensor(gamma), None if beta is None else tensor(beta), a.get("epsilon", 1e-5))


def gemm(a, x, w, b=None):
    if a.get("transA"): x = x.t()
    if not a.get("transB"): w = w.t()
    assert a.get("alpha", 1.0) == 1.0
    return F.linear(x, w, None if b is None else tensor(b) * a.get("beta", 1.0))


def clip(a, x, low=None, high=None):
    low = a.get("min") if low is None else number(low)
    high = a.get("max") if high is None else number(high)
    if low == 0 and high == 6: return F.relu6(x)
    return torch.clamp(x, low, high)


def cast(a, x):
    kind = onnx.helper.tensor_dtype_to_np_dtype(a["to"])
    if known(x): return np.asarray(x).astype(np.float32 if kind == np.float16 else kind)
    types = {"f": torch.float32, "i": torch.int32, "b": torch.bool, "u": torch.int32}
    return x.to(types[np.dtype(kind).kind])


def softmax(a, x): return torch.softmax(x, a.get("axis", -1))


def matmul(a, x, y): return torch.matmul(tensor(x), tensor(y))


def prelu(a, x, slope): return F.prelu(x, slope.reshape(-1))


def power(a, x, y):
    if known(x, y): return np.power(x, y)
    if known(y) and np.size(y) == 1:
        return x * x if number(y) == 2 else torch.sqrt(x) if number(y) == 0.5 else torch.pow(x, number(y))
    return torch.pow(tensor(x), tensor(y))


def topk(a, x, k):
    values, indices = torch.topk(x, ints(k)[0], a.get("axis", -1), bool(a.get("largest", 1)))
    return [values, indices]


def arithmetic(numeric, symbolic):
    def run(_, x, y):
        if known(x, y): return numeric(x, y)
        # Numbers as numbers: the converter then knows that they are constants.
        if known(y) and np.size(y) == 1 and np.ndim(y) <= 1: return symbolic(x, np.asarray(y).reshape(-1)[0].item())
        if known(x) and np.size(x) == 1 and np.ndim(x) <= 1 and symbolic in (torch.add, torch.mul):
            return symbolic(y, np.asarray(x).reshape(-1)[0].item())
        return symbolic(tensor(x), tensor(y))
    return run


def divide(x, y):
    return x // y if np.asarray(x).dtype.kind == "i" else x / y


OPERATIONS = {
    "Conv": conv, "ConvTranspose": transposed, "MaxPool": pool("max"), "AveragePool": pool("average"),
    "GlobalAveragePool": lambda a, x: x.mean(list(range(2, x.dim())), keepdim=True),
    "GlobalMaxPool": lambda a, x: x.amax(list(range(2, x.dim())), keepdim=True),
    "BatchNormalization": batch_norm, "LayerNormalization": layer_norm,
    "InstanceNormalization": lambda a, x, g, b: F.instance_norm(x, None, None, tensor(g), tensor(b), eps=a.get("epsilon", 1e-5)),
    "Relu": lambda a, x: torch.relu(x), "LeakyRelu": lambda a, x: F.leaky_relu(x, a.get("alpha", 0.01)), "PRelu": prelu,
    "Elu": lambda a, x: F.elu(x, a.get("alpha", 1.0)), "Sigmoid": lambda a, x: torch.sigmoid(x), "Tanh": lambda a, x: torch.tanh(x),
    "HardSigmoid": lambda a, x: torch.clamp(x * a.get("alpha", 0.2) + a.get("beta", 0.5), 0, 1),
    "HardSwish": lambda a, x: F.hardswish(x), "Gelu": lambda a, x: F.gelu(x), "Softplus": lambda a, x: F.softplus(x),
    "Erf": lambda a, x: torch.erf(x), "Exp": lambda a, x: torch.exp(x), "Log": lambda a, x: torch.log(x),
    "Sqrt": both(np.sqrt, torch.sqrt), "Abs": both(np.abs, torch.abs), "Neg": both(np.negative, torch.neg),
    "Reciprocal": lambda a, x: 1 / x, "Floor": both(np.floor, torch.floor), "Ceil": both(np.ceil, torch.ceil),
    "Sin": lambda a, x: torch.sin(x), "Cos": lambda a, x: torch.cos(x), "Pow": power, "Clip": clip,
    "Add": arithmetic(np.add, torch.add), "Sub": arithmetic(np.subtract, torch.sub),
    "Mul": arithmetic(np.multiply, torch.mul), "Div": arithmetic(divide, torch.div),
    "Max": lambda a, *v: v[0] if len(v) == 1 else torch.maximum(tensor(v[0]), tensor(v[1])),
    "Min": lambda a, *v: v[0] if len(v) == 1 else torch.minimum(tensor(v[0]), tensor(v[1])),
    "Equal": both(np.equal, torch.eq), "Greater": both(np.greater, torch.gt), "Less": both(np.less, torch.lt),
    "GreaterOrEqual": both(np.greater_equal, torch.ge), "LessOrEqual": both(np.less_equal, torch.le),
    "And": both(np.logical_and, torch.logical_and), "Not": both(np.logical_not, torch.logical_not),
    "Where": both(np.where, torch.where), "MatMul": matmul, "Gemm": gemm,
    "Reshape": reshape, "Flatten": lambda a, x: x.reshape(int(np.prod(sizes(x)[:a.get("axis", 1)])), -1),
    "Transpose": lambda a, x: np.transpose(x, a.get("perm")) if known(x) else x.permute(*a["perm"]),
    "Concat": lambda a, *v: np.concatenate(v, a["axis"]) if known(*v) else torch.cat([tensor(x) for x in v], a["axis"]),
    "Slice": slices, "Split": split, "Squeeze": squeeze, "Unsqueeze": unsqueeze, "Gather": gather,
    "Resize": resize, "Upsample": resize, "Pad": pad, "Softmax": softmax, "LogSoftmax": lambda a, x: F.log_softmax(x, a.get("axis", -1)),
    "ReduceMean": reduction(lambda x, d, k: x.mean(d, keepdim=k)), "ReduceSum": reduction(lambda x, d, k: x.sum(d, keepdim=k)),
    "ReduceMax": reduction(lambda x, d, k: x.amax(d, keepdim=k)), "ReduceMin": reduction(lambda x, d, k: x.amin(d, keepdim=k)),
    "ReduceL2": reduction(lambda x, d, k: torch.sqrt((x * x).sum(d, keepdim=k))),
    "ReduceProd": lambda a, x, axes=None: np.prod(x, keepdims=bool(a.get("keepdims", 1))),
    "ArgMax": lambda a, x: torch.argmax(x, a.get("axis", 0), bool(a.get("keepdims", 1))), "TopK": topk,
    "Shape": lambda a, x: np.array(sizes(x), np.int64), "Cast": cast, "Identity": lambda a, x: x, "Dropout": lambda a, x, *_: x,
    "Constant": lambda a: numpy_helper.to_array(a["value"]) if "value" in a else np.array(next(iter(a.values()))),
    "ConstantOfShape": lambda a, s: np.full(ints(s), numpy_helper.to_array(a["value"]).item() if "value" in a else 0.0),
    "Expand": lambda a, x, s: np.broadcast_to(x, np.broadcast_shapes(x.shape, ints(s))) if known(x)
    else x.expand(np.broadcast_shapes(tuple(sizes(x)), tuple(ints(s)))),
    "Tile": lambda a, x, r: np.tile(x, ints(r)) if known(x) else x.repeat(*ints(r)),
    "Range": lambda a, s, e, d: np.arange(np.asarray(s).item(), np.asarray(e).item(), np.asarray(d).item()),
    "SpaceToDepth": lambda a, x: torch.cat(
        [x[:, :, i::a["blocksize"], j::a["blocksize"]] for i in range(a["blocksize"]) for j in range(a["blocksize"])], 1),
    "DepthToSpace": lambda a, x: F.pixel_shuffle(x, a["blocksize"]),
    "CumSum": lambda a, x, axis: torch.cumsum(x, ints(axis)[0]), "Trilu": lambda a, x, k=None: torch.triu(x) if a.get("upper", 1) else torch.tril(x),
}
