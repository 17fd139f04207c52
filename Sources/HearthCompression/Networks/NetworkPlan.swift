internal import HearthCoreMLFormat

/// What is to be done with each weight of a network of layers, decided before anything is written.
///
/// The format has one palette for a weight, and one scale for a weight or for each channel that comes out.
struct NetworkPlan {
    /// A weight that becomes smaller, or a bias that goes with one.
    struct Step: Sendable {
        enum Kind: Sendable {
            case compress
            /// A weight that was made already.
            case store(PalettizedWeight)
            /// A bias with other elements.
            case replace([Float])
        }

        let kind: Kind
        /// The position of its layer.
        let layer: Int
        let old: NeuralNetworkWeights
        let name: String
        let shape: [Int]
        /// The dimension of the channels that come out; nil where the weight has none.
        let axis: Int?

        var count: Int { shape.reduce(1, *) }
    }

    let network: NeuralNetwork
    private(set) var steps: [Step] = []
    private(set) var skipped: [CompressionReport.Skipped] = []
    /// The names of all weights.
    private(set) var names: Set<String> = []

    /// Elements that are compressed.
    var elements: Int { steps.reduce(0) { $0 + $1.count } }

    init(_ network: NeuralNetwork, _ part: ModelPart, _ compressor: PackageCompressor) throws(CompressionError) {
        self.network = network
        for (index, layer) in network.layers.enumerated() {
            if ["branch", "loop"].contains(layer.kindName) {
                skip(part.prefix + layer.name, "it holds networks of its own")
            }
            let matrices = Dictionary(
                layer.matrices.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
            for (parameter, weights) in layer.weights {
                let name = "\(part.prefix)\(layer.name).\(parameter)"
                names.insert(name)
                try plan(matrices[parameter], weights, name, index, compressor)
            }
            if compressor.form == .float16 { halveAll(of: layer, index, part, matrices, compressor.kept) }
        }
        if !steps.isEmpty { try Self.check(compressor) }
    }

    private mutating func plan(
        _ matrix: NeuralNetworkMatrix?, _ weights: NeuralNetworkWeights, _ name: String, _ layer: Int,
        _ compressor: PackageCompressor
    ) throws(CompressionError) {
        if let values = compressor.vectors[name], values.count == weights.count {
            steps.append(
                Step(
                    kind: .replace(values), layer: layer, old: weights, name: name, shape: [values.count], axis: nil))
            return
        }
        guard let matrix else {
            if weights.count ?? 0 > compressor.minimumElements { skip(name, "it is a vector") }
            return
        }
        let count = matrix.shape.reduce(1, *)
        guard count > compressor.minimumElements else { return }
        if compressor.kept.contains(name) { return skip(name, "it is kept as requested") }
        switch weights.encoding {
        case .float32: break
        case .float16:
            if compressor.form == .float16 { return skip(name, "it has half precision already") }
        case .linear, .palette: return skip(name, "it is compressed already (\(weights.encodingName))")
        case .raw: return skip(name, "it is stored in an unknown way")
        }
        var kind = Step.Kind.compress
        if let ready = compressor.prepared[name], ready.codes.count == count { kind = .store(ready) }
        steps.append(
            Step(
                kind: kind, layer: layer, old: matrix.weights, name: name, shape: matrix.shape, axis: matrix.axis))
    }

    /// Core ML refuses a layer with numbers of single and of half precision: where a weight is halved, all others are, biases too.
    private mutating func halveAll(
        of layer: NeuralNetworkLayer, _ index: Int, _ part: ModelPart, _ matrices: [String: NeuralNetworkMatrix],
        _ kept: Set<String>
    ) {
        guard let first = steps.firstIndex(where: { $0.layer == index }) else { return }
        let halved = steps[first...]
        for (parameter, weights) in layer.weights {
            let name = "\(part.prefix)\(layer.name).\(parameter)"
            guard weights.encoding == .float32, let count = weights.count, count > 0,
                !halved.contains(where: { $0.name == name })
            else { continue }
            if kept.contains(name) {
                steps.removeSubrange(first...)
                return halved.forEach { skip($0.name, "another weight of its layer is kept as requested") }
            }
            skipped.removeAll { $0.name == name }
            let shape = matrices[parameter]?.shape ?? [count]
            steps.append(
                Step(kind: .compress, layer: index, old: weights, name: name, shape: shape, axis: nil))
        }
    }

    private mutating func skip(_ name: String, _ reason: String) {
        skipped.append(CompressionReport.Skipped(name: name, reason: reason))
    }

    /// Refuses what networks of layers cannot have and somebody asked for.
    private static func check(_ compressor: PackageCompressor) throws(CompressionError) {
        if case .palette(let palette) = compressor.form {
            let options = [
                (palette.groupSize != nil, "--group-size"), (palette.hasChannelScales, "--channel-scales"),
                (palette.vectorSize > 1, "--vector"),
            ]
            if let (_, name) = options.first(where: \.0) {
                throw .invalidSetting(
                    name: name, problem: "a neural network has one palette of single numbers for each weight")
            }
        }
        if compressor.requiresBlocks {
            throw .invalidSetting(
                name: "--block-size", problem: "a neural network has scales for channels, and none for blocks")
        }
    }

    /// The version of the format from which on a network may have weights of this form: 2 for iOS 11.2, 3 for iOS 12.
    static func minimumVersion(_ form: CompressionForm) -> Int { form == .float16 ? 2 : 3 }
}
