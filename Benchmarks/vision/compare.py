#!/usr/bin/env python3
"""Hearth beside ONNX Runtime and PyTorch: MobileNetV2 and ResNet-50, 224 x 224, batch 1.

  python3 compare.py --hearth ../../.build/release/hearth [--rounds 5] [--runs 60] [--threads 2] [--torch PYTHON]
  python3 compare.py --forms fp16 w8a8          also packages in float16, and in 8 bits (weights and activations)

Makes the networks (seeded random weights, the same shapes for all), then measures in turn, each in a process of its own, so
that whatever else the machine does falls on each alike. Needs numpy, onnx and onnxruntime:

  python3 -m venv venv && venv/bin/pip install numpy onnx onnxruntime torch

Prints medians and bests in milliseconds and Hearth's ratio to ONNX Runtime: latency, start (process to first result, and
load and first inference alone), and latency with one busy neighbour process. All ratios are to ONNX Runtime's time in float32.
With --forms also the latency of Hearth's packages in these forms, and of ONNX Runtime's own 8-bit network (static quantization,
QDQ, per channel), calibrated by the same random pictures.
"""
import argparse, json, os, statistics, subprocess, sys, tempfile, time

HERE = os.path.dirname(os.path.abspath(__file__))
NETWORKS = {"MobileNetV2": "mobilenet_v2", "ResNet-50": "resnet50"}


def onnx_network(arch, path):
    """The same layers as make_networks.py, as ONNX."""
    import numpy as np
    import onnx
    from onnx import TensorProto, helper, numpy_helper

    random = np.random.default_rng(3)
    nodes, constants, count = [], [], [0]

    def new():
        count[0] += 1
        return "t%d" % count[0]

    def constant(values):
        name = new()
        constants.append(numpy_helper.from_array(values.astype(np.float32), name))
        return name

    def op(kind, inputs, **attributes):
        out = new()
        nodes.append(helper.make_node(kind, inputs, [out], **attributes))
        return out

    low, high = constant(np.array(0.0)), constant(np.array(6.0))

    def conv(x, inputs, outputs, kernel, stride=1, groups=1, act=None):
        fan = inputs // groups * kernel * kernel
        weight = random.normal(0, (2 / fan) ** 0.5, (outputs, inputs // groups, kernel, kernel))
        pads = [kernel // 2] * 4
        out = op("Conv", [x, constant(weight), constant(random.normal(0, 0.1, outputs))], kernel_shape=[kernel, kernel],
                 strides=[stride, stride], pads=pads, group=groups)
        if act == "relu":
            return op("Relu", [out])
        return op("Clip", [out, low, high]) if act == "relu6" else out

    if arch == "mobilenet_v2":
        x, c = conv("x", 3, 32, 3, 2, act="relu6"), 32
        for t, o, n, s in ((1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1), (6, 160, 3, 2),
                           (6, 320, 1, 1)):
            for i in range(n):
                stride, y, e = s if i == 0 else 1, x, c * t
                if t > 1:
                    y = conv(y, c, e, 1, act="relu6")
                y = conv(conv(y, e, e, 3, stride, e, "relu6"), e, o, 1)
                x = op("Add", [x, y]) if stride == 1 and c == o else y
                c = o
        x, c = conv(x, c, 1280, 1, act="relu6"), 1280
    else:
        x = op("MaxPool", [conv("x", 3, 64, 7, 2, act="relu")], kernel_shape=[3, 3], strides=[2, 2], pads=[1] * 4)
        c = 64
        for w, n, s in ((64, 3, 1), (128, 4, 2), (256, 6, 2), (512, 3, 2)):
            for i in range(n):
                stride = s if i == 0 else 1
                y = conv(conv(conv(x, c, w, 1, act="relu"), w, w, 3, stride, act="relu"), w, 4 * w, 1)
                x = op("Relu", [op("Add", [conv(x, c, 4 * w, 1, stride) if i == 0 else x, y])])
                c = 4 * w
    flat = op("Flatten", [op("GlobalAveragePool", [x])])
    weight = constant(random.normal(0, 0.02, (1000, c)))
    logits = op("Gemm", [flat, weight, constant(np.zeros(1000))], transB=1)
    nodes.append(helper.make_node("Softmax", [logits], ["y"]))
    info = lambda name, shape: helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)
    graph = helper.make_graph(nodes, arch, [info("x", [1, 3, 224, 224])], [info("y", [1, 1000])], constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)])
    model.ir_version = 8
    onnx.save(model, path)


def pictures(folder, count=8):
    """Random pictures as PNG files, for `hearth compress --calibrate`; and as arrays from 0 to 1."""
    import struct
    import zlib

    import numpy as np

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    os.makedirs(folder, exist_ok=True)
    random, made = np.random.default_rng(7), []
    for index in range(count):
        x = random.integers(0, 256, (224, 224, 3), np.uint8)
        lines = np.concatenate([np.zeros((224, 1), np.uint8), x.reshape(224, -1)], 1).tobytes()
        with open(os.path.join(folder, "%d.png" % index), "wb") as f:
            f.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 224, 224, 8, 2, 0, 0, 0))
                    + chunk(b"IDAT", zlib.compress(lines)) + chunk(b"IEND", b""))
        made.append((x.astype(np.float32) / 255).transpose(2, 0, 1)[None])
    return made


def onnx_bytes(path, out, inputs):
    """ONNX Runtime's own quantization of a network to 8 bits."""
    from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_static

    class Reader(CalibrationDataReader):
        def __init__(self):
            self.left = iter(inputs)

        def get_next(self):
            x = next(self.left, None)
            return None if x is None else {"x": x}

    quantize_static(path, out, Reader(), quant_format=QuantFormat.QDQ, per_channel=True, weight_type=QuantType.QInt8,
                    activation_type=QuantType.QUInt8)


def form_package(hearth, arch, form, folder, env):
    """The package of a network in a form; in 8 bits from the pictures in the folder."""
    package = os.path.join(folder, arch + "." + form + ".mlpackage")
    if os.path.exists(package):
        return package
    if form == "fp16":
        subprocess.run([sys.executable, os.path.join(HERE, "make_networks.py"), arch, package], check=True)
    else:
        subprocess.run([hearth, "compress", os.path.join(folder, arch + ".mlpackage"), "--to", "int8", "--activations", "int8",
                        "--calibrate", os.path.join(folder, "pictures"), "-o", package], check=True, env=env,
                       stdout=subprocess.DEVNULL)
    return package


def torch_network(arch):
    import torch
    from torch import nn

    def conv(i, o, k, s=1, g=1, act=None):
        layers = [nn.Conv2d(i, o, k, s, k // 2, groups=g)]
        return nn.Sequential(*layers, *([act] if act else []))

    class Residual(nn.Module):
        def __init__(self, body, shortcut=None, act=None):
            super().__init__()
            self.body, self.shortcut, self.act = body, shortcut, act

        def forward(self, x):
            y = self.body(x) + (self.shortcut(x) if self.shortcut is not None else x)
            return self.act(y) if self.act is not None else y

    if arch == "mobilenet_v2":
        layers, c = [conv(3, 32, 3, 2, act=nn.ReLU6())], 32
        for t, o, n, s in ((1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1), (6, 160, 3, 2),
                           (6, 320, 1, 1)):
            for i in range(n):
                stride, e = s if i == 0 else 1, c * t
                parts = [conv(c, e, 1, act=nn.ReLU6())] if t > 1 else []
                body = nn.Sequential(*parts, conv(e, e, 3, stride, e, nn.ReLU6()), conv(e, o, 1))
                layers.append(Residual(body) if stride == 1 and c == o else body)
                c = o
        layers.append(conv(c, 1280, 1, act=nn.ReLU6()))
        c = 1280
    else:
        layers, c = [conv(3, 64, 7, 2, act=nn.ReLU()), nn.MaxPool2d(3, 2, 1)], 64
        for w, n, s in ((64, 3, 1), (128, 4, 2), (256, 6, 2), (512, 3, 2)):
            for i in range(n):
                stride = s if i == 0 else 1
                body = nn.Sequential(conv(c, w, 1, act=nn.ReLU()), conv(w, w, 3, stride, act=nn.ReLU()), conv(w, 4 * w, 1))
                layers.append(Residual(body, conv(c, 4 * w, 1, stride) if i == 0 else None, nn.ReLU()))
                c = 4 * w
    head = [nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(c, 1000), nn.Softmax(1)]
    return nn.Sequential(*layers, *head).eval()


def peer(kind, path, runs, threads):
    """One peer in this process; prints what `hearth bench vision --json` prints."""
    begin = time.perf_counter()
    if kind == "onnxruntime":
        import numpy as np
        import onnxruntime
        loading = time.perf_counter()
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
        x = np.full((1, 3, 224, 224), 0.5, np.float32)
        run = lambda: session.run(None, {"x": x})
    else:
        import torch
        loading = time.perf_counter()
        torch.set_num_threads(threads)
        model = torch_network(path)
        x = torch.full((1, 3, 224, 224), 0.5)
        with torch.no_grad():
            model = torch.jit.optimize_for_inference(torch.jit.trace(model, x))
        model, x = model.to(memory_format=torch.channels_last), x.to(memory_format=torch.channels_last)

        def run():
            with torch.no_grad():
                model(x)
    loaded = time.perf_counter()
    run()
    first = time.perf_counter()
    times = []
    for index in range(runs + runs // 5):
        start = time.perf_counter()
        run()
        times.append((time.perf_counter() - start) * 1e3)
    times = sorted(times[runs // 5:]) or [(first - loaded) * 1e3]
    print(json.dumps({"msMedian": statistics.median(times), "msBest": times[0], "loadMS": (loaded - loading) * 1e3,
                      "firstMS": (first - loaded) * 1e3, "importMS": (loading - begin) * 1e3}))


def measure(words, env=None):
    begin = time.perf_counter()
    done = subprocess.run(words, capture_output=True, text=True, env=env)
    total = (time.perf_counter() - begin) * 1e3
    if done.returncode != 0:
        sys.exit("%s\n%s" % (" ".join(words), done.stderr))
    return dict(json.loads(done.stdout.strip().splitlines()[-1]), totalMS=total)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hearth", default=os.path.join(HERE, "../../.build/release/hearth"))
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--runs", type=int, default=60)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--torch", metavar="PYTHON", default=sys.executable, help="a Python that has torch; '' leaves it out")
    parser.add_argument("--folder", default=os.path.join(tempfile.gettempdir(), "hearth-bench-vision"))
    parser.add_argument("--forms", nargs="*", default=[], choices=["fp16", "w8a8"])
    parser.add_argument("--networks", nargs="*", default=list(NETWORKS), choices=list(NETWORKS))
    a = parser.parse_args()
    os.makedirs(a.folder, exist_ok=True)
    env = dict(os.environ, HEARTH_HOME=os.path.join(a.folder, "home"))

    inputs = pictures(os.path.join(a.folder, "pictures")) if "w8a8" in a.forms else []
    for name in a.networks:
        arch = NETWORKS[name]
        package, onnx = os.path.join(a.folder, arch + ".mlpackage"), os.path.join(a.folder, arch + ".onnx")
        if not os.path.exists(package):
            subprocess.run([sys.executable, os.path.join(HERE, "make_networks.py"), arch, package, "--fp32"], check=True)
        if not os.path.exists(onnx):
            onnx_network(arch, onnx)
        threads = ["--threads", str(a.threads)]

        def hearth(package):
            subprocess.run([a.hearth, "compile", "--model", package, "--json"], check=True, env=env, stdout=subprocess.DEVNULL)
            return lambda runs: measure(
                [a.hearth, "bench", "vision", "--model", package, "--runs", str(runs), "--json"] + threads, env)

        def ort(path):
            return lambda runs: measure([sys.executable, __file__, "--peer", "onnxruntime", path, str(runs), str(a.threads)])

        torch = lambda runs: measure([a.torch, __file__, "--peer", "torch", arch, str(runs), str(a.threads)])
        who = {"Hearth": hearth(package), "ONNX Runtime": ort(onnx), **({"PyTorch": torch} if a.torch else {})}
        for form in a.forms:
            who["Hearth " + form] = hearth(form_package(a.hearth, arch, form, a.folder, env))
        if "w8a8" in a.forms:
            quantized = os.path.join(a.folder, arch + ".w8a8.onnx")
            if not os.path.exists(quantized):
                onnx_bytes(onnx, quantized, inputs)
            who["ONNX R. w8a8"] = ort(quantized)

        def rounds(runs, names, field):
            found = {n: [] for n in names}
            for index in range(a.rounds):
                # Not always in the same order: nobody always follows the same one.
                for n in names if index % 2 == 0 else list(reversed(names)):
                    found[n].append(who[n](runs))
            return found

        latency = rounds(a.runs, list(who), "msMedian")
        print("\n%s, %d threads, %d rounds of %d" % (name, a.threads, a.rounds, a.runs))
        middle = {}
        for n, all in latency.items():
            middle[n] = statistics.median(r["msMedian"] for r in all)
            best = min(r["msBest"] for r in all)
            print("  %-13s median %8.2f ms   best %8.2f ms   %5.2f x ONNX Runtime's" % (
                n, middle[n], best, statistics.median(
                    r["msMedian"] / o["msMedian"] for r, o in zip(all, latency["ONNX Runtime"]))
                if "ONNX Runtime" in latency else 0))
        pair = ["Hearth", "ONNX Runtime"]
        start = rounds(1, pair, "totalMS")
        for what, value in (("process to first result", lambda r: r["totalMS"]),
                            ("load and first inference", lambda r: r["loadMS"] + r["firstMS"])):
            ours, theirs = (statistics.median(value(r) for r in start[n]) for n in pair)
            print("  start, %-25s %8.1f ms, ONNX Runtime %8.1f ms: %.2f x" % (what, ours, theirs, ours / theirs))
        busy = subprocess.Popen([sys.executable, "-c", "while True: pass"])
        try:
            contended = rounds(a.runs, pair, "msMedian")
        finally:
            busy.kill()
            busy.wait()
        ours, theirs = (statistics.median(r["msMedian"] for r in contended[n]) for n in pair)
        print("  one busy neighbour: %8.2f ms, ONNX Runtime %8.2f ms: %.2f x" % (ours, theirs, ours / theirs), flush=True)


if __name__ == "__main__":
    if len(sys.argv) == 6 and sys.argv[1] == "--peer":
        peer(sys.argv[2], sys.argv[3], int(sys.argv[4]), int(sys.argv[5]))
    else:
        main()
