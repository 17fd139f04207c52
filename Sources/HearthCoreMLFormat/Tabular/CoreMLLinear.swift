import HearthSystem

/// A generalised linear model.
package struct CoreMLLinear: Sendable, Equatable {
    /// What becomes of the sums.
    package enum Transform: Sendable { case none, logit, probit }

    /// A row of factors for each sum.
    package private(set) var weights: [[Double]] = []
    /// One for each sum.
    package private(set) var offsets: [Double] = []
    package private(set) var transform = Transform.none
    /// Whether each class has a sum of its own; else the first one is what the others are compared with.
    package private(set) var isOneVersusRest = false
    /// Of a classifier.
    package private(set) var labels: CoreMLTabular.Labels?

    init(_ record: WireRecord, isClassifier: Bool) throws(WireFault) {
        for row in try record.records(1) { weights.append(try row.doubles(1, "weights")) }
        offsets = try record.doubles(2, "offset")
        guard let width = weights.first?.count, weights.allSatisfy({ $0.count == width }) else {
            throw .malformed("weights", "rows of different lengths, or none")
        }
        if offsets.isEmpty { offsets = [Double](repeating: 0, count: weights.count) }
        guard offsets.count == weights.count else {
            throw .malformed("offset", "\(offsets.count) numbers for \(weights.count) rows of weights")
        }
        let number = try record.integer(3, "postEvaluationTransform")
        let choices: [Transform] = isClassifier ? [.logit, .probit] : [.none, .logit, .probit]
        guard choices.indices.contains(number) else {
            throw WireFault("postEvaluationTransform") { .outOfRange($0, value: "\(number)") }
        }
        transform = choices[number]
        guard isClassifier else { return }
        isOneVersusRest = try record.integer(4, "classEncoding") == 1
        guard let labels = try record.labels(),
            labels.count == weights.count + (isOneVersusRest ? 0 : 1) || labels.count == 2 && weights.count == 1
        else { throw .malformed("stringClassLabels", "the labels do not go with \(weights.count) rows of weights") }
        self.labels = labels
    }
}

/// A support vector machine.
package struct CoreMLSupportVectors: Sendable, Equatable {
    package enum Kernel: Sendable, Equatable {
        case linear
        case radial(gamma: Double)
        case polynomial(degree: Int, offset: Double, gamma: Double)
        case sigmoid(offset: Double, gamma: Double)
    }

    package private(set) var kernel = Kernel.linear
    /// The vectors; those of each class follow each other.
    package private(set) var vectors: [[Double]] = []
    /// How many belong to each class.
    package private(set) var counts: [Int] = []
    /// One list for a regressor, one fewer than classes for a classifier.
    package private(set) var coefficients: [[Double]] = []
    /// One for each pair of classes, or one.
    package private(set) var rho: [Double] = []
    /// Of Platt's probabilities, one for each pair of classes; empty where there are none.
    package private(set) var probabilityA: [Double] = [], probabilityB: [Double] = []
    /// Of a classifier.
    package private(set) var labels: CoreMLTabular.Labels?

    init(_ record: WireRecord, isClassifier: Bool) throws(WireFault) {
        kernel = try Self.kernel(record)
        let (sparse, dense) = isClassifier ? (3, 4) : (2, 3)
        if let list = try record.record(dense) {
            for vector in try list.records(1) { vectors.append(try vector.doubles(1, "denseSupportVectors")) }
        } else if let list = try record.record(sparse) {
            for vector in try list.records(1) { vectors.append(try Self.dense(vector)) }
        }
        guard isClassifier else {
            coefficients = [try record.record(4)?.doubles(1, "coefficients") ?? []]
            rho = [try record.double(5, "rho")]
            try check(lists: 1, pairs: 1)
            return
        }
        counts = try record.integers(2, "numberOfSupportVectorsPerClass")
        for list in try record.records(5) { coefficients.append(try list.doubles(1, "coefficients")) }
        rho = try record.doubles(6, "rho")
        (probabilityA, probabilityB) = (try record.doubles(7, "probA"), try record.doubles(8, "probB"))
        guard let labels = try record.labels(), labels.count == counts.count, labels.count >= 2,
            counts.allSatisfy({ (0...vectors.count).contains($0) }), counts.reduce(0, +) == vectors.count
        else { throw .malformed("numberOfSupportVectorsPerClass", "the vectors are not those of the classes") }
        self.labels = labels
        let pairs = labels.count * (labels.count - 1) / 2
        guard probabilityA.count == probabilityB.count, [0, pairs].contains(probabilityA.count) else {
            throw .malformed("probA", "\(probabilityA.count) numbers for \(pairs) pairs of classes")
        }
        try check(lists: labels.count - 1, pairs: pairs)
    }

    private func check(lists: Int, pairs: Int) throws(WireFault) {
        guard coefficients.count == lists, coefficients.allSatisfy({ $0.count == vectors.count }) else {
            throw .malformed("coefficients", "the coefficients are not those of \(vectors.count) vectors")
        }
        guard rho.count == pairs else { throw .malformed("rho", "\(rho.count) numbers, not \(pairs)") }
    }

    private static func kernel(_ record: WireRecord) throws(WireFault) -> Kernel {
        guard let kernel = try record.record(1), let choice = kernel.choice([1, 2, 3, 4]),
            let values = try kernel.record(choice)
        else { throw .missing("kernel", "the kernel") }
        switch choice {
        case 2: return .radial(gamma: try values.double(1, "gamma"))
        case 3:
            return .polynomial(
                degree: try values.integer(1, "degree"), offset: try values.double(2, "c"),
                gamma: try values.double(3, "gamma"))
        case 4: return .sigmoid(offset: try values.double(2, "c"), gamma: try values.double(1, "gamma"))
        default: return .linear
        }
    }

    /// Places count from 1.
    private static func dense(_ vector: WireRecord) throws(WireFault) -> [Double] {
        var values: [Double] = []
        for node in try vector.records(1) {
            let place = try node.integer(1, "index")
            guard (1...1 << 20).contains(place) else {
                throw WireFault("index") { .outOfRange($0, value: "\(place)") }
            }
            if place > values.count { values += [Double](repeating: 0, count: place - values.count) }
            values[place - 1] = try node.double(2, "value")
        }
        return values
    }
}
