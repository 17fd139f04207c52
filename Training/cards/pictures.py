"""Pictures of the wish cards as a camera might see them: tilted, near or far, badly lit, blurred, partly covered.

The cards are the drawings of the page (Sources/CHearthPage/Files/cards.svg). A picture is a function of its seed.
"""
import io
import pathlib
import re

import cairosvg
import numpy as np
import torch
import torch.nn.functional as F
from PIL import Image

SIDE = 64      # pixels of a picture
CARD = 160     # pixels of a drawn card
SVG = pathlib.Path(__file__).resolve().parents[2] / "Sources/CHearthPage/Files/cards.svg"


def names():
    return re.findall(r'<symbol id="card-([^"]*)"', SVG.read_text())


def cards():
    """All cards, float [cards, 3, CARD, CARD] in 0...1, in the order of `names()`."""
    text = SVG.read_text()
    out = []
    for name in names():
        body = text.replace("<svg ", '<svg xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="0 0 120 120" ', 1)
        symbol = re.search(rf'<symbol id="card-{name}".*?</symbol>', text, re.S).group(0)
        inner = re.sub(r"^<symbol[^>]*>|</symbol>$", "", symbol)
        body = re.sub(r'<symbol id="card-.*?</symbol>', "", body, flags=re.S)
        body = body.replace("</svg>", inner + "</svg>").replace(" href=", " xlink:href=")
        png = cairosvg.svg2png(bytestring=body.encode(), output_width=CARD, output_height=CARD)
        picture = Image.open(io.BytesIO(png)).convert("RGB")
        out.append(torch.from_numpy(np.asarray(picture).copy()).permute(2, 0, 1).float() / 255)
    return torch.stack(out)


def uniform(generator, low, high, *shape):
    return low + (high - low) * torch.rand(*shape, generator=generator)


def backgrounds(count, generator):
    """Tables, carpets, walls: smooth noise at two scales in two colours, with stripes now and then."""
    coarse = F.interpolate(torch.rand(count, 1, 5, 5, generator=generator), size=SIDE, mode="bicubic", align_corners=True)
    fine = F.interpolate(torch.rand(count, 1, 24, 24, generator=generator), size=SIDE, mode="bilinear", align_corners=True)
    axis = torch.linspace(0, 1, SIDE)
    angle = uniform(generator, 0, np.pi, count, 1, 1)
    phase = axis.view(1, 1, -1) * torch.cos(angle) + axis.view(1, -1, 1) * torch.sin(angle)
    stripes = torch.sin(phase * uniform(generator, 10, 90, count, 1, 1)).unsqueeze(1)
    strength = uniform(generator, 0, 0.5, count, 1, 1, 1) * (torch.rand(count, 1, 1, 1, generator=generator) < 0.4)
    mix = (0.6 * coarse + 0.4 * fine + strength * stripes).clamp(0, 1)
    first, second = torch.rand(2, count, 3, 1, 1, generator=generator)
    return first * mix + second * (1 - mix)


def homographies(count, generator):
    """From a picture's coordinates (-1...1) to a card's: turned, shifted, near or far, tilted."""
    angle = uniform(generator, -0.6, 0.6, count)
    scale = uniform(generator, 1.0, 2.1, count)
    stretch = uniform(generator, 0.85, 1.18, count)
    shift = uniform(generator, -0.35, 0.35, count, 2)
    tilt = uniform(generator, -0.28, 0.28, count, 2)
    matrix = torch.zeros(count, 3, 3)
    cos, sin = torch.cos(angle), torch.sin(angle)
    matrix[:, 0, 0], matrix[:, 0, 1] = cos * scale * stretch, -sin * scale
    matrix[:, 1, 0], matrix[:, 1, 1] = sin * scale * stretch, cos * scale
    matrix[:, :2, 2] = shift * scale.unsqueeze(1)
    matrix[:, 2, :2] = tilt
    matrix[:, 2, 2] = 1
    return matrix


def batch(cards, count, generator):
    """`count` pictures, float [count, 3, SIDE, SIDE] in 0...255, and the card of each."""
    labels = torch.randint(len(cards), (count,), generator=generator)
    axis = torch.linspace(-1, 1, SIDE)
    y, x = torch.meshgrid(axis, axis, indexing="ij")
    points = torch.stack([x, y, torch.ones_like(x)], -1).view(1, -1, 3)
    mapped = points @ homographies(count, generator).transpose(1, 2)
    grid = (mapped[..., :2] / mapped[..., 2:].clamp(min=0.2)).view(count, SIDE, SIDE, 2)
    # A card is 160 pixels wide and lands on 30 to 64: it is made smaller first, or edges would flicker.
    small = F.interpolate(cards, size=CARD // 2, mode="area")[labels]
    seen = F.grid_sample(small, grid, mode="bilinear", padding_mode="border", align_corners=True)
    inside = ((grid.abs() - 1).amax(-1, keepdim=True).permute(0, 3, 1, 2) * -24).clamp(0, 1)
    picture = backgrounds(count, generator) * (1 - inside) + seen * inside
    picture = cover(picture, generator)
    picture = light(picture, generator)
    picture = blur(picture, generator)
    noise = uniform(generator, 0.0, 0.09, count, 1, 1, 1)
    picture = picture + noise * torch.randn(picture.shape, generator=generator)
    return (picture.clamp(0, 1) * 255).round(), labels


def cover(picture, generator):
    """A thumb or a shadow over a third of the pictures."""
    count = len(picture)
    axis = torch.linspace(-1, 1, SIDE)
    center = uniform(generator, -1.0, 1.0, count, 2, 1, 1)
    size = uniform(generator, 0.15, 0.5, count, 2, 1, 1)
    distance = ((axis.view(1, 1, -1) - center[:, 0]) / size[:, 0]) ** 2 + ((axis.view(1, -1, 1) - center[:, 1]) / size[:, 1]) ** 2
    mask = ((1 - distance) * 8).clamp(0, 1).unsqueeze(1) * (torch.rand(count, 1, 1, 1, generator=generator) < 0.35)
    return picture * (1 - mask) + torch.rand(count, 3, 1, 1, generator=generator) * mask


def light(picture, generator):
    """Brightness, contrast, the color of the lamp, and a gradient across the picture."""
    count = len(picture)
    gain = torch.exp(uniform(generator, -0.7, 0.5, count, 1, 1, 1)) * torch.exp(uniform(generator, -0.22, 0.22, count, 3, 1, 1))
    axis = torch.linspace(-1, 1, SIDE)
    slope = uniform(generator, -0.35, 0.35, count, 2, 1, 1)
    ramp = 1 + slope[:, :1] * axis.view(1, 1, 1, -1) + slope[:, 1:] * axis.view(1, 1, -1, 1)
    middle = picture.mean((1, 2, 3), keepdim=True)
    contrast = uniform(generator, 0.55, 1.2, count, 1, 1, 1)
    gray = picture.mean(1, keepdim=True)
    faded = uniform(generator, 0.0, 0.6, count, 1, 1, 1)
    return ((picture * (1 - faded) + gray * faded - middle) * contrast + middle) * gain * ramp


def blur(picture, generator):
    """Out of focus, or moved, for about half of the pictures."""
    count = len(picture)
    axis = torch.arange(-3, 4).float()
    spread = uniform(generator, 0.05, 1.5, count, 2)
    kernels = torch.exp(-(axis**2).view(1, 1, -1) / (2 * spread.unsqueeze(-1) ** 2))
    kernels = kernels / kernels.sum(-1, keepdim=True)
    flat = picture.reshape(1, count * 3, SIDE, SIDE)
    across = kernels[:, 0].repeat_interleave(3, 0).view(count * 3, 1, 1, 7)
    down = kernels[:, 1].repeat_interleave(3, 0).view(count * 3, 1, 7, 1)
    flat = F.conv2d(F.pad(flat, (3, 3, 0, 0), mode="replicate"), across, groups=count * 3)
    flat = F.conv2d(F.pad(flat, (0, 0, 3, 3), mode="replicate"), down, groups=count * 3)
    return flat.view_as(picture)
