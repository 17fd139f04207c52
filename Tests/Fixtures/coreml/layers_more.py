"""Layers that make_operations.py adds to its own; it runs this file with its own names (`layer`, `rand`, …)."""


def packed(field, values): return blob(field, b"".join(varint(int(v)) for v in values))
def signed(field, v): return varint(field << 3) + varint(v)
def ints(*values): return np.asarray(values, np.float32)


# ---------------------------------------------------------------- pictures
x = rand(3, 4, 6)
d = t(x)[None]
layer("upsample", 210, packed(1, [2, 3]), {"x": x}, ["y"], np.repeat(np.repeat(x, 2, 1), 3, 2))
for mode, aligned in ((1, True), (2, False)):
    layer("upsample", 210, packed(1, [2, 2]) + number(5, 1) + number(6, mode), {"x": x}, ["y"],
          n(F.interpolate(d, scale_factor=2, mode="bilinear", align_corners=aligned))[0], tolerance=5e-6)
layer("resizeBilinear", 211, packed(1, [7, 5]), {"x": x}, ["y"], n(F.interpolate(d, (7, 5), mode="bilinear", align_corners=True))[0], tolerance=5e-6)
layer("resizeBilinear", 211, packed(1, [8, 3]) + blob(2, number(1, 2)), {"x": x}, ["y"], linear(x[None].astype(np.float64), 8, 3, "DEFAULT")[0], tolerance=5e-6)
layer("crop", 190, borders((1, 0), (2, 1)), {"x": x}, ["y"], x[:, 1:, 2:5])
layer("crop", 190, packed(5, [1, 3]), {"x": x, "z": rand(3, 2, 3)}, ["y"], x[:, 1:3, 3:6])
for across in (0, 1):
    axes = (0, 1, 2) if across else (1, 2)
    v = x.astype(np.float64)
    m = v.mean(axes, keepdims=True)
    layer("mvn", 165, number(1, across) + f(3, 1e-5), {"x": x}, ["y"], v - m)
    layer("mvn", 165, number(1, across) + number(2, 1) + f(3, 1e-3), {"x": x}, ["y"],
          (v - m) / np.sqrt(((v - m) ** 2).mean(axes, keepdims=True) + f32(1e-3)), tolerance=1e-5)
layer("l2normalize", 170, f(1, 1e-3), {"x": x}, ["y"], x / np.sqrt((x.astype(np.float64) ** 2).sum() + f32(1e-3)), tolerance=2e-6)
z = rand(3, 4, 6)
layer("dot", 270, b"", {"x": x, "z": z}, ["y"], (x.astype(np.float64) * z).sum(0, keepdims=True))
layer("dot", 270, number(1, 1), {"x": x, "z": z}, ["y"], n(F.cosine_similarity(t(x), t(z), 0))[None], tolerance=5e-6)
c = rand(8, 2, 3)
layer("reorganizeData", 345, number(1, 2) + number(2, 2), {"x": c}, ["y"], n(F.pixel_shuffle(t(c), 2)))
layer("reorganizeData", 345, number(1, 1) + number(2, 2), {"x": c}, ["y"], c.reshape(2, 2, 2, 2, 3).transpose(2, 3, 0, 4, 1).reshape(2, 4, 6))
layer("reorganizeData", 345, number(2, 2), {"x": x}, ["y"], x.reshape(3, 2, 2, 3, 2).transpose(2, 4, 0, 1, 3).reshape(12, 2, 3))
boxes = np.array([[0.3, 0.7, 2.1, 4.6], [0, 1, 2.4, 3.3]], np.float32)
results = [crop(x, box_samples(b_[0], b_[2], 3, "OFFSET_CORNERS"), box_samples(b_[1], b_[3], 2, "OFFSET_CORNERS"), None)[None] for b_ in boxes.astype(np.float64)]
layer("cropResize", 212, packed(1, [3, 2]) + blob(3, number(1, 3)) + f(5, 1), {"x": x[None, None], "r": boxes.reshape(2, 1, 4, 1, 1)}, ["y"],
      np.stack(results), exact=1, tolerance=1e-5)

# ---------------------------------------------------------------- comparisons
a, b_ = np.round(rand(2, 3, 4)), np.round(rand(3, 1))
for name, field, at, fn in (("equal", 815, 1, np.equal), ("notEqual", 820, 1, np.not_equal), ("lessThan", 825, 2, np.less), ("lessEqual", 827, 2, np.less_equal),
                            ("greaterThan", 830, 2, np.greater), ("greaterEqual", 832, 2, np.greater_equal)):
    layer(name, field, b"", {"x": a, "z": b_}, ["y"], fn(a, b_).astype(np.float32), exact=1)
    layer(name, field, f(at, 1), {"x": a}, ["y"], fn(a, 1).astype(np.float32), exact=1)
for name, field, fn in (("logicalOr", 840, np.logical_or), ("logicalXor", 845, np.logical_xor), ("logicalAnd", 855, np.logical_and)):
    layer(name, field, b"", {"x": a, "z": b_}, ["y"], fn(a, b_).astype(np.float32), exact=1)
layer("logicalNot", 850, b"", {"x": a}, ["y"], (a == 0).astype(np.float32), exact=1)
w = rand(1, 4)
layer("whereBroadcastable", 1330, b"", {"x": a, "z": b_, "w": w}, ["y"], np.where(a != 0, b_, w), exact=1)
q = rand(3, 4, low=-.9, high=.9)
for name, field, fn, v in (("asinh", 770, np.arcsinh, q), ("acosh", 775, np.arccosh, q + 2), ("atanh", 780, np.arctanh, q)):
    layer(name, field, b"", {"x": v}, ["y"], fn(v.astype(np.float64)), exact=1, tolerance=5e-6)
layer("clampedReLU", 1460, f(1, .2) + f(2, 1.1), {"x": a}, ["y"], np.minimum(f32(1.1), np.where(a >= 0, a, f32(.2) * a)), exact=1)
p = rand(2, 3, 4, low=.2, high=3)
layer("reduceLogSum", 1285, packed(1, [1]) + number(2, 1), {"x": p}, ["y"], np.log(p.astype(np.float64).sum(1, keepdims=True)), exact=1)

# ---------------------------------------------------------------- selection
v = R.permutation(60).astype(np.float32).reshape(3, 4, 5)
i = ints(2, 0, -1)
layer("gather", 930, signed(1, 1), {"x": v, "i": i}, ["y"], np.take(v, i.astype(int), 1), exact=1)
g = R.randint(0, 4, (3, 2, 5)).astype(np.float32)
layer("gatherAlongAxis", 952, signed(1, 1), {"x": v, "i": g}, ["y"], np.take_along_axis(v, g.astype(int), 1), exact=1)
g = np.asarray([[0, 3], [2, 1]], np.float32)
layer("gatherND", 940, b"", {"x": v, "i": g}, ["y"], v[[0, 2], [3, 1]], exact=1)
u = rand(2, 4, 5)
y = v.copy()
y[[2, 0]] = u
layer("scatter", 935, b"", {"x": v, "i": ints(2, 0), "u": u}, ["y"], y, exact=1)
y = v.copy()
y[[2, 0]] += u
layer("scatter", 935, number(2, 1), {"x": v, "i": ints(2, 0), "u": u}, ["y"], y, exact=1, tolerance=1e-5)
u = rand(2, 5)
y = v.copy()
y[[0, 2], [3, 1]] *= u
layer("scatterND", 945, number(1, 3), {"x": v, "i": g, "u": u}, ["y"], y, exact=1, tolerance=1e-4)
g, u = R.permutation(4)[:2][None, :, None].repeat(3, 0).repeat(5, 2).astype(np.float32), rand(3, 2, 5)
y = v.copy()
np.put_along_axis(y, g.astype(int), u, 1)
layer("scatterAlongAxis", 954, signed(1, 1), {"x": v, "i": g, "u": u}, ["y"], y, exact=1)
for least in (0, 1):
    values, places = torch.topk(t(v), 2, dim=1, largest=not least)
    layer("topK", 1015, signed(1, 1) + number(2, 2) + number(3, least), {"x": v}, ["y", "z"], [n(values), n(places)], exact=1)
    layer("argSort", 1461, signed(1, -1) + number(2, least), {"x": v}, ["y"], np.argsort(-v if least else v, -1), exact=1)
layer("argMax", 1025, signed(1, 2), {"x": v}, ["y"], v.argmax(2)[..., None], exact=1)
layer("argMin", 1020, signed(1, 0) + number(2, 1), {"x": v}, ["y"], v.argmin(0), exact=1)
i = np.asarray([[0, 3], [2, 2]], np.float32)
layer("oneHot", 1450, number(1, 4) + signed(2, -1) + f(3, 2) + f(4, -1), {"x": i}, ["y"], np.where(np.eye(4, dtype=bool)[i.astype(int)], 2, -1), exact=1)
layer("cumSum", 1455, signed(1, 1) + number(2, 1), {"x": v}, ["y"], np.cumsum(v, 1) - v, exact=1)
layer("cumSum", 1455, signed(1, 2) + number(3, 1), {"x": v}, ["y"], np.flip(np.cumsum(np.flip(v, 2), 2), 2), exact=1)
table, bias = rand(4, 6), rand(4)
layer("embedding", 150, number(1, 6) + number(2, 4) + number(10, 1) + weights(20, table) + weights(21, bias), {"x": ints(5)}, ["y"],
      (table[:, 5] + bias)[:, None, None])
i = np.asarray([[[1], [5]], [[0], [2]]], np.float32)
layer("embeddingND", 1040, number(1, 6) + number(2, 4) + number(3, 1) + weights(20, table) + weights(21, bias), {"x": i}, ["y"],
      table.T[i[..., 0].astype(int)] + bias, exact=1)

# ---------------------------------------------------------------- shapes
layer("tile", 920, packed(1, [1, 2, 3]), {"x": v}, ["y"], np.tile(v, (1, 2, 3)), exact=1)
layer("reverse", 960, packed(1, [1, 0, 1]), {"x": v}, ["y"], v[::-1, :, ::-1], exact=1)
y = v.copy()
for index, count in enumerate((2, 0, 4)): y[index, :count] = v[index, :count][::-1]
layer("reverseSeq", 965, number(2, 1), {"x": v, "l": ints(2, 0, 4)}, ["y"], y, exact=1)
layer("slidingWindows", 1005, signed(1, 2) + number(2, 3) + number(3, 2), {"x": v}, ["y"],
      np.lib.stride_tricks.sliding_window_view(v, 3, 2)[:, :, ::2], exact=1)
layer("sliceBySize", 1470, signed(2, 2) + signed(3, 1), {"x": v, "b": ints(1)}, ["y"], v[:, 1:3], exact=1)
layer("getShape", 1065, b"", {"x": v}, ["y"], ints(3, 4, 5), exact=1)
layer("reshapeLike", 1135, b"", {"x": v, "z": rand(5, 12)}, ["y"], v.reshape(5, 12), exact=1)
layer("rankPreservingReshape", 1150, packed(1, [0, 10, -1]), {"x": v}, ["y"], v.reshape(3, 10, 2), exact=1)
layer("broadcastToStatic", 1105, packed(1, [2, 3, 4, 5]), {"x": v[:, :1]}, ["y"], np.broadcast_to(v[:, :1], (2, 3, 4, 5)), exact=1)
layer("broadcastToLike", 1100, b"", {"x": v[:, :1], "z": rand(3, 4, 5)}, ["y"], np.broadcast_to(v[:, :1], (3, 4, 5)), exact=1)
layer("constantPad", 1155, f(1, 1.5) + packed(2, [0, 0, 1, 2, 0, 3]), {"x": v}, ["y"], np.pad(v, ((0, 0), (1, 2), (0, 3)), constant_values=1.5), exact=1)
layer("constantPad", 1155, packed(2, [0, 0, 6, 0, 0, 7]) + number(3, 1), {"x": v}, ["y"], np.pad(v, ((0, 0), (2, 0), (0, 2))), exact=1)
layer("matrixBandPart", 1315, signed(1, 1) + signed(2, 0), {"x": v}, ["y"], np.tril(np.triu(v, -1)), exact=1)
layer("lowerTriangular", 1320, signed(1, -1), {"x": v}, ["y"], np.tril(v, -1), exact=1)
layer("upperTriangular", 1325, signed(1, 2), {"x": v}, ["y"], np.triu(v, 2), exact=1)
layer("fillLike", 1080, f(1, 2.5), {"x": v}, ["y"], np.full((3, 4, 5), 2.5), exact=1)
layer("fillStatic", 1085, f(1, 2.5) + packed(2, [2, 3]), {}, ["y"], np.full((2, 3), 2.5), exact=1)
layer("rangeStatic", 635, f(1, 7) + f(2, 1) + f(3, 2), {}, ["y"], np.arange(1., 7, 2), exact=1)
layer("randomUniformStatic", 1195, signed(1, 4) + f(2, 1.5) + f(3, 1.5) + packed(4, [2, 3]), {}, ["y"], np.full((2, 3), 1.5), exact=1)
layer("randomNormalLike", 1170, signed(1, 4) + f(2, -2), {"x": v}, ["y"], np.full((3, 4, 5), -2.), exact=1)
layer("randomBernoulliStatic", 1215, signed(1, 4) + f(2, 1) + packed(3, [4]), {}, ["y"], np.ones(4), exact=1)

# ---------------------------------------------------------------- recurrent layers
ACTIVATION = {"sigmoid": blob(40, b""), "tanh": blob(30, b""), "relu": blob(10, b""), "linear": blob(5, f(1, 1))}


def lines(x): return np.asarray(x)[..., None, None]  # [S, B, C, 1, 1]


for S, B, I, H, reverse, whole in ((5, 2, 3, 4, 0, 1), (4, 1, 2, 3, 1, 0)):
    xs, h, c = rand(S, B, I), rand(B, H), rand(B, H)
    wi, wh, bias, p = rand(4 * H, I), rand(4 * H, H), rand(4 * H), rand(3 * H)
    # Gates in the file: input, forget, block input, output; here input, forget, output, candidate.
    part = lambda a, k: a[k * H:(k + 1) * H]
    order = (0, 1, 3, 2)
    gates = b"".join(weights(1 + k, part(wi, o)) + weights(20 + k, part(wh, o)) + weights(40 + k, part(bias, o)) for k, o in enumerate(order))
    gates += b"".join(weights(60 + k, part(p, k)) for k in range(3))
    options = number(10, whole) + number(20, 1) + number(40, 1) + f(60, 2)
    content = number(1, I) + number(2, H) + b"".join(blob(10, ACTIVATION[k]) for k in ("sigmoid", "tanh", "tanh")) + blob(15, options)
    y, hn, cn = lstm_steps(xs, h, c, wi, wh, bias, p, reverse, clip=2)
    layer("uniDirectionalLSTM", 420, content + blob(20, gates) + number(100, reverse), {"x": lines(xs), "h": lines(h[None]), "c": lines(c[None])},
          ["y", "hn", "cn"], [lines(y if whole else hn[None]), lines(hn[None]), lines(cn[None])], exact=1, tolerance=2e-5)
    y0, h0, c0 = lstm_steps(xs, np.zeros((B, H)), np.zeros((B, H)), wi, wh, bias, p, False, clip=2)
    y1, h1, c1 = lstm_steps(xs, np.zeros((B, H)), np.zeros((B, H)), wi, wh, bias, p, True, clip=2)
    both = number(1, I) + number(2, H) + b"".join(blob(k, ACTIVATION[a]) for k in (10, 11) for a in ("sigmoid", "tanh", "tanh")) + blob(15, options)
    layer("biDirectionalLSTM", 430, both + blob(20, gates) + blob(20, gates), {"x": lines(xs)}, ["y", "a", "b", "q", "w"],
          [lines(np.concatenate([y0, y1], 2) if whole else np.concatenate([h0, h1], 1)[None])] + [lines(s[None]) for s in (h0, c0, h1, c1)], exact=1, tolerance=2e-5)
    wi, wh, bias = rand(H, I), rand(H, H), rand(H)
    hn, ys = h.astype(np.float64), [None] * S
    for s in (reversed(range(S)) if reverse else range(S)):
        hn = np.maximum(xs[s].astype(np.float64) @ wi.T + bias + hn @ wh.T, 0)
        ys[s] = hn
    layer("simpleRecurrent", 400, number(1, I) + number(2, H) + blob(10, ACTIVATION["relu"]) + number(15, whole) + number(20, 1) + weights(30, wi) + weights(31, wh)
          + weights(32, bias) + number(100, reverse), {"x": lines(xs), "h": lines(h[None])}, ["y", "z"], [lines(np.stack(ys) if whole else hn[None]), lines(hn[None])],
          exact=1, tolerance=1e-5 * max(1, max(abs(v).max() for v in ys)))
    W, U, Bs = [rand(H, I) for _ in range(3)], [rand(H, H) for _ in range(3)], [rand(H) for _ in range(3)]  # update, reset, output
    hn, ys = h.astype(np.float64), [None] * S
    for s in (reversed(range(S)) if reverse else range(S)):
        g = [xs[s].astype(np.float64) @ W[k].T + Bs[k] for k in range(3)]
        u_, r = (act("sigmoid")(g[k] + hn @ U[k].T) for k in (0, 1))
        hn = (1 - u_) * np.tanh(g[2] + (r * hn) @ U[2].T) + u_ * hn
        ys[s] = hn
    content = b"".join(weights(30 + k, W[k]) + weights(50 + k, U[k]) + weights(70 + k, Bs[k]) for k in range(3))
    layer("gru", 410, number(1, I) + number(2, H) + blob(10, ACTIVATION["sigmoid"]) + blob(10, ACTIVATION["tanh"]) + number(15, whole) + number(20, 1) + content
          + number(100, reverse), {"x": lines(xs), "h": lines(h[None])}, ["y", "z"], [lines(np.stack(ys) if whole else hn[None]), lines(hn[None])], exact=1, tolerance=2e-5)

# ---------------------------------------------------------------- quantized weights
def coded(field, codes, bits, meaning):
    """Codes as coremltools packs them (`quantization_utils`): one bit after the other, the highest of the first code first."""
    raw = np.packbits(codes.reshape(-1, 1) >> np.arange(bits - 1, -1, -1) & 1)
    return blob(field, blob(30, raw.tobytes()) + blob(40, number(1, bits) + meaning))


def scaled(field, codes, bits, axis=0):
    """Codes with a scale and a summand for each place of an axis, and what they stand for."""
    shape = [-1 if a == axis else 1 for a in range(codes.ndim)]
    s, b = f32(R.uniform(.01, 3, codes.shape[axis])), rand(codes.shape[axis])
    meaning = blob(101, blob(1, s.tobytes()) + blob(2, b.tobytes()))
    return coded(field, codes, bits, meaning), codes * s.astype(np.float64).reshape(shape) + b.astype(np.float64).reshape(shape)


x = rand(4, 5, 6)
d = t(x)[None]
for g in (1, 2):
    content, w = scaled(90, R.randint(0, 256, (4, 6 // g, 3, 2)), 8, axis=1)
    layer("convolution", 100, number(1, 6) + number(2, 4) + number(10, g) + sizes(20, [3, 2]) + sizes(30, [2, 1]) + blob(50, b"") + number(60, 1) + content,
          {"x": x}, ["y"], n(F.conv_transpose2d(d, t(w), stride=(2, 1), groups=g))[0])
    content, w = scaled(90, R.randint(0, 256, (6, 4 // g, 3, 2)), 8)
    layer("convolution", 100, number(1, 6) + number(2, 4 // g) + number(10, g) + sizes(20, [3, 2]) + blob(50, b"") + content,
          {"x": x}, ["y"], n(F.conv2d(d, t(w), groups=g))[0])
for bits in range(1, 8):
    content, w = scaled(90, R.randint(0, 1 << bits, (5, 4, 3, 1)), bits)
    layer("convolution", 100, number(1, 5) + number(2, 4) + sizes(20, [3, 1]) + blob(50, b"") + content, {"x": x}, ["y"], n(F.conv2d(d, t(w)))[0])
    table, codes = rand(1 << bits), R.randint(0, 1 << bits, (3, 5))
    layer("innerProduct", 140, number(1, 5) + number(2, 3) + coded(20, codes, bits, blob(102, blob(1, table.tobytes()))), {"x": (v := rand(2, 5))}, ["y"],
          v.astype(np.float64) @ table[codes].T.astype(np.float64), exact=1)
codes = R.randint(0, 32, (7, 3))
content, w = scaled(20, codes.T, 5)
layer("embeddingND", 1040, number(1, 7) + number(2, 3) + content, {"x": ints(4, 0, 6, 2).reshape(4, 1)}, ["y"], w.T[[4, 0, 6, 2]], exact=1)
# int8RawValue with one scale: what coremltools writes for int_8_dynamic_quantize.
signed, factor = R.randint(-127, 128, (3, 5)).astype(np.int8), f32(.75)
signed_weights = lambda field: blob(field, blob(31, signed.tobytes()) + blob(40, number(1, 8) + blob(101, blob(1, factor.tobytes()))))
result = v.astype(np.float64) @ (signed.T * float(factor))
layer("innerProduct", 140, number(1, 5) + number(2, 3) + signed_weights(20) + number(22, 1), {"x": v}, ["y"], result, exact=1)
layer("batchedMatmul", 1045, number(5, 5) + number(6, 3) + signed_weights(8) + number(10, 1), {"x": v}, ["y"], result, exact=1)

# ---------------------------------------------------------------- transposed convolutions to a given size
w = rand(4, 3, 3, 3)
whole = F.conv_transpose2d(d, t(w), stride=2)[0]
deconvolution = number(1, 3) + number(2, 4) + sizes(20, [3, 3]) + sizes(30, [2, 2]) + number(60, 1) + weights(90, w)
# What a convolution with SAME padding makes 5 × 6 of: 9 × 11 and 10 × 12.
layer("convolution", 100, deconvolution + blob(51, b"") + sizes(100, [9, 11]), {"x": x}, ["y"], n(whole)[:, 1:-1, 1:-1])
layer("convolution", 100, deconvolution + blob(51, b"") + sizes(100, [10, 12]), {"x": x}, ["y"], n(whole)[:, :-1, :-1])
layer("convolution", 100, deconvolution + blob(50, b"") + sizes(100, [12, 14]), {"x": x}, ["y"], n(F.pad(whole, (0, 1, 0, 1))))

# ---------------------------------------------------------------- convolutions whose weights are an input
for g in (1, 2):
    w = rand(6, 4 // g, 3, 2)
    layer("convolution", 100, number(1, 6) + number(2, 4 // g) + number(10, g) + sizes(20, [3, 2]) + sizes(30, [2, 1]) + blob(50, borders((1, 1), (0, 1))),
          {"x": x[None], "w": w}, ["y"], n(F.conv2d(F.pad(d, (0, 1, 1, 1)), t(w), stride=(2, 1), groups=g)), exact=1)

# ---------------------------------------------------------------- rarer forms of layers
x, alpha, beta = rand(3, 4, 5), rand(3), rand(3)
softplus = lambda a, b: a * np.log1p(np.exp(b * x.astype(np.float64)))
layer("activation", 130, blob(71, weights(1, alpha) + weights(2, beta)), {"x": x}, ["y"], softplus(alpha[:, None, None], beta[:, None, None]))
layer("activation", 130, blob(71, weights(1, alpha[:1]) + weights(2, beta[:1])), {"x": x}, ["y"], softplus(alpha[0], beta[0]), exact=1)
# Indices in the dimension of the channels, in networks whose tensors have any rank too.
table = rand(4, 6)
for shape in ((2, 1, 1, 1), (2, 2, 1, 1, 1)):
    i = R.randint(0, 6, shape).astype(np.float32)
    layer("embedding", 150, number(1, 6) + number(2, 4) + weights(20, table), {"x": i}, ["y"],
          table.T[i[..., 0, 0, 0].astype(int)][..., None, None], exact=1)
# A single number is a vector of one element.
layer("reduceSum", 1270, number(3, 1), {"x": x}, ["y"], x.astype(np.float64).sum().reshape(1), exact=1)
layer("argMax", 1025, number(2, 1), {"x": alpha}, ["y"], np.asarray([alpha.argmax()]), exact=1)
layer("squeeze", 1120, number(2, 1), {"x": alpha[:1].reshape(1, 1)}, ["y"], alpha[:1], exact=1)
