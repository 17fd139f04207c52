"""Cases that make_operations.py adds to its own: recurrent layers, sampling, arrangement, codes. It runs this file with its
own names (`case`, `rand`, …). PyTorch computes what it has; the rest are loops over the rule stated beside them."""

# ---------------------------------------------------------------- recurrent layers
def act(name):
    return {"sigmoid": lambda v: 1 / (1 + np.exp(-v)), "tanh": np.tanh, "relu": lambda v: np.maximum(v, 0), "linear": lambda v: v,
            "hard_sigmoid": lambda v: np.clip(0.2 * v + 0.5, 0, 1), "scaled_tanh": lambda v: 1.7159 * np.tanh(2 / 3 * v)}[name]


def d64(a): return np.asarray(a, np.float64)


def lstm_steps(x, h, c, wi, wh, b, p, reverse, gate="sigmoid", cell="tanh", out="tanh", clip=None):
    """Gates in the order input, forget, output, candidate; the peephole's input and forget gate see the old cell."""
    x, h, c, wi, wh = map(d64, (x, h, c, wi, wh))
    H = h.shape[1]
    p = np.zeros(3 * H) if p is None else d64(p)
    ys = [None] * len(x)
    for s in (reversed(range(len(x))) if reverse else range(len(x))):
        g = x[s] @ wi.T + h @ wh.T + (0 if b is None else d64(b))
        i, f_ = act(gate)(g[:, :H] + p[:H] * c), act(gate)(g[:, H:2 * H] + p[H:2 * H] * c)
        c = f_ * c + i * act(cell)(g[:, 3 * H:])
        if clip is not None: c = np.clip(c, -clip, clip)
        h = act(gate)(g[:, 2 * H:3 * H] + p[2 * H:] * c) * act(out)(c)
        ys[s] = h
    return np.stack(ys), h, c


def torch_lstm(x, h, c, weights_, bidirectional):
    """PyTorch's order of gates is input, forget, candidate, output."""
    I, H = x.shape[2], weights_[0][1].shape[1]
    m = torch.nn.LSTM(I, H, bidirectional=bidirectional).double()
    order = lambda a: np.concatenate([a[:2 * H], a[3 * H:], a[2 * H:3 * H]])
    for suffix, (wi, wh, b) in zip(("", "_reverse"), weights_):
        for name, v in (("weight_ih_l0", wi), ("weight_hh_l0", wh), ("bias_ih_l0", b), ("bias_hh_l0", np.zeros_like(b))):
            getattr(m, name + suffix).data = t(order(v))
    split = lambda a: t(np.stack(np.split(a, 2 if bidirectional else 1, axis=1)))
    y, (hn, cn) = m(t(x), (split(h), split(c)))
    join = lambda a: np.concatenate(list(n(a)), axis=1)
    return n(y), join(hn), join(cn)


for (T, B, I, H), direction, whole in (((5, 1, 3, 4), "forward", True), ((4, 2, 2, 3), "reverse", True), ((6, 2, 3, 5), "bidirectional", True),
                                       ((3, 1, 4, 17), "forward", False), ((1, 3, 2, 2), "bidirectional", False)):
    D = 2 if direction == "bidirectional" else 1
    x, h, c = rand(T, B, I), rand(B, D * H), rand(B, D * H)
    W = [(rand(4 * H, I), rand(4 * H, H), rand(4 * H)) for _ in range(D)]
    params = {"weight_ih": W[0][0], "weight_hh": W[0][1], "bias": W[0][2], "direction": direction, "output_sequence": np.bool_(whole)}
    if D == 2: params.update({"weight_ih_back": W[1][0], "weight_hh_back": W[1][1], "bias_back": W[1][2]})
    if direction == "reverse":
        y, hn, cn = torch_lstm(x[::-1], h, c, W, False)
        y = y[::-1]
    else: y, hn, cn = torch_lstm(x, h, c, W, D == 2)
    case("lstm", {"x": x, "initial_h": h, "initial_c": c}, params, [y if whole else hn[None], hn, cn], tolerance=5e-6)
for gate, cell, out, clip, peep, reverse in (("hard_sigmoid", "relu", "linear", None, False, False), ("sigmoid", "tanh", "tanh", 0.5, True, False),
                                             ("tanh", "scaled_tanh", "sigmoid", 2.0, True, True)):
    T, B, I, H = 4, 2, 3, 4
    x, h, c, wi, wh = rand(T, B, I), rand(B, H), rand(B, H), rand(4 * H, I), rand(4 * H, H)
    p = rand(3 * H) if peep else None
    params = {"weight_ih": wi, "weight_hh": wh, "recurrent_activation": gate, "cell_activation": cell, "activation": out,
              "output_sequence": np.bool_(True), "direction": "reverse" if reverse else "forward"}
    if peep: params["peephole"] = p
    if clip: params["clip"] = np.float32(clip)
    case("lstm", {"x": x, "initial_h": h, "initial_c": c}, params,
         list(lstm_steps(x, h, c, wi, wh, None, p, reverse, gate, cell, out, clip)), tolerance=3e-5)

for (T, B, I, H), reverse, after in (((5, 1, 3, 4), False, True), ((4, 3, 2, 5), True, True), ((6, 2, 3, 4), False, False), ((3, 1, 2, 18), True, False)):
    x, h, wi, wh, b, bi = rand(T, B, I), rand(B, H), rand(3 * H, I), rand(3 * H, H), rand(3 * H), rand(3 * H)
    xs = x[::-1] if reverse else x
    rz = lambda a: np.concatenate([a[:H], a[2 * H:], a[H:2 * H]])  # the format has reset, candidate, update
    params = {"weight_ih": wi, "weight_hh": wh, "bias": b, "direction": "reverse" if reverse else "forward", "output_sequence": np.bool_(True)}
    if after:
        m = torch.nn.GRU(I, H).double()
        m.weight_ih_l0.data, m.weight_hh_l0.data = t(rz(wi)), t(rz(wh))
        m.bias_ih_l0.data, m.bias_hh_l0.data = t(rz(bi)), t(rz(b))
        y, hn = m(t(xs), t(h)[None])
        y, hn = n(y), n(hn)[0]
        params.update({"reset_after": np.bool_(True), "input_bias": bi})
    else:
        # r = σ(…), z = σ(…), o = tanh(W x + b + U (r · h)), h = (1 − z) o + z h
        ys, hn, u, w, bb = [], d64(h), rz(d64(wh)), rz(d64(wi)), rz(d64(b))
        for s in range(T):
            g = d64(xs[s]) @ w.T + bb
            r, z = (act("sigmoid")(g[:, k * H:(k + 1) * H] + hn @ u[k * H:(k + 1) * H].T) for k in (0, 1))
            o = np.tanh(g[:, 2 * H:] + (r * hn) @ u[2 * H:].T)
            hn = (1 - z) * o + z * hn
            ys.append(hn)
        y = np.stack(ys)
    case("gru", {"x": x, "initial_h": h}, params, [y[::-1] if reverse else y, hn], spec=9 if after else 7, tolerance=5e-6)
for name, reverse, whole in (("tanh", False, True), ("relu", True, False)):
    T, B, I, H = 4, 2, 3, 5
    x, h, wi, wh, b = rand(T, B, I), rand(B, H), rand(H, I), rand(H, H), rand(H)
    m = torch.nn.RNN(I, H, nonlinearity=name).double()
    m.weight_ih_l0.data, m.weight_hh_l0.data, m.bias_ih_l0.data, m.bias_hh_l0.data = t(wi), t(wh), t(b), t(0 * b)
    y, hn = m(t(x[::-1] if reverse else x), t(h)[None])
    y, hn = n(y), n(hn)[0]
    if reverse: y = y[::-1]
    case("rnn", {"x": x, "initial_h": h}, {"weight_ih": wi, "weight_hh": wh, "bias": b, "activation": name, "output_sequence": np.bool_(whole),
                                           "direction": "reverse" if reverse else "forward"}, [y if whole else hn[None], hn], tolerance=5e-6)

# ---------------------------------------------------------------- values at places
x, spots = rand(2, 3, 5, 6), rand(2, 4, 3, 2, low=-1.3, high=1.3)
for padding, name in (("constant", "zeros"), ("border", "border"), ("reflection", "reflection"), ("symmetric", "reflection")):
    aligned = padding != "symmetric"
    for mode in ("bilinear", "nearest"):
        y = n(F.grid_sample(t(x), t(spots), mode=mode, padding_mode=name, align_corners=aligned))
        case("resample", {"x": x, "coordinates": spots}, {
            "sampling_mode": mode, "padding_mode": padding, "padding_value": np.float32(0), "align_corners": np.bool_(aligned),
            "coordinates_mode": "normalized_minus_one_to_one"}, y, tolerance=3e-5 if mode == "bilinear" else None)
pixels = (d64(spots) + 1) / 2 * np.array([5, 4])
case("resample", {"x": x, "coordinates": pixels.astype(np.float32)}, {
    "sampling_mode": "bilinear", "padding_mode": "border", "padding_value": np.float32(0), "align_corners": np.bool_(True),
    "coordinates_mode": "unnormalized"}, n(F.grid_sample(t(x), t(spots), padding_mode="border", align_corners=True)), tolerance=3e-5)
case("resample", {"x": x, "coordinates": ((spots + 1) / 2).astype(np.float32)}, {
    "sampling_mode": "bilinear", "padding_mode": "constant", "padding_value": np.float32(0), "align_corners": np.bool_(False),
    "coordinates_mode": "normalized_zero_to_one"}, n(F.grid_sample(t(x), t(spots), align_corners=False)), tolerance=3e-5)
for D in (1, 2):
    m = rand(D, 6, low=-1, high=1)
    g = F.affine_grid(t(m).reshape(D, 2, 3).expand(2, 2, 3), (2, 3, 4, 7), align_corners=True)
    case("affine", {"x": x, "transform_matrix": m}, {
        "output_height": 4, "output_width": 7, "sampling_mode": "bilinear", "padding_mode": "constant", "padding_value": np.float32(0),
        "coordinates_mode": "normalized_minus_one_to_one", "align_corners": np.bool_(True)},
        n(F.grid_sample(t(x), g, align_corners=True)), tolerance=3e-5)


def box_samples(first, last, count, mode):
    """Places of the samples of a box from `first` to `last`, as resize_bilinear has them for a picture of that size."""
    reach, size, k = last - first, last - first + 1, np.arange(count)
    if mode in ("STRICT_ALIGN_CORNERS", "ALIGN_CORNERS"):
        if count == 1: return np.array([first if mode[0] == "S" else first + reach / 2])
        return first + k * reach / (count - 1)
    if mode == "DEFAULT": return first + k * ((size - size / count) / (count - 1) if count > 1 else 0)
    if mode == "OFFSET_CORNERS": return first + (k + 0.5) * max(1, reach) / count
    return first - 0.5 + (k + 0.5) * size / count


def crop(picture, rows, columns, outside):
    out = np.zeros((picture.shape[0], len(rows), len(columns)))
    H, W = picture.shape[1:]
    for a, r in enumerate(rows):
        for b_, c in enumerate(columns):
            if outside is not None and not (0 <= r <= H - 1 and 0 <= c <= W - 1):
                out[:, a, b_] = outside
                continue
            r_, c_ = min(max(r, 0), H - 1), min(max(c, 0), W - 1)
            y0, x0 = int(np.floor(r_)), int(np.floor(c_))
            y1, x1, dy, dx_ = min(y0 + 1, H - 1), min(x0 + 1, W - 1), r_ - y0, c_ - x0
            p = d64(picture)
            out[:, a, b_] = ((p[:, y0, x0] * (1 - dx_) + p[:, y0, x1] * dx_) * (1 - dy) + (p[:, y1, x0] * (1 - dx_) + p[:, y1, x1] * dx_) * dy)
    return out


for mode in ("STRICT_ALIGN_CORNERS", "ALIGN_CORNERS", "DEFAULT", "OFFSET_CORNERS", "UNALIGN_CORNERS"):
    for boxes_as, indexed, spec in (("CORNERS_HEIGHT_FIRST", False, 7), ("CENTER_SIZE_WIDTH_FIRST", True, 6)):
        boxes = np.array([[0.3, 0.7, 3.1, 4.6], [-1.2, 1, 2.4, 6.3]]) if boxes_as[1] == "O" else np.array([[2.5, 2, 3.2, 2.6], [3.1, 1.5, 2.2, 1.4]])
        pictures = [1, 0]
        roi = boxes if not indexed else np.concatenate([np.array(pictures)[:, None], boxes], 1)
        roi = roi.astype(np.float32)
        results = []
        for k, box in enumerate(roi[:, -4:].astype(np.float64)):
            if boxes_as[1] == "O": h0, w0, h1, w1 = box
            else: w0, h0, w1, h1 = box[0] - box[2] / 2, box[1] - box[3] / 2, box[0] + box[2] / 2, box[1] + box[3] / 2
            for p in ([pictures[k]] if indexed else [0, 1]):
                results.append(crop(x[p], box_samples(h0, h1, 3, mode), box_samples(w0, w1, 2, mode), 1.5 if spec == 7 else None))
        y = np.stack(results).reshape(2, 1 if indexed else 2, 3, 3, 2)
        params = {"target_height": 3, "target_width": 2, "box_coordinate_mode": boxes_as, "sampling_mode": mode}
        if spec == 7: params["pad_value"] = np.float32(1.5)
        case("crop_resize", {"x": x, "roi": roi.reshape(2, 1, -1, 1, 1)}, params, y, spec=spec, tolerance=3e-5)

# ---------------------------------------------------------------- arrangement
x = rand(2, 4, 5)
for lower, upper in ((0, -1), (-1, 0), (1, 2), (0, 0)):
    m, k = np.meshgrid(np.arange(4), np.arange(5), indexing="ij")
    band = ((lower < 0) | (m - k <= lower)) & ((upper < 0) | (k - m <= upper))
    case("band_part", {"x": x}, {"lower": lower, "upper": upper}, x * band)
for axis, size, stride in ((1, 2, 1), (-1, 3, 2), (0, 2, 1)):
    windows = np.lib.stride_tricks.sliding_window_view(x, size, axis=axis)
    windows = np.moveaxis(windows, -1, axis % 3 + 1)
    case("sliding_windows", {"x": x}, {"axis": axis, "size": size, "stride": stride},
         np.take(windows, np.arange(0, windows.shape[axis % 3], stride), axis=axis % 3))
for batch, axis, lengths in ((0, 1, [3, 0]), (0, 2, [5, 1]), (2, 0, [1, 2, 0, 2, 1])):
    y = x.copy()
    for index, count in enumerate(lengths):
        part = np.moveaxis(y, (batch, axis), (0, 1))[index]
        part[:count] = np.moveaxis(x, (batch, axis), (0, 1))[index][:count][::-1]
    case("reverse_sequence", {"x": x, "lengths": np.asarray(lengths, np.int32)}, {"seq_axis": axis, "batch_axis": batch}, y)
x = rand(2, 3, 4, 6)
pads = np.asarray([[1, 1], [0, 3]], np.int32)
y = np.pad(x, [(0, 0), (0, 0), *map(tuple, pads)])
y = y.reshape(2, 3, 3, 2, 3, 3).transpose(3, 5, 0, 1, 2, 4).reshape(12, 3, 3, 3)
case("space_to_batch", {"x": x}, {"block_shape": [2, 3], "paddings": pads}, y)
case("batch_to_space", {"x": y}, {"block_shape": [2, 3], "crops": pads}, x)
case("reshape_like", {"x": x, "a": np.zeros((4, 6), np.float32), "b": np.zeros((7, 2, 3), np.float32)},
     {"ref_tensors": ["a", "b"], "begins": ["p", "q"], "ends": ["r", "s"], "end_masks": ["u", "v"]}, x.reshape(4, 6, 2, 3),
     constants={"p": np.int32(0), "q": np.int32(1), "r": np.int32(2), "s": np.int32(0), "u": np.bool_(False), "v": np.bool_(True)})
for equation, a, b_ in (("nchw,nwhu->nchu", rand(2, 3, 4, 5), rand(2, 5, 4, 6)), ("chw,whr->chr", rand(3, 4, 5), rand(5, 4, 2)),
                        ("bhid,bhjd->bhij", rand(2, 2, 3, 4), rand(2, 2, 5, 4)), ("ij,kl->lkji", rand(2, 3), rand(4, 5)),
                        ("abc,cb->a", rand(2, 3, 4), rand(4, 3)), ("ab,ab", rand(2, 3), rand(2, 3))):
    case("einsum", {"l": a, "r": b_}, {"values": ["l", "r"], "equation": equation}, np.einsum(equation, d64(a), d64(b_)), tolerance=1e-5)
mask = np.asarray([[0, 2, 0], [1, 0, 3]], np.float32)
case("non_zero", {}, {"x": mask}, np.argwhere(mask).astype(np.int32))
x = rand(2, 3, 4, low=-3, high=3)
for scale, zero, axis, kind_ in ((np.float32(0.04), None, None, "int8"), (np.float32(0.02), np.uint8(130), None, "uint8"),
                                 (np.array([0.01, 0.03, 0.05], np.float32), np.array([3, -4, 0], np.int8), 1, "int8")):
    shape = lambda v: v if v is None or v.ndim == 0 else v.reshape(1, 3, 1)
    low, high = (-128, 127) if kind_ == "int8" else (0, 255)
    codes = np.clip(np.round(x / shape(scale)) + (0 if zero is None else shape(zero).astype(np.float32)), low, high)
    params = {"scale": scale, "output_dtype": kind_}
    if zero is not None: params["zero_point"] = zero
    if axis is not None: params["axis"] = axis
    case("quantize", {"input": x}, params, codes.astype(np.int32), spec=8)
    del params["output_dtype"]
    case("dequantize", {"input": codes.astype(np.int32)}, params, (d64(codes) - (0 if zero is None else shape(zero).astype(float))) * shape(scale).astype(float), spec=8)
x = rand(4, 5, 6)
for begin, end, stride, bm, em, sm, update in (([1, 0, 2], [3, 5, 5], [1, 1, 1], None, None, None, rand(2, 5, 3)),
                                               ([0, -1, 1], [4, -6, 6], [2, -2, 3], [1, 0, 0], None, None, rand(2, 3, 2)),
                                               ([2, 1, 0], [0, 4, 0], [1, 1, 1], None, [0, 0, 1], [1, 0, 0], rand(3, 6))):
    params = {"begin": begin, "end": end, "stride": stride}
    for name, v in (("begin_mask", bm), ("end_mask", em), ("squeeze_mask", sm)):
        if v is not None: params[name] = np.array(v, bool)
    z = [0, 0, 0]
    where = tuple(begin[k] if (sm or z)[k] else slice(None if (bm or z)[k] else begin[k], None if (em or z)[k] else end[k], stride[k]) for k in range(3))
    y = x.copy()
    y[where] = update
    case("slice_update", {"x": x, "update": update}, params, y, spec=9)
y, update = x.copy(), rand(1, 5, 2)
y[3:4, :, 2:4] = update
case("slice_update", {"x": x, "update": update, "begin": np.asarray([3, 0, 2], np.int32), "end": np.asarray([4, 5, 4], np.int32)}, {}, y, spec=9)
x = rand(2, 3, 4, 5)
for axis, batch, i in ((1, 1, R.randint(-3, 3, (2, 2))), (3, 1, R.randint(-5, 5, (2, 2, 2))), (2, 2, R.randint(0, 4, (2, 3)))):
    i = i.astype(np.int32)
    parts = [np.take(x[b_], i[b_], axis=axis - 1) for b_ in range(2)] if batch == 1 else [
        np.stack([np.take(x[b_, c], i[b_, c], axis=0) for c in range(3)]) for b_ in range(2)]
    case("gather", {"x": x, "indices": i}, {"axis": axis, "batch_dims": batch}, np.stack(parts), spec=7)
i = np.stack([R.randint(0, 3, (2, 6)), R.randint(0, 4, (2, 6))], -1).astype(np.int32)
case("gather_nd", {"x": x, "indices": i}, {"batch_dims": 1}, np.stack([x[b_][i[b_, :, 0], i[b_, :, 1]] for b_ in range(2)]), spec=7)

# ---------------------------------------------------------------- numbers that are drawn: those that are certain
case("random_uniform", {}, {"shape": [2, 3], "low": np.float32(1.5), "high": np.float32(1.5), "seed": 3}, np.full((2, 3), 1.5, np.float32))
case("random_normal", {}, {"shape": [4], "mean": np.float32(-2), "stddev": np.float32(0), "seed": 3}, np.full(4, -2, np.float32))
case("random_bernoulli", {}, {"shape": [3, 2], "prob": np.float32(1), "seed": 3}, np.ones((3, 2), np.float32))
case("random_categorical", {"x": np.asarray([[0, 1, 0], [0, 0, 1]], np.float32)}, {"mode": "probs", "size": 3, "seed": 3},
     np.asarray([[1, 1, 1], [2, 2, 2]], np.float32))

# ---------------------------------------------------------------- zeros in a shape count from the last dimension (iOS 17)
counted = np.arange(120, dtype=np.float32)
for before, target, after in (((2, 3, 4, 5), [0, -1], (4, 30)), ((2, 3, 4, 5), [0, 0, -1], (3, 4, 10)), ((4, 30), [1, 0, -1, 0], (1, 1, 4, 30))):
    case("reshape", {"x": counted.reshape(before)}, {"shape": np.asarray(target, np.int32)}, counted.reshape(after), spec=8)

# ---------------------------------------------------------------- quotients of integers, cut off towards zero
above, below = np.asarray([[-7, -1, 0], [1, 7, 8]], np.int32), np.asarray([2, 3, -3], np.int32)
case("real_div", {"x": above, "y": below}, {}, np.trunc(above / below).astype(np.int32), spec=8)

# ---------------------------------------------------------------- boxes apart from the places of their pictures (iOS 17)
scene = np.random.RandomState(17).randn(2, 3, 5, 7).astype(np.float32)
corners = np.asarray([[0.3, 0.7, 3.1, 4.6], [-1.2, 1, 2.4, 6.3], [1, 0, 4, 5]], np.float32)
for pictures in ([1, 0, 1], None):
    boxes = corners if pictures else corners[:2]
    result = np.stack([crop(scene[p], box_samples(h0, h1, 3, "ALIGN_CORNERS"), box_samples(w0, w1, 2, "ALIGN_CORNERS"), 1.5)
                       for p, (h0, w0, h1, w1) in zip(pictures or [0, 1], boxes.astype(np.float64))])
    params = {"target_height": 3, "target_width": 2, "box_coordinate_mode": "CORNERS_HEIGHT_FIRST", "sampling_mode": "ALIGN_CORNERS", "pad_value": np.float32(1.5)}
    if pictures: params["box_indices"] = np.asarray(pictures, np.int32)
    case("crop_resize", {"x": scene, "boxes": boxes}, params, result, spec=8, tolerance=3e-5)
