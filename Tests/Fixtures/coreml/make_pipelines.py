#!/usr/bin/env python3
"""Makes `pipelines/`: detectors as Create ML and YOLO export them, pipelines that end in a `nonMaximumSuppression`.

    pip install coremltools==9.0 "numpy<2.3" pillow
    python Tests/Fixtures/coreml/make_pipelines.py

    rectangles.mlpackage   the detector of make_rectangles.py, an ML Program, and a suppression of 0.3 and 0.4
    perclass.mlpackage     an ML Program that hands on a table [40, 7] (4 edges, 3 scores), and a suppression for each class
    allclasses.mlmodel     the same as a network of layers, and one suppression for all classes
    filled.mlpackage       outputs of 12 rows, whatever is left
    goldens.json           random tables, some thresholds, and which rows stay, by numpy alone
    unknown.mlmodel        a pipeline with models that are no networks
"""
import json
import pathlib
import shutil

import numpy as np

import coremltools as ct
from coremltools.converters.mil import Builder as mb
from coremltools.proto import FeatureTypes_pb2, Model_pb2

HERE = pathlib.Path(__file__).parent / "pipelines"
ROWS, CLASSES = 40, 3
LABELS = ["red", "green", "blue"]


def table_model(convert_to, target):
    """Passes a table on in two parts."""
    @mb.program(input_specs=[mb.TensorSpec(shape=(ROWS, 4 + CLASSES))], opset_version=target)
    def program(table):
        half = np.float32(0.5)
        boxes = mb.slice_by_index(x=table, begin=[0, 0], end=[ROWS, 4])
        scores = mb.slice_by_index(x=table, begin=[0, 4], end=[ROWS, 4 + CLASSES])
        # Something to compute, which changes nothing.
        return (mb.add(x=mb.mul(x=boxes, y=half), y=mb.mul(x=boxes, y=half), name="raw_boxes"),
                mb.relu(x=scores, name="raw_scores"))

    options = dict(compute_precision=ct.precision.FLOAT32) if convert_to == "mlprogram" else {}
    return ct.convert(program, convert_to=convert_to, minimum_deployment_target=target, skip_model_load=True, **options)


def suppression(boxes, scores, overlap, confidence, per_class, labels=LABELS, rows=None, names=True):
    """A model of Core ML's own suppression, as exporters write it."""
    spec = Model_pb2.Model()
    spec.specificationVersion = 5
    for name, width in [(scores, CLASSES), (boxes, 4)]:
        feature = spec.description.input.add(name=name)
        feature.type.multiArrayType.dataType = FeatureTypes_pb2.ArrayFeatureType.FLOAT32
        feature.type.multiArrayType.shape.extend([ROWS if boxes != "coordinates_in" else 36, width])
    for name in ["iouThreshold", "confidenceThreshold"] if names else []:
        feature = spec.description.input.add(name=name)
        feature.type.doubleType.SetInParent()
        feature.type.isOptional = True
    for name, width in [("confidence", CLASSES), ("coordinates", 4)]:
        array = spec.description.output.add(name=name).type.multiArrayType
        array.dataType = FeatureTypes_pb2.ArrayFeatureType.FLOAT32
        if rows:
            array.shape.extend([rows, width])
        else:
            for low, high in [(0, -1), (width, width)]:
                array.shapeRange.sizeRanges.add(lowerBound=low, upperBound=high)
    nms = spec.nonMaximumSuppression
    nms.confidenceInputFeatureName, nms.coordinatesInputFeatureName = scores, boxes
    nms.confidenceOutputFeatureName, nms.coordinatesOutputFeatureName = "confidence", "coordinates"
    if names:
        nms.iouThresholdInputFeatureName = "iouThreshold"
        nms.confidenceThresholdInputFeatureName = "confidenceThreshold"
    nms.iouThreshold, nms.confidenceThreshold = overlap, confidence
    nms.pickTop.perClass = per_class
    if labels: nms.stringClassLabels.vector.extend(labels)
    return ct.models.MLModel(spec, skip_model_load=True)


def save(name, model):
    path = HERE / name
    shutil.rmtree(path, ignore_errors=True)
    path.unlink(missing_ok=True)
    model.save(str(path))


def rectangles():
    """The detector with its boxes under other names, in front of a suppression."""
    import make_rectangles as maker

    @mb.program(input_specs=[mb.TensorSpec(shape=(1, 3, maker.SIZE, maker.SIZE))], opset_version=ct.target.iOS16)
    def program(image):
        boxes, scores = maker.boxes_and_scores(image)
        return (mb.squeeze(x=scores, axes=[0], name="confidence_in"), mb.squeeze(x=boxes, axes=[0], name="coordinates_in"))

    return ct.convert(
        program, convert_to="mlprogram", minimum_deployment_target=ct.target.iOS16,
        inputs=[ct.ImageType(name="image", shape=(1, 3, maker.SIZE, maker.SIZE), scale=1 / 255, color_layout="RGB")],
        compute_precision=ct.precision.FLOAT32, skip_model_load=True)


def kept(table, overlap, confidence, per_class):
    """Rows that stay, best first: greedily, each unless it overlaps one that stayed by more than `overlap`."""
    boxes, scores = table[:, :4].astype(np.float64), table[:, 4:].astype(np.float64)
    best, label = scores.max(1), scores.argmax(1)
    left, right = boxes[:, :2] - boxes[:, 2:] / 2, boxes[:, :2] + boxes[:, 2:] / 2
    result = []
    for row in sorted(range(len(table)), key=lambda row: (-best[row], row)):
        if best[row] < confidence: continue
        suppressed = False
        for other in result:
            if per_class and label[other] != label[row]: continue
            common = np.prod(np.clip(np.minimum(right[row], right[other]) - np.maximum(left[row], left[other]), 0, None))
            union = np.prod(boxes[row, 2:]) + np.prod(boxes[other, 2:]) - common
            suppressed |= common / union > overlap
        if not suppressed: result.append(row)
    return result


def goldens():
    random = np.random.RandomState(20261121)
    cases = []
    for index in range(24):
        boxes = random.uniform(0.1, 0.9, (ROWS, 4))
        boxes[:, 2:] *= 0.5
        # Some on top of others.
        boxes[20:] = boxes[:20] + random.normal(0, 0.03, (20, 4)) * [1, 1, 0.3, 0.3]
        scores = random.dirichlet([0.4] * CLASSES, ROWS) * random.uniform(0, 1, (ROWS, 1))
        if index % 6 == 5: scores[10] = scores[11]
        table = np.concatenate([boxes, scores], 1).round(4).astype(np.float32)
        thresholds = [None, (0.45, 0.25), (0.1, 0.05), (0.9, 0.0), (0.5, 1.0)][index % 5]
        overlap, confidence = thresholds or (np.float32(0.3), np.float32(0.2))
        cases.append({
            "table": [round(float(x), 4) for x in table.ravel()], "thresholds": thresholds,
            "perClass": kept(table, np.float32(overlap), np.float32(confidence), True),
            "allClasses": kept(table, np.float32(overlap), np.float32(confidence), False)})
    (HERE / "goldens.json").write_text(json.dumps(cases, separators=(",", ":")) + "\n")


def main():
    HERE.mkdir(exist_ok=True)
    program = table_model("mlprogram", ct.target.iOS16)
    layers = table_model("neuralnetwork", ct.target.iOS14)
    save("perclass.mlpackage", ct.utils.make_pipeline(program, suppression("raw_boxes", "raw_scores", 0.3, 0.2, True)))
    save("filled.mlpackage", ct.utils.make_pipeline(
        program, suppression("raw_boxes", "raw_scores", 0.3, 0.2, True, rows=12, names=False, labels=None)))
    save("rectangles.mlpackage", ct.utils.make_pipeline(
        rectangles(), suppression("coordinates_in", "confidence_in", 0.3, 0.4, True)))
    # make_pipeline makes packages; a bare model is what exporters before iOS 15 wrote.
    spec = Model_pb2.Model()
    last = suppression("raw_boxes", "raw_scores", 0.3, 0.2, False).get_spec()
    spec.specificationVersion = 5
    spec.description.input.extend([*layers.get_spec().description.input, *last.description.input[2:]])
    spec.description.output.extend(last.description.output)
    spec.pipeline.models.extend([layers.get_spec(), last])
    (HERE / "allclasses.mlmodel").write_bytes(spec.SerializeToString())
    spec.pipeline.models[0].Clear()
    spec.pipeline.models[0].specificationVersion = 1
    spec.pipeline.models[0].bayesianProbitRegressor.SetInParent()
    for name in ["raw_boxes", "raw_scores"]: spec.pipeline.models[0].description.output.add(name=name).type.doubleType.SetInParent()
    (HERE / "unknown.mlmodel").write_bytes(spec.SerializeToString())
    goldens()


main()
