"""Trains the network on pictures that are made as it goes; no picture is seen twice.

    python train.py --steps 700 --out runs/cards.pt
"""
import argparse
import math
import pathlib
import time

import torch
import torch.nn.functional as F

import pictures
from network import CardNet

HELD_OUT_SEED = 1_000_000  # training seeds stay below


def held_out(cards, count=2000):
    return pictures.batch(cards, count, torch.Generator().manual_seed(HELD_OUT_SEED))


def accuracy(model, images, labels):
    model.eval()
    with torch.no_grad():
        right = sum((model(x).argmax(1) == y).sum().item() for x, y in zip(images.split(250), labels.split(250)))
    model.train()
    return right / len(labels)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=700)
    parser.add_argument("--batch", type=int, default=128)
    parser.add_argument("--rate", type=float, default=3e-3)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--out", default="runs/cards.pt")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    torch.manual_seed(1)
    cards = pictures.cards()
    model = CardNet(len(cards)).to(memory_format=torch.channels_last)
    print(sum(p.numel() for p in model.parameters()), "parameters,", len(cards), "cards", flush=True)
    decayed = [p for p in model.parameters() if p.ndim > 1]
    plain = [p for p in model.parameters() if p.ndim <= 1]
    optimizer = torch.optim.AdamW(
        [{"params": decayed, "weight_decay": 0.02}, {"params": plain, "weight_decay": 0}], lr=options.rate)
    average = {k: v.clone() for k, v in model.state_dict().items()}
    images, labels = held_out(cards)
    shown = 0.0
    for step in range(options.steps):
        rate = options.rate * min(1, (step + 1) / 60) * (0.5 + 0.5 * math.cos(math.pi * step / options.steps))
        for group in optimizer.param_groups:
            group["lr"] = rate
        x, y = pictures.batch(cards, options.batch, torch.Generator().manual_seed(step))
        loss = F.cross_entropy(model(x.contiguous(memory_format=torch.channels_last)), y, label_smoothing=0.05)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        keep = min(0.99, step / (step + 10))
        with torch.no_grad():
            for key, value in model.state_dict().items():
                if value.dtype.is_floating_point:
                    average[key].lerp_(value, 1 - keep)
                else:
                    average[key].copy_(value)
        if time.time() - shown > 60:
            shown = time.time()
            smooth = CardNet(len(cards))
            smooth.load_state_dict(average)
            print(f"step {step}  loss {loss.item():.3f}  held out {accuracy(smooth, images, labels):.4f}", flush=True)
            pathlib.Path(options.out).parent.mkdir(parents=True, exist_ok=True)
            torch.save(average, options.out)
    smooth = CardNet(len(cards))
    smooth.load_state_dict(average)
    print(f"{options.steps * options.batch} pictures, held out {accuracy(smooth, images, labels):.4f}")
    torch.save(average, options.out)


if __name__ == "__main__":
    main()
