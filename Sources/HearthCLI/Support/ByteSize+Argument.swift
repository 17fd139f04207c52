import HearthSystem

/// Parses a number of bytes: `500MB`, `2GB`, `1.5GiB`, `123456`.
extension ByteSize: ExpressibleByArgument {
    init?(argument: String) {
        let text = argument.lowercased().filter { $0 != " " }
        let number = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
        let units: [Substring: Double] = [
            "": 1, "b": 1, "k": 1e3, "kb": 1e3, "m": 1e6, "mb": 1e6, "g": 1e9, "gb": 1e9, "t": 1e12, "tb": 1e12,
            "kib": 1024, "mib": 1_048_576, "gib": 1_073_741_824, "tib": 1_099_511_627_776,
        ]
        guard let value = Double(number), let unit = units[text[number.endIndex...]] else { return nil }
        let bytes = value * unit
        guard bytes.isFinite, (0...0x1p60).contains(bytes) else { return nil }
        self.init(bytes: Int(bytes))
    }

    static var expectation: String { "a number of bytes, such as 500MB or 2GB" }
    var argument: String { String(bytes) }
}
