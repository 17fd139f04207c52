/// One step of a program.
package struct MILOperation: Sendable, Equatable {
    /// What it does, such as `conv`.
    package var type: String { didSet { origin.touch() } }
    /// What it works on, by parameter.
    package var inputs: [MILEntry<MILArgument>] = [] { didSet { origin.touch() } }
    /// Names and types of its results.
    package var outputs: [MILNamedType] = [] { didSet { origin.touch() } }
    /// The blocks of an operation that controls the flow.
    package var blocks: [MILBlock] = [] { didSet { origin.touch() } }
    /// Facts that are constant: `name`, and the `val` of a constant.
    package var attributes: [MILEntry<MILValue>] = [] { didSet { origin.touch() } }
    package var origin = WireOrigin()

    /// An operation without inputs and outputs.
    package init(type: String) { self.type = type }

    /// The attribute `name`.
    package var name: String? { attributes["name"]?.string }

    /// Bytes that it takes in a program's message, without its tag and length.
    package var encodedByteCount: Int { WireWriter.file(self).count }

    /// How messages call it: its type, and its name or its first output's.
    var label: String {
        let name = name ?? outputs.first?.name ?? ""
        // A message shows so much of a place, and its end says most.
        return "\(type.prefix(40)) '\(name.prefix(48))\(name.utf8.count > 48 ? "…" : "")'"
    }
}

/// What one parameter of an operation is bound to: one thing, or several for a parameter that is a list.
package struct MILArgument: Sendable, Equatable {
    /// The things, in order.
    package var bindings: [MILBinding] { didSet { origin.touch() } }
    package var origin = WireOrigin()

    package init(_ bindings: [MILBinding]) { self.bindings = bindings }

    /// The name of a single result of another operation.
    package var name: String? {
        guard bindings.count == 1, case .name(let name) = bindings[0].kind else { return nil }
        return name
    }

    /// The single value that is written down on the spot.
    package var value: MILValue? {
        guard bindings.count == 1, case .value(let value) = bindings[0].kind else { return nil }
        return value
    }
}

/// A name of something that was computed before, or a value.
package struct MILBinding: Sendable, Equatable {
    /// What it can be.
    package enum Kind: Sendable, Equatable {
        /// An input of the function, or an output of an earlier operation.
        case name(String)
        /// A constant.
        case value(MILValue)
    }

    /// What it is.
    package var kind: Kind { didSet { origin.touch() } }
    package var origin = WireOrigin()

    /// A binding to a name or a value.
    package init(_ kind: Kind) { self.kind = kind }
}

extension MILBinding: WireMessage {
    package init(wire input: WireInput) throws(WireFault) {
        let missing = "the name or the value of an argument"
        (kind, origin) = try WireOrigin.choice(input, missing: .missing(nil, missing)) { field throws(WireFault) in
            switch field.number {
            case 1: .name(try field.string("name"))
            case 2: .value(try field.message("value"))
            default: nil
            }
        }
    }

    package func encode(into writer: inout WireWriter) {
        switch kind {
        case .name(let name): writer.string(1, name, always: true)
        case .value(let value): writer.message(2, value)
        }
    }
}

extension MILArgument: WireMessage {
    package init(wire input: WireInput) throws(WireFault) {
        self.init([])
        var reader = WireReader(input)
        while let field = try reader.next() {
            switch field.number {
            case 1: bindings.append(try field.message("arguments", bindings.count))
            default: origin.keep(field)
            }
        }
        origin.settle(input)
    }

    package func encode(into writer: inout WireWriter) { writer.messages(1, bindings) }
}

extension MILOperation: WireMessage {
    package init(wire input: WireInput) throws(WireFault) {
        self.init(type: "")
        var reader = WireReader(input)
        do throws(WireFault) {
            while let field = try reader.next() {
                switch field.number {
                case 1: type = try field.string("type")
                case 2: inputs.append(try field.message("inputs", inputs.count))
                case 3: outputs.append(try field.message("outputs", outputs.count))
                case 4: blocks.append(try field.message("blocks", blocks.count))
                case 5: attributes.append(try field.message("attributes", attributes.count))
                default: origin.keep(field)
                }
            }
        } catch {
            throw type.isEmpty ? error : error.inside("(\(label))")
        }
        origin.settle(input)
    }

    package func encode(into writer: inout WireWriter) {
        writer.string(1, type)
        writer.messages(2, inputs)
        writer.messages(3, outputs)
        writer.messages(4, blocks)
        writer.messages(5, attributes)
    }
}
