/// The color profiles (ICC.1) of image files.
enum ColorProfile {
    /// The maximum size in bytes; larger profiles are ignored. The profiles of printing presses have up to 3 MB.
    static let mostBytes = 1 << 22

    /// The part of a profile in one marker of a JPEG (ICC.1, annex B.4).
    struct JPEGPart: Equatable {
        /// From 1 to `count`.
        var number: Int
        var count: Int
        var bytes: ArraySlice<UInt8>

        private static let signature = "ICC_PROFILE\0"

        /// Parses the content of an APP2 marker; nil if it has no profile.
        init?(_ content: BoundedBytes) {
            let start = Self.signature.utf8.count
            guard content.starts(with: Self.signature), let number = content.byte(start),
                let count = content.byte(start + 1), let bytes = content.slice(start + 2, content.count - start - 2)
            else { return nil }
            (self.number, self.count, self.bytes) = (number, count, bytes)
        }
    }

    /// The profile in several markers of a JPEG, in whatever order they are; nil if one is missing or occurs twice.
    static func joined(_ parts: [JPEGPart]) -> [UInt8]? {
        let parts = parts.sorted { $0.number < $1.number }
        guard !parts.isEmpty, parts.map(\.number) == Array(1...parts.count),
            parts.allSatisfy({ $0.count == parts.count }), parts.reduce(0, { $0 + $1.bytes.count }) <= mostBytes
        else { return nil }
        return parts.flatMap(\.bytes)
    }
}
