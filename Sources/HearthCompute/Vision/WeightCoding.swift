internal import CHearthKernels

/// A lossless coding of packed weights in fewer bytes than their float32 values. It is used only for weights that it reproduces
/// bit for bit.
///
/// Packed weights are rows of 16 lanes, one lane per output. A coding consists of its tables, or scales and then offsets, each
/// aligned to 64 bytes; then the codes, row by row, 2 · bits bytes each; then a margin that kernels may read.
package struct WeightCoding: Sendable, Codable, Equatable {
    /// The kind of codes.
    package enum Kind: String, Sendable, Codable {
        /// The values themselves, read in place.
        case float32
        /// The values in half precision, two bytes each.
        case half
        /// Indices into a table of values.
        case palette
        /// (code − offset) · scale, with separate parameters for each lane.
        case affine
    }

    /// The kind of codes.
    package var kind: Kind
    /// Bits per code, 1 to 8; 0 for values.
    package var bits = 0
    /// Number of rows that share a table, or scales and offsets; 0 for values.
    package var stretch = 0
    /// Whether scales and offsets are stored in half precision.
    package var hasHalfParameters = false
    /// Whether products with a scale are rounded to half precision.
    package var roundsToHalf = false
    /// The common offset of all codes; nil if each lane of a stretch has its own.
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

    /// Uncoded values.
    package static let float32 = WeightCoding(kind: .float32)
    /// Maximum number of rows accepted from a file.
    static let mostRows = 1 << 26

    /// A name such as `palette4`, for reports.
    package var name: String { bits > 0 ? "\(kind)\(bits)" : kind.rawValue }

    /// Why the coding is invalid for a number of rows; nil if it is valid.
    package func problem(rows: Int) -> String? {
        guard (0...Self.mostRows).contains(rows) else { return "\(rows) rows of weights" }
        guard kind == .palette || kind == .affine else { return nil }
        guard (1...8).contains(bits) else { return "codes of \(bits) bits" }
        guard (1...max(rows, 1)).contains(stretch) else { return "stretches of \(stretch) rows" }
        return nil
    }

    /// Size in bytes for a number of rows, for which there must be no `problem`.
    package func byteCount(rows: Int) -> Int { codesOffset(rows: rows) + rows * rowBytes + Int(HK_CODED_MARGIN) }

    /// Bytes per row of codes.
    var rowBytes: Int {
        switch kind {
        case .float32: 64
        case .half: 32
        case .palette, .affine: 2 * bits
        }
    }

    /// Number of tables, or of sets of scales and offsets.
    func stretches(rows: Int) -> Int { stretch > 0 ? (rows + stretch - 1) / stretch : 0 }

    /// Size in bytes of the tables, or of the scales.
    func parameterBytes(rows: Int) -> Int {
        switch kind {
        case .float32, .half: 0
        case .palette: (stretches(rows: rows) << bits) * 4
        case .affine: stretches(rows: rows) * 16 * (hasHalfParameters ? 2 : 4)
        }
    }

    /// Byte offset of the offsets, if there are any.
    func offsetsOffset(rows: Int) -> Int { Self.aligned(parameterBytes(rows: rows)) }

    /// Byte offset of the codes.
    func codesOffset(rows: Int) -> Int {
        let parts = kind == .affine && offset == nil ? 2 : 1
        return parts * Self.aligned(parameterBytes(rows: rows))
    }

    static func aligned(_ count: Int) -> Int { (count + 63) / 64 * 64 }
}
