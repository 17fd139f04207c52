#!/usr/bin/env python3
"""Writes full-size image classifiers as .mlpackage with seeded random weights, from nothing but numpy (the protobuf
messages and the weight file are encoded here). For timing.

  python3 make_networks.py mobilenet_v2 OUT.mlpackage [--fp32] [--size 224] [--seed 0] [--width 1.0]
  python3 make_networks.py resnet50     OUT.mlpackage ...

Weights: normal, He-scaled, with a mild spread over channels; batch norm already folded.
"""
import argparse, json, os, struct, sys, uuid
import numpy as np

def vi(n):
    o = bytearray()
    n &= (1 << 64) - 1
    while n > 127: o.append(n & 127 | 128); n >>= 7
    o.append(n); return bytes(o)
def ln(f, b): return vi(f << 3 | 2) + vi(len(b)) + b
def iv(f, n): return vi(f << 3) + vi(n) if n else b""
def st(f, s): return ln(f, s.encode())
def mp(f, k, v): return ln(f, st(1, k) + ln(2, v))
DT = {"b": 1, "s": 2, "fp16": 10, "fp32": 11, "i": 23}
def ttype(dt, shape): return ln(1, iv(1, DT[dt]) + iv(2, len(shape)) + b"".join(ln(3, ln(1, iv(1, d))) for d in shape))

class Writer:
    def __init__(s, dt): s.dt, s.ops, s.blobs, s.off, s.count, s.n = dt, [], [], 64, 0, 0
    def blob(s, a):
        s.blobs.append((s.off, {"float16": 1, "float32": 2}[a.dtype.name], a.tobytes())); at = s.off
        s.off += 64 + a.nbytes; s.off += -s.off % 64; s.count += 1; return at
    def val(s, v):
        """(value bytes, type bytes) of a str, bool, int list or float array."""
        if isinstance(v, str): t = ttype("s", ()); return ln(2, t) + ln(3, ln(1, ln(4, st(1, v)))), t
        if isinstance(v, bool): t = ttype("b", ()); return ln(2, t) + ln(3, ln(1, ln(3, ln(1, bytes([v]))))), t
        if isinstance(v, int): t = ttype("i", ()); return ln(2, t) + ln(3, ln(1, ln(2, ln(1, vi(v))))), t
        if isinstance(v, (list, tuple)): t = ttype("i", (len(v),)); return ln(2, t) + ln(3, ln(1, ln(2, ln(1, b"".join(vi(q) for q in v))))), t
        dt = {"float16": "fp16", "float32": "fp32"}[v.dtype.name]; t = ttype(dt, v.shape)
        if v.size >= 10: return ln(2, t) + ln(5, st(1, "@model_path/weights/weight.bin") + iv(2, s.blob(v))), t
        return ln(2, t) + ln(3, ln(1, ln(7, ln(1, v.tobytes())) if dt == "fp16" else ln(1, ln(1, v.tobytes())))), t
    def name(s, n): return mp(5, "name", s.val(n)[0])
    def const(s, n, v):
        b, t = s.val(v); s.ops.append(st(1, "const") + ln(3, st(1, n) + ln(2, t)) + s.name(n) + mp(5, "val", b)); return n
    def op(s, typ, out, oshape, odt=None, **kw):
        ins = b""
        for k, v in kw.items():
            if isinstance(v, Ref): ref = [v]
            elif isinstance(v, list) and v and isinstance(v[0], Ref): ref = v
            else: ref = [Ref(s.const("%s_%s_0" % (out, k), v), None)]
            ins += mp(2, k, b"".join(ln(1, st(1, r.n)) for r in ref))
        s.ops.append(st(1, typ) + ins + ln(3, st(1, out) + ln(2, ttype(odt or s.dt, oshape))) + s.name(out)); return Ref(out, tuple(oshape))

class Ref:
    def __init__(s, n, shape): s.n, s.shape = n, shape

def build(arch, path, fp32, size, seed, width):
    dt = "fp32" if fp32 else "fp16"; npd = np.float32 if fp32 else np.float16; w = Writer(dt); R = np.random.RandomState(seed); k = [0]
    def new(): k[0] += 1; return "t%d" % k[0]
    x = Ref("image", (1, 3, size, size))
    x = w.op("mul", "image_scaled", x.shape, "fp32", x=x, y=np.array(1 / (255 * .226), np.float32))
    x = w.op("add", "image_biased", x.shape, "fp32", x=x, y=np.array([-2.118, -2.036, -1.804], np.float32).reshape(1, 3, 1, 1))
    if not fp32: x = w.op("cast", "image_fp16", x.shape, x=x, dtype="fp16")
    def conv(x, o, kk, s=1, g=1, gain=2.0):
        c, h, v = x.shape[1:]; p = kk // 2; fan = c // g * kk * kk
        W = R.standard_normal((o, c // g, kk, kk)) * np.sqrt(gain / fan) * np.exp(.25 * R.standard_normal((o, 1, 1, 1)))
        b = R.standard_normal(o) * .1; n = new()
        return w.op("conv", n, (1, o, (h + 2 * p - kk) // s + 1, (v + 2 * p - kk) // s + 1), x=x, weight=W.astype(npd), bias=b.astype(npd), strides=[s, s],
                    pad_type="custom" if p else "valid", pad=[p] * 4, dilations=[1, 1], groups=g)
    r6 = lambda x: w.op("clip", new(), x.shape, x=x, alpha=np.array(0, npd), beta=np.array(6, npd))
    relu = lambda x: w.op("relu", new(), x.shape, x=x)
    add = lambda a, b: w.op("add", new(), a.shape, x=a, y=b)
    ch = lambda c: max(8, int(c * width + 4) // 8 * 8)
    if arch == "mobilenet_v2":
        x = r6(conv(x, ch(32), 3, 2))
        for t, c, n, s in ((1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1)):
            for i in range(n):
                y, i0 = x, x.shape[1]
                if t > 1: y = r6(conv(y, i0 * t, 1))
                y = conv(r6(conv(y, i0 * t, 3, s if i == 0 else 1, i0 * t)), ch(c), 1, gain=1.0)
                x = add(x, y) if i and i0 == ch(c) else y
        x = r6(conv(x, max(1280, ch(1280)), 1))
    else:
        x = relu(conv(x, ch(64), 7, 2)); h = x.shape[2]
        x = w.op("max_pool", new(), (1, x.shape[1], (h - 1) // 2 + 1, (h - 1) // 2 + 1), x=x, kernel_sizes=[3, 3], strides=[2, 2], pad_type="custom", pad=[1] * 4, ceil_mode=False)
        for c, n, s in ((64, 3, 1), (128, 4, 2), (256, 6, 2), (512, 3, 2)):
            for i in range(n):
                q = s if i == 0 else 1
                y = conv(relu(conv(relu(conv(x, ch(c), 1)), ch(c), 3, q)), ch(c) * 4, 1, gain=.3)
                x = relu(add(y, x if i else conv(x, ch(c) * 4, 1, q, gain=1.0)))
    c = x.shape[1]; x = w.op("reduce_mean", new(), (1, c, 1, 1), x=x, axes=[-2 & (1 << 64) - 1, -1 & (1 << 64) - 1], keep_dims=True)
    x = w.op("reshape", new(), (1, c), x=x, shape=[1, c])
    Wl = R.standard_normal((1000, c)); x = w.op("linear", "logits", (1, 1000), x=x, weight=(Wl * (2.5 if arch == "mobilenet_v2" else .6) / np.sqrt(c)).astype(npd), bias=(R.standard_normal(1000) * .1).astype(npd))
    x = w.op("softmax", "probs", (1, 1000), x=x, axis=-1 & (1 << 64) - 1)
    if not fp32: x = w.op("cast", "probs_fp32", (1, 1000), "fp32", x=x, dtype="fp32")
    sty = ttype("s", ()); labels = ["class_%03d" % i for i in range(1000)]
    lv = ln(2, ln(2, ln(1, sty) + ln(2, ln(1, iv(1, 1000))))) + ln(3, ln(3, b"".join(ln(1, w.val(l)[0]) for l in labels)))
    w.ops.append(st(1, "classify") + mp(2, "probabilities", ln(1, st(1, x.n))) + mp(2, "classes", ln(1, ln(2, lv))) + ln(3, st(1, "classLabel") + ln(2, sty)) +
                 ln(3, st(1, "classLabel_probs") + ln(2, ln(4, ln(1, sty) + ln(2, ln(1, iv(1, 12)))))) + w.name("classify_0"))
    block = st(2, "classLabel") + st(2, "classLabel_probs") + b"".join(ln(3, o) for o in w.ops)
    fn = ln(1, st(1, "image") + ln(2, ttype("fp32", (1, 3, size, size)))) + st(2, "CoreML6") + mp(3, "CoreML6", block)
    desc = ln(1, st(1, "image") + ln(3, ln(4, iv(1, size) + iv(2, size) + iv(3, 20)))) + ln(10, st(1, "classLabel") + ln(3, ln(3, b""))) + \
        ln(10, st(1, "classLabel_probs") + ln(3, ln(6, ln(2, b"")))) + st(11, "classLabel") + st(12, "classLabel_probs")
    model = iv(1, 7) + ln(2, desc) + ln(502, iv(1, 1) + mp(2, "main", fn))
    d = os.path.join(path, "Data", "com.apple.CoreML"); os.makedirs(os.path.join(d, "weights"), exist_ok=True)
    open(os.path.join(d, "model.mlmodel"), "wb").write(model)
    with open(os.path.join(d, "weights", "weight.bin"), "wb") as f:
        f.write(struct.pack("<II56x", w.count, 2))
        for off, t, b in w.blobs:
            f.write(b"\0" * (off - f.tell())); f.write(struct.pack("<IIQQQ32x", 0xDEADBEEF, t, len(b), off + 64, 0)); f.write(b)
    a, b = str(uuid.UUID(int=seed + 1)), str(uuid.UUID(int=seed + 2)); e = lambda n, p, q: {"author": "com.apple.CoreML", "description": q, "name": n, "path": p}
    json.dump({"fileFormatVersion": "1.0.0", "itemInfoEntries": {a: e("model.mlmodel", "com.apple.CoreML/model.mlmodel", "CoreML Model Specification"), b: e("weights", "com.apple.CoreML/weights", "CoreML Model Weights")}, "rootModelIdentifier": a},
              open(os.path.join(path, "Manifest.json"), "w"), indent=4)

if __name__ == "__main__":
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter); p.add_argument("arch", choices=["mobilenet_v2", "resnet50"]); p.add_argument("path")
    p.add_argument("--fp32", action="store_true"); p.add_argument("--size", type=int, default=224); p.add_argument("--seed", type=int, default=0); p.add_argument("--width", type=float, default=1.0); a = p.parse_args()
    build(a.arch, a.path, a.fp32, a.size, a.seed, a.width)
