#!/usr/bin/env python3
"""Makes `networks/`: whole networks of torchvision's, narrow ones, as coremltools converts them, and what PyTorch computes.

    pip install torch==2.7.0 torchvision==0.22.0 coremltools==9.0 "numpy<2.3"
    python Tests/Fixtures/coreml/make_networks.py

Weights are random and seeded, drawn as in Tests/Vision/check_torchvision.py. networks.json: for each network its file, its
input and output (little-endian float32), and how far off a result may be: float32 by 2e-5 of the largest, float16, which is
compared with PyTorch's float32 too, by three times what rounding the weights alone costs.
"""
import json, os, shutil, sys, tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../../Vision"))
import check_torchvision as check
import numpy as np
import torch
from torchvision import models
from torchvision.models.convnext import CNBlockConfig

OUT = os.path.join(HERE, "networks")
NETWORKS = {
    "vit": (lambda: models.VisionTransformer(32, 8, 2, 2, 32, 64, num_classes=10), 32, ["fp16-iOS16", "fp32-iOS18"]),
    "swin": (lambda: models.SwinTransformer([4, 4], 16, [2, 2], [2, 4], [4, 4], num_classes=10), 32, ["fp32-iOS16"]),
    "convnext": (lambda: models.ConvNeXt([CNBlockConfig(16, 32, 1), CNBlockConfig(32, None, 1)], num_classes=10), 32,
                 ["fp16-iOS17", "nn-iOS14"]),
    "shufflenet": (lambda: models.ShuffleNetV2([2, 2, 2], [8, 16, 32, 64, 96], num_classes=10), 64,
                   ["fp32-iOS15", "nn-iOS14"]),
    "densenet": (lambda: models.DenseNet(8, (2, 2), 16, num_classes=10), 32, ["fp16-iOS15", "nn-iOS14"]),
}


def main():
    shutil.rmtree(OUT, ignore_errors=True)
    os.makedirs(OUT)
    torch.backends.mha.set_fastpath_enabled(False)
    entries = []
    for name, (make, size, forms) in NETWORKS.items():
        check.NETS[name] = (make, size, [])
        net, x = check.prepared(name)
        with torch.no_grad():
            y = net(x).numpy()
            traced = torch.jit.trace(net, x, check_trace=False)
            # What remains of the result where only the weights are halves.
            half = check.prepared(name)[0]
            for parameter in half.parameters(): parameter.copy_(parameter.half().float())
            loss = float(np.abs(half(x).numpy() - y).max())
        for suffix, array in (("in", x.numpy()), ("out", y)): array.astype("<f4").tofile(f"{OUT}/{name}.{suffix}.f32")
        for form in forms:
            with tempfile.TemporaryDirectory() as folder:
                path = check.convert(net, traced, x, form, folder)
                file = f"{name}_{form.replace('-', '_').lower()}{os.path.splitext(path)[1]}"
                shutil.move(path, os.path.join(OUT, file))
            largest = float(np.abs(y).max())
            entries.append({
                "file": file, "network": name, "shape": list(x.shape), "count": y.size,
                "tolerance": 3 * loss + 1e-3 * largest if form.startswith("fp16") else 2e-5 * largest})
            print(file, entries[-1]["tolerance"] / largest)
    with open(os.path.join(OUT, "networks.json"), "w") as out: out.write(json.dumps(entries, indent=1) + "\n")


main()
