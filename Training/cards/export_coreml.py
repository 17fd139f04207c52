"""Writes the trained network as a Core ML package, held-out pictures with their labels, and pictures of the training to
calibrate with.

    python export_coreml.py runs/cards.pt ../../Tests/Fixtures/cards/WishCards.mlpackage --pictures ../../Tests/Fixtures/cards
"""
import argparse
import csv
import pathlib

import coremltools as ct
import torch
from PIL import Image

import pictures
from network import CardNet
from train import held_out


class Probabilities(torch.nn.Module):
    """The network without its input's scale, which the package states, and with the softmax that it leaves out."""

    def __init__(self, network):
        super().__init__()
        self.network = network

    def forward(self, x):
        features = self.network.layers(x).mean((2, 3))
        return torch.softmax(self.network.head(features), 1)


def write(folder, name, batch, names):
    (folder / name).mkdir(parents=True, exist_ok=True)
    with open(folder / f"{name}.csv", "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["file", "label"])
        for index, (image, label) in enumerate(zip(*batch)):
            array = image.permute(1, 2, 0).byte().numpy()
            Image.fromarray(array).save(folder / name / f"{index:04}.jpg", quality=90, subsampling=0)
            writer.writerow([f"{index:04}.jpg", names[label]])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("weights")
    parser.add_argument("package")
    parser.add_argument("--pictures")
    parser.add_argument("--count", type=int, default=1000)
    options = parser.parse_args()
    names = pictures.names()
    network = CardNet(len(names))
    network.load_state_dict(torch.load(options.weights))
    model = Probabilities(network.eval()).eval()
    traced = torch.jit.trace(model, torch.zeros(1, 3, pictures.SIDE, pictures.SIDE))
    package = ct.convert(
        traced, convert_to="mlprogram", minimum_deployment_target=ct.target.iOS16,
        compute_precision=ct.precision.FLOAT32,
        inputs=[ct.ImageType("image", (1, 3, pictures.SIDE, pictures.SIDE), scale=1 / 127.5, bias=[-1, -1, -1])],
        classifier_config=ct.ClassifierConfig(names))
    package.short_description = "Which wish card a picture shows"
    package.author = "Hearth"
    package.license = "Same as Hearth"
    package.version = "1"
    package.save(options.package)
    if options.pictures:
        folder = pathlib.Path(options.pictures)
        cards = pictures.cards()
        write(folder, "heldout", held_out(cards, options.count), names)
        write(folder, "calibration", pictures.batch(cards, 128, torch.Generator().manual_seed(0)), names)


if __name__ == "__main__":
    main()
