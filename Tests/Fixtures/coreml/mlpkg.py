#!/usr/bin/env python3
"""mlpkg.py - a small stand-alone reader, checker and reference executor for
.mlpackage ML Programs.  Needs Python 3.9+ and numpy; nothing else.

It decodes the protobuf wire format from the field-number tables below (the same
numbers of the published schema), so it does not share code with any other Core ML tool.

  python3 mlpkg.py info  PKG            summary + op counts
  python3 mlpkg.py dump  PKG            one line per operation
  python3 mlpkg.py check PKG            structural checks; exit 1 and a list on failure
  python3 mlpkg.py diff  PKG_A PKG_B    per-weight squared error of B's decoded weights against A's
  python3 mlpkg.py run   PKG IN.f32 OUT.f32 [--acts fp16]   first multiarray/image input, raw float32 LE

The executor computes every op in float64.  With acts='wide' results are rounded to
float32 only at the end of each op (the "ideal" reference); with acts='fp16' each op result
whose declared type is FLOAT16 is rounded to half precision (a plausible fp16 engine).
"""
import json, math, os, struct, sys
import numpy as np

# ------------------------------------------------------------------ wire format
def _varint(b, i):
    r = s = 0
    while True:
        c = b[i]; i += 1
        r |= (c & 127) << s
        if c < 128: return r, i
        s += 7
        if s > 63: raise ValueError("varint too long")

def _signed(v): return v - (1 << 64) if v >= (1 << 63) else v

def fields(b):
    i, n = 0, len(b)
    while i < n:
        t, i = _varint(b, i)
        f, w = t >> 3, t & 7
        if f == 0: raise ValueError("field number 0")
        if w == 0: v, i = _varint(b, i)
        elif w == 1: v = b[i:i + 8]; i += 8
        elif w == 2:
            l, i = _varint(b, i)
            if i + l > n: raise ValueError("length runs past the end")
            v = b[i:i + l]; i += l
        elif w == 5: v = b[i:i + 4]; i += 4
        else: raise ValueError("wire type %d" % w)
        if i > n: raise ValueError("truncated field")
        yield f, w, v

# kinds: i int64, u uint64, b bool, s string, y bytes, e enum,
#        f*/d*/i*/b* packed lists, m message, M repeated message, S repeated string,
#        K map<string, message>, k map<string,string>
SCHEMA = {
 "Model": {1: ("specificationVersion", "i"), 2: ("description", "m", "ModelDescription"), 10: ("isUpdatable", "b"),
           303: ("neuralNetworkRegressor", "y"), 403: ("neuralNetworkClassifier", "y"), 500: ("neuralNetwork", "y"),
           202: ("pipeline", "y"), 200: ("pipelineClassifier", "y"), 502: ("mlProgram", "m", "Program")},
 "ModelDescription": {1: ("input", "M", "FeatureDescription"), 10: ("output", "M", "FeatureDescription"),
           11: ("predictedFeatureName", "s"), 12: ("predictedProbabilitiesName", "s"), 13: ("state", "M", "FeatureDescription"),
           20: ("functions", "M", "FunctionDescription"), 21: ("defaultFunctionName", "s"), 50: ("trainingInput", "M", "FeatureDescription"),
           100: ("metadata", "m", "Metadata")},
 "FunctionDescription": {1: ("name", "s"), 2: ("input", "M", "FeatureDescription"), 3: ("output", "M", "FeatureDescription"),
           4: ("predictedFeatureName", "s"), 5: ("predictedProbabilitiesName", "s"), 6: ("state", "M", "FeatureDescription")},
 "Metadata": {1: ("shortDescription", "s"), 2: ("versionString", "s"), 3: ("author", "s"), 4: ("license", "s"), 100: ("userDefined", "k")},
 "FeatureDescription": {1: ("name", "s"), 2: ("shortDescription", "s"), 3: ("type", "m", "FeatureType")},
 "FeatureType": {1: ("int64Type", "m", "Empty"), 2: ("doubleType", "m", "Empty"), 3: ("stringType", "m", "Empty"),
           4: ("imageType", "m", "ImageFeatureType"), 5: ("multiArrayType", "m", "ArrayFeatureType"),
           6: ("dictionaryType", "m", "DictionaryFeatureType"), 7: ("sequenceType", "y"), 8: ("stateType", "y"), 1000: ("isOptional", "b")},
 "Empty": {},
 "ImageFeatureType": {1: ("width", "i"), 2: ("height", "i"), 3: ("colorSpace", "e"), 21: ("enumeratedSizes", "y"), 31: ("imageSizeRange", "y")},
 "ArrayFeatureType": {1: ("shape", "i*"), 2: ("dataType", "e"), 21: ("enumeratedShapes", "y"), 31: ("shapeRange", "y"),
           41: ("intDefaultValue", "i"), 51: ("floatDefaultValue", "y"), 61: ("doubleDefaultValue", "y")},
 "DictionaryFeatureType": {1: ("int64KeyType", "m", "Empty"), 2: ("stringKeyType", "m", "Empty")},
 "Program": {1: ("version", "i"), 2: ("functions", "K", "Function"), 3: ("docString", "s"), 4: ("attributes", "K", "Value")},
 "Function": {1: ("inputs", "M", "NamedValueType"), 2: ("opset", "s"), 3: ("block_specializations", "K", "Block"), 4: ("attributes", "K", "Value")},
 "Block": {1: ("inputs", "M", "NamedValueType"), 2: ("outputs", "S"), 3: ("operations", "M", "Operation"), 4: ("attributes", "K", "Value")},
 "Operation": {1: ("type", "s"), 2: ("inputs", "K", "Argument"), 3: ("outputs", "M", "NamedValueType"), 4: ("blocks", "M", "Block"), 5: ("attributes", "K", "Value")},
 "Argument": {1: ("arguments", "M", "Binding")},
 "Binding": {1: ("name", "s"), 2: ("value", "m", "Value")},
 "NamedValueType": {1: ("name", "s"), 2: ("type", "m", "ValueType")},
 "ValueType": {1: ("tensorType", "m", "TensorType"), 2: ("listType", "m", "ListType"), 3: ("tupleType", "m", "TupleType"),
           4: ("dictionaryType", "m", "DictionaryType"), 5: ("stateType", "m", "StateType")},
 "TensorType": {1: ("dataType", "e"), 2: ("rank", "i"), 3: ("dimensions", "M", "Dimension"), 4: ("attributes", "K", "Value")},
 "ListType": {1: ("type", "m", "ValueType"), 2: ("length", "m", "Dimension")},
 "TupleType": {1: ("types", "M", "ValueType")},
 "DictionaryType": {1: ("keyType", "m", "ValueType"), 2: ("valueType", "m", "ValueType")},
 "StateType": {1: ("wrappedType", "m", "ValueType")},
 "Dimension": {1: ("constant", "m", "ConstantDimension"), 2: ("unknown", "m", "UnknownDimension")},
 "ConstantDimension": {1: ("size", "u")},
 "UnknownDimension": {1: ("variadic", "b")},
 "Value": {1: ("docString", "s"), 2: ("type", "m", "ValueType"), 3: ("immediateValue", "m", "ImmediateValue"), 5: ("blobFileValue", "m", "BlobFileValue")},
 "ImmediateValue": {1: ("tensor", "m", "TensorValue"), 2: ("tuple", "y"), 3: ("list", "m", "ListValue"), 4: ("dictionary", "y")},
 "ListValue": {1: ("values", "M", "Value")},
 "BlobFileValue": {1: ("fileName", "s"), 2: ("offset", "u")},
 "TensorValue": {1: ("floats", "m", "Floats"), 2: ("ints", "m", "Ints"), 3: ("bools", "m", "Bools"), 4: ("strings", "m", "Strings"),
           5: ("longInts", "m", "Ints"), 6: ("doubles", "m", "Doubles"), 7: ("bytes", "m", "Bytes")},
 "Floats": {1: ("values", "f*")}, "Doubles": {1: ("values", "d*")}, "Ints": {1: ("values", "i*")}, "Bools": {1: ("values", "i*")},
 "Strings": {1: ("values", "S")}, "Bytes": {1: ("values", "y")},
}

def parse(b, msg):
    sch, out = SCHEMA[msg], {}
    for spec in sch.values():
        k = spec[1]
        if k in ("M", "S", "i*", "f*", "d*"): out[spec[0]] = []
        elif k in ("K", "k"): out[spec[0]] = {}
        elif k in ("i", "u", "e"): out[spec[0]] = 0
        elif k == "b": out[spec[0]] = False
        elif k == "s": out[spec[0]] = ""
        else: out[spec[0]] = None
    for f, w, v in fields(b):
        if f not in sch:
            out.setdefault("?", []).append(f); continue
        spec = sch[f]; name, k = spec[0], spec[1]
        if k in ("i",): out[name] = _signed(v)
        elif k in ("u", "e"): out[name] = v
        elif k == "b": out[name] = bool(v)
        elif k == "s": out[name] = v.decode("utf-8")
        elif k == "y": out[name] = v
        elif k == "m": out[name] = parse(v, spec[2])
        elif k == "M": out[name].append(parse(v, spec[2]))
        elif k == "S": out[name].append(v.decode("utf-8"))
        elif k in ("K", "k"):
            key, val = "", b""
            for f2, _, v2 in fields(v):
                if f2 == 1: key = v2.decode("utf-8")
                elif f2 == 2: val = v2
            out[name][key] = parse(val, spec[2]) if k == "K" else val.decode("utf-8")
        elif k == "i*":
            if w == 0: out[name].append(_signed(v))
            else:
                j = 0
                while j < len(v):
                    x, j = _varint(v, j); out[name].append(_signed(x))
        elif k == "f*":
            out[name].extend(np.frombuffer(v, "<f4").tolist())
        elif k == "d*":
            out[name].extend(np.frombuffer(v, "<f8").tolist())
    return out

# ------------------------------------------------------------------ types and blobs
DT = {1: "bool", 2: "string", 10: "fp16", 11: "fp32", 12: "fp64", 13: "bf16", 21: "int8", 22: "int16", 23: "int32", 24: "int64", 25: "int4",
      31: "uint8", 32: "uint16", 33: "uint32", 34: "uint64", 35: "uint4", 36: "uint2", 37: "uint1", 38: "uint6", 39: "uint3", 40: "fp8e4m3fn", 41: "fp8e5m2"}
NP = {"bool": "?", "fp16": "<f2", "fp32": "<f4", "fp64": "<f8", "int8": "i1", "int16": "<i2", "int32": "<i4", "int64": "<i8",
      "uint8": "u1", "uint16": "<u2", "uint32": "<u4", "uint64": "<u8"}
SUB = {"int4": 4, "uint4": 4, "uint2": 2, "uint1": 1, "uint6": 6, "uint3": 3}
BLOB = {1: "fp16", 2: "fp32", 3: "uint8", 4: "int8", 5: "bf16", 6: "int16", 7: "uint16", 8: "int4", 9: "uint1", 10: "uint2", 11: "uint4",
        12: "uint3", 13: "uint6", 14: "int32", 15: "uint32", 16: "fp8e4m3fn", 17: "fp8e5m2"}

def unpack_bits(raw, nbits, count, signed=False):
    """LSB-first bit stream -> one integer per element."""
    bits = np.unpackbits(np.frombuffer(raw, np.uint8), bitorder="little")[: nbits * count].reshape(count, nbits)
    v = (bits.astype(np.int64) << np.arange(nbits)).sum(1)
    if signed: v = np.where(v >= 1 << (nbits - 1), v - (1 << nbits), v)
    return v

def pack_bits(vals, nbits):
    v = np.asarray(vals).reshape(-1, 1).astype(np.int64)
    return np.packbits(((v >> np.arange(nbits)) & 1).astype(np.uint8).reshape(-1), bitorder="little").tobytes()

class Package:
    def __init__(self, path):
        self.path = path
        man = json.load(open(os.path.join(path, "Manifest.json")))
        self.manifest = man
        ent = man["itemInfoEntries"][man["rootModelIdentifier"]]
        self.modelpath = os.path.join(path, "Data", ent["path"])
        self.model = parse(open(self.modelpath, "rb").read(), "Model")
        self._files = {}
        p = self.model["mlProgram"]
        self.program = p
        if p:
            d = self.model["description"]["defaultFunctionName"] or "main"
            self.fn = p["functions"][d]
            self.block = self.fn["block_specializations"][self.fn["opset"]]

    def blobfile(self, name):
        if name not in self._files:
            rel = name.replace("@model_path/", "")
            self._files[name] = open(os.path.join(os.path.dirname(self.modelpath), rel), "rb").read()
        return self._files[name]

    def tensor_type(self, t):
        return DT[t["dataType"]], tuple(d["constant"]["size"] for d in t["dimensions"])

    def value(self, v):
        """Decode a Value to a numpy array, str, bool or list."""
        ty = v["type"]
        if ty["listType"]:
            return [self.value(x) for x in v["immediateValue"]["list"]["values"]]
        dt, shape = self.tensor_type(ty["tensorType"])
        n = int(np.prod(shape)) if shape else 1
        if v["blobFileValue"]:
            return self.blob(v["blobFileValue"], dt, n).reshape(shape)
        t = v["immediateValue"]["tensor"]
        if dt == "string":
            s = t["strings"]["values"]
            return s[0] if not shape else s
        if t["bytes"]:
            raw = t["bytes"]["values"] or b""
            if dt in SUB: return unpack_bits(raw, SUB[dt], n, dt == "int4").reshape(shape)
            return np.frombuffer(raw, NP[dt], count=n).reshape(shape)
        for k in ("floats", "doubles", "ints", "longInts", "bools"):
            if t[k] is not None:
                return np.array(t[k]["values"], NP[dt]).reshape(shape)
        raise ValueError("empty tensor value")

    def blob(self, bv, dt, n):
        f, off = self.blobfile(bv["fileName"]), bv["offset"]
        sent, bt, size, start, padbits = struct.unpack_from("<IIQQQ", f, off)
        if sent != 0xDEADBEEF: raise ValueError("bad blob sentinel at %d" % off)
        if BLOB.get(bt) != dt: raise ValueError("blob type %s, value type %s" % (BLOB.get(bt), dt))
        raw = f[start:start + size]
        if len(raw) != size: raise ValueError("blob runs past end of file")
        if dt in SUB:
            if size * 8 - padbits != n * SUB[dt]: raise ValueError("sub-byte blob size")
            return unpack_bits(raw, SUB[dt], n, dt == "int4")
        if size != n * np.dtype(NP[dt]).itemsize: raise ValueError("blob size %d for %d x %s" % (size, n, dt))
        return np.frombuffer(raw, NP[dt])

    # -------- decoding of constant-expression ops to dense arrays
    def constexpr(self, op, env):
        def arg(k):
            if k in op["inputs"]:
                b = op["inputs"][k]["arguments"][0]
                return env[b["name"]] if b["name"] else self.value(b["value"])
            if k in op["attributes"]: return self.value(op["attributes"][k])
            return None
        odt, oshape = self.tensor_type(op["outputs"][-1]["type"]["tensorType"])
        t = op["type"]
        if t == "constexpr_lut_to_dense":
            idx, lut = arg("indices"), arg("lut")
            if lut.ndim == 1:                                 # iOS16/17 form: flat packed uint8 + shape
                nb = int(math.log2(lut.size)); n = int(np.prod(oshape))
                return lut[unpack_bits(idx.tobytes(), nb, n)].reshape(oshape)
            vs = lut.shape[-1]; ax = arg("vector_axis"); ax = 0 if ax is None else int(ax)
            g = lut
            for a in range(idx.ndim): g = np.repeat(g, idx.shape[a] // lut.shape[a], axis=a)
            r = np.take_along_axis(g, idx.astype(np.int64)[..., None, None], axis=-2)[..., 0, :]   # idx.shape + (vs,)
            if vs == 1: return r[..., 0]
            r = np.moveaxis(r, -1, ax + 1); return r.reshape(oshape)
        if t == "constexpr_affine_dequantize":
            q, zp, sc, ax = arg("quantized_data"), arg("zero_point"), arg("scale"), int(arg("axis"))
            def bc(p):
                p = np.asarray(p, np.float64)
                if p.ndim == 0: return p
                s = [1] * q.ndim; s[ax] = -1; return p.reshape(s)
            return (bc(sc) * (q.astype(np.float64) - bc(zp))).astype(NP[odt])
        if t == "constexpr_blockwise_shift_scale":
            d, sc, of = arg("data"), arg("scale"), arg("offset")
            def up(p):
                p = np.asarray(p, np.float64)
                for a in range(d.ndim): p = np.repeat(p, d.shape[a] // p.shape[a], axis=a)
                return p
            x = d.astype(np.float64)
            if of is not None: x = x - up(of)
            return (x * up(sc)).astype(NP[odt])
        if t == "constexpr_sparse_to_dense":
            nz, m = arg("nonzero_data"), arg("mask")
            n = int(np.prod(oshape))
            m = unpack_bits(m.tobytes(), 1, n) if m.ndim == 1 and m.dtype == np.uint8 else m.reshape(-1)
            r = np.zeros(n, nz.dtype); r[m != 0] = nz; return r.reshape(oshape)
        if t == "constexpr_cast":
            return arg("source_val").astype(NP[odt])
        raise NotImplementedError(t)

    def weights(self):
        """name -> dense array for every const/constexpr whose value is a float array of rank >= 1."""
        env, out = {}, {}
        for op in self.block["operations"]:
            if op["type"] == "const": v = self.value(op["attributes"]["val"])
            elif op["type"].startswith("constexpr_"): v = self.constexpr(op, env)
            else: continue
            env[op["outputs"][-1]["name"]] = v
            if isinstance(v, np.ndarray) and v.dtype.kind == "f" and v.ndim: out[op["outputs"][-1]["name"]] = v
        return out

# ------------------------------------------------------------------ reference executor
try:
    from math import erf as _erf
    _verf = np.vectorize(_erf, otypes=[float])
except ImportError: pass

def _same(n, k, s, d, lower):
    e = (k - 1) * d + 1
    tot = max((-(-n // s) - 1) * s + e - n, 0)
    a = tot // 2
    return (tot - a, a) if lower else (a, tot - a)

def _pads(ptype, pad, spatial, kern, st, dil):
    if ptype == "valid": return [(0, 0)] * len(spatial)
    if ptype == "custom": return [(int(pad[2 * i]), int(pad[2 * i + 1])) for i in range(len(spatial))]
    return [_same(spatial[i], kern[i], st[i], dil[i], ptype == "same_lower") for i in range(len(spatial))]

def _windows(x, kern, st, dil):
    eff = [(k - 1) * d + 1 for k, d in zip(kern, dil)]
    w = np.lib.stride_tricks.sliding_window_view(x, eff, axis=(2, 3))
    return w[:, :, ::st[0], ::st[1], ::dil[0], ::dil[1]]        # n c oh ow kh kw

def conv2d(x, w, b, st, pads, dil, g):
    x = np.pad(x, [(0, 0), (0, 0)] + pads)
    n, c = x.shape[:2]; co, cg, kh, kw = w.shape
    win = _windows(x, (kh, kw), st, dil); oh, ow = win.shape[2:4]
    if g == c and cg == 1:
        m = co // c
        y = np.einsum("nchwij,cmij->ncmhw", win, w.reshape(c, m, kh, kw)).reshape(n, co, oh, ow)
    else:
        ys = []
        for q in range(g):
            a = win[:, q * cg:(q + 1) * cg].transpose(0, 2, 3, 1, 4, 5).reshape(n * oh * ow, -1)
            ys.append((a @ w[q * co // g:(q + 1) * co // g].reshape(co // g, -1).T).reshape(n, oh, ow, -1).transpose(0, 3, 1, 2))
        y = np.concatenate(ys, 1)
    return y if b is None else y + b.reshape(1, -1, 1, 1)

def pool2d(x, k, st, pads, mode, ceil, excl):
    h, w = x.shape[2:]; out = []
    for n, kk, s, (a, b) in zip((h, w), k, st, pads):
        t = n + a + b - kk
        o = (-(-t // s) if ceil else t // s) + 1
        if ceil and (o - 1) * s >= n + a: o -= 1
        out.append(o)
    ex = [max((o - 1) * s + kk - (n + a + b), 0) for o, s, kk, n, (a, b) in zip(out, st, k, (h, w), pads)]
    P = [(0, 0), (0, 0)] + [(a, b + e) for (a, b), e in zip(pads, ex)]
    fill = -np.inf if mode == "max" else 0.0
    win = _windows(np.pad(x, P, constant_values=fill), k, st, (1, 1))[:, :, :out[0], :out[1]]
    if mode == "max": return win.max((-1, -2))
    one = np.ones((1, 1, h, w))
    if excl: cnt = np.pad(one, P)
    else: cnt = np.pad(np.pad(one, [(0, 0), (0, 0)] + list(pads), constant_values=1.0), [(0, 0), (0, 0)] + [(0, e) for e in ex])
    den = _windows(cnt, k, st, (1, 1))[:, :, :out[0], :out[1]].sum((-1, -2))
    return win.sum((-1, -2)) / den

def softmax(x, ax):
    e = np.exp(x - x.max(ax, keepdims=True)); return e / e.sum(ax, keepdims=True)

def run(pkg, inputs, acts="wide"):
    """inputs: name -> array (images: float 0..255, NCHW). Returns name -> array (classify: label, dict)."""
    F = np.float64
    if not hasattr(pkg, "_consts"):
        c = {}
        for op in pkg.block["operations"]:
            if op["type"] == "const": c[op["outputs"][0]["name"]] = pkg.value(op["attributes"]["val"])
            elif op["type"].startswith("constexpr_"): c[op["outputs"][-1]["name"]] = pkg.constexpr(op, c)
        pkg._consts = {k: (v.astype(F) if isinstance(v, np.ndarray) and v.dtype.kind == "f" else v) for k, v in c.items()}
    env = dict(pkg._consts)
    for nv in pkg.fn["inputs"]:
        dt, shp = pkg.tensor_type(nv["type"]["tensorType"])
        env[nv["name"]] = np.asarray(inputs[nv["name"]]).astype(NP[dt]).astype(F).reshape(shp)
    for op in pkg.block["operations"]:
        t = op["type"]
        if t == "const" or t.startswith("constexpr_"): continue
        A = {}
        for k, a in op["inputs"].items():
            vals = [env[b["name"]] if b["name"] else pkg.value(b["value"]) for b in a["arguments"]]
            A[k] = vals if len(vals) > 1 or k in ("values",) else vals[0]
        g = lambda k, d=None: A.get(k, d)
        il = lambda k, d: [int(q) for q in np.asarray(A[k]).reshape(-1)] if k in A else d
        x = g("x")
        if t == "conv":
            st, dil = il("strides", [1, 1]), il("dilations", [1, 1]); w = A["weight"]
            y = conv2d(x, w, g("bias"), st, _pads(g("pad_type", "valid"), il("pad", [0] * 4), x.shape[2:], w.shape[2:], st, dil), dil, int(g("groups", 1)))
        elif t in ("max_pool", "avg_pool"):
            k, st = il("kernel_sizes", None), il("strides", [1, 1])
            y = pool2d(x, k, st, _pads(A["pad_type"], il("pad", [0] * 4), x.shape[2:], k, st, [1, 1]), t[:3], bool(g("ceil_mode", False)), bool(g("exclude_padding_from_average", False)))
        elif t in ("add", "sub", "mul", "real_div", "maximum", "minimum", "pow"):
            y = {"add": np.add, "sub": np.subtract, "mul": np.multiply, "real_div": np.divide, "maximum": np.maximum, "minimum": np.minimum, "pow": np.power}[t](x, A["y"])
        elif t == "relu": y = np.maximum(x, 0)
        elif t == "relu6": y = np.clip(x, 0, 6)
        elif t == "clip": y = np.clip(x, A["alpha"], A["beta"])
        elif t == "leaky_relu": y = np.where(x >= 0, x, x * A["alpha"])
        elif t == "prelu": y = np.where(x > 0, x, x * A["alpha"].reshape((1, -1) + (1,) * (x.ndim - 2)))
        elif t == "elu": y = np.where(x > 0, x, A["alpha"] * np.expm1(np.minimum(x, 0)))
        elif t == "thresholded_relu": y = np.where(x >= A["alpha"], x, 0)
        elif t == "sigmoid_hard": y = np.clip(A["alpha"] * x + A["beta"], 0, 1)
        elif t == "linear_activation": y = A["alpha"] * x + A["beta"]
        elif t == "sigmoid": y = 1 / (1 + np.exp(-x))
        elif t == "silu": y = x / (1 + np.exp(-x))
        elif t == "tanh": y = np.tanh(x)
        elif t == "softplus": y = np.log1p(np.exp(-abs(x))) + np.maximum(x, 0)
        elif t == "gelu":
            m = g("mode", "EXACT")
            y = 0.5 * x * (1 + _verf(x / math.sqrt(2))) if m == "EXACT" else 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x ** 3))) if m == "TANH_APPROXIMATION" else x / (1 + np.exp(-1.702 * x))
        elif t == "sqrt": y = np.sqrt(x)
        elif t == "rsqrt": y = 1 / np.sqrt(x + float(g("epsilon", 1e-12)))
        elif t == "exp": y = np.exp(x)
        elif t == "erf": y = _verf(x)
        elif t == "abs": y = abs(x)
        elif t == "square": y = x * x
        elif t == "identity": y = x
        elif t == "cast": y = x
        elif t == "softmax": y = softmax(x, int(g("axis", -1)))
        elif t == "linear":
            y = x @ A["weight"].T + (g("bias") if "bias" in A else 0)
        elif t == "matmul":
            b = A["y"]
            if bool(g("transpose_x", False)): x = np.swapaxes(x, -1, -2)
            if bool(g("transpose_y", False)): b = np.swapaxes(b, -1, -2)
            y = x @ b
        elif t == "scaled_dot_product_attention":
            q, k, v = A["query"], A["key"], A["value"]
            s = q @ np.swapaxes(k, -1, -2) / math.sqrt(q.shape[-1])
            if "attn_mask" in A:
                m = A["attn_mask"]; s = np.where(m, s, -np.inf) if m.dtype == bool else s + m
            y = softmax(s, -1) @ v
        elif t == "batch_norm":
            s = (1, -1) + (1,) * (x.ndim - 2)
            y = (x - A["mean"].reshape(s)) / np.sqrt(A["variance"].reshape(s) + float(g("epsilon", 1e-5)))
            if "gamma" in A: y = y * A["gamma"].reshape(s)
            if "beta" in A: y = y + A["beta"].reshape(s)
        elif t == "layer_norm":
            ax = tuple(a % x.ndim for a in il("axes", list(range(x.ndim))))
            mu = x.mean(ax, keepdims=True); var = ((x - mu) ** 2).mean(ax, keepdims=True)
            y = (x - mu) / np.sqrt(var + float(g("epsilon", 1e-5)))
            s = [x.shape[i] if i in ax else 1 for i in range(x.ndim)]
            if "gamma" in A: y = y * A["gamma"].reshape(s)
            if "beta" in A: y = y + A["beta"].reshape(s)
        elif t in ("reduce_mean", "reduce_sum", "reduce_max", "reduce_min"):
            y = getattr(np, {"reduce_mean": "mean", "reduce_sum": "sum", "reduce_max": "max", "reduce_min": "min"}[t])(x, axis=tuple(il("axes", list(range(x.ndim)))), keepdims=bool(g("keep_dims", False)))
        elif t == "reshape": y = x.reshape([x.shape[i] if q == 0 else q for i, q in enumerate(il("shape", None))])
        elif t == "transpose": y = x.transpose([p % x.ndim for p in il("perm", None)])
        elif t == "squeeze": y = np.squeeze(x, tuple(il("axes", [i for i in range(x.ndim) if x.shape[i] == 1])))
        elif t == "expand_dims":
            ax = il("axes", None); nd = x.ndim + len(ax); y = x
            for a in sorted(q % nd for q in ax): y = np.expand_dims(y, a)
        elif t == "concat":
            ax = int(A["axis"]); vs = A["values"]
            if bool(g("interleave", False)):
                ax %= vs[0].ndim; y = np.stack(vs, ax + 1); s = list(vs[0].shape); s[ax] *= len(vs); y = y.reshape(s)
            else: y = np.concatenate(vs, ax)
        elif t == "split":
            ax = int(A["axis"])
            if "split_sizes" in A: y = np.split(x, np.cumsum(il("split_sizes", None))[:-1], ax)
            else: y = np.split(x, int(A["num_splits"]), ax)
        elif t == "slice_by_index":
            nd = x.ndim; be, en = il("begin", None), il("end", None); sd = il("stride", [1] * nd)
            bm = [bool(q) for q in A.get("begin_mask", [False] * nd)]; em = [bool(q) for q in A.get("end_mask", [False] * nd)]; sm = [bool(q) for q in A.get("squeeze_mask", [False] * nd)]
            y = x[tuple(be[i] if sm[i] else slice(None if bm[i] else be[i], None if em[i] else en[i], sd[i]) for i in range(nd))]
        elif t == "pad":
            p = il("pad", None); m = g("mode", "constant"); k = len(p) // 2
            P = [(0, 0)] * (x.ndim - k) + [(p[2 * i], p[2 * i + 1]) for i in range(k)]
            y = np.pad(x, P, constant_values=float(g("constant_val", 0))) if m == "constant" else np.pad(x, P, mode={"reflect": "reflect", "replicate": "edge"}[m])
        elif t == "gather":
            y = np.take(x, np.asarray(A["indices"]).astype(int), axis=int(g("axis", 0)))
        elif t == "classify":
            p = A["probabilities"].reshape(-1); c = A["classes"]
            c = [q.item() if isinstance(q, np.ndarray) else q for q in c]
            env[op["outputs"][0]["name"]] = c[int(np.argmax(p))]
            env[op["outputs"][1]["name"]] = dict(zip(c, p.astype(np.float32).tolist())); continue
        else: raise NotImplementedError("op " + t)
        for o, v in zip(op["outputs"], y if t == "split" else [y]):
            dt, shp = pkg.tensor_type(o["type"]["tensorType"])
            if tuple(v.shape) != shp: raise ValueError("%s %s: got %s, declared %s" % (t, o["name"], v.shape, shp))
            if dt == "fp16" and acts == "fp16": v = v.astype(np.float16)
            elif dt in ("fp16", "fp32"): v = v.astype(np.float32)
            env[o["name"]] = v.astype(F)
    return {o: env[o] for o in pkg.block["outputs"]}

# ------------------------------------------------------------------ checks
def check(path):
    bad = []
    def need(c, m):
        if not c: bad.append(m)
    try: man = json.load(open(os.path.join(path, "Manifest.json")))
    except Exception as e: return ["Manifest.json: %s" % e]
    need(man.get("fileFormatVersion") == "1.0.0", "fileFormatVersion")
    ents = man.get("itemInfoEntries", {})
    for k, e in ents.items():
        for f in ("author", "description", "name", "path"): need(f in e, "entry %s lacks %s" % (k, f))
        need(os.path.exists(os.path.join(path, "Data", e.get("path", "?"))), "entry %s: path missing" % k)
    need(man.get("rootModelIdentifier") in ents, "rootModelIdentifier")
    if bad: return bad
    try: p = Package(path)
    except Exception as e: return ["model does not parse: %r" % e]
    m = p.model; v = m["specificationVersion"]
    need(p.program is not None, "no mlProgram")
    if p.program is None: return bad
    want = {6: "CoreML5", 7: "CoreML6", 8: "CoreML7", 9: "CoreML8", 10: "CoreML9"}.get(v)
    need(want is not None, "specificationVersion %d" % v)
    need(p.fn["opset"] == want, "opset %s with specificationVersion %d" % (p.fn["opset"], v))
    import re
    ident = re.compile(r"[A-Za-z_][A-Za-z0-9_@]*$")
    seen = {i["name"] for i in p.fn["inputs"]}; consts = {}; spans = []; offs = set()
    def blobs(val):
        bv = val["blobFileValue"]
        if not bv: return
        need(bv["fileName"] == "@model_path/weights/weight.bin", "blob file name " + bv["fileName"])
        need(bv["offset"] % 64 == 0, "blob metadata offset %d not a multiple of 64" % bv["offset"])
        f = p.blobfile(bv["fileName"])
        if bv["offset"] + 64 > len(f): bad.append("blob offset past end"); return
        _, bt, size, start, _ = struct.unpack_from("<IIQQQ", f, bv["offset"])
        need(start == bv["offset"] + 64, "blob data not right after its metadata")
        need(start + size <= len(f), "blob past end of file")
        if bv["offset"] not in offs: offs.add(bv["offset"]); spans.append((bv["offset"], start + size))
    for i, op in enumerate(p.block["operations"]):
        w = "op %d %s" % (i, op["type"])
        need("name" in op["attributes"], w + ": no name attribute")
        for k, a in op["inputs"].items():
            need(a["arguments"], w + ": empty argument " + k)
            for b in a["arguments"]:
                if b["name"]: need(b["name"] in seen, w + ": uses %s before it is defined" % b["name"])
                elif b["value"] is None: bad.append(w + ": empty binding " + k)
                else: blobs(b["value"])
        for k, val in op["attributes"].items(): blobs(val)
        for o in op["outputs"]:
            need(bool(ident.match(o["name"])), w + ": output name %r" % o["name"])
            need(o["name"] not in seen, w + ": output %s redefined" % o["name"]); seen.add(o["name"])
        try:
            if op["type"] == "const":
                need("val" in op["attributes"], w + ": no val"); val = op["attributes"]["val"]
                need(val["type"] == op["outputs"][0]["type"], w + ": val type differs from output type")
                consts[op["outputs"][0]["name"]] = p.value(val)
            elif op["type"].startswith("constexpr_"):
                if v <= 8: need(not op["inputs"], w + ": before iOS18 constexpr parameters are attributes, not inputs")
                else: need(set(op["attributes"]) <= {"name"}, w + ": from iOS18 constexpr parameters are inputs")
                r = p.constexpr(op, consts); consts[op["outputs"][-1]["name"]] = r
                if op["type"] == "constexpr_lut_to_dense":
                    lut = p.value(op["attributes"]["lut"]) if v <= 8 else None
                    if lut is not None: need(lut.size in (2, 4, 16, 64, 256), w + ": %d palette entries before iOS18" % lut.size)
        except Exception as e: bad.append("%s: %r" % (w, e))
    spans.sort()
    for a, b in zip(spans, spans[1:]): need(b[0] >= a[1], "blobs overlap at %d" % b[0])
    for n in p._files:
        f = p._files[n]
        cnt, ver = struct.unpack_from("<II", f, 0)
        need(ver == 2, "weight file version %d" % ver); need(cnt >= len(spans), "weight file count %d, %d blobs referenced" % (cnt, len(spans)))
    for o in p.block["outputs"]: need(o in seen, "block output %s undefined" % o)
    d = m["description"]
    need([f["name"] for f in d["output"]] and set(f["name"] for f in d["output"]) == set(p.block["outputs"]), "description outputs differ from block outputs")
    need(set(f["name"] for f in d["input"]) == set(i["name"] for i in p.fn["inputs"]), "description inputs differ from function inputs")
    return bad

def main(a):
    if a[0] == "check":
        b = check(a[1]); print("\n".join(b) or "ok"); return 1 if b else 0
    p = Package(a[1])
    if a[0] == "info":
        import collections
        print("spec", p.model["specificationVersion"], "opset", p.fn["opset"])
        for f in p.model["description"]["input"] + p.model["description"]["output"]:
            print(" ", f["name"], {k: v for k, v in f["type"].items() if v})
        print(dict(collections.Counter(o["type"] for o in p.block["operations"])))
    elif a[0] == "dump":
        def ty(t):
            t = t["type"]["tensorType"]
            return "%s%s" % (DT.get(t["dataType"]), [d["constant"]["size"] for d in t["dimensions"]]) if t else "?"
        for o in p.block["operations"]:
            print(o["type"], {k: [b["name"] or "<value>" for b in v["arguments"]] for k, v in o["inputs"].items()}, "attr", sorted(o["attributes"]), "->", [(q["name"], ty(q)) for q in o["outputs"]])
    elif a[0] == "diff":
        # matches weights by position: same op order is assumed
        wa, wb = list(p.weights().items()), list(Package(a[2]).weights().items())
        for (n, x), (m, y) in zip([q for q in wa if q[1].ndim > 1], [q for q in wb if q[1].ndim > 1]):
            print("%-50s %-50s n=%d sse=%.6g" % (n, m, x.size, ((x.astype(float) - y.astype(float)) ** 2).sum()))
    elif a[0] == "run":
        r = run(p, {p.fn["inputs"][0]["name"]: np.fromfile(a[2], "<f4")}, "fp16" if "fp16" in a[4:] else "wide")
        o = r[p.block["outputs"][-1]]
        (np.array(list(o.values())) if isinstance(o, dict) else o).astype("<f4").tofile(a[3])
    return 0

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]) if len(sys.argv) > 2 else (print(__doc__) or 2))
