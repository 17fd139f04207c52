internal import HearthCoreMLFormat

/// What becomes of a package before it is a model: the graph, and its interface.
struct ModelBuild {
    var graph: CoreMLGraph
    var interface: CoreMLInterface

    init(_ package: CoreMLPackage, inputShapes: [String: [Int]]) throws {
        let names = package.model.description.effectiveInputs.map(\.name)
        for name in inputShapes.keys.sorted() where !names.contains(name) {
            throw CoreMLError.unknownInput(name: name, inputs: names)
        }
        let ends = try GraphEnds(package, inputShapes: inputShapes)
        graph = ends.graph
        let live = graph.liveElements
        guard live <= GraphLimits.liveElements else {
            throw CoreMLError.tooLarge(
                .init(file: package.path, field: "model"), what: "elements that are needed at once", claimed: live,
                limit: GraphLimits.liveElements)
        }
        interface = CoreMLInterface(
            inputs: Self.inputs(ends, package), outputs: ends.outputs, labels: ends.labels,
            suppression: ends.suppression, states: ends.states,
            metadata: Dictionary(package.model.description.metadata, uniquingKeysWith: { first, _ in first }))
    }

    private static func inputs(_ ends: GraphEnds, _ package: CoreMLPackage) -> [CoreMLInterface.Input] {
        ends.graph.inputs.dropLast(ends.states.count).map { id in
            let tensor = ends.graph.tensors[id]
            let feature = package.model.description.effectiveInputs.first { $0.name == tensor.name }
            var image: CoreMLImageType?
            if case .image(let type)? = feature?.kind { image = type }
            var usual: Float?
            if case .multiArray(let array)? = feature?.kind, feature?.isOptional == true {
                usual = Float(array.usual ?? 0)
            }
            return CoreMLInterface.Input(
                name: tensor.name, shape: tensor.shape, image: image, type: tensor.type, usual: usual)
        }
    }
}

/// A graph, and what its results are called.
struct GraphEnds {
    var graph: CoreMLGraph
    var outputs: [CoreMLInterface.Output]
    var labels: CoreMLLabels?
    /// What becomes of a detector's boxes behind the network.
    var suppression: SuppressionStep?
    /// What predictions leave to the next one; the last inputs of the graph.
    var states: [CoreMLInterface.State]

    init(
        graph: CoreMLGraph, outputs: [CoreMLInterface.Output], labels: CoreMLLabels?,
        suppression: SuppressionStep? = nil, states: [CoreMLInterface.State] = []
    ) {
        self.graph = graph
        self.outputs = outputs
        self.labels = labels
        self.suppression = suppression
        self.states = states
    }

    /// What the builder for its kind makes of a package.
    /// - Parameter inputShapes: shapes of inputs that the model leaves open.
    init(_ package: CoreMLPackage, inputShapes: [String: [Int]]) throws {
        switch package.model.kind {
        case .neuralNetwork(let network):
            var builder = NeuralNetworkImporter(package, network)
            self = try builder.build(inputShapes: inputShapes)
        case .pipeline:
            var builder = PipelineImporter(package)
            self = try builder.build(inputShapes: inputShapes)
        default:
            var builder = MILImporter(package)
            self = try builder.build(inputShapes: inputShapes)
        }
    }

    /// Names an output, whose tensor becomes a result of the graph.
    /// - Parameter results: the results so far.
    static func output(
        _ name: String, _ kind: CoreMLInterface.Output.Kind, _ shape: [Int], _ tensor: CoreMLGraph.TensorID,
        _ results: inout [CoreMLGraph.TensorID]
    ) -> CoreMLInterface.Output {
        let place = results.firstIndex(of: tensor) ?? results.count
        if place == results.count { results.append(tensor) }
        return CoreMLInterface.Output(name: name, kind: kind, shape: shape, result: place)
    }
}
