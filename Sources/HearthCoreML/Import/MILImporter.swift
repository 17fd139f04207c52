internal import HearthCoreMLFormat

/// Makes a graph of an ML Program: constants resolved, shapes computed and compared with the declared ones, defaults filled
/// in, padding as numbers.
package struct MILImporter {
    /// The value of a name of the program.
    enum Value {
        case tensor(GraphBuilder.TensorID)
        /// Texts: parameters of operations.
        case texts([String])
        /// A result of `classify`.
        case label, probabilities
        /// A list of tensors.
        case list(TensorList)
        /// State from one prediction to the next, by its name.
        case state(String)
        /// What is as many as a mask has places.
        case masked(MaskedValue)
    }

    /// What `classify` says.
    struct Classification {
        var labels: CoreMLLabels
        var probabilities: GraphBuilder.TensorID
        var labelName: String
        var probabilitiesName: String
    }

    /// How one kind of operation becomes steps; gives its results in order.
    package typealias Lowering = @Sendable (inout MILImporter) throws -> [GraphBuilder.TensorID]

    /// Every operation that is computed, besides constants and `classify`.
    package static let lowerings: [String: Lowering] = [
        windowLowerings, elementwiseLowerings, productLowerings, movementLowerings, selectionLowerings,
        scatterLowerings, recurrentLowerings, samplingLowerings, arrangementLowerings,
    ].reduce(into: [:]) { $0.merge($1) { first, _ in first } }

    let package: CoreMLPackage
    var emitter: GraphBuilder
    var values: [String: Value] = [:]
    private(set) var classification: Classification?
    /// The operation that is being lowered.
    var operation = MILOperation(type: "")
    /// What states hold at this point, in the order of the function's inputs.
    var states: [(name: String, tensor: GraphBuilder.TensorID)] = []
    private var expandedElements = 0
    /// Blocks around the operation that is being lowered, besides the function's own.
    var depth = 0
    /// Constants of these blocks by name, and what they are defined by: the rounds of a loop share them.
    private var innerConstants: [String: (definition: MILOperation, value: Value)] = [:]

    init(_ package: CoreMLPackage) {
        self.package = package
        emitter = GraphBuilder(file: package.path)
    }

    /// Builds everything.
    /// - Parameter inputShapes: shapes of inputs that the program leaves open, or others than its own.
    mutating func build(inputShapes: [String: [Int]]) throws -> GraphEnds {
        guard let function = package.function, let body = function.body else {
            throw CoreMLError.unsupportedModel(
                .init(file: package.path, field: "model"), kind: package.model.kindName)
        }
        try package.requireDefinedOperations()
        try requireLowered(body)
        // States come behind all other inputs, as the interface has them.
        for input in function.inputs where input.type.state == nil { try define(input, inputShapes) }
        for input in function.inputs { try defineState(input) }
        try lower(body, "mlProgram")
        return try ends(body)
    }

    /// The operations of a block, in their order.
    mutating func lower(_ block: MILBlock, _ place: String) throws {
        for (index, operation) in block.operations.enumerated() {
            try Task.checkCancellation()
            emitter.place = "\(place).operations[\(index)](\(operation.type) '\(Self.shown(operation))')"
            self.operation = operation
            try lower(operation)
        }
    }

    private mutating func defineState(_ input: MILNamedType) throws {
        guard let type = input.type.state else { return }
        emitter.place = "mlProgram.inputs(\(input.name))"
        guard let shape = type.shape else { throw emitter.unsupported("a state of unknown size") }
        states.append((input.name, try emitter.input(input.name, shape, type.dataType)))
        values[input.name] = .state(input.name)
    }

    /// The graph, and its results under the names of the program's outputs.
    private mutating func ends(_ body: MILBlock) throws -> GraphEnds {
        var results: [GraphBuilder.TensorID] = []
        let outputs = try body.outputs.map { name in
            switch (values[name], classification) {
            case (.tensor(let id)?, _):
                return GraphEnds.output(name, .tensor, emitter.shape(id), id, &results)
            case (.label?, let classification?):
                return GraphEnds.output(name, .label, [], classification.probabilities, &results)
            case (.probabilities?, let classification?):
                return GraphEnds.output(
                    name, .probabilities, [classification.labels.count], classification.probabilities, &results)
            case (.masked?, _):
                emitter.place = "mlProgram.outputs(\(name))"
                throw emitter.unsupported("an output whose size is computed from the model's inputs")
            default:
                emitter.place = "mlProgram.outputs(\(name))"
                throw emitter.unsupported("an output that is not a tensor")
            }
        }
        // Each state is a result of its own, behind all others.
        let ports = states.map { state in
            results.append(state.tensor)
            return CoreMLInterface.State(
                name: state.name, shape: emitter.shape(state.tensor), result: results.count - 1)
        }
        emitter.setOutputs(results)
        return GraphEnds(graph: emitter.graph, outputs: outputs, labels: classification?.labels, states: ports)
    }

    /// Fails where the program holds operations that are not computed, and lists them all.
    private func requireLowered(_ body: MILBlock) throws {
        let known = Self.controlOperations.union(["const", "classify"])
        var found: [String] = []
        body.forEachOperation { operation, place in
            let isExpression = ConstantExpression.Kind(rawValue: operation.type) != nil
            guard Self.lowerings[operation.type] == nil, !known.contains(operation.type), !isExpression else { return }
            found.append("\(operation.type) '\(Self.shown(operation))' at \(place())")
        }
        guard found.isEmpty else {
            throw CoreMLError.unsupportedOperations(
                .init(file: package.path, field: "mlProgram.operations"), operations: found)
        }
    }

    private static func shown(_ operation: MILOperation) -> String {
        let name = operation.name ?? operation.outputs.first?.name ?? ""
        return name.count > 60 ? "\(name.prefix(59))…" : name
    }

    private mutating func define(_ input: MILNamedType, _ shapes: [String: [Int]]) throws {
        emitter.place = "mlProgram.inputs(\(input.name))"
        guard let type = input.type.tensor else {
            throw emitter.unsupported("an input that is a \(input.type.description)")
        }
        let feature = package.model.description.effectiveInputs.first { $0.name == input.name }
        let shape = try shapes[input.name] ?? type.shape ?? Self.usualShape(feature, emitter)
        if let given = shapes[input.name], let feature { try CoreMLError.requireAllowed(given, feature) }
        // The known part of the type is the same for every shape.
        guard Self.fits(shape, type) else {
            if shapes[input.name] != nil {
                throw CoreMLError.inputShape(
                    name: input.name, expected: type.dimensions.map { $0.size ?? -1 }, found: shape)
            }
            throw CoreMLError.wrongShape(
                .init(file: package.path, field: emitter.place), computed: shape, declared: type.description)
        }
        values[input.name] = .tensor(try emitter.input(input.name, shape, type.dataType))
    }

    /// Whether a shape is one of those that a type declares.
    private static func fits(_ shape: [Int], _ type: MILTensorType) -> Bool {
        type.rank < 0
            || type.dimensions.count == shape.count
                && zip(type.dimensions, shape).allSatisfy { $0.size == nil || $0.size == $1 }
    }

    /// The shape that a description has for an input whose dimensions the program leaves open.
    private static func usualShape(_ feature: CoreMLFeature?, _ emitter: GraphBuilder) throws -> [Int] {
        switch feature?.kind {
        case .image(let image): return [1, image.colorSpace.channels, image.height, image.width]
        case .multiArray(let array) where !array.shape.isEmpty: return array.shape
        default: throw emitter.invalid("an input of unknown size")
        }
    }

    mutating func lower(_ operation: MILOperation) throws {
        switch operation.type {
        case "const":
            try once(operation) { try $0.defineConstant(operation) }
        case "classify":
            try classify(operation)
        case let type where Self.controlOperations.contains(type):
            try control(operation)
        default:
            if let expression = try package.constantExpression(operation) {
                try once(operation) { try $0.define(expression, operation) }
                return
            }
            if try lowerMasked(operation) { return }
            guard let lowering = Self.lowerings[operation.type] else { return }
            let results = try lowering(&self)
            guard results.count >= operation.outputs.count else {
                throw emitter.invalid("\(operation.outputs.count) results, but there are \(results.count)")
            }
            for (output, result) in zip(operation.outputs, results) { try bind(output, result) }
        }
    }

    /// Gives a result its name, and compares its shape with the declared one.
    mutating func bind(_ output: MILNamedType, _ result: GraphBuilder.TensorID) throws {
        guard let type = output.type.tensor else {
            throw emitter.invalid("the result '\(output.name)' is declared as \(output.type.description)")
        }
        let shape = emitter.shape(result)
        guard Self.fits(shape, type) else {
            throw CoreMLError.wrongShape(
                .init(file: package.path, field: emitter.place), computed: shape, declared: type.description)
        }
        emitter.name(result, output.name, type.dataType)
        values[output.name] = .tensor(result)
    }

    /// Defines a constant; that of a loop once for all rounds, so that its weight is packed once and found by its name.
    private mutating func once(
        _ operation: MILOperation, _ define: (inout MILImporter) throws -> Void
    ) throws {
        let isWhole = operation.inputs.flatMap(\.value.bindings).allSatisfy {
            if case .value = $0.kind { true } else { false }
        }
        guard depth > 0, isWhole, operation.outputs.count == 1, let name = operation.outputs.first?.name else {
            return try define(&self)
        }
        // Blocks side by side may define different constants of one name.
        if let known = innerConstants[name], known.definition == operation {
            values[name] = known.value
            return
        }
        try define(&self)
        innerConstants[name] = values[name].map { (operation, $0) }
    }

    private mutating func defineConstant(_ operation: MILOperation) throws {
        guard let output = operation.outputs.first, let value = operation.attributes["val"] else { return }
        values[output.name] = try constant(value, output.name)
    }

    /// A constant of the program as a value.
    mutating func constant(_ value: MILValue, _ name: String) throws -> Value {
        guard value.type.tensor != nil else {
            return .texts(value.members.compactMap(\.string))
        }
        let tensor = try package.tensor(value)
        if let texts = tensor.strings() { return .texts(texts) }
        return .tensor(emitter.constant(name, tensor.shape, tensor.type, .tensor(tensor)))
    }

    /// A compressed weight; one that is made of other compressed weights, or a part of one, is expanded here and now.
    private mutating func define(_ expression: ConstantExpression, _ operation: MILOperation) throws {
        guard let output = operation.outputs.last else { return }
        let mask = try expression.expandedMask(file: package.path)
        let own = expression.count.addingReportingOverflow(mask?.values.count ?? 0)
        let (sum, overflow) = expandedElements.addingReportingOverflow(own.overflow ? .max : own.partialValue)
        guard !overflow, sum <= CoreMLLimits.expandedElements else {
            throw CoreMLError.tooLarge(
                .init(file: package.path, field: emitter.place), what: "elements of compressed weights",
                claimed: overflow ? .max : sum, limit: CoreMLLimits.expandedElements)
        }
        expandedElements = sum
        if let mask, let first = operation.outputs.first, operation.outputs.count == 2 {
            values[first.name] = .tensor(emitter.constant(first.name, mask.shape, .uint1, .values(mask.values)))
        }
        let isPlain =
            !expression.isPart
            && expression.parameters.allSatisfy { name, parameter in
                if case .tensor(let tensor) = parameter { tensor.type != .string } else { name == "output_dtype" }
            }
        let content: GraphConstant
        if isPlain {
            content = .expression(expression, file: package.path)
        } else {
            let (emitter, values) = (emitter, values)
            content = .values(
                try package.expanded(expression) { name in
                    guard case .tensor(let id)? = values[name], let known = try? emitter.values(id),
                        known.count == GraphShape.count(known.shape)
                    else { return nil }
                    return DenseWeight(shape: known.shape, values: known.values)
                }.values)
        }
        values[output.name] = .tensor(emitter.constant(output.name, expression.shape, expression.type, content))
    }

    private mutating func classify(_ operation: MILOperation) throws {
        let probabilities = try tensor("probabilities")
        guard operation.outputs.count == 2, classification == nil else {
            throw emitter.invalid("a second label, or not two results")
        }
        guard let value = operation.inputs["classes"]?.value else { throw emitter.invalid("the labels are missing") }
        guard let labels = try CoreMLLabels(value, package),
            labels.count == GraphShape.count(emitter.shape(probabilities))
        else {
            throw emitter.invalid(
                "labels for probabilities of shape \(emitter.shape(probabilities)) are not a list of the same length")
        }
        let names = operation.outputs.map(\.name)
        classification = Classification(
            labels: labels, probabilities: probabilities, labelName: names[0], probabilitiesName: names[1])
        values[names[0]] = .label
        values[names[1]] = .probabilities
    }
}
