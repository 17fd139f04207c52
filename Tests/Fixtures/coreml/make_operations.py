#!/usr/bin/env python3
"""Writes operations.json, layers.json and operations.bin: for every operation some tiny programs of that one operation,
over random shapes and parameters, and what PyTorch or numpy compute for it in double precision; the same for the layers
of networks.

  pip install torch numpy;  python3 make_operations.py      (a few seconds)

Nothing here shares code with Hearth: programs are encoded by the functions below, results come from torch, or from loops
over a rule that is stated beside them. operations.bin holds models, inputs and results one after the other; operations.json
and layers.json say where each lies and how far off a result may be.
"""
import json, math, os
import numpy as np
import torch
import torch.nn.functional as F

HERE = os.path.dirname(os.path.abspath(__file__))
R = np.random.RandomState(20251121)
OPSETS = {6: "CoreML5", 7: "CoreML6", 8: "CoreML7", 9: "CoreML8"}


# ---------------------------------------------------------------- programs
def varint(n):
    n &= (1 << 64) - 1
    out = bytearray()
    while n > 127:
        out.append(n & 127 | 128)
        n >>= 7
    out.append(n)
    return bytes(out)


def blob(field, content): return varint(field << 3 | 2) + varint(len(content)) + content
def number(field, n): return varint(field << 3) + varint(n) if n else b""
def text(field, s): return blob(field, s.encode())
def entry(field, key, value): return blob(field, text(1, key) + blob(2, value))


TYPES = {"b": 1, "s": 2, "f": 11, "i": 23}


def kind(a): return {"b": "b", "i": "i", "u": "i", "f": "f"}[a.dtype.kind]


def tensor_type(k, shape):
    dims = b"".join(blob(3, blob(1, number(1, d))) for d in shape)
    return blob(1, number(1, TYPES[k]) + number(2, len(shape)) + dims)


def value(v):
    if isinstance(v, str):
        t = tensor_type("s", ())
        return blob(2, t) + blob(3, blob(1, blob(4, text(1, v)))), t
    a = np.asarray(v)
    if a.dtype.kind in "iu": a = a.astype(np.int32)
    if a.dtype.kind == "f": a = a.astype(np.float32)
    t = tensor_type(kind(a), a.shape)
    flat = a.reshape(-1)
    if kind(a) == "f": data = blob(1, blob(1, flat.astype("<f4").tobytes()))
    elif kind(a) == "i": data = blob(2, blob(1, b"".join(varint(int(x)) for x in flat)))
    else: data = blob(3, blob(1, bytes(int(x) for x in flat)))
    return blob(2, t) + blob(3, blob(1, data)), t


def program(op, inputs, params, outputs, spec, constants={}):
    """inputs: name -> array that the program is given; params: name -> constant, or ["x", …] for a list of inputs and of
    `constants`."""
    ops = b"".join(blob(3, text(1, "const") + blob(3, text(1, name) + blob(2, value(v)[1])) + entry(5, "name", value(name)[0])
                        + entry(5, "val", value(v)[0])) for name, v in constants.items())
    args = b""
    lists = {k: v for k, v in params.items() if isinstance(v, list) and v and isinstance(v[0], str)}
    used = {n for v in lists.values() for n in v}
    for name in inputs:
        if name not in used: args += entry(2, name, blob(1, text(1, name)))
    for key, names in lists.items():
        args += entry(2, key, b"".join(blob(1, text(1, n)) for n in names))
    for key, v in params.items():
        if key in lists: continue
        b, t = value(v)
        ops += blob(3, text(1, "const") + blob(3, text(1, "c_" + key) + blob(2, t)) + entry(5, "name", value("c_" + key)[0])
                    + entry(5, "val", b))
        args += entry(2, key, blob(1, text(1, "c_" + key)))
    outs = b"".join(blob(3, text(1, "y%d" % i) + blob(2, tensor_type(kind(y), y.shape))) for i, y in enumerate(outputs))
    ops += blob(3, text(1, op) + args + outs + entry(5, "name", value(op)[0]))
    block = b"".join(text(2, "y%d" % i) for i in range(len(outputs))) + ops
    fn = b"".join(blob(1, text(1, n) + blob(2, tensor_type(kind(a), a.shape))) for n, a in inputs.items())
    fn += text(2, OPSETS[spec]) + entry(3, OPSETS[spec], block)

    def feature(field, name, a):
        array = b"".join(number(1, d) for d in a.shape) + number(2, 65568 if kind(a) == "f" else 131104)
        return blob(field, text(1, name) + blob(3, blob(5, array)))

    description = b"".join(feature(1, n, a) for n, a in inputs.items())
    description += b"".join(feature(10, "y%d" % i, y) for i, y in enumerate(outputs))
    return number(1, spec) + blob(2, description) + blob(502, number(1, 1) + entry(2, "main", fn))


CASES, BIN = [], bytearray()


def put(b):
    at = len(BIN)
    BIN.extend(b)
    return at


def rand(*shape, low=-2.0, high=2.0): return R.uniform(low, high, shape).astype(np.float32)


def case(op, inputs, params, outputs, spec=7, tolerance=None, constants={}):
    outputs = [np.asarray(y) for y in (outputs if isinstance(outputs, (list, tuple)) else [outputs])]
    model = program(op, inputs, params, outputs, spec, constants)
    scale = max([1e-3] + [float(np.abs(y.astype(np.float64)).max()) for y in outputs if y.size])

    def place(name, a):
        return {"name": name, "shape": list(a.shape), "offset": put(np.ascontiguousarray(a, dtype="<f4").tobytes())}

    CASES.append({
        "operation": op, "model": put(model), "bytes": len(model), "tolerance": tolerance or scale * 2e-6,
        "inputs": [place(n, a) for n, a in inputs.items()],
        "outputs": [place("y%d" % i, y) for i, y in enumerate(outputs)]})


def t(a): return torch.from_numpy(np.ascontiguousarray(a, dtype=np.float64))
def n(a): return a.detach().numpy()
def pick(*choices): return choices[R.randint(len(choices))]
def integer(low, high): return int(R.randint(low, high + 1))


# ---------------------------------------------------------------- convolutions and pooling
def same(size, k, s, d, lower):
    total = max((-(-size // s) - 1) * s + (k - 1) * d + 1 - size, 0)
    return (total - total // 2, total // 2) if lower else (total // 2, total - total // 2)


def geometry(spatial, most=3):
    k = [integer(1, min(most, s)) for s in spatial]
    s = [integer(1, 3) for _ in spatial]
    d = [integer(1, 2) if (k_ - 1) * 2 + 1 <= s_ else 1 for k_, s_ in zip(k, spatial)]
    return k, s, d


CONV = {1: F.conv1d, 2: F.conv2d, 3: F.conv3d}
TRANSPOSE = {1: F.conv_transpose1d, 2: F.conv_transpose2d, 3: F.conv_transpose3d}


def torch_pad(pads): return [p for pair in reversed(pads) for p in pair]


for index in range(22):
    dims = [2, 2, 2, 1, 3][index % 5]
    spatial = [integer(3, 7 if dims < 3 else 4) for _ in range(dims)]
    groups = [1, 1, 2, 3][index % 4]
    cin, cout = groups * integer(1, 3), groups * integer(1, 3)
    if index % 6 == 5: groups, cout = cin, cin * integer(1, 2)
    k, s, d = geometry(spatial)
    mode = ["valid", "custom", "same", "same_lower"][index % 4]
    pads = [(0, 0)] * dims
    if mode == "custom": pads = [(integer(0, 2), integer(0, 3)) for _ in range(dims)]
    if mode.startswith("same"): pads = [same(*q, mode == "same_lower") for q in zip(spatial, k, s, d)]
    x, w, b = rand(integer(1, 2), cin, *spatial), rand(cout, cin // groups, *k), rand(cout)
    y = CONV[dims](F.pad(t(x), torch_pad(pads)), t(w), t(b) if index % 3 else None, stride=s, dilation=d, groups=groups)
    flat = [q for p in pads for q in p] if mode == "custom" else [7] * (2 * dims) if index % 2 else [0] * (2 * dims)
    params = {"weight": w, "strides": s, "dilations": d, "groups": groups, "pad_type": mode, "pad": flat}
    if index % 3: params["bias"] = b
    if mode == "valid" and index % 8 == 0:  # defaults
        params = {key: v for key, v in params.items() if key in ("weight", "bias")}
        y = CONV[dims](t(x), t(w), t(b) if index % 3 else None, groups=1) if groups == 1 else None
        if y is None: continue
    case("conv", {"x": x}, params, n(y))

for index in range(12):
    dims = [2, 2, 1, 3][index % 4]
    spatial = [integer(2, 5 if dims < 3 else 3) for _ in range(dims)]
    groups = [1, 2, 1][index % 3]
    cin, cout = groups * integer(1, 3), groups * integer(1, 2)
    k, s, d = [integer(1, 3) for _ in spatial], [integer(1, 3) for _ in spatial], [integer(1, 2) for _ in spatial]
    x, w, b = rand(1, cin, *spatial), rand(cin, cout // groups, *k), rand(cout)
    full = TRANSPOSE[dims](t(x), t(w), t(b), stride=s, dilation=d, groups=groups)
    params = {"weight": w, "bias": b, "strides": s, "dilations": d, "groups": groups, "pad_type": "valid",
              "pad": [0] * (2 * dims)}
    if index % 3 == 1:  # a crop of the full result
        pads = [(integer(0, min(1, size - 1)), integer(0, max(min(2, size - 2), 0))) for size in full.shape[2:]]
        params.update(pad_type="custom", pad=[q for p in pads for q in p])
        y = full[(slice(None),) * 2 + tuple(slice(a, full.shape[2 + i] - e) for i, (a, e) in enumerate(pads))]
    elif index % 3 == 2:  # what torch calls output_padding: one more row and column at the end, where the stride allows
        s = [max(q, 2) for q in s]
        extra = [1] * dims
        y = TRANSPOSE[dims](t(x), t(w), t(b), stride=s, dilation=d, groups=groups, output_padding=extra)
        params.update(strides=s, output_shape=list(y.shape))
    else: y = full
    if min(y.shape) < 1: continue
    case("conv_transpose", {"x": x}, params, n(y))


def pool(x, k, s, pads, mode, ceil, exclude):
    """By the rule of FORMAT: windows that begin in the padded end are none; overhang never counts."""
    out = []
    for size, kk, ss, (a, e) in zip(x.shape[2:], k, s, pads):
        room = size + a + e - kk
        o = (-(-room // ss) if ceil else room // ss) + 1
        if ceil and (o - 1) * ss >= size + a: o -= 1
        out.append(o)
    y = np.zeros(x.shape[:2] + tuple(out))
    for index in np.ndindex(*y.shape):
        ranges = []
        count = 1
        for o, size, kk, ss, (a, e) in zip(index[2:], x.shape[2:], k, s, pads):
            first = o * ss - a
            inside = [i for i in range(first, first + kk) if 0 <= i < size]
            count *= len(inside) if exclude else len([i for i in range(first, first + kk) if i < size + e])
            ranges.append(inside)
        v = x[index[0], index[1]][np.ix_(*ranges)].astype(np.float64)
        y[index] = v.max() if mode == "max_pool" else v.sum() / count if mode == "avg_pool" else math.sqrt((v * v).sum())
    return y


for mode in ("max_pool", "avg_pool", "l2_pool"):
    for index in range(10 if mode != "l2_pool" else 3):
        dims = [2, 2, 1, 3][index % 4]
        spatial = [integer(4, 7 if dims < 3 else 5) for _ in range(dims)]
        k = [integer(2, 3) for _ in spatial]
        s = [integer(1, kk) for kk in k]
        kind_ = ["valid", "custom", "same", "same_lower", "custom"][index % 5]
        pads = [(0, 0)] * dims
        ceil = False
        if kind_ == "custom":
            pads, ceil = [(integer(0, kk // 2),) * 2 for kk in k], bool(index % 2)
        if kind_.startswith("same"): pads = [same(size, kk, ss, 1, kind_ == "same_lower") for size, kk, ss in zip(spatial, k, s)]
        x = rand(1, integer(1, 3), *spatial)
        exclude = bool(index % 3 == 1) and mode == "avg_pool"
        params = {"kernel_sizes": k, "strides": s, "pad_type": kind_, "pad": [q for p in pads for q in p], "ceil_mode": ceil}
        if mode == "avg_pool": params["exclude_padding_from_average"] = exclude
        y = pool(x, k, s, pads, mode, ceil, exclude)
        if dims == 2 and kind_ in ("valid", "custom") and mode != "l2_pool":  # torch agrees with the rule
            symmetric = [p[0] for p in pads]
            z = (F.max_pool2d(t(x), k, s, symmetric, ceil_mode=ceil) if mode == "max_pool" else
                 F.avg_pool2d(t(x), k, s, symmetric, ceil_mode=ceil, count_include_pad=not exclude))
            assert np.allclose(n(z), y), (mode, index)
        case(mode, {"x": x}, params, y)

# ---------------------------------------------------------------- one number at a time
def any_shape(most=4): return [integer(1, 4) for _ in range(integer(1, most))]


PLAIN = {
    "relu": torch.relu, "relu6": F.relu6, "sigmoid": torch.sigmoid, "tanh": torch.tanh, "silu": F.silu,
    "softplus": lambda x: torch.log1p(torch.exp(x)), "softsign": F.softsign, "exp": torch.exp, "exp2": torch.exp2,
    "erf": torch.erf, "abs": torch.abs, "square": torch.square, "floor": torch.floor, "ceil": torch.ceil,
    "round": torch.round, "sign": torch.sign, "sin": torch.sin, "cos": torch.cos, "tan": torch.tan, "atan": torch.atan,
    "sinh": torch.sinh, "cosh": torch.cosh,
}
for op, f in PLAIN.items():
    x = np.concatenate([rand(23, low=-4, high=4), np.float32([0, 6, 7, -0.5, 0.5, 1.5, 2.5])]).reshape(2, 3, 5)
    case(op, {"x": x}, {}, n(f(t(x))))
for op, f, low, high in (("sqrt", torch.sqrt, 0, 9), ("asin", torch.asin, -1, 1), ("acos", torch.acos, -1, 1),
                         ("atanh", torch.atanh, -.9, .9)):
    x = rand(3, 7, low=low, high=high)
    case(op, {"x": x}, {}, n(f(t(x))))
for epsilon in (None, 0.25):
    x = rand(2, 9, low=.1, high=5)
    e = {} if epsilon is None else {"epsilon": np.float32(epsilon)}
    case("rsqrt", {"x": x}, e, n(1 / torch.sqrt(t(x) + (epsilon or 1e-12))))
    case("inverse", {"x": x}, e, n(1 / (t(x) + (epsilon or 1e-4))), tolerance=1e-5)
    case("log", {"x": x}, e, n(torch.log(t(x) + (epsilon or 0))))
f32 = np.float32
for op, params, f in (
    ("clip", {"alpha": f32(-1.25), "beta": f32(.75)}, lambda x: x.clamp(-1.25, .75)),
    ("leaky_relu", {"alpha": f32(.125)}, lambda x: F.leaky_relu(x, .125)),
    ("leaky_relu", {}, lambda x: F.leaky_relu(x, .01)),
    ("elu", {"alpha": f32(.5)}, lambda x: F.elu(x, .5)),
    ("thresholded_relu", {"alpha": f32(.5)}, lambda x: torch.where(x >= .5, x, torch.zeros_like(x))),
    ("sigmoid_hard", {"alpha": f32(.25), "beta": f32(.5)}, lambda x: (x * .25 + .5).clamp(0, 1)),
    ("linear_activation", {"alpha": f32(1.5), "beta": f32(-.25)}, lambda x: 1.5 * x - .25),
    ("scaled_tanh", {"alpha": f32(1.5), "beta": f32(.75)}, lambda x: 1.5 * torch.tanh(.75 * x)),
    ("clamped_relu", {"alpha": f32(.25), "beta": f32(1.5)}, lambda x: torch.where(x >= 0, x, .25 * x).clamp(max=1.5)),
    ("threshold", {"alpha": f32(.5)}, lambda x: x.clamp(min=.5)),
    ("gelu", {"mode": "EXACT"}, lambda x: F.gelu(x)),
    ("gelu", {"mode": "TANH_APPROXIMATION"}, lambda x: F.gelu(x, approximate="tanh")),
    ("gelu", {"mode": "SIGMOID_APPROXIMATION"}, lambda x: x * torch.sigmoid(1.702 * x)),
    ("identity", {}, lambda x: x),
):
    x = np.concatenate([rand(27, low=-3, high=3), f32([.5, 0, -.5])]).reshape(1, 5, 6)
    case(op, {"x": x}, params, n(f(t(x))))
for shape in ((1, 3, 2, 4), (2, 5, 3), (3, 4)):
    x, a = rand(*shape), rand(shape[1], low=-1, high=1)
    case("prelu", {"x": x}, {"alpha": a}, n(F.prelu(t(x), t(a))))
    a, b = rand(shape[1], low=.5, high=2), rand(shape[1], low=.5, high=2)
    col = (1, -1) + (1,) * (len(shape) - 2)
    case("softplus_parametric", {"x": x}, {"alpha": a, "beta": b},
         n(t(a).reshape(col) * torch.log1p(torch.exp(t(b).reshape(col) * t(x)))))
for name, dtype in (("int32", np.int32), ("fp32", np.float32), ("bool", np.bool_)):
    x = np.concatenate([rand(10, low=-5, high=5), f32([0, -1.5, 2.5, .999])])
    case("cast", {"x": x}, {"dtype": name}, np.trunc(x).astype(np.int32) if dtype == np.int32 else x.astype(dtype))

# ---------------------------------------------------------------- two at a time
BINARY = {
    "add": np.add, "sub": np.subtract, "mul": np.multiply, "real_div": np.divide, "maximum": np.maximum, "minimum": np.minimum,
    "floor_div": np.floor_divide, "mod": np.mod, "equal": np.equal, "not_equal": np.not_equal, "less": np.less,
    "less_equal": np.less_equal, "greater": np.greater, "greater_equal": np.greater_equal,
}
SHAPES = [((2, 3, 4), (2, 3, 4)), ((2, 3, 4), ()), ((1, 3, 1, 1), (2, 3, 2, 4)), ((4,), (3, 4)), ((2, 1, 4), (3, 1))]
for op, f in BINARY.items():
    for index, (a, b) in enumerate(SHAPES):
        x, y = rand(*a, low=-3, high=3), rand(*b, low=-3, high=3)
        if op in ("floor_div", "mod", "equal", "not_equal", "less", "less_equal", "greater", "greater_equal"):
            x, y = np.round(x).astype(f32), np.round(y).astype(f32)
        if op in ("real_div", "floor_div", "mod"): y = np.where(np.abs(y) < .25, f32(1.5), y).astype(f32)
        x, y = np.asarray(x, f32), np.asarray(y, f32)
        r = f(x.astype(np.float64), y.astype(np.float64))
        if index == 1: case(op, {"x": x}, {"y": y}, r)
        elif index == 3: case(op, {"y": y}, {"x": x}, r)
        else: case(op, {"x": x, "y": y}, {}, r)
x, y = rand(2, 5, low=.1, high=3), rand(2, 5)
case("pow", {"x": x, "y": y}, {}, np.power(x.astype(np.float64), y))
case("pow", {"x": x}, {"y": f32(2)}, np.power(x.astype(np.float64), 2))
a, b = R.rand(2, 6) > .5, R.rand(2, 6) > .5
for op, f in (("logical_and", np.logical_and), ("logical_or", np.logical_or), ("logical_xor", np.logical_xor)):
    case(op, {"x": a, "y": b}, {}, f(a, b))
case("logical_not", {"x": a}, {}, np.logical_not(a))
for sa, sb, sc in (((3, 4), (3, 4), (3, 4)), ((2, 3, 1), (), (2, 3, 4)), ((4,), (3, 1), (3, 4))):
    c, a, b = np.asarray(R.rand(*sa) > .5), rand(*sb), rand(*sc)
    case("select", {"cond": c, "b": b}, {"a": np.asarray(a, f32)}, np.where(c, a, b))

# ---------------------------------------------------------------- products, normalisation, reductions
for shape, out in (((2, 5), 3), ((1, 4, 6), 2), ((2, 1, 3, 4), 5), ((7,), 2)):
    x, w, b = rand(*shape), rand(out, shape[-1]), rand(out)
    case("linear", {"x": x}, {"weight": w, "bias": b}, n(F.linear(t(x), t(w), t(b))))
case("linear", {"x": x}, {"weight": w}, n(F.linear(t(x), t(w))))
for sx, sy, tx, ty in (((3, 4), (4, 2), 0, 0), ((2, 3, 4), (2, 4, 5), 0, 0), ((2, 4, 3), (4, 5), 1, 0), ((1, 2, 3, 4), (3, 1, 5, 4), 0, 1),
                       ((4, 3), (2, 5, 4), 1, 1), ((4,), (4, 3), 0, 0), ((2, 3, 4), (4,), 0, 0)):
    x, y = rand(*sx), rand(*sy)
    a = t(x).transpose(-1, -2) if tx else t(x)
    b = t(y).transpose(-1, -2) if ty else t(y)
    case("matmul", {"x": x, "y": y}, {"transpose_x": bool(tx), "transpose_y": bool(ty)}, n(a @ b))
for lead, L, S, E, V, mask in (((2,), 3, 5, 4, 6, None), ((1, 2), 4, 4, 3, 3, "float"), ((2, 2), 3, 4, 5, 2, "bool")):
    q, k, v = rand(*lead, L, E), rand(*lead, S, E), rand(*lead, S, V)
    m = None if mask is None else rand(L, S) if mask == "float" else np.concatenate([np.ones((L, 1), bool), R.rand(L, S - 1) > .5], 1)
    y = F.scaled_dot_product_attention(t(q), t(k), t(v), None if m is None else torch.from_numpy(m) if mask == "bool" else t(m))
    case("scaled_dot_product_attention", {"query": q, "key": k, "value": v}, {} if m is None else {"attn_mask": m}, n(y), spec=9)
for shape in ((2, 3, 4, 2), (1, 5, 3), (3, 4)):
    c = shape[1]
    x, m, v, g, b = rand(*shape), rand(c), rand(c, low=.2, high=2), rand(c), rand(c)
    case("batch_norm", {"x": x}, {"mean": m, "variance": v, "gamma": g, "beta": b, "epsilon": f32(1e-3)},
         n(F.batch_norm(t(x), t(m), t(v), t(g), t(b), eps=float(f32(1e-3)))))
    case("batch_norm", {"x": x}, {"mean": m, "variance": v}, n(F.batch_norm(t(x), t(m), t(v), eps=float(f32(1e-5)))))
for shape, axes in (((2, 3, 4), [-1]), ((2, 3, 4), [1, 2]), ((1, 4, 2, 3), [1]), ((3, 5), [0, 1])):
    x = rand(*shape)
    ax = sorted(a % len(shape) for a in axes)
    g, b = rand(*[shape[a] for a in ax]), rand(*[shape[a] for a in ax])
    d = x.astype(np.float64)
    mu = d.mean(tuple(ax), keepdims=True)
    z = (d - mu) / np.sqrt(((d - mu) ** 2).mean(tuple(ax), keepdims=True) + float(f32(1e-4)))
    s = [shape[i] if i in ax else 1 for i in range(len(shape))]
    case("layer_norm", {"x": x}, {"axes": axes, "gamma": g, "beta": b, "epsilon": f32(1e-4)}, z * g.reshape(s) + b.reshape(s), tolerance=1e-5)
    case("layer_norm", {"x": x}, {"axes": axes, "epsilon": f32(1e-4)}, z, tolerance=1e-5)
for shape in ((2, 3, 4, 2), (1, 2, 5)):
    x, g, b = rand(*shape), rand(shape[1]), rand(shape[1])
    case("instance_norm", {"x": x}, {"gamma": g, "beta": b, "epsilon": f32(1e-3)},
         n(F.instance_norm(t(x), weight=t(g), bias=t(b), eps=float(f32(1e-3)))), tolerance=1e-5)
    case("local_response_norm", {"x": x}, {"size": 3, "alpha": f32(.5), "beta": f32(.75), "k": f32(1.5)},
         n(F.local_response_norm(t(x), 3, .5, .75, 1.5)))
    case("local_response_norm", {"x": x}, {"size": 2}, n(F.local_response_norm(t(x), 2, 1e-4, .75, 1.0)))
for shape in ((3, 2, 4), (2, 3, 2, 2)):
    x = rand(*shape)
    d = x.astype(np.float64)
    case("l2_norm", {"x": x}, {"epsilon": f32(1e-3)},
         d / np.sqrt((d * d).sum((-3, -2, -1), keepdims=True) + float(f32(1e-3))))
for shape, axis in (((3, 5), -1), ((2, 4, 3), 1), ((6,), 0), ((1, 3, 2, 2), -3)):
    x = rand(*shape, low=-6, high=6)
    case("softmax", {"x": x}, {"axis": axis}, n(torch.softmax(t(x), axis)))
REDUCE = {
    "reduce_mean": np.mean, "reduce_sum": np.sum, "reduce_max": np.max, "reduce_min": np.min, "reduce_prod": np.prod,
    "reduce_sum_square": lambda d, axis, keepdims: (d * d).sum(axis, keepdims=keepdims),
    "reduce_l2_norm": lambda d, axis, keepdims: np.sqrt((d * d).sum(axis, keepdims=keepdims)),
    "reduce_l1_norm": lambda d, axis, keepdims: np.abs(d).sum(axis, keepdims=keepdims),
    "reduce_log_sum": lambda d, axis, keepdims: np.log(d.sum(axis, keepdims=keepdims)),
    "reduce_log_sum_exp": lambda d, axis, keepdims: np.log(np.exp(d).sum(axis, keepdims=keepdims)),
}
for op, f in REDUCE.items():
    for shape, axes, keep in (((2, 3, 4), [1], True), ((2, 3, 4), [-1, 0], False), ((1, 2, 3, 2), [2, 3], True), ((2, 3), None, False)):
        x = rand(*shape, low=.1, high=2) if op == "reduce_log_sum" else rand(*shape)
        params = {"keep_dims": keep}
        if axes is not None: params["axes"] = axes
        case(op, {"x": x}, params, f(x.astype(np.float64), axis=None if axes is None else tuple(axes), keepdims=keep))
for shape, axis, keep in (((3, 4), -1, False), ((2, 5, 3), 1, True), ((6,), 0, False)):
    x = np.round(rand(*shape) * 2).astype(f32)
    for op, f in (("reduce_argmax", np.argmax), ("reduce_argmin", np.argmin)):
        case(op, {"x": x}, {"axis": axis, "keep_dims": keep}, f(x, axis=axis, keepdims=keep).astype(np.int32))

# ---------------------------------------------------------------- movement
x = rand(2, 3, 4)
for shape in ([6, 4], [2, -1], [0, 2, 6], [-1], [2, 3, 4, 1]):
    case("reshape", {"x": x}, {"shape": shape}, x.reshape([x.shape[i] if q == 0 else q for i, q in enumerate(shape)]))
for perm in ([2, 0, 1], [0, -1, 1], [1, 0, 2]): case("transpose", {"x": x}, {"perm": perm}, x.transpose([p % 3 for p in perm]))
x = rand(1, 3, 1, 2)
case("squeeze", {"x": x}, {"axes": [0, -2]}, x.reshape(3, 2))
case("squeeze", {"x": x}, {}, x.reshape(3, 2))
x = rand(3, 2)
case("expand_dims", {"x": x}, {"axes": [0, -1]}, x.reshape(1, 3, 2, 1))
case("expand_dims", {"x": x}, {"axes": [1]}, x.reshape(3, 1, 2))
x = rand(2, 3, 2, 2)
for axis in (0, 1, 2, 4, -1): case("flatten2d", {"x": x}, {"axis": axis}, x.reshape(int(np.prod(x.shape[:axis])), -1))
for axis, interleave in ((1, False), (-1, False), (0, False), (1, True), (2, True)):
    a = rand(2, 3, 4)
    s = list(a.shape)
    if not interleave: s[axis] = 2
    b, c = rand(*s), rand(*s)
    y = np.concatenate([a, b, c], axis)
    if interleave:
        y = np.stack([a, b, c], axis + 1).reshape([d * 3 if i == axis else d for i, d in enumerate(a.shape)])
    case("concat", {"a": a, "b": b, "c": c}, {"values": ["a", "b", "c"], "axis": axis, "interleave": interleave}, y)
for axis in (0, 1, -1):
    a, b = rand(2, 3), rand(2, 3)
    case("stack", {"a": a, "b": b}, {"values": ["a", "b"], "axis": axis}, np.stack([a, b], axis))
x = rand(2, 6, 3)
case("split", {"x": x}, {"axis": 1, "split_sizes": [1, 2, 3]}, np.split(x, [1, 3], 1))
case("split", {"x": x}, {"axis": -2, "num_splits": 3}, np.split(x, 3, 1))
x = rand(4, 5, 6)
for begin, end, stride, bm, em, sm in (
    ([1, 0, 2], [3, 5, 6], [1, 1, 1], [0, 0, 0], [0, 0, 0], [0, 0, 0]),
    ([-3, 1, 0], [-1, 99, 0], [1, 2, 1], [0, 0, 1], [0, 0, 1], [0, 0, 0]),
    ([2, 4, 5], [0, 0, 1], [1, -1, -2], [0, 0, 0], [0, 1, 0], [1, 0, 0]),
    ([0, -1, 3], [0, 0, 0], [3, 1, 1], [1, 0, 0], [1, 0, 1], [0, 1, 0]),
    ([0, 0, -1], [4, 5, -7], [1, 1, -1], [0, 0, 0], [0, 0, 0], [0, 0, 0]),
):
    y = x[tuple(begin[i] if sm[i] else slice(None if bm[i] else begin[i], None if em[i] else end[i], stride[i]) for i in range(3))]
    case("slice_by_index", {"x": x}, {"begin": begin, "end": end, "stride": stride, "begin_mask": np.array(bm, bool),
                                      "end_mask": np.array(em, bool), "squeeze_mask": np.array(sm, bool)}, y)
case("slice_by_size", {"x": x}, {"begin": [1, 0, 2], "size": [2, -1, 3]}, x[1:3, :, 2:5])
case("reverse", {"x": x}, {"axes": [0, -1]}, x[::-1, :, ::-1])
case("reverse", {"x": x}, {}, x[::-1, ::-1, ::-1])
x = rand(1, 2, 5, 6)
case("crop", {"x": x}, {"crop_height": [1, 2], "crop_width": [0, 3]}, x[:, :, 1:3, :3])
for pads, mode in (([0, 0, 0, 0, 1, 2, 3, 0], "constant"), ([1, 2, 2, 1], "constant"), ([2, 1, 1, 3], "reflect"), ([0, 2, 3, 1], "replicate"),
                   ([4, 0, 0, 5], "reflect")):
    P = [(0, 0)] * (4 - len(pads) // 2) + [(pads[i], pads[i + 1]) for i in range(0, len(pads), 2)]
    if mode == "constant": y = np.pad(x, P, constant_values=f32(1.5))
    else: y = np.pad(x, P, mode="reflect" if mode == "reflect" else "edge")
    case("pad", {"x": x}, dict({"pad": pads, "mode": mode}, **({"constant_val": f32(1.5)} if mode == "constant" else {})), y)
x = rand(2, 1, 3)
case("tile", {"x": x}, {"reps": [1, 4, 2]}, np.tile(x, [1, 4, 2]))
case("tile", {"x": x}, {"reps": [3, 1, 1]}, np.tile(x, [3, 1, 1]))
x = rand(1, 8, 2, 3)
case("pixel_shuffle", {"x": x}, {"upscale_factor": 2}, n(F.pixel_shuffle(t(x), 2)))
# depth_to_space: the places in a block are the slow part of the channels (TensorFlow's DepthToSpace on NHWC).
case("depth_to_space", {"x": x}, {"block_size": 2}, x.reshape(1, 2, 2, 2, 2, 3).transpose(0, 3, 4, 1, 5, 2).reshape(1, 2, 4, 6))
x = rand(1, 2, 4, 6)
case("pixel_unshuffle", {"x": x}, {"downscale_factor": 2}, n(F.pixel_unshuffle(t(x), 2)))
case("space_to_depth", {"x": x}, {"block_size": 2}, x.reshape(1, 2, 2, 2, 3, 2).transpose(0, 3, 5, 1, 2, 4).reshape(1, 8, 2, 3))

# ---------------------------------------------------------------- selection
x = rand(3, 4, 5)
for indices, axis in (([2, 0], 0), ([[1, -1], [3, 0]], 1), (3, -1)):
    i = np.asarray(indices, np.int32)
    case("gather", {"x": x}, {"indices": i, "axis": axis}, np.take(x, i, axis=axis))
i = np.asarray([[0, 2], [1, 1]], np.int32)
case("gather", {"x": x, "indices": i}, {"axis": 0}, np.take(x, i, axis=0))
for axis in (0, 1, -1):
    s = list(x.shape)
    s[axis] = 2
    i = R.randint(0, x.shape[axis], s).astype(np.int32)
    case("gather_along_axis", {"x": x, "indices": i}, {"axis": axis}, np.take_along_axis(x, i.astype(int), axis))
i = np.asarray([[0, 3], [2, 1], [1, 0]], np.int32)
case("gather_nd", {"x": x, "indices": i}, {}, x[i[:, 0], i[:, 1]])
i = np.asarray([[[2], [0]]], np.int32)
case("gather_nd", {"x": x, "indices": i}, {}, x[i[..., 0]])
for shape, axis, k, ascending in (((3, 6), -1, 3, False), ((4, 2, 3), 0, 2, True), ((5,), 0, 5, False)):
    v = R.permutation(int(np.prod(shape))).astype(f32).reshape(shape)
    values, places = torch.topk(t(v), k, dim=axis, largest=not ascending)
    case("topk", {"x": v}, {"k": k, "axis": axis, "ascending": ascending}, [n(values), n(places).astype(np.int32)])
    case("argsort", {"x": v}, {"axis": axis, "ascending": ascending},
         np.argsort(v if ascending else -v, axis=axis).astype(np.int32))
for axis, exclusive, reverse in ((0, False, False), (1, True, False), (-1, False, True), (2, True, True)):
    d = x.astype(np.float64)
    d = np.flip(d, axis) if reverse else d
    y = np.cumsum(d, axis) - (d if exclusive else 0)
    case("cumsum", {"x": x}, {"axis": axis, "exclusive": exclusive, "reverse": reverse}, np.flip(y, axis) if reverse else y)
i = np.asarray([[0, 3], [2, 2]], np.int32)
for axis, on, off in ((-1, 1, 0), (0, 2.5, -1), (1, 1, 0)):
    y = np.moveaxis(np.where(np.eye(4, dtype=bool)[i], on, off), -1, axis)
    case("one_hot", {"indices": i}, {"one_hot_vector_size": 4, "axis": axis, "on_value": f32(on), "off_value": f32(off)}, y.astype(f32))

# ---------------------------------------------------------------- pictures of other sizes
def grid(mode, size, count):
    i = np.arange(count, dtype=np.float64)
    if mode in ("STRICT_ALIGN_CORNERS", "ALIGN_CORNERS"):
        p = i * (size - 1) / max(count - 1, 1)
        if count == 1 and mode == "ALIGN_CORNERS": p = p + (size - 1) / 2
    elif mode == "DEFAULT": p = i * ((size - size / count) / (count - 1) if count > 1 else 0)
    elif mode == "OFFSET_CORNERS":
        delta = max(1, size - 1) / count
        p = .5 * delta + i * delta
    else: p = i * size / count + .5 * size / count - .5
    return np.clip(p, 0, size - 1)


def linear(x, rows, columns, mode):
    for axis, count in ((-2, rows), (-1, columns)):
        p = grid(mode, x.shape[axis], count)
        a = np.floor(p).astype(int)
        b = np.minimum(a + 1, x.shape[axis] - 1)
        w = (p - a).reshape((-1, 1) if axis == -2 else (-1,))
        x = np.take(x, a, axis) * (1 - w) + np.take(x, b, axis) * w
    return x


x = rand(1, 2, 4, 5)
for rows, columns in ((7, 9), (2, 3), (1, 10), (4, 1)):
    for mode in ("STRICT_ALIGN_CORNERS", "ALIGN_CORNERS", "DEFAULT", "OFFSET_CORNERS", "UNALIGN_CORNERS"):
        y = linear(x.astype(np.float64), rows, columns, mode)
        if mode == "UNALIGN_CORNERS": assert np.allclose(y, n(F.interpolate(t(x), (rows, columns), mode="bilinear", align_corners=False)))
        if mode == "STRICT_ALIGN_CORNERS": assert np.allclose(y, n(F.interpolate(t(x), (rows, columns), mode="bilinear", align_corners=True)))
        case("resize_bilinear", {"x": x}, {"target_size_height": rows, "target_size_width": columns, "sampling_mode": mode}, y)
    y = n(F.interpolate(t(x), (rows, columns), mode="nearest"))
    case("resize_nearest_neighbor", {"x": x}, {"target_size_height": rows, "target_size_width": columns}, y)
for high, wide in ((2, 3), (1.5, 2.25)):
    size = (int(4 * high), int(5 * wide))
    factor = {"scale_factor_height": f32(high), "scale_factor_width": f32(wide)} if high % 1 else {"scale_factor_height": int(high), "scale_factor_width": int(wide)}
    case("upsample_nearest_neighbor", {"x": x}, factor, n(F.interpolate(t(x), size, mode="nearest")))
    for corners in (True, False):
        case("upsample_bilinear", {"x": x}, dict(factor, align_corners=corners),
             n(F.interpolate(t(x), size, mode="bilinear", align_corners=corners)))
    case("upsample_bilinear", {"x": x}, dict(factor, align_corners=False, half_pixel_centers=False), linear(x.astype(np.float64), *size, "DEFAULT"))
case("resize", {"x": x}, {"shape": [1, 8, 0], "resized_dims": np.uint32(2), "interpolation_mode": "LINEAR", "sampling_mode": "UNALIGN_CORNERS"},
     n(F.interpolate(t(x), (8, 5), mode="bilinear", align_corners=False)), spec=8)
case("resize", {"x": x}, {"shape": [3], "resized_dims": np.uint32(1), "interpolation_mode": "NEAREST_NEIGHBOR", "sampling_mode": "DEFAULT"},
     n(F.interpolate(t(x), (4, 3), mode="nearest")), spec=8)


# ---------------------------------------------------------------- suppression of boxes
def suppress(boxes, scores, iou, least, count, per_class):
    """Best score first; a box goes where a kept one (of its class) overlaps it by more than `iou`. None left: the best."""
    order = sorted(range(len(boxes)), key=lambda i: (-scores[i].max(), i))
    rest = [i for i in order if scores[i].max() >= least] or order[:1]
    kept = []
    for i in rest:
        if len(kept) == count: break
        for j in kept:
            if per_class and scores[i].argmax() != scores[j].argmax(): continue
            a, b = boxes[i].astype(np.float64), boxes[j].astype(np.float64)
            w = min(a[0] + a[2] / 2, b[0] + b[2] / 2) - max(a[0] - a[2] / 2, b[0] - b[2] / 2)
            h = min(a[1] + a[3] / 2, b[1] + b[3] / 2) - max(a[1] - a[3] / 2, b[1] - b[3] / 2)
            common = max(w, 0) * max(h, 0)
            if common / (a[2] * a[3] + b[2] * b[3] - common) > iou: break
        else: kept.append(i)
    B, S, I = np.zeros((count, 4)), np.zeros((count, scores.shape[1])), -np.ones(count, np.int32)
    B[:len(kept)], S[:len(kept)], I[:len(kept)] = boxes[kept], scores[kept], kept
    return B, S, I, np.int32(len(kept))


for index in range(6):
    total, classes, count = integer(6, 14), integer(1, 3), integer(3, 8)
    boxes = np.concatenate([R.uniform(.2, .8, (2, total, 2)), R.uniform(.15, .5, (2, total, 2))], 2).astype(f32)
    scores = R.uniform(0, 1, (2, total, classes)).astype(f32)
    iou, least, per_class = f32(pick(.2, .4, .6)), f32([.1, .5, 2][index % 3]), bool(index % 2)
    params = {"iou_threshold": iou, "score_threshold": least, "max_boxes": count, "per_class_suppression": per_class}
    r = [suppress(boxes[p], scores[p], iou, least, count, per_class) for p in range(2)]
    case("non_maximum_suppression", {"boxes": boxes, "scores": scores}, params, [np.stack([q[j] for q in r]) for j in range(4)])
    r = [suppress(boxes[p], scores[p], iou, -1, count, per_class) for p in range(2)]
    del params["score_threshold"]
    case("non_maximum_suppression", {"boxes": boxes.transpose(0, 2, 1), "scores": scores.transpose(0, 2, 1)}, params,
         [np.stack([q[0].T for q in r]), np.stack([q[1].T for q in r]), np.stack([q[2] for q in r])], spec=8)

# ---------------------------------------------------------------- constants out of shapes
x = rand(2, 3, 5)
case("shape", {"x": x}, {}, np.asarray([2, 3, 5], np.int32))
# Results that depend on no input need one all the same: nothing else goes in.
case("fill_like", {"ref_tensor": x}, {"value": f32(2.5)}, np.full((2, 3, 5), 2.5, f32))
case("range_1d", {"unused": x}, {"start": 2, "end": 11, "step": 3}, np.arange(2, 11, 3).astype(np.int32))
case("range_1d", {"unused": x}, {"start": f32(1), "end": f32(-1), "step": f32(-.5)}, np.arange(1, -1, -.5).astype(f32))
case("fill", {"unused": x}, {"shape": [2, 3], "value": f32(-1.5)}, np.full((2, 3), -1.5, f32))

# data[indices] = data[indices] (mode) updates, one after the other
SCATTER = {"add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide, "max": np.maximum, "min": np.minimum,
           "update": lambda old, new: new}
for index, (mode, fn) in enumerate(SCATTER.items()):
    axis, shape = index % 3, [3, 4, 5]
    x, i = rand(*shape), R.randint(0, shape[axis], 4)
    u = rand(*[4 if k == axis else s for k, s in enumerate(shape)], low=.5)
    y = np.moveaxis(x.astype(np.float64), axis, 0).copy()
    for k, to in enumerate(i): y[to] = fn(y[to], np.moveaxis(u, axis, 0)[k])
    constant = index % 2 == 0
    params = {"axis": axis - 3 if index == 4 else axis, "mode": mode, **({"indices": i} if constant else {})}
    case("scatter", {"data": x, "updates": u, **({} if constant else {"indices": i.astype(np.int32)})}, params, np.moveaxis(y, 0, axis))
    i = R.randint(0, shape[axis], u.shape).astype(np.int32)
    y = x.astype(np.float64)
    for at in np.ndindex(*u.shape):
        to = tuple(i[at] if k == axis else a for k, a in enumerate(at))
        y[to] = fn(y[to], u[at])
    case("scatter_along_axis", {"data": x, "indices": i, "updates": u}, {"axis": axis, "mode": mode}, y)
    depth = 1 + index % 3
    i = np.stack([R.randint(0, s, (2, 3)) for s in shape[:depth]], -1).astype(np.int32)
    u, y = rand(2, 3, *shape[depth:], low=.5), x.astype(np.float64)
    for at in np.ndindex(2, 3): y[tuple(i[at])] = fn(y[tuple(i[at])], u[at])
    case("scatter_nd", {"data": x, "indices": i, "updates": u}, {"mode": mode}, y)

# ---------------------------------------------------------------- networks of layers
LAYERS = []


def f(field, x): return varint(field << 3 | 5) + np.float32(x).tobytes()
def weights(field, a): return blob(field, blob(1, np.ascontiguousarray(a, dtype="<f4").tobytes()))
def sizes(field, numbers): return b"".join(number(field, q) or varint(field << 3) + b"\0" for q in numbers)


def layer(name, field, content, inputs, outputs, expected, exact=0, constants=b"", tolerance=None):
    """One layer of a network whose tensors are [channels, height, width], or of any rank where `exact` is 1."""
    expected = [np.asarray(y) for y in (expected if isinstance(expected, list) else [expected])]
    body = text(1, name) + b"".join(text(2, n) for n in inputs) + b"".join(text(3, n) for n in outputs) + blob(field, content)
    network = constants + blob(1, body) + number(5, exact)
    arrays = {n: a for n, a in inputs.items() if a is not None}

    def feature(field_, n, shape):
        array = b"".join(number(1, d) for d in shape) + number(2, 65568)
        return blob(field_, text(1, n) + blob(3, blob(5, array)))

    description = b"".join(feature(1, n, a.shape) for n, a in arrays.items())
    description += b"".join(feature(10, n, y.shape) for n, y in zip(outputs, expected))
    model = number(1, 4) + blob(2, description) + blob(500, network)
    scale = max([1e-3] + [float(np.abs(y.astype(np.float64)).max()) for y in expected])

    def place(n, a): return {"name": n, "shape": list(a.shape), "offset": put(np.ascontiguousarray(a, dtype="<f4").tobytes())}

    LAYERS.append({
        "operation": name, "model": put(model), "bytes": len(model), "tolerance": tolerance or scale * 2e-6,
        "inputs": [place(n, a) for n, a in arrays.items()], "outputs": [place(n, y) for n, y in zip(outputs, expected)]})


def borders(rows, columns): return blob(1, b"".join(blob(10, number(1, a) + number(2, e)) for a, e in (rows, columns)))


x = rand(4, 6, 7)
d = t(x)[None]
for index in range(6):
    g = [1, 2][index % 2]
    w, b = rand(6, 4 // g, 3, 2), rand(6)
    k = number(1, 6) + number(2, 4 // g) + number(10, g) + sizes(20, [3, 2]) + sizes(30, [2, 1]) + sizes(40, [1, 2])
    k += number(70, 1) + weights(90, w) + weights(91, b)
    if index < 2:
        k += blob(50, borders((1, 2), (0, 1)))
        y = F.conv2d(F.pad(d, (0, 1, 1, 2)), t(w), t(b), stride=(2, 1), dilation=(1, 2), groups=g)
    elif index < 4:
        k += blob(51, number(1, index - 2))
        p = [same(6, 3, 2, 1, index == 3), same(7, 2, 1, 2, index == 3)]
        y = F.conv2d(F.pad(d, torch_pad(p)), t(w), t(b), stride=(2, 1), dilation=(1, 2), groups=g)
    else:
        w = rand(4, 6 // g, 3, 2)
        k = number(1, 6) + number(2, 4) + number(10, g) + sizes(20, [3, 2]) + sizes(30, [2, 1]) + blob(50, b"") + number(60, 1)
        k += number(70, 1) + weights(90, w) + weights(91, b)
        y = F.conv_transpose2d(d, t(w), t(b), stride=(2, 1), groups=g)
    layer("convolution", 100, k, {"x": x}, ["y"], n(y[0]))
for kind_, mode in ((0, "max_pool"), (1, "avg_pool"), (2, "l2_pool")):
    base = number(1, kind_) + sizes(10, [3, 2]) + sizes(20, [2, 2])
    layer("pooling", 120, base + blob(30, borders((1, 1), (0, 1))), {"x": x}, ["y"],
          pool(x[None], [3, 2], [2, 2], [(1, 1), (0, 1)], mode, False, False)[0])
    layer("pooling", 120, base + blob(31, b"") + number(50, 1), {"x": x}, ["y"],
          pool(x[None], [3, 2], [2, 2], [same(6, 3, 2, 1, False), same(7, 2, 2, 1, False)], mode, False, True)[0])
    layer("pooling", 120, base + blob(32, sizes(10, [1, 0])), {"x": x}, ["y"],
          pool(x[None], [3, 2], [2, 2], [(1, 1), (0, 0)], mode, True, False)[0])
    flat = x.astype(np.float64)
    y = {0: flat.max((1, 2)), 1: flat.mean((1, 2)), 2: np.sqrt((flat ** 2).sum((1, 2)))}[kind_].reshape(4, 1, 1)
    layer("pooling", 120, number(1, kind_) + number(60, 1), {"x": x}, ["y"], y)
    layer("pooling", 120, number(1, kind_) + varint(10 << 3 | 2) + b"\2\0\0" + varint(20 << 3 | 2) + b"\2\0\0" + number(60, 1),
          {"x": x}, ["y"], y)
a4 = rand(4, low=-1, high=1)
for field, content, y in (
    (5, f(1, 1.5) + f(2, -.25), 1.5 * d - .25), (10, b"", torch.relu(d)), (15, f(1, .125), F.leaky_relu(d, .125)),
    (20, f(1, .5), torch.where(d >= .5, d, torch.zeros_like(d))), (25, weights(1, a4), F.prelu(d, t(a4))),
    (25, weights(1, a4[:1]), F.prelu(d, t(a4[:1]))), (30, b"", torch.tanh(d)), (31, f(1, 1.5) + f(2, .5), 1.5 * torch.tanh(.5 * d)),
    (40, b"", torch.sigmoid(d)), (41, f(1, .25) + f(2, .5), (.25 * d + .5).clamp(0, 1)), (50, f(1, .5), F.elu(d, .5)),
    (60, b"", F.softsign(d)), (70, b"", torch.log1p(torch.exp(d))),
): layer("activation", 130, blob(field, content), {"x": x}, ["y"], n(y[0]))
w, b, v = rand(3, 5), rand(3), rand(5)
inner = number(1, 5) + number(2, 3) + number(10, 1) + weights(20, w) + weights(21, b)
layer("innerProduct", 140, inner, {"x": v}, ["y"], n(F.linear(t(v), t(w), t(b))))
r = rand(2, 5)
layer("innerProduct", 140, inner, {"x": r}, ["y"], n(F.linear(t(r), t(w), t(b))), exact=1)
gamma, beta, mean, variance = rand(4), rand(4), rand(4), rand(4, low=.2, high=2)
bn = number(1, 4) + f(10, 1e-3) + weights(15, gamma) + weights(16, beta)
layer("batchnorm", 160, bn + weights(17, mean) + weights(18, variance), {"x": x}, ["y"],
      n(F.batch_norm(d, t(mean), t(variance), t(gamma), t(beta), eps=float(f32(1e-3)))[0]))
layer("batchnorm", 160, bn + number(5, 1) + number(6, 1), {"x": x}, ["y"],
      n(F.instance_norm(d, weight=t(gamma), bias=t(beta), eps=float(f32(1e-3)))[0]), tolerance=1e-5)
layer("softmax", 175, b"", {"x": x}, ["y"], n(torch.softmax(d, 1)[0]))
layer("softmaxND", 950, varint(8) + varint(-2), {"x": x}, ["y"], n(torch.softmax(d, -2)[0]), exact=1)
layer("lrn", 180, f(1, .5) + f(2, .75) + number(3, 3) + f(4, 1.5), {"x": x}, ["y"], n(F.local_response_norm(d, 3, .5, .75, 1.5)[0]))
P = [(0, 0), (1, 2), (3, 1)]
pads = lambda field, content: blob(field, content) + blob(10, b"".join(blob(10, number(1, a) + number(2, e)) for a, e in P[1:]))
layer("padding", 200, pads(1, f(1, 1.5)), {"x": x}, ["y"], np.pad(x, P, constant_values=1.5))
layer("padding", 200, pads(2, b""), {"x": x}, ["y"], np.pad(x, P, mode="reflect"))
layer("padding", 200, pads(3, b""), {"x": x}, ["y"], np.pad(x, P, mode="edge"))
q = rand(2, 3, 4, low=.2, high=3)
for kind_, fn in ((0, np.sqrt), (1, lambda z: 1 / np.sqrt(z + .25)), (2, lambda z: 1 / (z + .25)), (3, lambda z: z ** 1.5), (4, np.exp),
                  (5, lambda z: np.log(z + .25)), (6, np.abs), (7, lambda z: np.maximum(z, 1.5))):
    layer("unary", 220, number(1, kind_) + f(2, 1.5) + f(3, .25) + f(4, .5) + f(5, 2), {"x": q}, ["y"], fn(2 * q.astype(np.float64) + .5))
z, column = rand(4, 6, 7), rand(4, 1, 1)
dx, dz, dc = (a.astype(np.float64) for a in (x, z, column))
layer("add", 230, b"", {"x": x, "z": z}, ["y"], dx + dz)
layer("add", 230, f(1, 2.5), {"x": x}, ["y"], dx + 2.5)
layer("add", 880, b"", {"x": x, "z": column}, ["y"], dx + dc, exact=1)
layer("multiply", 231, b"", {"x": x, "z": column}, ["y"], dx * dc)
layer("multiply", 231, f(1, -1.5), {"x": x}, ["y"], dx * -1.5)
layer("multiply", 900, b"", {"x": x, "z": z}, ["y"], dx * dz, exact=1)
layer("scale", 245, sizes(1, [4]) + weights(2, a4) + number(3, 1) + sizes(4, [4, 6, 7]) + weights(5, z), {"x": x}, ["y"], dx * a4.reshape(4, 1, 1) + dz)
layer("scale", 245, sizes(1, [1]) + weights(2, a4[:1]), {"x": x}, ["y"], dx * float(a4[0]))
layer("bias", 250, sizes(1, [4]) + weights(2, a4), {"x": x}, ["y"], dx + a4.reshape(4, 1, 1))
for mode, fn in ((0, np.sum), (1, np.mean), (2, np.prod), (4, lambda v, axis, keepdims: (v * v).sum(axis, keepdims=keepdims)),
                 (5, lambda v, axis, keepdims: abs(v).sum(axis, keepdims=keepdims)),
                 (6, lambda v, axis, keepdims: np.sqrt((v * v).sum(axis, keepdims=keepdims))), (7, np.max), (8, np.min)):
    for which, axes in ((0, (0, 1, 2)), (1, (1, 2)), (2, (0,)), (3, (1,)), (4, (2,))):
        layer("reduce", 280, number(1, mode) + number(3, which), {"x": q}, ["y"], fn(q.astype(np.float64), axis=axes, keepdims=True))
layer("reduceMean", 1280, sizes(1, [1, 2]) + number(2, 1), {"x": q}, ["y"], q.astype(np.float64).mean((1, 2), keepdims=True), exact=1)
layer("clip", 660, f(1, -.5) + f(2, 1.25), {"x": x}, ["y"], dx.clip(-.5, 1.25))
layer("flatten", 301, b"", {"x": q}, ["y"], q.reshape(-1, 1, 1))
layer("flatten", 301, number(1, 1), {"x": q}, ["y"], q.transpose(1, 2, 0).reshape(-1, 1, 1))
layer("reshape", 300, sizes(1, [4, 3, 2]), {"x": q}, ["y"], q.reshape(4, 3, 2))
layer("reshape", 300, sizes(1, [4, 3, 2]) + number(2, 1), {"x": q}, ["y"], q.transpose(1, 2, 0).reshape(3, 2, 4).transpose(2, 0, 1))
layer("permute", 310, sizes(1, [0, 2, 3, 1]), {"x": q}, ["y"], q.transpose(1, 2, 0))
layer("concat", 320, b"", {"x": x, "z": z}, ["y"], np.concatenate([x, z], 0))
layer("concatND", 980, varint(8) + varint(-1), {"x": x, "z": z}, ["y"], np.concatenate([x, z], -1), exact=1)
layer("split", 330, number(1, 2), {"x": x}, ["y", "w"], [x[:2], x[2:]])
layer("transpose", 985, sizes(1, [2, 0, 1]), {"x": q}, ["y"], q.transpose(2, 0, 1), exact=1)
layer("squeeze", 1120, sizes(1, [1, 2]), {"x": column}, ["y"], column.reshape(4), exact=1)
layer("flattenTo2D", 1130, number(1, 1), {"x": q}, ["y"], q.reshape(2, 12), exact=1)
layer("reshapeStatic", 1140, sizes(1, [6, 4]), {"x": q}, ["y"], q.reshape(6, 4), exact=1)
held = blob(1, text(1, "held") + text(3, "c") + blob(290, sizes(1, [4, 6, 7]) + weights(2, z)))
layer("loadConstant", 230, b"", {"x": x, "c": None}, ["y"], dx + dz, constants=held)
held = blob(1, text(1, "held") + text(3, "c") + blob(1070, sizes(1, [6, 7]) + weights(2, z[0])))
layer("loadConstantND", 880, b"", {"x": x, "c": None}, ["y"], dx + dz[:1], exact=1, constants=held)

# Layers for tensors of any rank.
layer("copy", 600, b"", {"x": q}, ["y"], q, exact=1)
small, wide = rand(2, 3, 4, low=-.9, high=.9), rand(2, 3, 4, low=-3, high=3)
for field, fn in ((665, np.ceil), (670, np.floor), (680, np.sign), (685, np.round), (700, np.exp2), (710, np.sin), (715, np.cos),
                  (720, np.tan), (730, np.arcsin), (735, np.arccos), (740, np.arctan), (750, np.sinh), (755, np.cosh), (760, np.tanh),
                  (790, lambda v: n(torch.erf(t(v))))):
    v = small if field in (720, 730, 735) else wide
    layer("elementwise", field, b"", {"x": v}, ["y"], fn(v.astype(np.float64)), exact=1, tolerance=1e-6 if field == 720 else None)
layer("gelu", 795, b"", {"x": wide}, ["y"], n(F.gelu(t(wide))), exact=1)
layer("gelu", 795, number(1, 1), {"x": wide}, ["y"], n(F.gelu(t(wide), approximate="tanh")), exact=1)
layer("gelu", 795, number(1, 2), {"x": wide}, ["y"], n(t(wide) * torch.sigmoid(1.702 * t(wide))), exact=1)
left, right = rand(2, 3, 4, low=.3, high=3), rand(3, 1, low=.3, high=2)
for field, fn in ((865, np.mod), (870, np.minimum), (875, np.maximum), (885, np.power), (890, np.divide), (895, np.floor_divide),
                  (905, np.subtract)):
    layer("pairs", field, b"", {"x": left, "z": right}, ["y"], fn(left.astype(np.float64), right.astype(np.float64)), exact=1)
third = rand(4, 6, 7)
dt = third.astype(np.float64)
layer("average", 240, b"", {"x": x, "z": z, "w": third}, ["y"], (dx + dz + dt) / 3)
layer("max", 260, b"", {"x": x, "z": z, "w": third}, ["y"], np.maximum(np.maximum(dx, dz), dt))
layer("min", 261, b"", {"x": x, "z": z}, ["y"], np.minimum(dx, dz))
for field, fn in ((1250, lambda v, axis, keepdims: abs(v).sum(axis, keepdims=keepdims)), (1260, np.max), (1265, np.min), (1270, np.sum),
                  (1255, lambda v, axis, keepdims: np.sqrt((v * v).sum(axis, keepdims=keepdims))), (1275, np.prod),
                  (1290, lambda v, axis, keepdims: (v * v).sum(axis, keepdims=keepdims)),
                  (1295, lambda v, axis, keepdims: np.log(np.exp(v).sum(axis, keepdims=keepdims)))):
    dw = wide.astype(np.float64)
    layer("reduceAxes", field, sizes(1, [0, 2]) + number(2, 1), {"x": wide}, ["y"], fn(dw, axis=(0, 2), keepdims=True), exact=1)
    layer("reduceAxes", field, sizes(1, [1]), {"x": wide}, ["y"], fn(dw, axis=(1,), keepdims=False), exact=1)
layer("splitND", 975, number(1, 1) + number(2, 3), {"x": q}, ["y", "z", "w"], [q[:, :1], q[:, 1:2], q[:, 2:]], exact=1)
layer("splitND", 975, varint(8) + varint(-1) + sizes(3, [1, 3]), {"x": q}, ["y", "z"], [q[..., :1], q[..., 1:]], exact=1)
layer("slice", 350, number(1, 1) + number(2, 6) + number(3, 2) + number(4, 1), {"x": x}, ["y"], x[:, 1:6:2])
layer("slice", 350, number(1, 1) + varint(16) + varint(-1) + number(3, 1), {"x": x}, ["y"], x[1:-1])
layer("slice", 350, number(1, 1) + number(2, 3) + number(3, 1) + number(4, 2), {"x": r}, ["y"], r[:, 1:3], exact=1)
packed = lambda field, values: blob(field, b"".join(varint(v) for v in values))
layer("sliceStatic", 995, packed(1, [1, -3, 2]) + packed(2, [0, 0, 1]) + packed(3, [2, 3, 1]) + packed(4, [0, 1, 0]) + packed(5, [1, 2, 1])
      + packed(6, [1, 0, 0]), {"x": q}, ["y"], q[1, -3::2, :1], exact=1)
layer("sliceStatic", 995, packed(1, [0, 0, 3]) + packed(2, [1, 1, 0]) + packed(3, [0, 0, 0]) + packed(4, [1, 1, 0]) + packed(5, [1, 1, -2])
      + packed(6, [0, 0, 0]), {"x": q}, ["y"], q[:, :, 3:0:-2], exact=1)
layer("expandDims", 1125, sizes(1, [0, 2]), {"x": r}, ["y"], r[None, :, None], exact=1)
layer("stack", 925, number(1, 1), {"x": x, "z": z}, ["y"], np.stack([x, z], 1), exact=1)
m, k, w, b = rand(2, 3, 4), rand(2, 5, 4), rand(4, 5), rand(5)
dm = m.astype(np.float64)
layer("batchedMatmul", 1045, number(2, 1), {"x": m, "z": k}, ["y"], dm @ k.astype(np.float64).transpose(0, 2, 1), exact=1)
layer("batchedMatmul", 1045, number(5, 4) + number(6, 5) + number(7, 1) + weights(8, w.T) + weights(9, b), {"x": m}, ["y"],
      dm @ w.astype(np.float64) + b, exact=1)
gamma, beta = rand(3, 4), rand(3, 4)
layer("layerNormalization", 1350, sizes(1, [3, 4]) + f(2, 1e-3) + weights(3, gamma) + weights(4, beta), {"x": m}, ["y"],
      n(F.layer_norm(t(m), [3, 4], t(gamma), t(beta), float(f32(1e-3)))), exact=1, tolerance=1e-5)

if __name__ == "__main__":
    for name in ("operations_more.py", "layers_more.py", "operations_attention.py"):
        with open(os.path.join(HERE, name)) as part: exec(compile(part.read(), name, "exec"))
    with open(os.path.join(HERE, "operations.bin"), "wb") as out: out.write(BIN)
    with open(os.path.join(HERE, "operations.json"), "w") as out:
        out.write("[\n" + ",\n".join(json.dumps(c, separators=(",", ":")) for c in CASES) + "\n]\n")
    with open(os.path.join(HERE, "layers.json"), "w") as out:
        out.write("[\n" + ",\n".join(json.dumps(c, separators=(",", ":")) for c in LAYERS) + "\n]\n")
    print(len(LAYERS), "layers,", len(CASES), "cases,", len({c["operation"] for c in CASES}), "operations,", len(BIN), "bytes")
