/// What weights are compressed to: forms of Core ML's weights, and formats of GGUF's.
package enum CompressionTarget: String, CaseIterable, Sendable {
    case float16, int8, int4, palette8, palette6, palette4, palette3, palette2, palette1
    case q8_0, q4_0, q4_K

    /// The format, for GGUF files.
    package var format: GGUFFormat? { GGUFFormat(rawValue: rawValue) }

    /// Bits of an index into a palette; nil for other forms.
    package var paletteBits: Int? {
        switch self {
        case .palette8: 8
        case .palette6: 6
        case .palette4: 4
        case .palette3: 3
        case .palette2: 2
        case .palette1: 1
        default: nil
        }
    }

    package var isLinear: Bool { self == .int8 || self == .int4 }

    /// All forms of a kind, for messages.
    package static func list(gguf: Bool) -> String {
        allCases.filter { ($0.format != nil) == gguf }.map(\.rawValue).joined(separator: ", ")
    }
}
