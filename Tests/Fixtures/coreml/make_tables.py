#!/usr/bin/env python3
"""Writes tables/*.mlmodel and tables.json: models of tables as coremltools' messages hold them, rows, and what scikit-learn
(or numpy, where it has no such model) computes for them.

  pip install coremltools scikit-learn numpy;  python3 make_tables.py      (a few seconds)
"""
import json, os, warnings
import numpy as np
from coremltools.proto import FeatureTypes_pb2 as FT, Model_pb2
from sklearn.datasets import make_classification, make_regression
from sklearn.ensemble import GradientBoostingClassifier, GradientBoostingRegressor, RandomForestClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.multiclass import OneVsRestClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import Normalizer
from sklearn.svm import SVC, SVR

warnings.filterwarnings("ignore")
HERE = os.path.dirname(os.path.abspath(__file__))
X3, Y3 = make_classification(120, 4, n_informative=3, n_redundant=0, n_classes=3, n_clusters_per_class=1, random_state=3)
X2, Y2 = make_classification(120, 4, n_informative=3, n_redundant=0, n_classes=2, random_state=4)
XR, YR = make_regression(120, 4, noise=5, random_state=5)
COLUMNS = ["sepal length", "sepal width", "petal length", "petal width"]
NAMES = ["setosa", "versicolor", "virginica"]
CASES = []


# ---------------------------------------------------------------- messages
def feature(target, name, kind, shape=()):
    f = target.add()
    f.name = name
    if kind == "double": f.type.doubleType.MergeFromString(b"")
    if kind == "int64": f.type.int64Type.MergeFromString(b"")
    if kind == "string": f.type.stringType.MergeFromString(b"")
    if kind == "array":
        f.type.multiArrayType.dataType = FT.ArrayFeatureType.DOUBLE
        f.type.multiArrayType.shape.extend(shape)
    if kind == "strings": f.type.dictionaryType.stringKeyType.MergeFromString(b"")
    if kind == "integers": f.type.dictionaryType.int64KeyType.MergeFromString(b"")
    if kind in ("double", "int64", "string"): getattr(f.type, kind + "Type").SetInParent()
    if kind in ("strings", "integers"): f.type.dictionaryType.SetInParent()
    return f


def model(inputs, outputs, label="", shares=""):
    m = Model_pb2.Model()
    m.specificationVersion = 4
    for i in inputs: feature(m.description.input, *i)
    for o in outputs: feature(m.description.output, *o)
    m.description.predictedFeatureName, m.description.predictedProbabilitiesName = label, shares
    return m


def classifier(inputs, labels, with_shares=True):
    kind = "string" if isinstance(labels[0], str) else "int64"
    outputs = [("label", kind)] + ([("shares", "strings" if kind == "string" else "integers")] if with_shares else [])
    return model(inputs, outputs, "label", "shares" if with_shares else "")


def set_labels(message, labels):
    if isinstance(labels[0], str): message.stringClassLabels.vector.extend(labels)
    else: message.int64ClassLabels.vector.extend(int(v) for v in labels)


def pipeline(models, inputs, outputs, label="", shares="", kind="pipeline"):
    m = model(inputs, outputs, label, shares)
    p = getattr(m, kind)
    p = p if kind == "pipeline" else p.pipeline
    for part in models: p.models.add().CopyFrom(part)
    return m


def vectorizer(columns, output="row"):
    m = model([(c, k, s) for c, k, s, _ in columns], [(output, "array", (sum(n for *_, n in columns),))])
    for name, _, _, count in columns:
        c = m.featureVectorizer.inputList.add()
        c.inputColumn, c.inputDimensions = name, count
    return m


def behind_columns(m, kind):
    """The model with a vectorizer of the four columns before it."""
    v = vectorizer([(c, "double", (), 1) for c in COLUMNS])
    outputs = []
    for o in m.description.output:
        which = o.type.WhichOneof("Type")
        outputs.append((o.name, {"doubleType": "double", "int64Type": "int64", "stringType": "string", "multiArrayType": "array"}.get(
            which, "strings" if o.type.dictionaryType.WhichOneof("KeyType") == "stringKeyType" else "integers")))
    return pipeline([v, m], [(c, "double") for c in COLUMNS], outputs, m.description.predictedFeatureName,
                    m.description.predictedProbabilitiesName, kind)


def save(name, m, rows, outputs, tolerance=1e-9):
    with open(os.path.join(HERE, "tables", name + ".mlmodel"), "wb") as out: out.write(m.SerializeToString(deterministic=True))
    clean = lambda v: v.item() if isinstance(v, np.generic) else v.tolist() if isinstance(v, np.ndarray) else {
        str(k): float(x) for k, x in v.items()} if isinstance(v, dict) else v
    CASES.append({"model": name, "tolerance": tolerance, "rows": [{k: clean(v) for k, v in r.items()} for r in rows],
                  "outputs": [{k: clean(v) for k, v in o.items()} for o in outputs]})


def columns(X): return [dict(zip(COLUMNS, row)) for row in X]
def shares_of(labels, P): return [{"label": labels[int(np.argmax(p))], "shares": dict(zip(labels, p))} for p in P]


# ---------------------------------------------------------------- trees
def add_tree(ensemble, number, tree, value):
    """value: node -> [(dimension, number)]"""
    for index in range(tree.node_count):
        n = ensemble.nodes.add()
        n.treeId, n.nodeId = number, index
        if tree.children_left[index] < 0:
            n.nodeBehavior = n.LeafNode
            for d, v in value(index):
                e = n.evaluationInfo.add()
                e.evaluationIndex, e.evaluationValue = d, v
        else:
            n.nodeBehavior = n.BranchOnValueLessThanEqual
            n.branchFeatureIndex, n.branchFeatureValue = int(tree.feature[index]), float(tree.threshold[index])
            n.trueChildNodeId, n.falseChildNodeId = int(tree.children_left[index]), int(tree.children_right[index])


R32 = lambda X: X.astype(np.float32).astype(np.float64)  # scikit-learn's trees compare in float32
forest = RandomForestClassifier(4, max_depth=3, random_state=0).fit(X3, Y3)
m = classifier([("row", "array", (4,))], NAMES)
e = m.treeEnsembleClassifier.treeEnsemble
e.numPredictionDimensions = 3
e.basePredictionValue.extend([0, 0, 0])
for number, tree in enumerate(forest.estimators_):
    values = tree.tree_.value[:, 0] / tree.tree_.value[:, 0].sum(1, keepdims=True) / 4
    add_tree(e, number, tree.tree_, lambda index: list(enumerate(values[index])))
set_labels(m.treeEnsembleClassifier, NAMES)
rows = R32(X3[:8])
save("forest", behind_columns(m, "pipelineClassifier"), columns(rows), shares_of(NAMES, forest.predict_proba(rows)))

boosted = GradientBoostingRegressor(n_estimators=6, max_depth=2, random_state=0).fit(XR, YR)
m = model([("row", "array", (4,))], [("price", "double")], "price")
e = m.treeEnsembleRegressor.treeEnsemble
e.numPredictionDimensions = 1
e.basePredictionValue.append(float(boosted.init_.constant_[0, 0]))
for number, tree in enumerate(boosted.estimators_[:, 0]):
    add_tree(e, number, tree.tree_, lambda index: [(0, float(tree.tree_.value[index, 0, 0]) * boosted.learning_rate)])
rows = R32(XR[:8])
save("boosted", behind_columns(m, "pipelineRegressor"), columns(rows), [{"price": v} for v in boosted.predict(rows)], 1e-8)

binary = GradientBoostingClassifier(n_estimators=5, max_depth=2, random_state=0).fit(X2, Y2)
m = classifier([("row", "array", (4,))], [0, 1])
e = m.treeEnsembleClassifier.treeEnsemble
e.numPredictionDimensions = 1
prior = Y2.mean()
e.basePredictionValue.append(float(np.log(prior / (1 - prior))))
for number, tree in enumerate(binary.estimators_[:, 0]):
    add_tree(e, number, tree.tree_, lambda index: [(0, float(tree.tree_.value[index, 0, 0]) * binary.learning_rate)])
m.treeEnsembleClassifier.postEvaluationTransform = 2  # logistic
set_labels(m.treeEnsembleClassifier, [0, 1])
rows = R32(X2[:8])
save("boosted-binary", m, [{"row": r} for r in rows], shares_of([0, 1], binary.predict_proba(rows)), 1e-8)

several = GradientBoostingClassifier(n_estimators=3, max_depth=2, random_state=0).fit(X3, Y3)
for name, transform in (("boosted-softmax", 1), ("boosted-reference", 3)):
    m = classifier([("row", "array", (4,))], NAMES)
    e = m.treeEnsembleClassifier.treeEnsemble
    first = 1 if transform == 3 else 0
    e.numPredictionDimensions = 3 - first
    base = np.log(np.bincount(Y3) / len(Y3))
    e.basePredictionValue.extend([float(v) for v in base[first:]])
    for stage, trees in enumerate(several.estimators_):
        for c, tree in enumerate(trees[first:]):
            add_tree(e, stage * 3 + c, tree.tree_, lambda index: [(c, float(tree.tree_.value[index, 0, 0]) * several.learning_rate)])
    m.treeEnsembleClassifier.postEvaluationTransform = transform
    set_labels(m.treeEnsembleClassifier, NAMES)
    rows = R32(X3[:6])
    scores = several.decision_function(rows) if transform == 1 else None
    if transform == 1: P = several.predict_proba(rows)
    else:
        raw = np.zeros((6, 3))
        raw[:, 1:] = base[1:] + sum(np.stack([t.predict(rows) for t in trees[1:]], 1) * several.learning_rate for trees in several.estimators_)
        P = np.exp(raw) / np.exp(raw).sum(1, keepdims=True)
    save(name, m, [{"row": r} for r in rows], shares_of(NAMES, P), 1e-8)
# Missing values follow the way that a node says.
m = model([("row", "array", (2,))], [("y", "double")], "y")
e = m.treeEnsembleRegressor.treeEnsemble
e.numPredictionDimensions = 1
for tree, tracks in ((0, True), (1, False)):
    for index, (behavior, value) in enumerate(((3, 0.5), (6, 1 + tree), (6, 10 + tree))):
        n = e.nodes.add()
        n.treeId, n.nodeId, n.nodeBehavior = tree, index, behavior
        if index == 0: n.branchFeatureIndex, n.branchFeatureValue, n.trueChildNodeId, n.falseChildNodeId, n.missingValueTracksTrueChild = tree, value, 1, 2, tracks
        else: n.evaluationInfo.add().evaluationValue = value
save("missing", m, [{"row": [1, None]}, {"row": [None, 1]}, {"row": [None, None]}, {"row": [0, 0.5]}],
     [{"y": 1 + 11}, {"y": 1 + 2}, {"y": 1 + 11}, {"y": 10 + 11}])

# ---------------------------------------------------------------- linear models
def linear(message, weights, offsets):
    for row in weights: message.weights.add().value.extend(float(v) for v in row)
    message.offset.extend(float(v) for v in offsets)


line = LinearRegression().fit(XR, YR)
m = model([("row", "array", (4,))], [("y", "double")], "y")
linear(m.glmRegressor, [line.coef_], [line.intercept_])
save("line", behind_columns(m, "pipelineRegressor"), columns(XR[:5]), [{"y": v} for v in line.predict(XR[:5])], 1e-8)
logistic = LogisticRegression().fit(X2, Y2)
m = classifier([("row", "array", (4,))], ["no", "yes"])
linear(m.glmClassifier, logistic.coef_, logistic.intercept_)
m.glmClassifier.classEncoding = 1
set_labels(m.glmClassifier, ["no", "yes"])
save("logistic", behind_columns(m, "pipelineClassifier"), columns(X2[:6]), shares_of(["no", "yes"], logistic.predict_proba(X2[:6])))
rest = OneVsRestClassifier(LogisticRegression()).fit(X3, Y3)
m = classifier([("row", "array", (4,))], NAMES)
linear(m.glmClassifier, [c.coef_[0] for c in rest.estimators_], [c.intercept_[0] for c in rest.estimators_])
m.glmClassifier.classEncoding = 1
set_labels(m.glmClassifier, NAMES)
save("one-versus-rest", m, [{"row": r} for r in X3[:6]], shares_of(NAMES, rest.predict_proba(X3[:6])))
multinomial = LogisticRegression().fit(X3, Y3)
m = classifier([("row", "array", (4,))], NAMES)
linear(m.glmClassifier, multinomial.coef_[1:] - multinomial.coef_[0], multinomial.intercept_[1:] - multinomial.intercept_[0])
set_labels(m.glmClassifier, NAMES)
save("reference-class", m, [{"row": r} for r in X3[:6]], shares_of(NAMES, multinomial.predict_proba(X3[:6])))

# ---------------------------------------------------------------- support vectors
def kernel(message, machine, X):
    gamma = machine._gamma
    if machine.kernel == "linear": message.kernel.linearKernel.SetInParent()
    if machine.kernel == "rbf": message.kernel.rbfKernel.gamma = gamma
    if machine.kernel == "poly": message.kernel.polyKernel.gamma, message.kernel.polyKernel.c, message.kernel.polyKernel.degree = gamma, machine.coef0, machine.degree
    if machine.kernel == "sigmoid": message.kernel.sigmoidKernel.gamma, message.kernel.sigmoidKernel.c = gamma, machine.coef0
    return message


for name, machine, X, Y, labels, sparse in (
        ("vectors-shares", SVC(probability=True, random_state=0), X3, Y3, NAMES, False),
        ("vectors", SVC(kernel="linear"), X3, Y3, [0, 1, 2], True), ("vectors-binary", SVC(kernel="sigmoid", coef0=.2), X2, Y2, ["no", "yes"], False)):
    machine.fit(X[:60], Y[:60])
    m = classifier([("row", "array", (4,))], labels, machine.probability is True)
    s = kernel(m.supportVectorClassifier, machine, X)
    s.numberOfSupportVectorsPerClass.extend(int(v) for v in machine.n_support_)
    for vector in machine.support_vectors_:
        if sparse:
            v = s.sparseSupportVectors.vectors.add()
            for index, value in enumerate(vector):
                node = v.nodes.add()
                node.index, node.value = index + 1, value
        else: s.denseSupportVectors.vectors.add().values.extend(vector)
    for row in machine._dual_coef_: s.coefficients.add().alpha.extend(row)
    s.rho.extend(-machine._intercept_)
    if machine.probability is True:
        s.probA.extend(machine.probA_)
        s.probB.extend(machine.probB_)
    set_labels(s, labels)
    rows = X[60:72]
    if machine.probability is True: outputs = shares_of(labels, machine.predict_proba(rows))
    else: outputs = [{"label": labels[int(v)]} for v in machine.predict(rows)]
    save(name, m, [{"row": r} for r in rows], outputs, 1e-6)
machine = SVR(kernel="poly", degree=2, coef0=.5).fit(XR[:40], YR[:40])
m = model([("row", "array", (4,))], [("y", "double")], "y")
s = kernel(m.supportVectorRegressor, machine, XR)
for vector in machine.support_vectors_: s.denseSupportVectors.vectors.add().values.extend(vector)
s.coefficients.alpha.extend(machine._dual_coef_[0])
s.rho = -float(machine._intercept_[0])
save("vectors-regressor", m, [{"row": r} for r in XR[40:46]], [{"y": v} for v in machine.predict(XR[40:46])], 1e-7)

# ---------------------------------------------------------------- neighbours
for name, weights in (("neighbours", "uniform"), ("neighbours-distance", "distance")):
    near = KNeighborsClassifier(5, weights=weights).fit(X3[:40].astype(np.float32), Y3[:40])
    order = list(dict.fromkeys(int(v) for v in Y3[:40]))
    m = classifier([("row", "array", (4,))], NAMES)
    k = m.kNearestNeighborsClassifier
    k.nearestNeighborsIndex.numberOfDimensions = 4
    for row in X3[:40]: k.nearestNeighborsIndex.floatSamples.add().vector.extend(row)
    k.nearestNeighborsIndex.linearIndex.SetInParent()
    k.nearestNeighborsIndex.squaredEuclideanDistance.SetInParent()
    k.numberOfNeighbors.defaultValue = 5
    (k.uniformWeighting if weights == "uniform" else k.inverseDistanceWeighting).SetInParent()
    set_labels(k, [NAMES[int(v)] for v in Y3[:40]])
    P, outputs = near.predict_proba(X3[40:48]), []
    for p in P:
        if (p == p.max()).sum() > 1: outputs.append({"shares": dict(zip(NAMES, p))})  # a tie: whose label it is is not said
        else: outputs.append({"label": NAMES[int(np.argmax(p))], "shares": dict(zip(NAMES, p))})
    save(name, m, [{"row": r} for r in X3[40:48]], outputs, 1e-5)

# ---------------------------------------------------------------- what prepares features
impute = model([("x", "array", (3,))], [("filled", "array", (3,))])
impute.imputer.imputedDoubleArray.vector.extend([1, 2, 3])
impute.imputer.replaceDoubleValue = float("nan")
scale = model([("filled", "array", (3,))], [("scaled", "array", (3,))])
scale.scaler.shiftValue.extend([-1, 0.5, 2])
scale.scaler.scaleValue.extend([2, 3, 0.25])
color = model([("color", "string")], [("hot", "array", (3,))])
color.oneHotEncoder.stringCategories.vector.extend(["red", "green", "blue"])
color.oneHotEncoder.handleUnknown = 1
words = model([("words", "strings")], [("counts", "array", (3,))])
words.dictVectorizer.stringToIndex.vector.extend(["a", "b", "c"])
size = model([("size", "string")], [("number", "int64")])
for key, value in (("S", 1), ("M", 5)):
    entry = size.categoricalMapping.stringToInt64Map.map[key] = value
size.categoricalMapping.int64Value = -1
together = vectorizer([("scaled", "array", (3,), 3), ("hot", "array", (3,), 3), ("counts", "array", (3,), 3), ("number", "int64", (), 1)], "all")
norm = model([("all", "array", (10,))], [("unit", "array", (10,))])
norm.normalizer.normType = 2
pick = model([("unit", "array", (10,))], [("picked", "array", (4,))])
pick.arrayFeatureExtractor.extractIndex.extend([9, 0, 4, 1])
whole = pipeline([impute, scale, color, words, size, together, norm, pick],
                 [("x", "array", (3,)), ("color", "string"), ("words", "strings"), ("size", "string")], [("picked", "array", (4,)), ("unit", "array", (10,))])
rows, outputs = [], []
for x, c, w, s in (([0.5, None, 2], "green", {"a": 2, "z": 9}, "M"), ([None, None, None], "violet", {}, "XL"), ([1, 2, 3], "red", {"c": 1, "b": .5}, "S")):
    filled = np.array([f if v is None else v for v, f in zip(x, [1, 2, 3])], float)
    vector = np.concatenate([(filled + [-1, .5, 2]) * [2, 3, .25], [c == k for k in ("red", "green", "blue")],
                             [w.get(k, 0) for k in "abc"], [{"S": 1, "M": 5}.get(s, -1)]])
    unit = Normalizer("l2").fit_transform(vector[None])[0]
    rows.append({"x": x, "color": c, "words": w, "size": s})
    outputs.append({"unit": unit, "picked": unit[[9, 0, 4, 1]]})
save("prepared", whole, rows, outputs)
for name, number, kind_ in (("greatest", 0, "max"), ("sum", 1, "l1")):
    m = model([("x", "array", (3,))], [("y", "array", (3,))])
    m.normalizer.normType = number
    v = np.array([[1, -4, 2.5], [0, 0, 0]], float)
    save("norm-" + name, m, [{"x": r} for r in v], [{"y": r} for r in Normalizer(kind_).fit_transform(v)])
m = model([("x", "double")], [("y", "string")])
m = model([("x", "int64")], [("y", "string")])
m.categoricalMapping.int64ToStringMap.map[3] = "three"
m.categoricalMapping.strValue = "?"
save("mapping", m, [{"x": 3}, {"x": 4}], [{"y": "three"}, {"y": "?"}])

# ---------------------------------------------------------------- a network behind columns
network = classifier([("row", "array", (4,))], NAMES)
n = network.neuralNetworkClassifier
n.arrayInputShapeMapping = 1
inner = n.layers.add()
inner.name, inner.innerProduct.inputChannels, inner.innerProduct.outputChannels, inner.innerProduct.hasBias = "product", 4, 3, True
inner.input.append("row")
inner.output.append("sums")
inner.innerProduct.weights.floatValue.extend(multinomial.coef_.reshape(-1))
inner.innerProduct.bias.floatValue.extend(multinomial.intercept_)
soft = n.layers.add()
soft.name, soft.softmaxND.axis = "softmax", -1
soft.input.append("sums")
soft.output.append("p")
n.labelProbabilityLayerName = "p"
set_labels(n, NAMES)
save("network", behind_columns(network, "pipelineClassifier"), columns(X3[:5]), shares_of(NAMES, multinomial.predict_proba(X3[:5])), 1e-5)

# ---------------------------------------------------------------- values that are left out, and models without rows
def optional(m, name="x", **default):
    """The model with an input that may be left out, and perhaps the default of its elements."""
    for f in m.description.input:
        if f.name != name: continue
        f.type.isOptional = True
        for key, value in default.items(): setattr(f.type.multiArrayType, key, value)
    return m


m = optional(model([("x", "array", (3,))], [("y", "array", (3,))]), doubleDefaultValue=0.1)
m.scaler.scaleValue.append(2)
save("left-out", m, [{}, {"x": [1, 2, 3]}], [{"y": [.2, .2, .2]}, {"y": [2, 4, 6]}])
m = optional(model([("x", "array", (2,))], [("y", "array", (2,))]))
m.imputer.imputedDoubleArray.vector.extend([4, 5])
save("left-out-imputed", m, [{}, {"x": [None, 1]}], [{"y": [4, 5]}, {"y": [4, 1]}])
m = optional(model([("x", "string")], [("y", "string")]))
m.imputer.imputedStringValue = "unknown"
m.imputer.replaceStringValue = "NA"
save("imputed-text", m, [{}, {"x": "NA"}, {"x": "red"}], [{"y": "unknown"}, {"y": "unknown"}, {"y": "red"}])
for kind, field, keys in (("strings", "imputedStringDictionary", ("a", "b")), ("integers", "imputedInt64Dictionary", (1, -2))):
    m = model([("x", kind)], [("y", kind)])
    for key, value in zip(keys, (4, 5)): getattr(m.imputer, field).map[key] = value
    m.imputer.replaceDoubleValue = -1
    save("imputed-" + kind, m, [{"x": {str(keys[0]): -1, str(keys[1]): 2}}], [{"y": {str(keys[0]): 4, str(keys[1]): 2}}])
# As coremltools' KNearestNeighborsClassifierBuilder writes a model that a device is to train.
for default in ("nobody", 7):
    m = classifier([("x", "array", (2,))], [default])
    near = m.kNearestNeighborsClassifier
    near.nearestNeighborsIndex.numberOfDimensions = 2
    near.nearestNeighborsIndex.linearIndex.SetInParent()
    near.nearestNeighborsIndex.squaredEuclideanDistance.SetInParent()
    near.numberOfNeighbors.defaultValue = 3
    near.uniformWeighting.SetInParent()
    if isinstance(default, str): near.defaultStringLabel = default
    else: near.defaultInt64Label = default
    save("untrained-" + ("text" if isinstance(default, str) else "integer"), m, [{"x": [1, 2]}], [{"label": default, "shares": {default: 1}}])
# A network's input with a default, behind a feature that is there.
twice = model([("d", "double")], [("twice", "double")])
twice.scaler.scaleValue.append(2)
network = optional(model([("x", "array", (3,))], [("z", "array", (2,))]), floatDefaultValue=2)
n = network.neuralNetwork
n.arrayInputShapeMapping = 1
inner = n.layers.add()
inner.name, inner.innerProduct.inputChannels, inner.innerProduct.outputChannels, inner.innerProduct.hasBias = "product", 3, 2, True
inner.input.append("x")
inner.output.append("z")
inner.innerProduct.weights.floatValue.extend(range(6))
inner.innerProduct.bias.floatValue.extend([1, -1])
both = optional(pipeline([twice, network], [("d", "double"), ("x", "array", (3,))], [("z", "array", (2,)), ("twice", "double")]), floatDefaultValue=2)
save("left-out-network", both, [{"d": 1}, {"d": 3, "x": [1, 0, 0]}], [{"z": [7, 23], "twice": 2}, {"z": [1, 2], "twice": 6}], 1e-6)

# ---------------------------------------------------------------- items like those that are liked
def sequence(target, name, kind):
    f = target.add()
    f.name = name
    getattr(f.type.sequenceType, kind + "Type").SetInParent()
    return f


def recommender(ids, similarity, shifts, with_ids):
    kind = "string" if isinstance(ids[0], str) else "int64"
    keys = "strings" if kind == "string" else "integers"
    m = model([("liked", keys), ("k", "int64")], [("scores", keys)])
    sequence(m.description.input, "among", kind)
    sequence(m.description.input, "without", kind)
    sequence(m.description.output, "items", kind)
    for f in m.description.input[1:]: f.type.isOptional = True
    r = m.itemSimilarityRecommender
    for i, row in enumerate(similarity):
        item = r.itemItemSimilarities.add()
        item.itemId, item.itemScoreAdjustment = i, shifts[i]
        for k in np.nonzero(row)[0]:
            other = item.similarItemList.add()
            other.itemId, other.similarityScore = int(k), row[k]
    if with_ids: (r.itemStringIds if kind == "string" else r.itemInt64Ids).vector.extend(ids)
    r.itemInputFeatureName, r.numRecommendationsInputFeatureName = "liked", "k"
    r.itemRestrictionInputFeatureName, r.itemExclusionInputFeatureName = "among", "without"
    r.recommendedItemListOutputFeatureName, r.recommendedItemScoreOutputFeatureName = "items", "scores"
    return m


def recommended(ids, similarity, shifts, row):
    """The sums of the format's documentation, with a dense matrix [item][similar item]."""
    liked = row.get("liked", {})
    ratings = np.array([float(liked.get(str(i), np.nan)) for i in ids])
    known = ~np.isnan(ratings)
    total = sum((similarity[i] * (ratings[i] - shifts) for i in np.nonzero(known)[0]), np.zeros(len(ids)))
    out = np.isin(ids, row["without"]) if "without" in row else known
    allowed = np.isin(ids, row["among"]) if "among" in row else np.ones(len(ids), bool)
    order = [i for i in np.argsort(-total, kind="stable") if allowed[i] and not out[i]][:row.get("k", len(ids))]
    return {"items": [ids[i] for i in order], "scores": {ids[i]: total[i] for i in order}}


draw = np.random.RandomState(8)
similarity = np.where(draw.rand(6, 6) < .6, draw.rand(6, 6), 0)
np.fill_diagonal(similarity, 0)
for name, ids, with_ids in (("texts", ["owl", "fox", "hen", "elk", "bee", "ant"], True), ("integers", [50, -7, 3, 9, 12, 0], True), ("places", list(range(6)), False)):
    shifts = np.zeros(6) if name == "places" else draw.rand(6)
    first, second, third = (str(ids[i]) for i in (0, 3, 5))
    rows = [{"liked": {first: 5, second: 1.5}, "k": 2}, {"liked": {third: 2, "999": 4}}, {"liked": {}},
            {"liked": {first: 3, third: 4}, "k": 3, "among": [ids[0], ids[1], ids[2], ids[4]]},
            {"liked": {first: 3, third: 4}, "without": [ids[1]]}, {"liked": {second: 1}, "among": ids[:3], "without": ids[:1]}]
    save("recommender-" + name, recommender(ids, similarity, shifts, with_ids), rows, [recommended(ids, similarity, shifts, r) for r in rows])

with open(os.path.join(HERE, "tables.json"), "w") as out:
    out.write("[\n" + ",\n".join(json.dumps(c, separators=(",", ":")) for c in CASES) + "\n]\n")
print(len(CASES), "models")
