/// A message whose fields are looked up by their numbers: for formats with many small messages. A field that is not there
/// has its default, as the format says.
struct WireRecord {
    private var fields: [Int: [WireField]] = [:]

    /// The message in a field.
    init(_ field: WireField) throws(WireFault) { try self.init(field.input.child(field.bytes("message"))) }

    init(_ input: WireInput) throws(WireFault) {
        var reader = WireReader(input)
        while let field = try reader.next() { fields[field.number, default: []].append(field) }
    }

    func has(_ number: Int) -> Bool { fields[number] != nil }

    /// The first of some fields that is there: which of several choices a file made.
    func choice(_ numbers: [Int]) -> Int? { numbers.first(where: has) }

    func integer(_ number: Int, _ name: StaticString) throws(WireFault) -> Int {
        try fields[number]?.last?.integer(name) ?? 0
    }

    func double(_ number: Int, _ name: StaticString) throws(WireFault) -> Double {
        try fields[number]?.last?.double(name) ?? 0
    }

    func string(_ number: Int, _ name: StaticString) throws(WireFault) -> String {
        try fields[number]?.last?.string(name) ?? ""
    }

    private func numbers(
        _ number: Int, _ name: StaticString, _ encoding: WireNumbers.Encoding
    ) throws(WireFault) -> WireNumbers {
        var numbers = WireNumbers(encoding)
        for field in fields[number] ?? [] { try numbers.append(field, name) }
        return numbers
    }

    func integers(_ number: Int, _ name: StaticString) throws(WireFault) -> [Int] {
        try numbers(number, name, .varint).integers
    }

    func doubles(_ number: Int, _ name: StaticString) throws(WireFault) -> [Double] {
        try numbers(number, name, .fixed64).map { Double(bitPattern: $0) }
    }

    func floats(_ number: Int, _ name: StaticString) throws(WireFault) -> [Float] {
        try numbers(number, name, .fixed32).map { Float(bitPattern: UInt32(truncatingIfNeeded: $0)) }
    }

    func strings(_ number: Int, _ name: StaticString) throws(WireFault) -> [String] {
        var result: [String] = []
        for field in fields[number] ?? [] { result.append(try field.string(name, result.count)) }
        return result
    }

    /// The message in a field; nil where it is not there.
    func record(_ number: Int) throws(WireFault) -> WireRecord? {
        guard let field = fields[number]?.last else { return nil }
        return try WireRecord(field)
    }

    /// The messages of a repeated field.
    func records(_ number: Int) throws(WireFault) -> [WireRecord] {
        var result: [WireRecord] = []
        for field in fields[number] ?? [] { result.append(try WireRecord(field)) }
        return result
    }

    /// The fields with a number, for messages that have readers of their own.
    func all(_ number: Int) -> [WireField] { fields[number] ?? [] }

    /// The labels of a classifier: texts, or integers.
    func labels() throws(WireFault) -> NeuralNetwork.Labels? {
        if let texts = try record(100) { return .strings(try texts.strings(1, "stringClassLabels")) }
        if let integers = try record(101) { return .integers(try integers.integers(1, "int64ClassLabels")) }
        return nil
    }
}
