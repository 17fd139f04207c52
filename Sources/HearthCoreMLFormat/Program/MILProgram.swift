/// A program of tensor operations: Core ML's `mlProgram`.
package struct MILProgram: Sendable, Equatable {
    /// Version of the container; 1 everywhere so far.
    package var version = 1 { didSet { origin.touch() } }
    /// The functions, by name. `main` is run where the description names no other.
    package var functions: [MILEntry<MILFunction>] = [] { didSet { origin.touch() } }
    /// What people wrote about it.
    package var documentation = "" { didSet { origin.touch() } }
    /// Further facts, such as what built it.
    package var attributes: [MILEntry<MILValue>] = [] { didSet { origin.touch() } }
    package var origin = WireOrigin()

    /// An empty program.
    package init() {}
}

/// A function: inputs, and a body for each operation set that it is written in.
package struct MILFunction: Sendable, Equatable {
    /// Names and types of what comes in.
    package var inputs: [MILNamedType] = [] { didSet { origin.touch() } }
    /// The operation set, such as `CoreML7`; the body under this name is the one that runs.
    package var opset = "" { didSet { origin.touch() } }
    /// The bodies, by operation set.
    package var specializations: [MILEntry<MILBlock>] = [] { didSet { origin.touch() } }
    /// Further facts.
    package var attributes: [MILEntry<MILValue>] = [] { didSet { origin.touch() } }
    package var origin = WireOrigin()

    /// An empty function.
    package init() {}

    /// The body that runs; nil where the function has none for its operation set.
    package var body: MILBlock? { specializations[opset] }
}

/// Operations in the order in which they run.
package struct MILBlock: Sendable, Equatable {
    /// What a nested block gets from its operation; empty for the body of a function.
    package var inputs: [MILNamedType] = [] { didSet { origin.touch() } }
    /// Names of the results.
    package var outputs: [String] = [] { didSet { origin.touch() } }
    /// The operations; each uses only names that were defined before.
    package var operations: [MILOperation] = [] { didSet { origin.touch() } }
    /// Further facts.
    package var attributes: [MILEntry<MILValue>] = [] { didSet { origin.touch() } }
    package var origin = WireOrigin()

    /// An empty block.
    package init() {}
}

/// A name and the type of its value.
package struct MILNamedType: Sendable, Equatable {
    /// The name.
    package var name: String { didSet { origin.touch() } }
    /// The type.
    package var type: MILValueType { didSet { origin.touch() } }
    package var origin = WireOrigin()

    package init(_ name: String, _ type: MILValueType) {
        self.name = name
        self.type = type
    }
}

extension MILNamedType: WireMessage {
    package init(wire input: WireInput) throws(WireFault) {
        var name = ""
        var type: MILValueType?
        var kept = WireOrigin()
        var reader = WireReader(input)
        while let field = try reader.next() {
            switch field.number {
            case 1: name = try field.string("name")
            case 2: type = try field.single("type", type)
            default: kept.keep(field)
            }
        }
        guard let type else { throw .missing("type", "the type of '\(name)'") }
        self.init(name, type)
        origin = kept
        origin.settle(input)
    }

    package func encode(into writer: inout WireWriter) {
        writer.string(1, name)
        writer.message(2, type)
    }
}

extension MILProgram: WireMessage {
    package init(wire input: WireInput) throws(WireFault) {
        self.init()
        version = 0
        var reader = WireReader(input)
        while let field = try reader.next() {
            switch field.number {
            case 1: version = try field.integer("version")
            case 2: functions.append(try field.message("functions", functions.count))
            case 3: documentation = try field.string("docString")
            case 4: attributes.append(try field.message("attributes", attributes.count))
            default: origin.keep(field)
            }
        }
        origin.settle(input)
    }

    package func encode(into writer: inout WireWriter) {
        writer.integer(1, version)
        writer.messages(2, functions)
        writer.string(3, documentation)
        writer.messages(4, attributes)
    }
}

extension MILFunction: WireMessage {
    package init(wire input: WireInput) throws(WireFault) {
        self.init()
        var reader = WireReader(input)
        while let field = try reader.next() {
            switch field.number {
            case 1: inputs.append(try field.message("inputs", inputs.count))
            case 2: opset = try field.string("opset")
            case 3: specializations.append(try field.message("block_specializations", specializations.count))
            case 4: attributes.append(try field.message("attributes", attributes.count))
            default: origin.keep(field)
            }
        }
        origin.settle(input)
    }

    package func encode(into writer: inout WireWriter) {
        writer.messages(1, inputs)
        writer.string(2, opset)
        writer.messages(3, specializations)
        writer.messages(4, attributes)
    }
}

extension MILBlock: WireMessage {
    package init(wire input: WireInput) throws(WireFault) {
        self.init()
        var reader = WireReader(input)
        while let field = try reader.next() {
            switch field.number {
            case 1: inputs.append(try field.message("inputs", inputs.count))
            case 2: outputs.append(try field.string("outputs", outputs.count))
            case 3: operations.append(try field.message("operations", operations.count))
            case 4: attributes.append(try field.message("attributes", attributes.count))
            default: origin.keep(field)
            }
        }
        origin.settle(input)
    }

    package func encode(into writer: inout WireWriter) {
        writer.messages(1, inputs)
        for output in outputs { writer.string(2, output, always: true) }
        writer.messages(3, operations)
        writer.messages(4, attributes)
    }
}
