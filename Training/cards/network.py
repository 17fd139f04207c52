"""A network of the MobileNetV3 kind: inverted residuals, squeeze-and-excitation, hard swish."""
import torch
from torch import nn


class Excite(nn.Module):
    def __init__(self, channels):
        super().__init__()
        inner = max(8, channels // 4)
        self.reduce = nn.Conv2d(channels, inner, 1)
        self.expand = nn.Conv2d(inner, channels, 1)

    def forward(self, x):
        scale = x.mean((2, 3), keepdim=True)
        return x * nn.functional.hardsigmoid(self.expand(torch.relu(self.reduce(scale))))


class Block(nn.Module):
    def __init__(self, width, expanded, result, kernel, stride, excites, swishes):
        super().__init__()
        act = nn.Hardswish if swishes else nn.ReLU
        layers = [nn.Conv2d(width, expanded, 1, bias=False), nn.BatchNorm2d(expanded), act()]
        layers += [nn.Conv2d(expanded, expanded, kernel, stride, kernel // 2, groups=expanded, bias=False)]
        layers += [nn.BatchNorm2d(expanded), act()]
        if excites:
            layers.append(Excite(expanded))
        layers += [nn.Conv2d(expanded, result, 1, bias=False), nn.BatchNorm2d(result)]
        self.layers = nn.Sequential(*layers)
        self.adds = stride == 1 and width == result

    def forward(self, x):
        return x + self.layers(x) if self.adds else self.layers(x)


class CardNet(nn.Module):
    """RGB 0...255 [N, 3, 64, 64] to logits."""

    #        expanded, result, kernel, stride, excites, swishes
    blocks = [
        (32, 24, 3, 1, False, False),
        (96, 32, 3, 2, False, False),
        (112, 32, 3, 1, False, False),
        (128, 56, 5, 2, True, True),
        (224, 56, 5, 1, True, True),
        (224, 80, 3, 1, False, True),
        (320, 112, 5, 2, True, True),
        (448, 112, 5, 1, True, True),
    ]

    def __init__(self, classes):
        super().__init__()
        layers = [nn.Conv2d(3, 24, 3, 2, 1, bias=False), nn.BatchNorm2d(24), nn.Hardswish()]
        width = 24
        for expanded, result, kernel, stride, excites, swishes in self.blocks:
            layers.append(Block(width, expanded, result, kernel, stride, excites, swishes))
            width = result
        layers += [nn.Conv2d(width, 576, 1, bias=False), nn.BatchNorm2d(576), nn.Hardswish()]
        self.layers = nn.Sequential(*layers)
        self.head = nn.Sequential(nn.Linear(576, 1024), nn.Hardswish(), nn.Linear(1024, classes))

    def forward(self, x):
        return self.head(self.layers(x / 127.5 - 1).mean((2, 3)))
