internal import HearthFormats

/// What becomes of a package before it is a model: the graph, and how its ends are called.
struct ModelBuild {
    var graph: VisionGraph
    var inputs: [VisionModel.Input]
    var outputs: [VisionModel.Output] = []
    var labels: VisionLabels?
    var probabilities: VisionGraph.TensorID?
    var outputTensors: [String: VisionGraph.TensorID] = [:]

    init(_ package: CoreMLPackage, inputShapes: [String: [Int]]) throws {
        let names = package.model.description.effectiveInputs.map(\.name)
        for name in inputShapes.keys.sorted() where !names.contains(name) {
            throw VisionError.unknownInput(name: name, inputs: names)
        }
        var builder = ProgramBuilder(package)
        try builder.build(inputShapes: inputShapes)
        labels = builder.classification?.labels
        probabilities = builder.classification?.probabilities
        var results: [VisionGraph.TensorID] = []
        for name in package.body?.outputs ?? [] {
            switch builder.values[name] {
            case .tensor(let id)?:
                results.append(id)
                outputTensors[name] = id
                outputs.append(.init(name: name, kind: .tensor, shape: builder.emitter.shape(id)))
            case .label?:
                outputs.append(.init(name: name, kind: .label, shape: []))
            case .probabilities?:
                outputs.append(.init(name: name, kind: .probabilities, shape: [labels?.count ?? 0]))
            case .texts?, nil:
                throw VisionError.unsupported(
                    .init(file: package.path, field: "mlProgram.outputs(\(name))"), what: "an output that is a text")
            }
        }
        if let probabilities { results.append(probabilities) }
        builder.emitter.setOutputs(results)
        graph = builder.emitter.graph
        inputs = Self.inputs(graph, package)
        let live = graph.liveElements
        guard live <= GraphLimits.liveElements else {
            throw VisionError.tooLarge(
                .init(file: package.path, field: "model"), what: "elements that are needed at once", claimed: live,
                limit: GraphLimits.liveElements)
        }
    }

    private static func inputs(_ graph: VisionGraph, _ package: CoreMLPackage) -> [VisionModel.Input] {
        graph.inputs.map { id in
            let tensor = graph.tensors[id]
            let feature = package.model.description.effectiveInputs.first { $0.name == tensor.name }
            var image: CoreMLImageType?
            if case .image(let type)? = feature?.kind { image = type }
            return VisionModel.Input(name: tensor.name, shape: tensor.shape, image: image, type: tensor.type)
        }
    }
}
