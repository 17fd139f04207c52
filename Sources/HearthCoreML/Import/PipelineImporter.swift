internal import HearthCoreMLFormat

/// Makes one graph of a pipeline: the graphs of its models one behind the other. What comes last in a detector, keeping the
/// best of boxes that overlap, is no part of the graph, because how many boxes stay is known only when it runs.
struct PipelineImporter {
    /// The value of a name of the pipeline.
    private struct Made {
        var tensor: CoreMLGraph.TensorID
        var kind: CoreMLInterface.Output.Kind
        var shape: [Int]
    }

    private let package: CoreMLPackage
    private var graph = CoreMLGraph()
    private var made: [String: Made] = [:]
    private var labels: CoreMLLabels?
    private var suppression: CoreMLSuppression?

    init(_ package: CoreMLPackage) {
        self.package = package
        graph.file = package.path
    }

    private func invalid(_ field: String, _ problem: String) -> CoreMLError {
        .invalid(.init(file: package.path, field: field), problem: problem)
    }

    /// Builds everything.
    mutating func build(inputShapes: [String: [Int]]) throws -> GraphEnds {
        try requireKnownStages()
        guard case .pipeline(let pipeline) = package.model.kind else { return try ends() }
        for (index, (stage, name)) in zip(package.stages, pipeline.distinctNames).enumerated() {
            try Task.checkCancellation()
            if case .suppression(let last) = stage.model.kind {
                suppression = last
                continue
            }
            try append(stage, name, "pipeline.models[\(index)]", inputShapes)
        }
        return try ends()
    }

    /// Fails where a model of the pipeline is not computed, and lists them all.
    private func requireKnownStages() throws {
        var found: [String] = []
        for (index, stage) in package.stages.enumerated() {
            switch stage.model.kind {
            case .program, .neuralNetwork: continue
            case .suppression where index > 0 && index == package.stages.count - 1: continue
            default: found.append("\(stage.model.kindName) at pipeline.models[\(index)]")
            }
        }
        guard found.isEmpty else {
            throw CoreMLError.unsupportedOperations(
                .init(file: package.path, field: package.model.kindName), operations: found)
        }
    }

    // MARK: - One model behind the other

    private mutating func append(
        _ stage: CoreMLPackage, _ name: String, _ place: String, _ inputShapes: [String: [Int]]
    ) throws {
        var shapes: [String: [Int]] = [:]
        for feature in stage.model.description.effectiveInputs {
            if let earlier = made[feature.name] {
                // A model that takes any size gets the size of the earlier model's output.
                if case .multiArray(let array) = feature.kind, array.isFlexible || array.shape.isEmpty {
                    shapes[feature.name] = earlier.shape
                }
            } else if let given = inputShapes[feature.name] {
                shapes[feature.name] = given
            }
        }
        let ends = try GraphEnds(stage, inputShapes: shapes)
        guard ends.states.isEmpty else {
            throw CoreMLError.unsupported(
                .init(file: package.path, field: place), what: "a model with states in a pipeline")
        }
        let places = try join(ends.graph, name, place)
        for output in ends.outputs {
            let tensor = places[ends.graph.outputs[output.result]]
            made[output.name] = Made(tensor: tensor, kind: output.kind, shape: output.shape)
        }
        labels = ends.labels ?? labels
    }

    /// Adds a graph; its inputs are what earlier models made under their names, or inputs of the pipeline. The names of its
    /// tensors begin with that of the model, as those of weights do in reports: models may have the same names.
    /// - Returns: the places of its tensors in the whole.
    private mutating func join(
        _ part: CoreMLGraph, _ model: String, _ place: String
    ) throws -> [CoreMLGraph.TensorID] {
        var places = [CoreMLGraph.TensorID](repeating: 0, count: part.tensors.count)
        let inputs = Set(part.inputs)
        for id in part.tensors.indices {
            var tensor = part.tensors[id]
            if !tensor.name.isEmpty { tensor.name = "\(model).\(tensor.name)" }
            places[id] = inputs.contains(id) ? try own(tensor, part.tensors[id], place) : add(tensor)
        }
        for (id, constant) in part.constants { graph.constants[places[id]] = constant }
        guard graph.steps.count + part.steps.count <= GraphLimits.steps else {
            throw CoreMLError.tooLarge(
                .init(file: package.path, field: place), what: "steps", claimed: graph.steps.count + part.steps.count,
                limit: GraphLimits.steps)
        }
        for step in part.steps {
            graph.steps.append(
                GraphStep(
                    place: "\(place).\(step.place)", operation: step.operation,
                    inputs: step.inputs.map { $0.map { places[$0] } }, outputs: step.outputs.map { places[$0] }))
        }
        return places
    }

    private mutating func add(_ tensor: GraphTensor) -> CoreMLGraph.TensorID {
        graph.tensors.append(tensor)
        return graph.tensors.count - 1
    }

    /// A model's input under the model's own name for it, which calibration looks for: the tensor that it is, in the model's shape.
    private mutating func own(
        _ tensor: GraphTensor, _ input: GraphTensor, _ place: String
    ) throws -> CoreMLGraph.TensorID {
        let source = try source(input, place)
        let id = add(tensor)
        graph.steps.append(
            GraphStep(place: "\(place).input(\(input.name))", operation: .reshape, inputs: [source], outputs: [id]))
        return id
    }

    /// What a model's input is: the result of an earlier model, or an input of the pipeline.
    private mutating func source(_ input: GraphTensor, _ place: String) throws -> CoreMLGraph.TensorID {
        if let earlier = made[input.name] {
            guard earlier.kind == .tensor else {
                throw CoreMLError.unsupported(
                    .init(file: package.path, field: place), what: "a model that takes a classifier's label")
            }
            let shape = graph.tensors[earlier.tensor].shape
            guard shape == input.shape || GraphShape.count(shape) == GraphShape.count(input.shape) else {
                throw invalid(place, "'\(input.name)' has the shape \(shape), and \(input.shape) is expected")
            }
            return earlier.tensor
        }
        if let known = graph.inputs.first(where: { graph.tensors[$0].name == input.name }) {
            guard graph.tensors[known].shape == input.shape else {
                throw invalid(place, "'\(input.name)' is expected in two shapes")
            }
            return known
        }
        let id = add(input)
        graph.inputs.append(id)
        return id
    }

    // MARK: - Ends

    private mutating func ends() throws -> GraphEnds {
        var results: [CoreMLGraph.TensorID] = []
        var last: SuppressionStep?
        if let suppression { last = try self.last(suppression, &results) }
        let outputs = try package.model.description.effectiveOutputs.map { feature in
            if let last, feature.name == last.coordinates || feature.name == last.confidence {
                let isBoxes = feature.name == last.coordinates
                return CoreMLInterface.Output(
                    name: feature.name, kind: .tensor, shape: [last.rows, isBoxes ? 4 : last.classes],
                    result: isBoxes ? last.coordinatesResult : last.confidenceResult)
            }
            guard let found = made[feature.name] else {
                throw invalid("description.output(\(feature.name))", "nothing makes this output")
            }
            return GraphEnds.output(feature.name, found.kind, found.shape, found.tensor, &results)
        }
        graph.outputs = results
        return GraphEnds(graph: graph, outputs: outputs, labels: labels, suppression: last)
    }

    /// What the suppression takes, as results of the graph.
    private func last(
        _ model: CoreMLSuppression, _ results: inout [CoreMLGraph.TensorID]
    ) throws -> SuppressionStep {
        let place = "pipeline.models[\(package.stages.count - 1)](nonMaximumSuppression)"
        guard let boxes = made[model.coordinatesInput], let scores = made[model.confidenceInput],
            boxes.kind == .tensor, scores.kind == .tensor
        else {
            throw invalid(
                place, "'\(model.coordinatesInput)' and '\(model.confidenceInput)' are not made by an earlier model")
        }
        let (places, marks) = (graph.tensors[boxes.tensor].shape, graph.tensors[scores.tensor].shape)
        let count = places.reduce(1, *)
        let rows = count / 4
        guard places.last ?? 0 == 4, rows > 0, let classes = marks.last, classes > 0,
            marks.reduce(1, *) == rows * classes
        else { throw invalid(place, "coordinates of shape \(places) with confidences of shape \(marks)") }
        let names = model.labels.map { CoreMLLabels($0) }
        if let names, names.count != classes {
            throw CoreMLError.labelCount(
                .init(file: package.path, field: place), labels: names.count, results: classes)
        }
        return SuppressionStep(
            coordinates: model.coordinatesOutput, confidence: model.confidenceOutput,
            coordinatesResult: GraphEnds.output("", .tensor, places, boxes.tensor, &results).result,
            confidenceResult: GraphEnds.output("", .tensor, marks, scores.tensor, &results).result, rows: rows,
            classes: classes, intersectionOverUnion: Float(model.intersectionOverUnion),
            threshold: Float(model.confidence), isPerClass: model.isPerClass,
            labels: names.map { names in (0..<names.count).map { names[$0] } },
            intersectionOverUnionInput: Self.input(model.intersectionOverUnionInput, "iouThreshold"),
            thresholdInput: Self.input(model.confidenceThresholdInput, "confidenceThreshold"),
            filled: filledRows(model))
    }

    private static func input(_ name: String, _ usual: String) -> String { name.isEmpty ? usual : name }

    /// How many boxes the pipeline says it gives; nil where that is open.
    private func filledRows(_ model: CoreMLSuppression) -> Int? {
        let feature = package.model.description.effectiveOutputs.first { $0.name == model.confidenceOutput }
        guard case .multiArray(let array)? = feature?.kind, !array.isFlexible, array.shape.count >= 2 else {
            return nil
        }
        let rows = array.shape[array.shape.count - 2]
        return (1...GraphLimits.foldedElements).contains(rows) ? rows : nil
    }
}
