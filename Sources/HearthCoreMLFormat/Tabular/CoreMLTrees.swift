import HearthSystem

/// Trees whose leaves are added up.
package struct CoreMLTrees: Sendable, Equatable {
    /// How a node compares a feature with its number.
    package enum Comparison: Int, Sendable {
        case lessOrEqual = 0
        case less, greaterOrEqual, greater, equal, notEqual
    }

    /// What becomes of the sums.
    package enum Transform: Int, Sendable {
        case none = 0
        case softmax, logistic
        /// A softmax whose first class has the sum 0.
        case softmaxWithReference
    }

    /// A node; its children stand behind it, so that no walk is endless.
    package struct Node: Sendable, Equatable {
        /// nil for a leaf.
        package var comparison: Comparison?
        package var feature = 0
        package var value = 0.0
        /// Places of the children in `nodes`.
        package var whenTrue = 0, whenFalse = 0
        /// Where a row goes whose feature is missing.
        package var missingIsTrue = false
        /// Of a leaf: the index of a sum, and the value to add to it.
        package var results: [(dimension: Int, value: Double)] = []

        package static func == (left: Self, right: Self) -> Bool {
            left.comparison == right.comparison && left.feature == right.feature && left.value == right.value
                && left.whenTrue == right.whenTrue && left.whenFalse == right.whenFalse
                && left.missingIsTrue == right.missingIsTrue && left.results.elementsEqual(right.results) { $0 == $1 }
        }
    }

    /// All trees.
    package private(set) var nodes: [Node] = []
    /// The place of each tree's root.
    package private(set) var roots: [Int] = []
    /// How many sums there are.
    package private(set) var dimensions = 1
    /// Where each sum begins.
    package private(set) var base: [Double] = []
    package private(set) var transform = Transform.none
    /// Of a classifier.
    package private(set) var labels: CoreMLTabular.Labels?

    init(_ record: WireRecord, isClassifier: Bool) throws(WireFault) {
        guard let ensemble = try record.record(1) else { throw .missing("treeEnsemble", "the trees") }
        let number = try record.integer(2, "postEvaluationTransform")
        guard let transform = Transform(rawValue: number) else {
            throw WireFault("postEvaluationTransform") { .outOfRange($0, value: "\(number)") }
        }
        self.transform = transform
        dimensions = try ensemble.integer(2, "numPredictionDimensions")
        guard (1...1 << 16).contains(dimensions) else {
            let dimensions = dimensions
            throw WireFault("numPredictionDimensions") { .outOfRange($0, value: "\(dimensions)") }
        }
        base = try ensemble.doubles(3, "basePredictionValue")
        if base.isEmpty { base = [Double](repeating: 0, count: dimensions) }
        guard base.count == dimensions else {
            throw .malformed("basePredictionValue", "\(base.count) numbers for \(dimensions) dimensions")
        }
        if isClassifier {
            guard let labels = try record.labels(), labels.count > 0 else {
                throw .missing("stringClassLabels", "every label")
            }
            let reference = transform == .softmaxWithReference ? 1 : 0
            guard labels.count == dimensions + reference || dimensions == 1 && labels.count == 2 else {
                throw .malformed("stringClassLabels", "\(labels.count) labels for \(dimensions) sums")
            }
            self.labels = labels
        }
        try read(ensemble.all(1))
    }

    private struct Key: Hashable {
        var tree: Int, node: Int
    }

    private mutating func read(_ fields: [WireField]) throws(WireFault) {
        var places: [Key: Int] = [:]
        var children: [(Key, Key)] = []
        var trees: [Int] = []
        for (index, field) in fields.enumerated() {
            let (key, node, below) = try inside("treeEnsemble.nodes[\(index)]") { () throws(WireFault) in
                try Self.node(field, dimensions)
            }
            guard places.updateValue(index, forKey: key) == nil else {
                throw .malformed(
                    "treeEnsemble.nodes[\(index)]", "the node \(key.node) of the tree \(key.tree) occurs twice")
            }
            nodes.append(node)
            children.append(below)
            trees.append(key.tree)
        }
        guard !nodes.isEmpty else { throw .missing("treeEnsemble.nodes", "every node") }
        var hasParent = [Bool](repeating: false, count: nodes.count)
        for index in nodes.indices where nodes[index].comparison != nil {
            guard let yes = places[children[index].0], let no = places[children[index].1], !hasParent[yes], yes != no,
                !hasParent[no]
            else {
                throw .malformed(
                    "treeEnsemble.nodes[\(index)]", "the children are missing, or belong to another node too")
            }
            (hasParent[yes], hasParent[no]) = (true, true)
            (nodes[index].whenTrue, nodes[index].whenFalse) = (yes, no)
        }
        // A node has at most one parent: walks from the roots reach no node twice, and unreached nodes form a cycle.
        roots = nodes.indices.filter { !hasParent[$0] }
        var (seen, rest) = (0, roots)
        while let index = rest.popLast() {
            seen += 1
            if nodes[index].comparison != nil { rest += [nodes[index].whenTrue, nodes[index].whenFalse] }
        }
        guard seen == nodes.count, Set(roots.map { trees[$0] }).count == roots.count else {
            throw .malformed("treeEnsemble.nodes", "the nodes are not trees with one root each")
        }
    }

    private static func node(
        _ field: WireField, _ dimensions: Int
    ) throws(WireFault) -> (Key, Node, (Key, Key)) {
        var (tree, number, behavior, yes, no) = (0, 0, 0, 0, 0)
        var node = Node()
        var reader = WireReader(try field.input.child(field.bytes("nodes")))
        while let inner = try reader.next() {
            switch inner.number {
            case 1: tree = try inner.integer("treeId")
            case 2: number = try inner.integer("nodeId")
            case 3: behavior = try inner.integer("nodeBehavior")
            case 10: node.feature = try inner.integer("branchFeatureIndex")
            case 11: node.value = try inner.double("branchFeatureValue")
            case 12: yes = try inner.integer("trueChildNodeId")
            case 13: no = try inner.integer("falseChildNodeId")
            case 14: node.missingIsTrue = try inner.bool("missingValueTracksTrueChild")
            case 20:
                let result = try WireRecord(inner)
                let dimension = try result.integer(1, "evaluationIndex")
                guard (0..<dimensions).contains(dimension) else {
                    throw WireFault("evaluationIndex") { .outOfRange($0, value: "\(dimension)") }
                }
                node.results.append((dimension, try result.double(2, "evaluationValue")))
            default: break
            }
        }
        guard node.feature >= 0, behavior == 6 || Comparison(rawValue: behavior) != nil else {
            throw .malformed("nodeBehavior", "a node of the kind \(behavior) for the feature \(node.feature)")
        }
        node.comparison = behavior == 6 ? nil : Comparison(rawValue: behavior)
        return (Key(tree: tree, node: number), node, (Key(tree: tree, node: yes), Key(tree: tree, node: no)))
    }
}
