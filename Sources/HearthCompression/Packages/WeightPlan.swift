internal import HearthCoreMLFormat

/// What is to be done with each constant of a package, decided before anything is written.
struct WeightPlan {
    /// The position of an operation in a program.
    struct Place: Hashable, Comparable, Sendable {
        let function: Int
        let specialization: Int
        /// The path of the operation in the body.
        let path: [Int]

        static func < (left: Place, right: Place) -> Bool {
            (left.function, left.specialization) != (right.function, right.specialization)
                ? (left.function, left.specialization) < (right.function, right.specialization)
                : left.path.lexicographicallyPrecedes(right.path)
        }
    }

    /// A piece of work; the pieces are written in the order of the weights in the old file.
    struct Step: Sendable {
        enum Kind: Sendable {
            /// Bytes that stay as they are.
            case copy(MILBlobReference)
            /// A weight, its name, its present size in bytes, and its axes.
            case compress(WeightElements, name: String, bytes: Int, axis: Int, inputAxis: Int)
            /// A weight that was made already.
            case store(PalettizedWeight, name: String, bytes: Int, count: Int)
            /// A weight that goes without its zeros and is as it was otherwise.
            case strip(WeightElements, name: String, bytes: Int)
            /// A vector with other elements.
            case replace([Float])
            /// A compressed weight that takes the form of a newer version.
            case raise(ConstantExpression)
        }

        let kind: Kind
        let type: MILDataType
        let shape: [Int]
        /// The operations that it is for; empty for a copy.
        var places: [Place]

        /// Whether a weight becomes another one.
        var isChange: Bool {
            switch kind {
            case .copy, .raise: false
            case .compress, .store, .strip, .replace: true
            }
        }

        var elements: Int {
            switch kind {
            case .compress(let elements, _, _, _, _): elements.count
            case .store(_, _, _, let count): count
            case .strip(let elements, _, _): elements.count
            default: 0
            }
        }
    }

    private(set) var version: Int
    private(set) var steps: [Step] = []
    private(set) var skipped: [CompressionReport.Skipped] = []
    /// The names of all constants that hold floating-point numbers.
    private(set) var names: Set<String> = []
    /// The program without the replaced operations; those that are still referred to stay.
    private(set) var skeleton: MILProgram
    /// What the names of weights begin with.
    private let prefix: String

    /// Elements that are compressed.
    var elements: Int { steps.reduce(0) { $0 + $1.elements } }

    /// The plan for a program, which is the package's own or that of a model in its pipeline.
    init(_ program: MILProgram, _ part: ModelPart, _ compressor: PackageCompressor) throws {
        let package = part.package
        prefix = part.prefix
        let old = package.model.specificationVersion
        version = compressor.version(for: part)
        skeleton = program
        if version > old, let operation = ProgramUpgrade.obstacle(in: program, from: old, to: version) {
            throw CompressionError.cannotRaise(file: package.path, operation: operation, from: old, to: version)
        }
        var shared: [SharedKey: Int] = [:]
        var order: [(offset: UInt64, step: Step)] = []
        for (function, specialization, block) in Self.bodies(program) {
            let uses = WeightUse.uses(in: block)
            for (path, operation) in block.pathedOperations {
                let place = Place(function: function, specialization: specialization, path: path)
                guard let (key, offset, step) = try Self.step(package, operation, uses, compressor, version, &self)
                else { continue }
                if let key, let known = shared[key] {
                    order[known].step.places.append(place)
                } else {
                    if let key { shared[key] = order.count }
                    var step = step
                    step.places = [place]
                    order.append((offset, step))
                }
            }
        }
        // A model of a pipeline in which nothing changes stays as it is, whatever the others become.
        if !part.place.isEmpty, !order.contains(where: { $0.step.isChange }), compressor.activations(of: part).isEmpty {
            version = old
            order = []
        }
        clear(order.map(\.step))
        var copied: Set<Blob> = []
        _ = skeleton.replacingBlobs { reference in
            if copied.insert(Blob(reference)).inserted {
                order.append(
                    (reference.offset, Step(kind: .copy(reference), type: .uint8, shape: [], places: [])))
            }
            return nil
        }
        // Ties keep their order: values stored in the program have no offset.
        steps = order.enumerated().sorted { ($0.element.offset, $0.offset) < ($1.element.offset, $1.offset) }
            .map(\.element.step)
    }

    static func bodies(_ program: MILProgram) -> [(function: Int, specialization: Int, block: MILBlock)] {
        program.functions.enumerated().flatMap { function in
            function.element.value.specializations.enumerated().map { (function.offset, $0.offset, $0.element.value) }
        }
    }

    /// Removes the contents of replaced operations from the program.
    private mutating func clear(_ steps: [Step]) {
        var cleared: [Place: [MILOperation]] = [:]
        for place in steps.flatMap(\.places) {
            var operation = Self.body(of: skeleton, place)[place.path]
            operation.attributes.removeAll { $0.key != "name" }
            cleared[place] = [operation]
        }
        skeleton = Self.replacing(cleared, in: skeleton)
    }

    /// The body that a place is in.
    static func body(of program: MILProgram, _ place: Place) -> MILBlock {
        program.functions[place.function].value.specializations[place.specialization].value
    }

    /// A program with other operations in some places.
    static func replacing(_ new: [Place: [MILOperation]], in program: MILProgram) -> MILProgram {
        var copy = program
        for (body, places) in Dictionary(grouping: new.keys, by: { [$0.function, $0.specialization] }) {
            let operations = places.map { ($0.path, new[$0] ?? []) }
            copy.functions[body[0]].value.specializations[body[1]].value =
                Self.body(of: program, places[0]).replacing(Dictionary(uniqueKeysWithValues: operations))
        }
        return copy
    }

    /// Bytes that several constants can share, read as one type and shape.
    private struct SharedKey: Hashable {
        let blob: Blob
        let type: MILDataType
        let shape: [Int]
        let axis: Int
    }

    struct Blob: Hashable {
        let file: String
        let offset: UInt64

        init(_ reference: MILBlobReference) {
            file = reference.fileName
            offset = reference.offset
        }
    }

    private static func step(
        _ package: CoreMLPackage, _ operation: MILOperation, _ uses: [String: WeightUse],
        _ compressor: PackageCompressor, _ version: Int, _ plan: inout WeightPlan
    ) throws -> (SharedKey?, UInt64, Step)? {
        guard let output = operation.outputs.last?.name else { return nil }
        let name = plan.prefix + output
        if let expression = try package.constantExpression(operation) {
            guard !expression.isPart else { return nil }
            plan.names.insert(name)
            plan.skip(name, "it is compressed already (\(expression.encodingName))")
            guard package.model.specificationVersion < 9, version >= 9 else { return nil }
            return (nil, 0, Step(kind: .raise(expression), type: expression.type, shape: expression.shape, places: []))
        }
        guard operation.type == "const", let value = operation.attributes["val"], value.type.tensor != nil else {
            return nil
        }
        let tensor = try package.tensor(value)
        guard tensor.type == .float16 || tensor.type == .float32 else { return nil }
        plan.names.insert(name)
        if let values = compressor.vectors[name], values.count == tensor.count {
            return (nil, 0, Step(kind: .replace(values), type: tensor.type, shape: tensor.shape, places: []))
        }
        guard tensor.count > compressor.minimumElements else { return nil }
        let use = uses[output] ?? WeightUse()
        if let reason = compressor.kept.contains(name) ? "it is kept as requested" : use.reason(against: tensor.shape) {
            plan.skip(name, reason)
            return nil
        }
        let isHalved = compressor.form == .float16 && tensor.type == .float16
        if isHalved, try !compressor.strips(tensor, name, version) {
            plan.skip(name, "it has half precision already")
            return nil
        }
        if let ready = compressor.prepared[name], ready.codes.count == tensor.count {
            var offset: UInt64 = 0
            if case .blob(let reference) = value.content { offset = reference.offset }
            let kind = Step.Kind.store(ready, name: name, bytes: tensor.byteCount, count: tensor.count)
            return (nil, offset, Step(kind: kind, type: tensor.type, shape: tensor.shape, places: []))
        }
        guard let elements = WeightElements(tensor) else { return nil }
        if isHalved || compressor.lossless.contains(name) {
            var offset: UInt64 = 0
            if case .blob(let reference) = value.content { offset = reference.offset }
            let kind = Step.Kind.strip(elements, name: name, bytes: tensor.byteCount)
            return (nil, offset, Step(kind: kind, type: tensor.type, shape: tensor.shape, places: []))
        }
        let axis = tensor.shape.indices.contains(use.axis) ? use.axis : 0
        let step = Step(
            kind: .compress(
                elements, name: name, bytes: tensor.byteCount, axis: axis, inputAxis: use.inputAxis),
            type: tensor.type, shape: tensor.shape, places: [])
        guard case .blob(let reference) = value.content else { return (nil, 0, step) }
        let key = SharedKey(blob: Blob(reference), type: tensor.type, shape: tensor.shape, axis: axis)
        return (key, reference.offset, step)
    }

    private mutating func skip(_ name: String, _ reason: String) {
        skipped.append(CompressionReport.Skipped(name: name, reason: reason))
    }
}
