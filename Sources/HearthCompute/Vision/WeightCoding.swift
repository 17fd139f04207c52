internal import CHearthKernels

/// How packed weights are written in fewer bytes than the numbers take that kernels compute with. Nothing is lost: a coding
/// is used only for weights that it gives back bit for bit.
///
/// Packed weights are rows of 16 lanes, one lane an output. The bytes of a coding are its tables, or scales and then
/// offsets, each part on a border of 64 bytes; then the codes, row after row, 2 · bits bytes each; then a margin that kernels
/// may read.
package struct WeightCoding: Sendable, Codable, Equatable {
    /// What the codes are.
    package enum Kind: String, Sendable, Codable {
        /// The numbers themselves, read in place.
        case float32
        /// The numbers, two bytes each.
        case half
        /// Places in a table of numbers.
        case palette
        /// (code − offset) · scale, each lane with its own.
        case affine
    }

    /// What the codes are.
    package var kind: Kind
    /// Bits of a code, 1 to 8; 0 for numbers.
    package var bits = 0
    /// Rows that share a table, or scales and offsets; 0 for numbers.
    package var stretch = 0
    /// Whether scales and offsets are stored in half precision.
    package var hasHalfParameters = false
    /// Whether products with a scale are rounded to half precision.
    package var roundsToHalf = false
    /// The offset of all codes; nil where each lane of a stretch has its own.
    package var offset: Float?

    package init(
        kind: Kind, bits: Int = 0, stretch: Int = 0, hasHalfParameters: Bool = false, roundsToHalf: Bool = false,
        offset: Float? = nil
    ) {
        self.kind = kind
        self.bits = bits
        self.stretch = stretch
        self.hasHalfParameters = hasHalfParameters
        self.roundsToHalf = roundsToHalf
        self.offset = offset
    }

    /// The numbers themselves.
    package static let float32 = WeightCoding(kind: .float32)
    /// Rows that a file may claim.
    static let mostRows = 1 << 26

    /// Such as `palette4`, for reports.
    package var name: String { bits > 0 ? "\(kind)\(bits)" : kind.rawValue }

    /// What is wrong with the coding for so many rows; nil where nothing is.
    package func problem(rows: Int) -> String? {
        guard (0...Self.mostRows).contains(rows) else { return "\(rows) rows of weights" }
        guard kind == .palette || kind == .affine else { return nil }
        guard (1...8).contains(bits) else { return "codes of \(bits) bits" }
        guard (1...max(rows, 1)).contains(stretch) else { return "stretches of \(stretch) rows" }
        return nil
    }

    /// Bytes of so many rows, for which there is no `problem`.
    package func byteCount(rows: Int) -> Int { codesOffset(rows: rows) + rows * rowBytes + Int(HK_CODED_MARGIN) }

    /// Bytes of a row of codes.
    var rowBytes: Int {
        switch kind {
        case .float32: 64
        case .half: 32
        case .palette, .affine: 2 * bits
        }
    }

    /// Tables, or scales and offsets.
    func stretches(rows: Int) -> Int { stretch > 0 ? (rows + stretch - 1) / stretch : 0 }

    /// Bytes of the tables, or of the scales.
    func parameterBytes(rows: Int) -> Int {
        switch kind {
        case .float32, .half: 0
        case .palette: (stretches(rows: rows) << bits) * 4
        case .affine: stretches(rows: rows) * 16 * (hasHalfParameters ? 2 : 4)
        }
    }

    /// First byte of the offsets, where there are any.
    func offsetsOffset(rows: Int) -> Int { Self.aligned(parameterBytes(rows: rows)) }

    /// First byte of the codes.
    func codesOffset(rows: Int) -> Int {
        let parts = kind == .affine && offset == nil ? 2 : 1
        return parts * Self.aligned(parameterBytes(rows: rows))
    }

    static func aligned(_ count: Int) -> Int { (count + 63) / 64 * 64 }
}
