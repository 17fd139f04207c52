/// An entry of a map in a message. Maps are kept as lists, because the order of their entries is part of the bytes.
package struct MILEntry<Value: Sendable>: Sendable {
    /// The name.
    package var key: String { didSet { origin.touch() } }
    /// What it stands for.
    package var value: Value { didSet { origin.touch() } }
    package var origin = WireOrigin()

    package init(_ key: String, _ value: Value) {
        self.key = key
        self.value = value
    }
}

extension MILEntry: Equatable where Value: Equatable {}

extension MILEntry: WireMessage where Value: WireMessage {
    package init(wire input: WireInput) throws(WireFault) {
        var key = ""
        var value: Value?
        var kept = WireOrigin()
        var reader = WireReader(input)
        do throws(WireFault) {
            while let field = try reader.next() {
                switch field.number {
                case 1: key = try field.string("key")
                case 2: value = try field.single("value", value)
                default: kept.keep(field)
                }
            }
        } catch {
            // Which entry it is says more than how many came before it.
            throw key.isEmpty ? error : error.inside("[\(key)]")
        }
        guard let value else { throw .missing("value", "the value of '\(key)'") }
        self.init(key, value)
        origin = kept
        origin.settle(input)
    }

    package func encode(into writer: inout WireWriter) {
        writer.string(1, key)
        writer.message(2, value)
    }
}

extension Array {
    /// The value of an entry; nil where there is none.
    package subscript<Value>(_ key: String) -> Value? where Element == MILEntry<Value> {
        get { first { $0.key == key }?.value }
        set {
            guard let index = firstIndex(where: { $0.key == key }) else {
                if let newValue { append(MILEntry(key, newValue)) }
                return
            }
            if let newValue { self[index].value = newValue } else { remove(at: index) }
        }
    }
}
