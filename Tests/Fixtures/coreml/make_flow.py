#!/usr/bin/env python3
"""Writes flow/*.mlpackage and flow.json: programs with loops, branches, lists and states as coremltools writes them, and
what PyTorch or numpy compute for them.

  pip install coremltools torch numpy;  python3 make_flow.py      (some seconds)
"""
import json, os, shutil
import coremltools as ct
import numpy as np
import torch
from coremltools.converters.mil import Builder as mb
from coremltools.converters.mil.mil import types

HERE = os.path.dirname(os.path.abspath(__file__))
torch.manual_seed(5)
R = np.random.RandomState(5)
CASES = []


def save(name, model, steps, tolerance=2e-5, function=None):
    """steps: pairs of inputs and outputs, one prediction after the other."""
    path = os.path.join(HERE, "flow", name + ".mlpackage")
    if model is not None:
        shutil.rmtree(path, ignore_errors=True)
        model.save(path)
        # Identifiers are drawn anew each time.
        manifest = os.path.join(path, "Manifest.json")
        with open(manifest) as f: text = f.read()
        for index, key in enumerate(json.loads(text)["itemInfoEntries"]): text = text.replace(key, "00000000-0000-0000-0000-%012d" % index)
        with open(manifest, "w") as f: f.write(text)
    pack = lambda d: {k: {"shape": list(np.shape(v)), "values": [float(x) for x in np.asarray(v, np.float64).reshape(-1)]} for k, v in d.items()}
    case = {"model": name, "tolerance": tolerance, "steps": [{"inputs": pack(a), "outputs": pack(b)} for a, b in steps]}
    if function: case["function"] = function
    CASES.append(case)


def convert(program, target=ct.target.iOS15, **more):
    return ct.convert(program, convert_to="mlprogram", minimum_deployment_target=target, compute_precision=ct.precision.FLOAT32,
                      skip_model_load=True, **more)


def traced(module, *examples, names=None, target=ct.target.iOS15, **more):
    module = module.eval()
    inputs = [ct.TensorType(name=n, shape=e.shape) for n, e in zip(names or ["x"], examples)]
    return convert(torch.jit.trace(module, examples), target, inputs=inputs, **more)


# PyTorch's GRU: a loop over the sequence with a list of states.
class GRU(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.gru = torch.nn.GRU(3, 4, num_layers=2, bidirectional=True, batch_first=True)

    def forward(self, x): return self.gru(x)[0]


module, x = GRU(), torch.randn(2, 5, 3)
model = traced(module, x, outputs=[ct.TensorType(name="y")])
save("gru", model, [({"x": x.numpy()}, {"y": module(x).detach().numpy()})])


class LSTM(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = torch.nn.LSTM(3, 17, num_layers=2, bidirectional=True)
        self.end = torch.nn.Linear(34, 2)

    def forward(self, x):
        y, (h, c) = self.lstm(x)
        return self.end(y), h, c


module, x = LSTM(), torch.randn(6, 2, 3)
model = traced(module, x, outputs=[ct.TensorType(name=n) for n in "yhc"])
save("lstm", model, [({"x": x.numpy()}, dict(zip("yhc", (v.detach().numpy() for v in module(x)))))])


@mb.program(input_specs=[mb.TensorSpec(shape=(3, 2))])
def loop(x):
    def cond(i, y, ls): return mb.less(x=i, y=np.int32(4))
    def body(i, y, ls):
        y = mb.add(x=mb.mul(x=y, y=np.float32(1.5)), y=x)
        ls = mb.list_write(ls=ls, index=i, value=mb.reduce_sum(x=y, axes=[0]))
        return mb.add(x=i, y=np.int32(1)), y, ls
    ls = mb.make_list(init_length=4, elem_shape=[np.int32(2)], dynamic_length=False)
    i, y, ls = mb.while_loop(_cond=cond, _body=body, loop_vars=(np.int32(0), x, ls))
    third = mb.list_read(ls=ls, index=np.int32(2))
    all_ = mb.list_gather(ls=ls, indices=np.array([3, 0, 1, 2], np.int32))
    ls = mb.list_scatter(ls=ls, indices=np.array([1, 2], np.int32), value=mb.mul(x=mb.slice_by_size(x=x, begin=[0, 0], size=[2, 2]), y=np.float32(2)))
    return mb.identity(x=y, name="y"), mb.identity(x=third, name="third"), mb.identity(x=all_, name="all"), mb.list_gather(
        ls=ls, indices=np.array([0, 1, 2, 3], np.int32), name="scattered")


x = R.randn(3, 2).astype(np.float32)
y, rows = x.astype(np.float64), []
for _ in range(4):
    y = y * 1.5 + x
    rows.append(y.sum(0))
rows = np.stack(rows)
scattered = rows.copy()
scattered[1:3] = 2 * x[:2]
save("loop", convert(loop), [({"x": x}, {"y": y, "third": rows[2], "all": rows[[3, 0, 1, 2]], "scattered": scattered})])


@mb.program(input_specs=[mb.TensorSpec(shape=(3,))])
def branch(x):
    pred = mb.greater(x=mb.reduce_sum(x=x, axes=[0]), y=np.float32(0))
    a = mb.cond(pred=pred, _true_fn=lambda: mb.mul(x=x, y=np.float32(2)), _false_fn=lambda: mb.log(x=mb.abs(x=x)))
    return mb.add(x=a, y=np.float32(1), name="y")


save("branch", convert(branch), [({"x": v}, {"y": 1 + (2 * v if v.sum() > 0 else np.log(abs(v)))})
                                 for v in (np.array([1, 2, 0], np.float32), np.array([-1, -2, .5], np.float32))])


# Two states: a cache whose parts are replaced, and a sum.
class Cache(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("cache", torch.zeros(4, 3))
        self.register_buffer("total", torch.zeros(3))

    def forward(self, x):
        self.cache[0:1] = self.cache[0:1] + x
        self.cache[2:4] = torch.cat([x, self.cache[0:1] * 0.5])
        self.total.add_(x[0])
        return self.cache.sum(0) + self.total, self.cache * 2


module, x = Cache().eval(), torch.randn(1, 3)
states = [ct.StateType(wrapped_type=ct.TensorType(shape=s, dtype=np.float16), name=n) for n, s in (("cache", (4, 3)), ("total", (3,)))]
model = ct.convert(torch.jit.trace(module, x), inputs=[ct.TensorType(name="x", shape=x.shape)], states=states, outputs=[ct.TensorType(name="y"), ct.TensorType(name="z")],
                   minimum_deployment_target=ct.target.iOS18, compute_precision=ct.precision.FLOAT32, skip_model_load=True)
module, steps = Cache().eval(), []
for _ in range(3):
    x = torch.randn(1, 3)
    y, z = module(x)
    steps.append(({"x": x.numpy()}, {"y": y.clone().numpy(), "z": z.clone().numpy()}))
save("state", model, steps, tolerance=0.02)

# Two functions that share their weights.
class Base(torch.nn.Module):
    def __init__(self, last):
        super().__init__()
        torch.manual_seed(1)
        self.first, self.last = torch.nn.Linear(8, 16), last

    def forward(self, x): return self.last(self.first(x))


x, parts = torch.randn(1, 8), {}
for name, last in (("small", torch.nn.ReLU()), ("wide", torch.nn.Sequential(torch.nn.ReLU(), torch.nn.Linear(16, 5)))):
    parts[name] = Base(last)
    path = "/tmp/flow-%s.mlpackage" % name
    shutil.rmtree(path, ignore_errors=True)
    traced(parts[name], x, target=ct.target.iOS18, outputs=[ct.TensorType(name="y")]).save(path)
d = ct.utils.MultiFunctionDescriptor()
for name in parts: d.add_function("/tmp/flow-%s.mlpackage" % name, src_function_name="main", target_function_name=name)
d.default_function_name = "small"
target = os.path.join(HERE, "flow", "functions.mlpackage")
shutil.rmtree(target, ignore_errors=True)
ct.utils.save_multifunction(d, target)
with open(target + "/Manifest.json") as f: text = f.read()
for index, key in enumerate(json.loads(text)["itemInfoEntries"]): text = text.replace(key, "00000000-0000-0000-0000-%012d" % index)
with open(target + "/Manifest.json", "w") as f: f.write(text)
for name, part in parts.items():
    save("functions", None, [({"x": x.numpy()}, {"y": part(x).detach().numpy()})], function=name)


# A memory that is an input and an output, as networks for audio have it: the next window's `h0` is this one's `h1`.
@mb.program(input_specs=[mb.TensorSpec(shape=(1, 4)), mb.TensorSpec(shape=(1, 1, 4))], opset_version=ct.target.iOS16)
def memory(x, h0):
    h1 = mb.tanh(x=mb.add(x=x, y=mb.mul(x=mb.squeeze(x=h0, axes=[1]), y=np.float32(0.5))), name="h1")
    return h1, mb.reduce_sum(x=mb.abs(x=h1), axes=[1], keep_dims=False, name="loudness")


steps, h = [], np.zeros((1, 1, 4), np.float32)
for _ in range(3):
    x = R.uniform(-1, 1, (1, 4)).astype(np.float32)
    h1 = np.tanh(x + h[:, 0] / 2)
    steps.append(({"x": x, "h0": h}, {"h1": h1, "loudness": np.abs(h1).sum(1)}))
    h = h1[:, None]
save("memory", convert(memory, ct.target.iOS16), steps)


# Elements that are chosen by a mask: how many there are is known only when the model runs.
class Masked(torch.nn.Module):
    def forward(self, x, m):
        y, rows = x.clone(), m > 0
        y[y < -1] = -1.5
        y[rows] = y[rows] * 2 + torch.arange(4.0)
        z = torch.nan_to_num(x / (x - x[:1]), nan=5.0, posinf=7.0, neginf=-7.0)
        return y, z, x[rows].mean(0), x[rows].sum().reshape(1), x[rows].max().reshape(1)


torch.manual_seed(11)
module, pairs = Masked().eval(), []
for marks in ([[0, 1, 1], [0, 0, 1]], [[1, 0, 0], [0, 0, 0]], [[1, 1, 1], [1, 1, 1]]):
    x, m = torch.randn(2, 3, 4), torch.tensor(marks, dtype=torch.float32)
    x[0, 0, 0] = 0
    pairs.append(({"x": x.numpy(), "m": m.numpy()}, dict(zip("yzabc", (v.numpy() for v in module(x, m))))))
for name, target in (("masked", ct.target.iOS15), ("masked17", ct.target.iOS17)):
    save(name, traced(module, x, m, names=["x", "m"], target=target, outputs=[ct.TensorType(name=n) for n in "yzabc"]), pairs)

# PyTorch's GRU as a network of layers: a loop layer, which has no outputs of its own.
layers = ct.convert(torch.jit.trace(torch.nn.GRU(2, 3).eval(), torch.randn(4, 1, 2)), inputs=[ct.TensorType(name="x", shape=(4, 1, 2))],
                    convert_to="neuralnetwork", minimum_deployment_target=ct.target.iOS14, skip_model_load=True)
layers.save(os.path.join(HERE, "flow", "loop.mlmodel"))

# From iOS 17 on, indices are made positive by a choice, and have 16 bits; in float16 the list is cast in each round.
class GRU17(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.gru = torch.nn.GRU(6, 20)

    def forward(self, x, h): return self.gru(x, h)


torch.manual_seed(17)
module, x, h = GRU17().eval(), torch.randn(7, 1, 6), torch.randn(1, 1, 20)
model = ct.convert(torch.jit.trace(module, (x, h)), convert_to="mlprogram", minimum_deployment_target=ct.target.iOS17,
                   compute_precision=ct.precision.FLOAT16, skip_model_load=True,
                   inputs=[ct.TensorType(name=n, shape=t.shape) for n, t in (("x", x), ("h", h))],
                   outputs=[ct.TensorType(name=n) for n in ("y", "last")])
save("gru17", model, [({"x": x.numpy(), "h": h.numpy()}, dict(zip(("y", "last"), (v.detach().numpy() for v in module(x, h)))))], 2e-3)


with open(os.path.join(HERE, "flow.json"), "w") as out:
    out.write("[\n" + ",\n".join(json.dumps(c, separators=(",", ":")) for c in CASES) + "\n]\n")
print(len(CASES), "cases")
