#!/usr/bin/env python3
"""Networks in every form that coremltools.optimize gives weights and activations: quantized by tensor, channel and block in 8 and 4
bits, palettes by tensor, group and vector, pruned, several of these at once, W8A8 and W4A8, and what coremltools.optimize.torch
makes. Run by `hearth predict`, and compared with the same program computed here in float64, operation by operation, from the weights
that coremltools expands.

    pip install torch==2.7.0 coremltools==9.0 "numpy<2.3" scikit-learn
    python Tests/Vision/check_optimize.py [--hearth .build/release/hearth] [NAME…]

Nothing is downloaded. Prints a line for each form; leaves with status 1 where one is not run or is off by more than 1e-3 of the
largest result. What coremltools itself cannot make is printed and does not count.
"""
import argparse, copy, inspect, json, logging, os, subprocess, sys, tempfile, warnings

os.environ["TQDM_DISABLE"] = "1"
warnings.filterwarnings("ignore")
logging.disable(logging.ERROR)
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
import coremltools as ct
import coremltools.optimize.coreml as cto
from coremltools.converters.mil.frontend.milproto.load import load

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
LIMIT = 1e-3
IOS16, IOS17, IOS18 = ct.target.iOS16, ct.target.iOS17, ct.target.iOS18


class Picture(nn.Module):
    """Each form of convolution: first, depthwise, pointwise, grouped, a sum of two branches, transposed; and dense layers."""

    def __init__(self):
        super().__init__()
        self.first, self.depthwise = nn.Conv2d(3, 32, 3, 2, 1), nn.Conv2d(32, 32, 3, 1, 1, groups=32)
        self.pointwise, self.norm = nn.Conv2d(32, 64, 1), nn.BatchNorm2d(64)
        self.grouped, self.left, self.right = nn.Conv2d(64, 64, 3, 1, 1, groups=4), nn.Conv2d(64, 64, 3, 1, 1), nn.Conv2d(64, 64, 1)
        self.up, self.dense, self.last = nn.ConvTranspose2d(64, 32, 2, 2), nn.Linear(32, 128), nn.Linear(128, 40)

    def forward(self, x):
        x = F.relu6(self.depthwise(F.relu(self.first(x))))
        x = F.relu(self.grouped(F.relu(self.norm(self.pointwise(x)))))
        x = F.max_pool2d(F.relu(x + self.right(F.relu(self.left(x)))), 2)
        return self.last(F.relu(self.dense(F.relu(self.up(x)).mean((2, 3)))))


class Text(nn.Module):
    """An embedding, attention, and an LSTM."""

    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(300, 64)
        self.query, self.key, self.value, self.out = (nn.Linear(64, 64) for _ in range(4))
        self.wide, self.narrow = nn.Linear(64, 256), nn.Linear(256, 64)
        self.before, self.between = nn.LayerNorm(64), nn.LayerNorm(64)
        self.lstm, self.head = nn.LSTM(64, 48, batch_first=True), nn.Linear(48, 20)

    def forward(self, ids):
        x = self.table(ids)
        y = self.before(x)
        x = x + self.out(torch.softmax(self.query(y) @ self.key(y).transpose(1, 2) / 8, -1) @ self.value(y))
        x = x + self.narrow(F.gelu(self.wide(self.between(x))))
        return self.head(self.lstm(x)[0])


def networks():
    torch.manual_seed(0)
    picture, text = Picture(), Text().eval()
    with torch.no_grad():
        for _ in range(3): picture(torch.randn(8, 3, 48, 48))
    return picture.eval(), text


PICTURE, TEXT = networks()
PIXELS = torch.randn(1, 3, 48, 48, generator=torch.Generator().manual_seed(1))
IDS = torch.arange(12).reshape(1, 12) * 7 % 300
SAMPLES = [{"x": torch.randn(1, 3, 48, 48, generator=torch.Generator().manual_seed(i)).numpy()} for i in range(4)]


def convert(network, x, target, precision=ct.precision.FLOAT32):
    traced = torch.jit.trace(copy.deepcopy(network), x, check_trace=False)
    kind = np.float32 if x.is_floating_point() else np.int32
    return ct.convert(traced, inputs=[ct.TensorType("x", x.shape, dtype=kind)], minimum_deployment_target=target,
                      compute_precision=precision, skip_model_load=True)


def picture(target, precision=ct.precision.FLOAT32, network=None): return convert(network or PICTURE, PIXELS, target, precision)
def halves(target): return picture(target, ct.precision.FLOAT16)
def text(target): return convert(TEXT, IDS, target)


# The program in float64

def computed(model, x, values=None):
    """The first result; `values` gets all tensors by name."""
    spec = model.get_spec()
    function = load(spec, specification_version=spec.specificationVersion, file_weights_dir=model.weights_dir).functions["main"]
    known = {} if values is None else values
    for name in function.inputs: known[name] = x.double() if x.is_floating_point() else x
    for op in function.operations:
        if op.op_type == "const": continue
        results = evaluated(op, known)
        for output, result in zip(op.outputs, results): known[output.name] = result
    return known[function.outputs[0].name].numpy()


def evaluated(op, known):
    kind = op.op_type

    def value(name):
        variable = op.inputs.get(name)
        if variable is None: return None
        return known[variable.name] if variable.name in known else variable.val

    def tensor(name):
        found = value(name)
        if found is None: return None
        found = found if isinstance(found, torch.Tensor) else torch.tensor(np.array(found))
        return found.double() if found.is_floating_point() else found

    def numbers(name): return [int(n) for n in np.asarray(value(name)).ravel()]

    if kind.startswith("constexpr_"):
        names = inspect.signature(op.decompress).parameters if any(
            v is not None and not isinstance(v, (list, tuple)) and v.name in known for v in op.inputs.values()) else None
        made = op.materialized_val_inference() if names is None else op.decompress(
            *(None if value(n) is None else value(n) if n == "vector_axis" else np.array(value(n)) for n in names))
        return [np.array(part) for part in made] if isinstance(made, (list, tuple)) else [np.array(made)]
    if kind in ("conv", "conv_transpose"):
        x, weight, bias, groups = tensor("x"), tensor("weight"), tensor("bias"), int(value("groups") or 1)
        strides = numbers("strides") if value("strides") is not None else [1, 1]
        if kind == "conv_transpose": return [F.conv_transpose2d(x, weight, bias, strides, 0, 0, groups)]
        top, bottom, left, right = numbers("pad") if str(value("pad_type")) == "custom" else [0] * 4
        return [F.conv2d(F.pad(x, (left, right, top, bottom)), weight, bias, strides, 0, 1, groups)]
    if kind in ("quantize", "dequantize"):
        x, scale = tensor("input").double(), tensor("scale")
        zero = tensor("zero_point").double() if value("zero_point") is not None else torch.tensor(0.0)
        if scale.dim():
            shape = [-1 if axis == int(value("axis")) % x.dim() else 1 for axis in range(x.dim())]
            scale, zero = scale.reshape(shape), zero.reshape(shape) if zero.dim() else zero
        if kind == "dequantize": return [(x - zero) * scale]
        low, high = (-128, 127) if str(value("output_dtype")) == "int8" else (0, 255)
        return [(torch.round(x / scale) + zero).clamp(low, high)]
    if kind == "lstm":
        h, c, bias, states = tensor("initial_h"), tensor("initial_c"), tensor("bias"), []
        for x in tensor("x"):
            gates = x @ tensor("weight_ih").T + h @ tensor("weight_hh").T + (0 if bias is None else bias)
            i, f, o, z = gates.chunk(4, -1)
            c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(z)
            h = torch.sigmoid(o) * torch.tanh(c)
            states.append(h)
        return [torch.stack(states) if value("output_sequence") else h[None], h, c]
    x, y = tensor("x"), tensor("y")
    simple = {
        "relu": lambda: F.relu(x), "relu6": lambda: F.relu6(x), "add": lambda: x + y, "sub": lambda: x - y, "mul": lambda: x * y,
        "real_div": lambda: x / y, "greater_equal": lambda: x >= y,
        "clip": lambda: x.clamp(float(value("alpha")), float(value("beta"))),
        "linear": lambda: F.linear(x, tensor("weight"), tensor("bias")),
        "matmul": lambda: (x.mT if value("transpose_x") else x) @ (y.mT if value("transpose_y") else y),
        "gelu": lambda: F.gelu(x, approximate="tanh" if "TANH" in str(value("mode")) else "none"),
        "softmax": lambda: torch.softmax(x, int(value("axis"))),
        "max_pool": lambda: F.max_pool2d(x, numbers("kernel_sizes"), numbers("strides")),
        "reduce_mean": lambda: x.mean(numbers("axes"), keepdim=bool(value("keep_dims"))),
        "layer_norm": lambda: F.layer_norm(x, tensor("gamma").shape, tensor("gamma"), tensor("beta"), float(value("epsilon"))),
        "batch_norm": lambda: F.batch_norm(
            x, tensor("mean"), tensor("variance"), tensor("gamma"), tensor("beta"), False, 0, float(value("epsilon") or 1e-5)),
        "transpose": lambda: x.permute(numbers("perm")), "reshape": lambda: x.reshape(numbers("shape")),
        "squeeze": lambda: x.squeeze(tuple(numbers("axes"))), "cast": lambda: x.long() if "int" in str(value("dtype")) else x.double(),
        "gather": lambda: torch.index_select(x, int(value("axis")), tensor("indices").long().ravel()).reshape(
            x.shape[:int(value("axis"))] + tensor("indices").shape + x.shape[int(value("axis")) + 1:]),
        "select": lambda: torch.where(tensor("cond"), tensor("a"), tensor("b")),
    }
    return [simple[kind]()]


def ranges(model, samples, _=-1):
    """What Core ML measures on a Mac: the ranges of all tensors."""
    found = {}
    for sample in samples:
        values = {}
        computed(model, torch.tensor(sample["x"]), values)
        for name, value in values.items():
            if not isinstance(value, torch.Tensor) or not value.is_floating_point(): continue
            known = found.setdefault(name, {"rmin": np.inf, "rmax": -np.inf})
            known["rmin"], known["rmax"] = min(known["rmin"], float(value.min())), max(known["rmax"], float(value.max()))
    return found


# The forms

def linear(make, target, **options):
    return cto.linear_quantize_weights(make(target), config=cto.OptimizationConfig(
        global_config=cto.OpLinearQuantizerConfig(weight_threshold=100, **options)))


def palette(make, target, **options):
    return cto.palettize_weights(make(target), config=cto.OptimizationConfig(
        global_config=cto.OpPalettizerConfig(weight_threshold=100, mode=options.pop("mode", "kmeans"), **options)))


def pruned(make, target, options):
    return cto.prune_weights(make(target), config=cto.OptimizationConfig(global_config=options))


def joint(first, second):
    """Two forms of one weight."""
    symmetric = cto.OptimizationConfig(global_config=cto.OpLinearQuantizerConfig(
        mode="linear_symmetric", weight_threshold=100, **({"granularity": "per_tensor"} if second == "scaled" else {})))
    if second == "palette":
        return cto.palettize_weights(first, config=cto.OptimizationConfig(
            global_config=cto.OpPalettizerConfig(mode="kmeans", nbits=4, weight_threshold=100)), joint_compression=True)
    return cto.linear_quantize_weights(first, config=symmetric, joint_compression=True)


def activations(target, **weights):
    """Activations of eight bits by coremltools, and weights."""
    import coremltools.optimize.coreml._post_training_quantization as measured
    measured._get_activation_calibration_stats = ranges
    with tempfile.TemporaryDirectory() as folder:
        halves(target).save(folder + "/m.mlpackage")
        model = cto.linear_quantize_activations(
            ct.models.MLModel(folder + "/m.mlpackage", skip_model_load=True), cto.OptimizationConfig(
                global_config=cto.experimental.OpActivationLinearQuantizerConfig(mode="linear_symmetric")), SAMPLES)
    return linear(lambda _: model, target, **weights) if weights else model


def trained(kind, config, **options):
    """What coremltools.optimize.torch makes, without training."""
    import coremltools.optimize.torch as tools
    network = copy.deepcopy(PICTURE)
    if kind == "quantizer":
        made = tools.quantization.PostTrainingQuantizer(
            network, tools.quantization.PostTrainingQuantizerConfig.from_dict({"global_config": config})).compress()
    elif kind == "palettizer":
        made = tools.palettization.PostTrainingPalettizer(
            network, tools.palettization.PostTrainingPalettizerConfig.from_dict({"global_config": config})).compress(1)
    elif kind == "pruner":
        pruner = tools.pruning.MagnitudePruner(network, tools.pruning.MagnitudePrunerConfig.from_dict(
            {"global_config": {"scheduler": {"update_steps": [0]}, **config}}))
        pruner.prepare(inplace=True), pruner.step()
        made = pruner.finalize()
    else:
        quantizer = tools.quantization.LinearQuantizer(
            network, tools.quantization.LinearQuantizerConfig.from_dict({"global_config": config}))
        prepared = quantizer.prepare(example_inputs=(PIXELS,)).train()
        with torch.no_grad():
            for sample in SAMPLES: prepared(torch.tensor(sample["x"])), quantizer.step()
        made = quantizer.finalize(prepared.eval())
    return picture(IOS18, network=made)


def forms():
    """Name, network, and what makes it."""
    sparse = lambda make: pruned(make, IOS18, cto.OpMagnitudePrunerConfig(target_sparsity=0.5, weight_threshold=100))
    both = {
        "int8 tensor": lambda m: linear(m, IOS16, mode="linear_symmetric", granularity="per_tensor"),
        "int8 channel, zero points": lambda m: linear(m, IOS16, mode="linear"),
        "uint8": lambda m: linear(m, IOS16, mode="linear", dtype="uint8"),
        "int8 blocks": lambda m: linear(m, IOS18, mode="linear_symmetric", granularity="per_block", block_size=8),
        "int4 blocks": lambda m: linear(m, IOS18, mode="linear_symmetric", dtype="int4", granularity="per_block", block_size=32),
        "uint4": lambda m: linear(m, IOS18, mode="linear", dtype="uint4"),
        "int4 tensor": lambda m: linear(m, IOS18, mode="linear_symmetric", dtype="int4", granularity="per_tensor"),
        "palette 4": lambda m: palette(m, IOS16, nbits=4), "palette 6 uniform": lambda m: palette(m, IOS16, nbits=6, mode="uniform"),
        "palette 3": lambda m: palette(m, IOS18, nbits=3),
        "palette groups": lambda m: palette(m, IOS18, nbits=4, granularity="per_grouped_channel", group_size=8),
        "palette scales": lambda m: palette(
            m, IOS18, nbits=4, granularity="per_grouped_channel", group_size=4, enable_per_channel_scale=True),
        "palette vectors": lambda m: palette(m, IOS18, nbits=4, cluster_dim=2),
        "pruned": lambda m: pruned(m, IOS16, cto.OpMagnitudePrunerConfig(target_sparsity=0.6, weight_threshold=100)),
        "pruned 2:4": lambda m: pruned(m, IOS16, cto.OpMagnitudePrunerConfig(n_m_ratio=(2, 4), weight_threshold=100)),
        "pruned palette": lambda m: joint(sparse(m), "palette"), "pruned int8": lambda m: joint(sparse(m), "int8"),
        "palette int8": lambda m: joint(palette(m, IOS18, nbits=4), "scaled"),
    }
    for name, make in both.items():
        yield f"picture {name}", PIXELS, lambda make=make: make(picture)
        yield f"text {name}", IDS, lambda make=make: make(text)
    pictures = {
        "half int8": lambda: linear(halves, IOS16, mode="linear_symmetric"),
        "A8": lambda: activations(IOS17), "W8A8": lambda: activations(IOS17, mode="linear_symmetric"),
        "W8A8 zero points": lambda: activations(IOS17, mode="linear"), "W8A8 iOS 18": lambda: activations(IOS18, mode="linear_symmetric"),
        "W4A8": lambda: activations(IOS18, mode="linear_symmetric", dtype="int4", granularity="per_block", block_size=16),
        "torch int8": lambda: trained("quantizer", {"weight_dtype": "int8", "granularity": "per_channel"}),
        "torch int4 blocks": lambda: trained("quantizer", {"weight_dtype": "int4", "granularity": "per_block", "block_size": 16}),
        "torch palette": lambda: trained("palettizer", {"n_bits": 4}),
        "torch palette scales": lambda: trained("palettizer", {"n_bits": 3, "enable_per_channel_scale": True}),
        "torch palette vectors": lambda: trained("palettizer", {"n_bits": 4, "cluster_dim": 2}),
        "torch palette int8": lambda: trained("palettizer", {"n_bits": 4, "lut_dtype": "int8"}),
        "torch pruned": lambda: trained("pruner", {"target_sparsity": 0.5}),
        "torch W8A8": lambda: trained("linear", {"quantization_scheme": "symmetric"}),
        "torch W8A8 zero points": lambda: trained("linear", {"quantization_scheme": "affine"}),
        "torch W4A8": lambda: trained("linear", {"quantization_scheme": "symmetric", "weight_dtype": "qint4"}),
    }
    for name, make in pictures.items(): yield f"picture {name}", PIXELS, make


def predicted(hearth, path, x, folder):
    x.numpy().astype("<f4").tofile(folder + "/x.f32")
    done = subprocess.run([hearth, "predict", "--model", path, "--input", f"x={folder}/x.f32:{'x'.join(map(str, x.shape))}",
                           "--output-dir", folder + "/out", "--json"], capture_output=True, text=True)
    if done.returncode: raise RuntimeError(f"status {done.returncode}: {done.stderr.strip()}")
    output = json.loads(done.stdout)["outputs"][0]
    return np.fromfile(f"{folder}/out/{output['name']}.f32", "<f4").reshape(output["shape"])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--hearth", default=os.path.join(ROOT, ".build/release/hearth"))
    parser.add_argument("names", nargs="*")
    arguments = parser.parse_args()
    problems = checked = 0
    for name, x, make in forms():
        if arguments.names and name not in arguments.names: continue
        with tempfile.TemporaryDirectory() as folder:
            path = folder + "/net.mlpackage"
            try: make().save(path)
            except Exception as error:
                print(f"{name:34} not made by coremltools: {str(error)[:120]!r}", flush=True)
                continue
            checked += 1
            try:
                wanted = computed(ct.models.MLModel(path, skip_model_load=True), x)
                found = predicted(arguments.hearth, path, x, folder)
                error = np.abs(found.ravel() - wanted.ravel()).max() / np.abs(wanted).max()
            except Exception as failure:
                problems += 1
                print(f"{name:34} FAIL {str(failure)[:300]}", flush=True)
                continue
            problems += not error <= LIMIT
            print(f"{name:34} {'ok  ' if error <= LIMIT else 'OFF '} {error:.1e}", flush=True)
    print(f"{checked} forms, {problems} problems")
    sys.exit(1 if problems or not checked else 0)


if __name__ == "__main__":
    main()
