#!/usr/bin/env python3
"""Writes goldens.json: what mlpkg.py, which shares no code with Hearth, reads out of the packages beside it.

  python3 make_goldens.py        (numpy; a few seconds)

Digests are the first 16 hexadecimal digits of a SHA-256. A weight's is over its elements as little-endian float32, row
by row, compressed ones in full. "rest" is over everything else that is constant, in the order of the program: for each
the name of the result, a zero byte, the values as text joined by commas (floats as the hexadecimal digits of their
float32), a newline.
"""
import collections, glob, hashlib, json, os, struct
import numpy as np
import mlpkg

HERE = os.path.dirname(os.path.abspath(__file__))


def digest(data):
    return hashlib.sha256(data).hexdigest()[:16]


def floats(values):
    return np.ascontiguousarray(np.asarray(values), dtype="<f4").tobytes()


def text(value):
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return ",".join(text(item) for item in value)
    array = np.asarray(value)
    if array.dtype.kind == "f":
        return ",".join(struct.pack("<f", item).hex() for item in array.reshape(-1))
    return ",".join(str(int(item)) for item in array.reshape(-1))


def type_text(package, value_type):
    tensor = value_type["tensorType"]
    if not tensor:
        return None
    name, shape = package.tensor_type(tensor)
    return name + ("[%s]" % ", ".join(map(str, shape)) if shape else "")


def program(path):
    package = mlpkg.Package(path)
    env, weights, rest = {}, [], hashlib.sha256()
    for op in package.block["operations"]:
        if op["type"] == "const":
            value = package.value(op["attributes"]["val"])
        elif op["type"].startswith("constexpr_"):
            value = package.constexpr(op, env)
        elif op["type"] == "classify":
            value = package.value(op["inputs"]["classes"]["arguments"][0]["value"])
        else:
            continue
        name = op["outputs"][-1]["name"]
        env[name] = value
        if isinstance(value, np.ndarray) and value.dtype.kind == "f" and value.ndim and value.size >= 10:
            weights.append({"name": name, "shape": list(value.shape), "digest": digest(floats(value))})
        else:
            rest.update(name.encode() + b"\0" + text(value).encode() + b"\n")
    model = package.model
    return {
        "specificationVersion": model["specificationVersion"],
        "opset": package.fn["opset"],
        "operations": dict(collections.Counter(op["type"] for op in package.block["operations"])),
        "inputs": [{"name": i["name"], "type": type_text(package, i["type"])} for i in package.fn["inputs"]],
        "outputs": package.block["outputs"],
        "weights": weights,
        "rest": rest.hexdigest()[:16],
    }


def children(message):
    found = collections.defaultdict(list)
    for number, _, value in mlpkg.fields(message):
        found[number].append(value)
    return found


def network(path):
    """A network of layers: field numbers of NeuralNetwork.proto, convolutions and inner products in full."""
    model = children(open(path, "rb").read())
    body = children((model[403] or model[500] or model[303])[0])
    layers = []
    for data in body[1]:
        layer = children(data)
        number = next(number for number in layer if number >= 100)
        entry = {
            "name": layer[1][0].decode(), "number": number,
            "inputs": [name.decode() for name in layer[2]], "outputs": [name.decode() for name in layer[3]],
            "weights": [],
        }
        fields = {100: (90, 91), 140: (20, 21)}.get(number, ())
        parameters = children(layer[number][0])
        for field in fields:
            if parameters[field]:
                entry["weights"].append(digest(b"".join(children(parameters[field][0])[1])))
        layers.append(entry)
    labels = [label.decode() for label in children(body[100][0])[1]] if body[100] else []
    return {"specificationVersion": model[1][0], "layers": layers, "labels": labels}


def main():
    os.chdir(HERE)
    packages = sorted(glob.glob("digits/*.mlpackage") + glob.glob("ops/*.mlpackage"))
    goldens = {
        "programs": {path: program(path) for path in packages},
        "networks": {path: network(path) for path in sorted(glob.glob("digits/*.mlmodel"))},
    }
    with open("goldens.json", "w") as file:
        json.dump(goldens, file, indent=1, sort_keys=True)
        file.write("\n")


if __name__ == "__main__":
    main()
