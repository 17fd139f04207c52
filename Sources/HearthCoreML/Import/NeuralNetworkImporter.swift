internal import HearthCoreMLFormat

/// Makes a graph of a network of layers, Core ML's format before programs.
///
/// Layers of the first versions see five dimensions, [sequence, batch, channels, height, width]. Nothing here has a
/// sequence, so tensors have four, and of each layer's axes the one of the sequence is left out. Where the file says so,
/// tensors keep the rank that they have.
struct NeuralNetworkImporter {
    let package: CoreMLPackage
    let network: NeuralNetwork
    var emitter: GraphBuilder
    private var tensors: [String: GraphBuilder.TensorID] = [:]
    /// The name of the layer that is lowered.
    private(set) var layerName = ""
    /// Whether tensors keep their rank.
    let isExact: Bool

    init(_ package: CoreMLPackage, _ network: NeuralNetwork) {
        self.package = package
        self.network = network
        emitter = GraphBuilder(file: package.path)
        isExact = network.arrayMapping == 1 || network.imageMapping == 1
    }

    /// Builds everything.
    mutating func build(inputShapes: [String: [Int]]) throws -> GraphEnds {
        try requireKnownLayers()
        for feature in package.model.description.inputs { try define(feature, inputShapes[feature.name]) }
        for step in network.preprocessing { try preprocess(step) }
        for (index, layer) in network.layers.enumerated() {
            try Task.checkCancellation()
            emitter.place = place(index, layer)
            layerName = layer.name
            let inputs = try layer.inputs.map { name in
                guard let id = tensors[name] else { throw emitter.invalid("'\(name)' is not known") }
                return id
            }
            let results = try lower(layer, inputs)
            guard results.count >= layer.outputs.count else {
                throw emitter.invalid("\(layer.outputs.count) outputs, but there are \(results.count)")
            }
            for (name, result) in zip(layer.outputs, results) {
                // A single number is a vector of one element: these networks have no tensors without dimensions.
                let result = emitter.rank(result) == 0 ? try emitter.reshape(result, [1]) : result
                emitter.name(result, name, .float32)
                tensors[name] = result
            }
        }
        return try ends()
    }

    private func place(_ index: Int, _ layer: NeuralNetworkLayer) -> String {
        "\(network.role.rawValue).layers[\(index)](\(layer.kindName) '\(layer.name.prefix(60))')"
    }

    /// Fails where layers are not computed, and lists them all.
    private func requireKnownLayers() throws {
        var found: [String] = []
        for (index, layer) in network.layers.enumerated() where Self.isUnknown(layer) {
            found.append("\(layer.kindName) '\(layer.name.prefix(60))' at layers[\(index)]")
        }
        guard found.isEmpty else {
            throw CoreMLError.unsupportedOperations(
                .init(file: package.path, field: network.role.rawValue), operations: found)
        }
    }

    private static func isUnknown(_ layer: NeuralNetworkLayer) -> Bool {
        switch layer.kind {
        case .other, .activation(.other): true
        case .general(let layer): generalLowerings[layer.name] == nil
        default: false
        }
    }

    // Inputs and outputs

    private mutating func define(_ feature: CoreMLFeature, _ given: [Int]?) throws {
        emitter.place = "description.input(\(feature.name))"
        if let given { try CoreMLError.requireAllowed(given, feature) }
        switch feature.kind {
        case .image(let image):
            let usual = [1, image.colorSpace.channels, image.height, image.width]
            let shape = given ?? usual
            guard shape.count == 4, shape[0] == 1, shape[1] == usual[1], image.isFlexible || shape == usual else {
                throw CoreMLError.inputShape(name: feature.name, expected: usual, found: shape)
            }
            tensors[feature.name] = try emitter.input(feature.name, shape, .float32)
        case .multiArray(let array):
            guard let shape = given ?? (array.shape.isEmpty ? nil : array.shape) else {
                throw emitter.invalid("an input of unknown size")
            }
            guard array.isFlexible || array.shape.isEmpty || shape == array.shape else {
                throw CoreMLError.inputShape(name: feature.name, expected: array.shape, found: shape)
            }
            let type: MILDataType = array.element == .int32 ? .int32 : array.element == .float16 ? .float16 : .float32
            let input = try emitter.input(feature.name, shape, type)
            tensors[feature.name] = isExact ? input : try emitter.reshape(input, wide(shape))
        default:
            throw emitter.unsupported("an input that is neither a picture nor an array")
        }
    }

    /// The four dimensions that a tensor of another rank stands for: channels, or channels and picture.
    private func wide(_ shape: [Int]) throws -> [Int] {
        switch shape.count {
        case 1: return [1, shape[0], 1, 1]
        case 3: return [1] + shape
        case 4: return shape
        case 5 where shape[0] == 1: return Array(shape[1...])
        default: throw emitter.unsupported("a tensor of shape \(shape) in a network of this version")
        }
    }

    private mutating func preprocess(_ step: NeuralNetwork.Preprocessing) throws {
        let pictures = package.model.description.inputs.filter { if case .image = $0.kind { true } else { false } }
        let name: String
        switch step {
        case .scaler(let scaler): name = scaler.featureName
        case .meanImage(let mean): name = mean.featureName
        }
        emitter.place = "\(network.role.rawValue).preprocessing(\(name))"
        guard let feature = name.isEmpty ? pictures.first : pictures.first(where: { $0.name == name }),
            case .image(let image) = feature.kind, let x = tensors[feature.name]
        else { throw emitter.invalid("there is no image input of this name") }
        switch step {
        case .meanImage(let mean):
            let shape = emitter.shape(x)
            guard mean.count == GraphShape.count(shape) else {
                throw emitter.invalid("a mean picture of \(mean.count) values for \(shape)")
            }
            let constant = emitter.constant(mean.values, shape)
            tensors[feature.name] = try emitter.binary(.subtract, x, constant)
        case .scaler(let scaler):
            let biases: [Float]
            switch image.colorSpace {
            case .rgb: biases = [scaler.redBias, scaler.greenBias, scaler.blueBias]
            case .bgr: biases = [scaler.blueBias, scaler.greenBias, scaler.redBias]
            case .grayscale, .grayscaleFloat16: biases = [scaler.grayBias]
            }
            let scaled = try emitter.binary(.multiply, x, emitter.constant([scaler.scale], []))
            tensors[feature.name] = try emitter.binary(
                .add, scaled, emitter.constant(biases, [1, biases.count, 1, 1]))
        }
    }

    private mutating func ends() throws -> GraphEnds {
        let description = package.model.description
        var results: [GraphBuilder.TensorID] = []
        var probabilities: GraphBuilder.TensorID?
        if network.role == .classifier {
            emitter.place = network.role.rawValue
            let name = network.probabilitiesName
            probabilities = tensors[name.isEmpty ? network.layers.last?.outputs.last ?? "" : name]
            guard let id = probabilities, network.labels?.count == GraphShape.count(emitter.shape(id)) else {
                throw emitter.invalid("the number of labels differs from the number of probabilities")
            }
        }
        let outputs = try description.outputs.map { feature in
            if let probabilities, feature.name == description.predictedFeatureName {
                return GraphEnds.output(feature.name, .label, [], probabilities, &results)
            }
            if let probabilities, feature.name == description.predictedProbabilitiesName {
                return GraphEnds.output(
                    feature.name, .probabilities, [network.labels?.count ?? 0], probabilities, &results)
            }
            emitter.place = "description.output(\(feature.name))"
            guard let id = tensors[feature.name] else { throw emitter.invalid("nothing makes this output") }
            return GraphEnds.output(feature.name, .tensor, shape(of: id, as: feature), id, &results)
        }
        emitter.setOutputs(results)
        return GraphEnds(graph: emitter.graph, outputs: outputs, labels: network.labels.map { CoreMLLabels($0) })
    }

    /// The shape that the description has for an output, where it has as many elements; else the tensor's own.
    private func shape(of id: GraphBuilder.TensorID, as feature: CoreMLFeature) -> [Int] {
        let shape = emitter.shape(id)
        guard case .multiArray(let array) = feature.kind, !array.shape.isEmpty,
            GraphShape.count(array.shape) == GraphShape.count(shape)
        else { return shape }
        return array.shape
    }
}
