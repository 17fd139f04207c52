#!/usr/bin/env python3
"""Every Core ML fixture in every form, read by coremltools: it has to accept the package, infer every type again, and expand
every compressed weight to the bits that Hearth's own reader expands it to. So for networks whose weights were pruned, in forms
without zeros: what was zero has to be zero, and the forms that coremltools itself makes of them have to be read alike. Neural
networks are turned back into floats by coremltools' own code, and a pipeline is read model by model.

    python3 Tests/Compression/check_coremltools.py [--hearth .build/release/hearth] [--fixtures FOLDER] [--quick] [NAME…]

Needs coremltools 9 (pip install coremltools "numpy<2.3"). Leaves with status 1 where anything differs.
"""
import argparse, contextlib, glob, io, json, logging, os, shutil, subprocess, sys, tempfile, warnings

os.environ["TQDM_DISABLE"] = "1"
warnings.filterwarnings("ignore")
logging.disable(logging.WARNING)
import numpy as np
import coremltools as ct
from coremltools.converters.mil.frontend.milproto.load import load

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "Benchmarks/compression"))
from prune import prune

MODES = [
    ["float16"], ["int8"], ["int8", "--asymmetric"], ["int8", "--granularity", "tensor"],
    ["int8", "--granularity", "tensor", "--asymmetric"], ["int8", "--granularity", "block", "--block-size", "8"],
    ["int8", "--granularity", "block", "--block-size", "8", "--asymmetric", "--scale-search"],
    ["int4"], ["int4", "--asymmetric", "--block-size", "8"],
    ["palette8"], ["palette6"], ["palette4"], ["palette3"], ["palette2"], ["palette1"],
    ["palette4", "--group-size", "8"], ["palette2", "--group-size", "4"],
    ["palette4", "--vector", "2"], ["palette6", "--vector", "4", "--group-size", "8"],
    ["palette4", "--channel-scales"], ["palette2", "--channel-scales", "--group-size", "4"],
]
QUICK = [["float16"], ["int8"], ["int4"], ["palette4"], ["palette3"], ["palette2", "--group-size", "4"],
         ["palette3", "--channel-scales"], ["palette4", "--vector", "2"]]
QUICK_NAMES = {"fp16", "lstm", "loop", "fp32_ios15", "ios18_pal4_vec2", "mobilenet2_int8_fp16_ios18"}
# For pruned networks: what it has of its version, and the forms of iOS 18.
SPARSE = [
    ["float16"], ["int8"], ["palette8"], ["palette4"], ["palette3"], ["palette1"], ["palette4", "--group-size", "8"],
    ["int4", "--asymmetric", "--block-size", "8"], ["int8", "--sparse", "ios18"], ["int8", "--asymmetric", "--sparse", "ios18"],
    ["palette8", "--sparse", "ios18"], ["palette6", "--sparse", "ios18"], ["palette4", "--sparse", "ios18"],
    ["palette2", "--sparse", "ios18"], ["palette1", "--sparse", "ios18"], ["float16", "--sparse", "ios18"],
    ["int4", "--sparse", "ios18"], ["int4", "--granularity", "channel", "--sparse", "ios18"],
    ["int8", "--granularity", "tensor", "--sparse", "ios18"], ["int8", "--block-size", "8", "--sparse", "ios18"],
    ["palette3", "--group-size", "4", "--sparse", "ios18"], ["palette4", "--sparse", "off"],
]
SPARSE_QUICK = [["float16"], ["palette3"], ["palette4", "--group-size", "8"], ["int8", "--asymmetric", "--sparse", "ios18"],
                ["palette4", "--sparse", "ios18"]]
# Neural networks have no blocks and no groups.
NETWORK = [
    ["float16"], ["int8"], ["int8", "--asymmetric"], ["int8", "--granularity", "tensor"], ["int4"], ["int4", "--asymmetric"],
    ["palette8"], ["palette6"], ["palette4"], ["palette3"], ["palette2"], ["palette1"],
]
NETWORK_QUICK = [["float16"], ["int8"], ["int4", "--asymmetric"], ["palette3"]]
PARTS = ("constexpr_lut_to_sparse", "constexpr_sparse_blockwise_shift_scale")


def program(path):
    model = ct.models.MLModel(path, skip_model_load=True)
    spec = model.get_spec()
    return spec, load(spec, spec.specificationVersion, model.weights_dir)


def operations(block):
    """All operations, those inside of loops and branches too."""
    for op in block.operations:
        yield op
        for inner in op.blocks: yield from operations(inner)


def expanded(loaded):
    """Weights of constexpr operations by the name of their result, as float32."""
    weights = {}
    for function in loaded.functions.values():
        for op in operations(function):
            if op.op_type.startswith("constexpr_") and op.op_type not in PARTS:
                value = op.materialized_val_inference()
                weights[op.outputs[-1].name] = np.asarray(value[-1] if isinstance(value, tuple) else value)
    return weights


def constants(loaded):
    return {op.outputs[0].name: np.asarray(op.outputs[0].val) for f in loaded.functions.values() for op in operations(f)
            if op.op_type == "const" and getattr(op.outputs[0].val, "dtype", None) in (np.float16, np.float32)}


def check(hearth, source, mode, folder):
    out, full = os.path.join(folder, "out.mlpackage"), os.path.join(folder, "weights")
    for path in (out, full): shutil.rmtree(path, ignore_errors=True)
    run = subprocess.run([hearth, "compress", source, "--to", *mode, "-o", out, "--json"], capture_output=True, text=True)
    if run.returncode: return f"compress: {run.stderr.strip()}", 0
    report = json.loads(run.stdout)
    subprocess.run([hearth, "inspect", out, "--weights", full], check=True, capture_output=True)
    (before, old), (after, new) = program(source), program(out)
    if before.description.SerializeToString(deterministic=True) != after.description.SerializeToString(deterministic=True):
        return "the description changed", 0
    weights, dense = expanded(new), {**constants(old), **expanded(old)}
    if not {t["name"] for t in report["tensors"]} <= set(weights): return "a reported tensor is not compressed", 0
    for name, value in weights.items():
        ours = np.fromfile(os.path.join(full, name + ".f32"), "<f4")
        theirs = value.astype(np.float32).ravel()
        if not np.array_equal(ours.view(np.uint32), theirs.view(np.uint32)): return f"{name} differs from coremltools'", 0
    for tensor in report["tensors"]:
        if "sparsity" in tensor:
            a, b = dense[tensor["name"]], weights[tensor["name"]]
            if (b[a == 0] != 0).any(): return f"{tensor['name']}: a zero is none any more", 0
            if abs((b == 0).mean() - tensor["sparsity"]) > 1e-3 + 1.5 / b.size: return f"{tensor['name']}: zeros reported wrongly", 0
            if tensor["savedBytes"] <= 0: return f"{tensor['name']}: not smaller without zeros", 0
        a, b = dense[tensor["name"]].astype(np.float64), weights[tensor["name"]].astype(np.float64)
        noise = ((a - b) ** 2).sum()
        snr = 300 if noise == 0 else 10 * np.log10((a ** 2).sum() / noise)
        if abs(snr - tensor["snrDB"]) > 0.05: return f"{tensor['name']}: {snr:.2f} dB, reported {tensor['snrDB']:.2f}", 0
    done = {t["name"] for t in report["tensors"]}
    for name, value in {**constants(new), **weights}.items():
        if name not in done and name in dense and not np.array_equal(value, dense[name]): return f"{name} changed", 0
    return None, len(report["tensors"])


def check_activations(hearth, source, mode, folder):
    """Weights and activations of eight bits: what computes with integers on devices reads and makes codes."""
    problem, count = check(hearth, source, mode, folder)
    if problem: return problem, 0
    (before, _), (spec, loaded) = program(source), program(os.path.join(folder, "out.mlpackage"))
    if spec.specificationVersion != max(before.specificationVersion, 8): return "not for iOS 17", 0
    pairs = 0
    for function in loaded.functions.values():
        for op in function.operations:
            if op.op_type == "dequantize":
                codes = op.input.op
                if codes.op_type != "quantize" or op.zero_point.val != codes.zero_point.val or op.scale.val != codes.scale.val:
                    return f"{op.name} does not undo its quantize", 0
                if op.outputs[0].dtype != codes.input.dtype: return f"{op.name} makes another type", 0
                pairs += 1
            if op.op_type in ("conv", "linear"):
                if op.x.op is None or op.x.op.op_type != "dequantize": return f"{op.name} reads no codes", 0
                if not op.weight.op.op_type.startswith("constexpr_") and op.weight.val.size > 200:
                    return f"{op.name} has a weight of floats", 0
    return (None, count) if pairs > 10 else (f"{pairs} pairs of quantize and dequantize", 0)


def arrays(message):
    """The weights of a neural network in the order of its message."""
    for field, value in message.ListFields():
        if field.type != field.TYPE_MESSAGE: continue
        for part in [value] if hasattr(value, "ListFields") else value:
            if not hasattr(part, "ListFields"): continue
            if part.DESCRIPTOR.name == "WeightParams": yield part
            else: yield from arrays(part)


def numbers(weights):
    if weights.float16Value: return np.frombuffer(weights.float16Value, "<f2").astype(np.float64)
    return np.asarray(weights.floatValue, np.float64)


def check_network(hearth, source, mode, folder):
    """A neural network, whose weights coremltools' own code turns back into floats."""
    from coremltools.models.neural_network import quantization_utils
    out = os.path.join(folder, "out.mlmodel")
    run = subprocess.run([hearth, "compress", source, "--to", *mode, "-o", out, "--json", "--force"], capture_output=True, text=True)
    if run.returncode: return f"compress: {run.stderr.strip()}", 0
    report = json.loads(run.stdout)
    before, after = ct.utils.load_spec(source), ct.utils.load_spec(out)
    if before.description.SerializeToString(deterministic=True) != after.description.SerializeToString(deterministic=True):
        return "the description changed", 0
    kind = before.WhichOneof("Type")
    with contextlib.redirect_stdout(io.StringIO()):
        # What it makes of bare float16 it cannot read itself.
        if mode[0] != "float16": quantization_utils._dequantize_nn_spec(getattr(after, kind))
    old, new = [[numbers(w) for w in arrays(getattr(spec, kind))] for spec in (before, after)]
    if [len(a) for a in old] != [len(a) for a in new]: return "another number of weights", 0
    noise = sum(((a - b) ** 2).sum() for a, b in zip(old, new))
    reported = sum(tensor["squaredError"] for tensor in report["tensors"])
    if not report["tensors"] or abs(noise - reported) > 0.01 * reported + 1e-9: return f"an error of {noise}, reported {reported}", 0
    changed = sum(not np.array_equal(a, b) for a, b in zip(old, new))
    if changed > len(report["tensors"]): return f"{changed} weights changed, {len(report['tensors'])} reported", 0
    return None, len(report["tensors"])


def check_pipeline(hearth, folder):
    """A pipeline of two programs, as coremltools makes them: each model read by itself."""
    paths = [os.path.join(ROOT, "Tests/Fixtures/coreml", name) for name in ("flow/lstm.mlpackage", "recurrent/program.mlpackage")]
    models = [ct.models.MLModel(path, skip_model_load=True) for path in paths]
    second = models[1].get_spec()
    for old, new in (("x", "second_x"), ("t", "second_t"), ("y", "second_y")): ct.utils.rename_feature(second, old, new)
    models[1] = ct.models.MLModel(second, skip_model_load=True, weights_dir=models[1].weights_dir)
    source, out = os.path.join(folder, "pipeline.mlpackage"), os.path.join(folder, "out.mlpackage")
    for path in (source, out): shutil.rmtree(path, ignore_errors=True)
    ct.utils.make_pipeline(*models).save(source)
    run = subprocess.run([hearth, "compress", source, "--to", "palette3", "-o", out, "--json"], capture_output=True, text=True)
    if run.returncode: return f"compress: {run.stderr.strip()}"
    report = json.loads(run.stdout)
    model = ct.models.MLModel(out, skip_model_load=True)
    spec = model.get_spec()
    found = set()
    for index, part in enumerate(spec.pipeline.models):
        if part.specificationVersion > spec.specificationVersion: return "a model is newer than its pipeline"
        loaded = load(part, part.specificationVersion, model.weights_dir)
        found |= {f"{index}.{name}" for name in expanded(loaded)}
    if found != {t["name"] for t in report["tensors"]}: return f"{sorted(found)} are compressed, not what is reported"
    return None if {name[0] for name in found} == {"0", "1"} else "a model was left out"


def check_theirs(hearth, folder, source, share):
    """What coremltools makes of a pruned network for iOS 18, read by both."""
    import coremltools.optimize.coreml as cto
    raised, full = os.path.join(folder, "raised.mlpackage"), os.path.join(folder, "weights")
    for path in (raised, full): shutil.rmtree(path, ignore_errors=True)
    # Hearth lifts the package to iOS 18 and changes nothing else.
    run = subprocess.run([hearth, "compress", source, "--to", "palette3", "--min-elements", "1000000000", "-o", raised],
                         capture_output=True, text=True)
    if run.returncode: return f"compress: {run.stderr.strip()}"
    model = cto.prune_weights(ct.models.MLModel(raised, skip_model_load=True), cto.OptimizationConfig(
        global_config=cto.OpThresholdPrunerConfig(threshold=1e-12, minimum_sparsity_percentile=0.1, weight_threshold=200)))
    forms = {
        "lut_to_sparse": lambda m: cto.palettize_weights(m, cto.OptimizationConfig(
            global_config=cto.OpPalettizerConfig(mode="uniform", nbits=4, weight_threshold=200)), joint_compression=True),
        "sparse_blockwise": lambda m: cto.linear_quantize_weights(m, cto.OptimizationConfig(
            global_config=cto.OpLinearQuantizerConfig(mode="linear_symmetric", weight_threshold=200)), joint_compression=True),
    }
    for name, make in forms.items():
        path = os.path.join(folder, "theirs.mlpackage")
        shutil.rmtree(path, ignore_errors=True)
        shutil.rmtree(full, ignore_errors=True)
        make(model).save(path)
        run = subprocess.run([hearth, "inspect", path, "--weights", full], capture_output=True, text=True)
        if run.returncode: return f"{name}: {run.stderr.strip()}"
        found = expanded(program(path)[1])
        if not any(op.op_type in PARTS for f in program(path)[1].functions.values() for op in f.operations):
            return f"{name}: coremltools made no joint form"
        for weight, value in found.items():
            ours = np.fromfile(os.path.join(full, weight + ".f32"), "<f4")
            if not np.array_equal(ours.view(np.uint32), value.astype(np.float32).ravel().view(np.uint32)):
                return f"{name}: {weight} differs from coremltools'"
    return None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--hearth", default=os.path.join(ROOT, ".build/release/hearth"))
    parser.add_argument("--fixtures", default=os.path.join(ROOT, "Tests/Fixtures/coreml"))
    parser.add_argument("--quick", action="store_true", help="a few packages in a few forms")
    parser.add_argument("names", nargs="*")
    arguments = parser.parse_args()
    paths = sorted(glob.glob(arguments.fixtures + "/digits/*.mlpackage") + glob.glob(arguments.fixtures + "/ops/*.mlpackage")
                   + [arguments.fixtures + "/flow/lstm.mlpackage", arguments.fixtures + "/recurrent/program.mlpackage",
                      arguments.fixtures + "/shrinking/loop.mlpackage"])
    failures = checked = tensors = 0
    with tempfile.TemporaryDirectory() as folder:
        def run(label, path, modes, check=check):
            nonlocal failures, checked, tensors
            for mode in modes:
                try: problem, count = check(arguments.hearth, path, mode, folder)
                except Exception as error: problem, count = repr(error)[:300], 0
                checked += 1
                tensors += count
                if problem:
                    failures += 1
                    print(f"FAIL {label} {' '.join(mode)}: {problem}", flush=True)
            print(f"{label}: {len(modes)} forms", flush=True)

        for path in paths:
            name = os.path.basename(path)[:-len(".mlpackage")]
            if name not in arguments.names if arguments.names else arguments.quick and name not in QUICK_NAMES: continue
            # A folder of weights that is empty is not kept by version control, and the manifest names it.
            copy = os.path.join(folder, "in.mlpackage")
            shutil.rmtree(copy, ignore_errors=True)
            path = shutil.copytree(path, copy)
            os.makedirs(os.path.join(path, "Data/com.apple.CoreML/weights"), exist_ok=True)
            run(name, path, QUICK if arguments.quick else MODES)
        for name in ["fp16"] if arguments.quick else ["fp16", "fp32", "fp32_ios15"]:
            if arguments.names and "activations" not in arguments.names: continue
            digits = arguments.fixtures + "/digits"
            path = os.path.join(folder, "in.mlpackage")
            shutil.rmtree(path, ignore_errors=True)
            shutil.copytree(f"{digits}/{name}.mlpackage", path)
            run(f"{name} with activations", path,
                [["int8", "--activations", "int8", "--calibrate", digits + "/calibration"]], check_activations)
        for name, share in [("fp16", 0.75)] if arguments.quick else [
                ("fp16", 0.5), ("fp16", 0.75), ("fp16", 0.9), ("fp32", 0.75), ("fp16", 1.0)]:
            if arguments.names and "pruned" not in arguments.names: continue
            path = os.path.join(folder, "pruned.mlpackage")
            prune(f"{arguments.fixtures}/digits/{name}.mlpackage", path, share)
            run(f"{name} pruned by {share:.0%}", path, SPARSE_QUICK if arguments.quick else SPARSE)
            if share == 1: continue
            try: problem = check_theirs(arguments.hearth, folder, path, share)
            except Exception as error: problem = repr(error)[:300]
            checked += 2
            if problem:
                failures += 1
                print(f"FAIL {name} pruned by {share:.0%}, by coremltools: {problem}", flush=True)
        for name in ["digits/neuralnetwork_fp32", "networks/convnext_nn_ios14"]:
            if arguments.names and os.path.basename(name) not in arguments.names: continue
            modes = NETWORK_QUICK if arguments.quick else NETWORK
            run(name, f"{arguments.fixtures}/{name}.mlmodel", modes, check_network)
        if not arguments.names or "pipeline" in arguments.names:
            try: problem = check_pipeline(arguments.hearth, folder)
            except Exception as error: problem = repr(error)[:300]
            checked += 1
            if problem:
                failures += 1
                print(f"FAIL pipeline: {problem}", flush=True)
    print(f"{checked} packages, {tensors} weights expanded alike, {failures} failures")
    sys.exit(1 if failures or not checked else 0)


main()
