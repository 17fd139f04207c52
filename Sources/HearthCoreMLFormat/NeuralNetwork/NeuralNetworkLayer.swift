/// One layer of a network.
package struct NeuralNetworkLayer: Sendable, Equatable {
    /// The name.
    package private(set) var name = ""
    /// Names of the tensors that it takes.
    package private(set) var inputs: [String] = []
    /// Names of the tensors that it makes.
    package private(set) var outputs: [String] = []
    /// Dimensions of its outputs, if the file states them.
    package private(set) var outputShapes: [[Int]] = []
    /// What it does.
    package private(set) var kind: NeuralNetworkLayerKind
    /// The number of the field that holds what it does; see `NeuralNetworkLayerKind.names`.
    package private(set) var number = 0
    package var origin = WireOrigin()

    /// What it does, in the format's words.
    package var kindName: String { NeuralNetworkLayerKind.names[number] ?? "field \(number)" }

    /// Whether it is a branch or a loop, or ends one: these have no outputs of their own.
    var isControlFlow: Bool { ["branch", "loop", "loopBreak", "loopContinue"].contains(kindName) }
}

extension NeuralNetworkLayer: WireMessage {
    package init(wire input: WireInput) throws(WireFault) {
        kind = .other
        var isChosen = false
        var reader = WireReader(input)
        do throws(WireFault) {
            while let field = try reader.next() {
                switch field.number {
                case 1: name = try field.string("name")
                case 2: inputs.append(try field.string("input", inputs.count))
                case 3: outputs.append(try field.string("output", outputs.count))
                case 5: outputShapes.append(try Self.shape(field))
                case 100...:
                    guard !isChosen else { throw .malformed(nil, "a layer does two things") }
                    isChosen = true
                    number = field.number
                    kind = try inside(kindName) { () throws(WireFault) in try NeuralNetworkLayerKind(field) }
                default: origin.keep(field)
                }
            }
            if case .convolution(let layer) = kind, layer.weights == nil, inputs.count < 2 {
                throw WireFault.missing("weights", "the weights").inside(kindName)
            }
        } catch {
            throw name.isEmpty ? error : error.inside("('\(name)')")
        }
        guard isChosen else { throw .missing(nil, "what the layer '\(name)' does") }
        origin.settle(input)
    }

    private static func shape(_ field: WireField) throws(WireFault) -> [Int] {
        var shape = WireNumbers(.varint)
        var reader = WireReader(try field.input.child(field.bytes("outputTensor")))
        while let inner = try reader.next() {
            if inner.number == 2 { try shape.append(inner, "outputTensor") }
        }
        guard shape.count <= CoreMLLimits.rank else { throw .limit("outputTensor", shape.count, CoreMLLimits.rank) }
        return shape.integers
    }

    // A layer is only ever written as it was read.
    package func encode(into writer: inout WireWriter) {}

    /// The weights of the layer, by the name of the parameter.
    package var weights: [(name: String, weights: NeuralNetworkWeights)] {
        switch kind {
        case .convolution(let layer): [("weights", layer.weights), ("bias", layer.bias)].compactMap(Self.present)
        case .innerProduct(let layer): [("weights", layer.weights), ("bias", layer.bias)].compactMap(Self.present)
        case .batchNorm(let layer):
            [("gamma", layer.gamma), ("beta", layer.beta), ("mean", layer.mean), ("variance", layer.variance)]
                .compactMap(Self.present)
        case .scale(let layer): [("scale", layer.scale), ("bias", layer.bias)].compactMap(Self.present)
        case .bias(_, let weights): [("bias", weights)]
        case .loadConstant(_, let weights): [("data", weights)]
        case .batchedMatmul(let layer): [("weights", layer.weights), ("bias", layer.bias)].compactMap(Self.present)
        case .layerNormalization(_, _, let gamma, let beta): [("gamma", gamma), ("beta", beta)]
        case .activation(.prelu(let weights)): [("alpha", weights)]
        case .activation(.parametricSoftplus(let alpha, let beta)): [("alpha", alpha), ("beta", beta)]
        case .general(let layer): layer.named.map { ($0.name, $0.weights) }
        default: []
        }
    }

    private static func present(
        _ item: (String, NeuralNetworkWeights?)
    ) -> (name: String, weights: NeuralNetworkWeights)? {
        item.1.map { (item.0, $0) }
    }
}
