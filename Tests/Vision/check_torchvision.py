#!/usr/bin/env python3
"""Whole networks as people convert them: torchvision's models with seeded random weights, converted by coremltools, run by
`hearth predict` (one also by `hearth classify`, on a picture) and compared with what PyTorch computes in float32.

    pip install torch==2.7.0 torchvision==0.22.0 coremltools==9.0 "numpy<2.3" pillow
    python Tests/Vision/check_torchvision.py [--hearth .build/release/hearth] [--forms fp32-iOS15,fp16-iOS18] [NAME…]

Nothing is downloaded. Weights are drawn so that no block is an identity and nothing is degenerate: normalisations are
calibrated on seeded pictures, and what an initialisation leaves at zero (heads, layer scales) is drawn too. Prints a line
for each network and form, leaves with status 1 where one is not run or is off: float32 by more than 1e-4 of the largest
result, float16 by more than 3e-2 (which is what rounding weights costs in deep random networks), or another best class by
more than that error.
"""
import argparse, copy, json, logging, os, shutil, subprocess, sys, tempfile, time, warnings

warnings.filterwarnings("ignore")
logging.disable(logging.ERROR)
import numpy as np
import torch
import torchvision
import coremltools as ct
from torchvision import models

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FORMS = ["fp32-iOS15", "fp16-iOS16", "fp16-iOS17", "fp32-iOS18"]
LIMITS = {"fp32": 1e-4, "fp16": 3e-2}


class Raw(torch.nn.Module):
    """A network whose results are a tuple of tensors."""

    def __init__(self, inner, pick):
        super().__init__()
        self.inner, self.pick = inner, pick

    def forward(self, x): return self.pick(self.inner, x)


def detector(net, x):
    """Scores and boxes of an SSD, decoded: what is left of it without its Python loops."""
    features = list(net.backbone(x).values())
    head = net.head(features)
    scores = torch.softmax(head["cls_logits"][0], -1)
    anchors = anchors_of(net, x, features)
    delta = head["bbox_regression"][0] * torch.tensor([0.1, 0.1, 0.2, 0.2])
    size = anchors[:, 2:] - anchors[:, :2]
    centre = anchors[:, :2] + 0.5 * size + delta[:, :2] * size
    half = 0.5 * size * torch.exp(torch.clamp(delta[:, 2:], max=4.0))
    return scores, torch.cat([centre - half, centre + half], 1)


def anchors_of(net, x, features):
    if not hasattr(net, "kept"):
        with torch.no_grad():
            pictures = torchvision.models.detection.image_list.ImageList(x, [tuple(x.shape[-2:])])
            net.kept = net.anchor_generator(pictures, [f.detach() for f in features])[0]
    return net.kept


def centres(net, x):
    """The same with boxes as Core ML has them: centres and sizes, as shares of the picture; without the background."""
    scores, boxes = detector(net, x)
    return scores[:, 1:], torch.cat([(boxes[:, :2] + boxes[:, 2:]) / 2, boxes[:, 2:] - boxes[:, :2]], 1) / x.shape[-1]


def segments(net, x): return net(x)["out"]


# Name: how it is made, the size of its pictures, forms besides those asked for.
NETS = {
    "mobilenet_v2": (lambda: models.mobilenet_v2(), 224, ["nn-iOS13"]),
    "mobilenet_v3_small": (lambda: models.mobilenet_v3_small(), 224, ["nn-iOS13"]),
    "mobilenet_v3_large": (lambda: models.mobilenet_v3_large(), 224, []),
    "resnet18": (lambda: models.resnet18(), 224, ["nn-iOS13", "picture-iOS15", "picture-iOS18"]),
    "resnet50": (lambda: models.resnet50(), 224, []),
    "efficientnet_b0": (lambda: models.efficientnet_b0(), 224, ["nn-iOS13", "picture-iOS16"]),
    "squeezenet1_1": (lambda: models.squeezenet1_1(), 224, ["nn-iOS13"]),
    "densenet121": (lambda: models.densenet121(), 224, ["nn-iOS13"]),
    "shufflenet_v2_x1_0": (lambda: models.shufflenet_v2_x1_0(), 224, ["nn-iOS13"]),
    "mnasnet1_0": (lambda: models.mnasnet1_0(), 224, []),
    "regnet_y_400mf": (lambda: models.regnet_y_400mf(), 224, ["nn-iOS13"]),
    "googlenet": (lambda: models.googlenet(aux_logits=False, init_weights=False), 224, ["nn-iOS13"]),
    "inception_v3": (lambda: models.inception_v3(aux_logits=False, init_weights=False), 299, []),
    "vgg11_bn": (lambda: models.VGG(models.vgg.make_layers([16, "M", 32, "M", 64, 64, "M", 64, "M"], True), 100), 224, []),
    "alexnet": (lambda: models.alexnet(), 224, []),
    "resnext_small": (lambda: models.ResNet(models.resnet.Bottleneck, [1, 2, 1, 1], groups=32, width_per_group=4), 224, []),
    "vit_small": (lambda: models.VisionTransformer(224, 16, 6, 6, 384, 1536), 224, []),
    "swin_t": (lambda: models.swin_t(), 224, []),
    "swin_v2_t": (lambda: models.swin_v2_t(), 256, []),
    "convnext_tiny": (lambda: models.convnext_tiny(), 224, []),
    "maxvit_small": (lambda: maxvit(), 64, []),
    "efficientnet_v2_s": (lambda: models.efficientnet_v2_s(), 160, []),
    "deeplab_mobilenet": (lambda: Raw(models.segmentation.deeplabv3_mobilenet_v3_large(
        weights=None, weights_backbone=None), segments), 128, []),
    "lraspp_mobilenet": (lambda: Raw(models.segmentation.lraspp_mobilenet_v3_large(
        weights=None, weights_backbone=None), segments), 128, []),
    "ssdlite320": (lambda: Raw(models.detection.ssdlite320_mobilenet_v3_large(
        weights=None, weights_backbone=None), detector), 320, []),
    "ssdlite320_centres": (lambda: Raw(models.detection.ssdlite320_mobilenet_v3_large(
        weights=None, weights_backbone=None), centres), 320, ["pipeline-iOS16"]),
}


def maxvit():
    from torchvision.models.maxvit import MaxVit
    return MaxVit(input_size=(64, 64), stem_channels=16, partition_size=4, block_channels=[32, 64], block_layers=[1, 1],
                  head_dim=16, stochastic_depth_prob=0.0, num_classes=100)


def pictures(count, size, generator):
    """Smooth colours with some noise, about as normalised photographs are."""
    coarse = torch.randn(count, 3, 7, 7, generator=generator)
    smooth = torch.nn.functional.interpolate(coarse, size=(size, size), mode="bicubic", align_corners=False)
    return smooth + 0.3 * torch.randn(count, 3, size, size, generator=generator)


def prepared(name, seed=7):
    """The network in evaluation, and a picture for it."""
    make, size, _ = NETS[name]
    torch.manual_seed(seed)
    net = make()
    generator = torch.Generator().manual_seed(seed)
    norms = (torch.nn.BatchNorm1d, torch.nn.BatchNorm2d)
    with torch.no_grad():
        for module in net.modules():
            if isinstance(module, norms + (torch.nn.LayerNorm,)) and module.weight is not None:
                module.weight.uniform_(0.6, 1.4, generator=generator)
                module.bias.normal_(0, 0.1, generator=generator)
        for key, parameter in net.named_parameters():
            if key.endswith("layer_scale"): parameter.uniform_(0.1, 0.5, generator=generator)
            elif parameter.abs().max() == 0 and parameter.dim() > 1:
                parameter.normal_(0, parameter.shape[-1] ** -0.5, generator=generator)
            elif parameter.abs().max() == 0: parameter.normal_(0, 0.05, generator=generator)
        net.eval()
        for module in net.modules():
            if isinstance(module, norms): module.train(), setattr(module, "momentum", None)
        for _ in range(2): net(pictures(4, size, generator))
        net.eval()
        return net, pictures(1, size, generator)


def convert(net, traced, x, form, folder):
    """The package (or model of layers) in one form; the input's name and the picture to classify, where it is one."""
    kind, target = form.split("-")
    target = getattr(ct.target, target)
    options = dict(minimum_deployment_target=target, skip_model_load=True)
    # The converter changes the network that it is given, which is converted to several forms.
    given = copy.deepcopy(traced)
    if kind == "nn":
        path = os.path.join(folder, "net.mlmodel")
        model = ct.convert(given, inputs=[ct.TensorType("x", x.shape)], convert_to="neuralnetwork", **options)
    else:
        path = os.path.join(folder, "net.mlpackage")
        inputs = [ct.TensorType("x", x.shape)]
        if kind == "picture":
            inputs = [ct.ImageType("image", x.shape, scale=1 / 64, bias=[-2.1, -2.0, -1.9])]
            options["classifier_config"] = ct.ClassifierConfig([f"class {i}" for i in range(traced(x).shape[-1])])
        precision = ct.precision.FLOAT32 if kind == "fp32" else ct.precision.FLOAT16
        if kind == "pipeline":
            precision, options["outputs"] = ct.precision.FLOAT32, [ct.TensorType("scores_in"), ct.TensorType("boxes_in")]
        model = ct.convert(given, inputs=inputs, convert_to="mlprogram", compute_precision=precision, **options)
        if kind == "pipeline": model = ct.utils.make_pipeline(model, suppression([len(t) for t in traced(x)], traced(x)[0].shape[1]))
    model.save(path)
    return path


OVERLAP, CONFIDENCE = 0.45, 0.02


def suppression(rows, classes):
    """The model that keeps the best of boxes that overlap, as exporters of detectors append it."""
    spec = ct.proto.Model_pb2.Model(specificationVersion=5)
    float32 = ct.proto.FeatureTypes_pb2.ArrayFeatureType.FLOAT32
    for name, width in [("scores_in", classes), ("boxes_in", 4)]:
        array = spec.description.input.add(name=name).type.multiArrayType
        array.dataType = float32
        array.shape.extend([rows[0], width])
    for name, width in [("confidence", classes), ("coordinates", 4)]:
        array = spec.description.output.add(name=name).type.multiArrayType
        array.dataType = float32
        for low, high in [(0, -1), (width, width)]: array.shapeRange.sizeRanges.add(lowerBound=low, upperBound=high)
    nms = spec.nonMaximumSuppression
    nms.confidenceInputFeatureName, nms.coordinatesInputFeatureName = "scores_in", "boxes_in"
    nms.confidenceOutputFeatureName, nms.coordinatesOutputFeatureName = "confidence", "coordinates"
    nms.iouThreshold, nms.confidenceThreshold, nms.pickTop.perClass = OVERLAP, CONFIDENCE, True
    return ct.models.MLModel(spec, skip_model_load=True)


def suppressed(scores, boxes):
    """What torchvision keeps of them, best first."""
    best, label = torch.tensor(scores).max(1)
    corners = torch.tensor(np.concatenate([boxes[:, :2] - boxes[:, 2:] / 2, boxes[:, :2] + boxes[:, 2:] / 2], 1))
    rows = torch.nonzero(best >= CONFIDENCE)[:, 0]
    kept = rows[torchvision.ops.batched_nms(corners[rows], best[rows], label[rows], OVERLAP)]
    return [scores[kept], boxes[kept]]


def run(arguments):
    done = subprocess.run(arguments, capture_output=True, text=True)
    if done.returncode: raise RuntimeError(f"status {done.returncode}: {done.stderr.strip()}")
    return done.stdout


def results(hearth, path, x, folder):
    """What `hearth predict` gives, in the model's order, and its milliseconds."""
    x.numpy().astype("<f4").tofile(os.path.join(folder, "x.f32"))
    shape = "x".join(map(str, x.shape))
    out = json.loads(run([hearth, "predict", "--model", path, "--input", f"x={folder}/x.f32:{shape}",
                          "--output-dir", f"{folder}/out", "--json"]))
    return [np.fromfile(f"{folder}/out/{o['name']}.f32", "<f4").reshape(o["shape"]) for o in out["outputs"]], out["ms"]


def classified(hearth, path, net, size, folder):
    """What `hearth classify` says of a picture beside what PyTorch says of its pixels."""
    from PIL import Image
    pixels = np.random.RandomState(3).randint(0, 256, (7, 7, 3), np.uint8)
    picture = Image.fromarray(pixels).resize((size, size), Image.BICUBIC)
    picture.save(os.path.join(folder, "picture.png"))
    x = torch.tensor(np.asarray(picture), dtype=torch.float32).permute(2, 0, 1)[None]
    x = x / 64 + torch.tensor([-2.1, -2.0, -1.9]).reshape(1, 3, 1, 1)
    with torch.no_grad(): expected = net(x).numpy()
    answer = json.loads(run([hearth, "classify", "--model", path, f"{folder}/picture.png", "--top", "2000",
                             "--threshold", "0", "--json"]).splitlines()[0])
    found = np.zeros(expected.shape, np.float32)
    for row in answer["results"]: found[0, int(row["label"].split()[1])] = row["confidence"]
    # Logits below the threshold of 0 are not reported.
    return np.maximum(expected, 0), found, answer["ms"]


def compare(expected, found):
    """Largest difference as a share of the largest result, cosine, whether the best classes are the same."""
    expected, found = expected.ravel().astype(np.float64), found.ravel().astype(np.float64)
    if expected.shape != found.shape: return np.inf, 0, 0
    error = np.abs(expected - found).max() / np.abs(expected).max()
    cosine = expected @ found / max(np.linalg.norm(expected) * np.linalg.norm(found), 1e-30)
    best = lambda values: set(np.argsort(-values, kind="stable")[:5])
    return error, cosine, len(best(expected) & best(found))


def matched(pairs):
    """Boxes with their scores, each beside the most similar one: of nearly equal scores rounding says which comes first."""
    expected, found = (np.concatenate(parts, 1) for parts in zip(*pairs))
    if len(expected) != len(found): return expected, found
    order = [np.abs(found - row).max(1).argmin() for row in expected]
    return (expected, found[order]) if len(set(order)) == len(order) else (expected, found[:0])


def check(arguments, name, forms):
    net, x = prepared(name)
    with torch.no_grad():
        wanted = net(x)
        wanted = [t.numpy() for t in (wanted if isinstance(wanted, (tuple, list)) else [wanted])]
        traced = torch.jit.trace(net, x, check_trace=False)
    problems = 0
    for form in forms:
        kind = form.split("-")[0]
        limit = LIMITS["fp16" if kind in ("fp16", "picture") else "fp32"]
        with tempfile.TemporaryDirectory() as folder:
            began = time.time()
            kept = arguments.keep and os.path.join(arguments.keep, f"{name}-{form}.ml{'model' if kind == 'nn' else 'package'}")
            try:
                if kept and os.path.exists(kept): path = kept
                else:
                    path = convert(net, traced, x, form, folder)
                    if kept: path = shutil.move(path, kept)
            except Exception as error:
                print(f"{name:20} {form:13} coremltools does not convert it: {str(error)[:120]!r}", flush=True)
                continue
            seconds = time.time() - began
            try:
                if kind == "picture":
                    expected, found, ms = classified(arguments.hearth, path, net, x.shape[-1], folder)
                    pairs = [(expected, found)]
                else:
                    found, ms = results(arguments.hearth, path, x, folder)
                    if kind == "pipeline": found = sorted(found, key=lambda f: -f.shape[1])
                    pairs = list(zip(suppressed(*wanted) if kind == "pipeline" else wanted, found))
                    if kind == "pipeline": pairs = [matched(pairs)]
                    if len(wanted) != len(found): raise RuntimeError(f"{len(found)} outputs")
            except Exception as error:
                problems += 1
                print(f"{name:20} {form:13} FAIL {str(error)[:900]}", flush=True)
                continue
            numbers = [compare(*pair) for pair in pairs]
            error, cosine = max(n[0] for n in numbers), min(n[1] for n in numbers)
            top = f"top-5 {numbers[0][2]}/5" if len(numbers) == 1 and wanted[0].ndim == 2 else f"{len(pairs[0][0])} boxes" if kind == "pipeline" else ""
            isOff = not error <= limit
            problems += isOff
            print(f"{name:20} {form:13} {'OFF ' if isOff else 'ok  '} error {error:.1e}  1-cosine {1 - cosine:.1e}  {top:9}"
                  f"  {ms:7.1f} ms  (spread {np.std(wanted[0]) / np.abs(wanted[0]).max():.2f}, converted in {seconds:.0f} s)",
                  flush=True)
    return problems


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--hearth", default=os.path.join(ROOT, ".build/release/hearth"))
    parser.add_argument("--forms", default="")
    parser.add_argument("--keep", help="folder in which converted models are kept, and looked for the next time")
    parser.add_argument("names", nargs="*")
    arguments = parser.parse_args()
    torch.set_num_threads(2)
    # Attention as the operations that it is made of; the converter does not know the fused one.
    torch.backends.mha.set_fastpath_enabled(False)
    problems = 0
    for name in arguments.names or NETS:
        forms = arguments.forms.split(",") if arguments.forms else FORMS + NETS[name][2]
        problems += check(arguments, name, forms)
    print(f"{problems} problems")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
