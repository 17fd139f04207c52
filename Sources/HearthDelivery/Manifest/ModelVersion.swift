/// One to four numbers with dots between them; `1.10` is newer than `1.9`, and `1` equals `1.0`.
package struct ModelVersion: Sendable, Comparable, Hashable, CustomStringConvertible {
    /// Without zeros at the end, so that equal versions are equal values.
    private let numbers: [Int]
    /// As it was written.
    package let description: String

    /// - Returns: nil unless the text is `N`, `N.N`, `N.N.N` or `N.N.N.N` with at most nine digits each.
    package init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard (1...4).contains(parts.count) else { return nil }
        var numbers: [Int] = []
        for part in parts {
            guard (1...9).contains(part.utf8.count), part.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
                let number = Int(part)
            else { return nil }
            numbers.append(number)
        }
        while numbers.last == 0 { numbers.removeLast() }
        self.numbers = numbers
        description = text
    }

    /// By number, from the left.
    package static func < (left: ModelVersion, right: ModelVersion) -> Bool {
        left.numbers.lexicographicallyPrecedes(right.numbers)
    }

    /// Zeros at the end do not count.
    package static func == (left: ModelVersion, right: ModelVersion) -> Bool { left.numbers == right.numbers }

    /// Equal versions have equal hashes.
    package func hash(into hasher: inout Hasher) { hasher.combine(numbers) }
}

extension ModelVersion: Codable {
    /// Reads a version from a string.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let version = ModelVersion(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "a version is one to four numbers with dots between them")
        }
        self = version
    }

    /// Writes a version as it was written.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
