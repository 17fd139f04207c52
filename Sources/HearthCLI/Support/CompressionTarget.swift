import HearthCompression

/// What `hearth compress --to` takes: forms of Core ML's weights, and formats of GGUF's.
enum CompressionTarget: String, CaseIterable, ExpressibleByArgument {
    case float16, int8, int4, palette8, palette6, palette4, palette3, palette2, palette1
    case q8_0, q4_0, q4_K

    init?(argument: String) {
        guard let match = Self.allCases.first(where: { $0.rawValue.lowercased() == argument.lowercased() }) else {
            return nil
        }
        self = match
    }

    /// The format, for GGUF files.
    var format: GGUFFormat? { GGUFFormat(rawValue: rawValue) }

    /// Bits of an index into a palette; nil for other forms.
    var paletteBits: Int? {
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

    var isLinear: Bool { self == .int8 || self == .int4 }

    /// All forms of a kind, for messages.
    static func list(gguf: Bool) -> String {
        allCases.filter { ($0.format != nil) == gguf }.map(\.rawValue).joined(separator: ", ")
    }
}

/// What shares a scale, as `--granularity` says it.
enum ScaleGranularity: String, CaseIterable, ExpressibleByArgument {
    case tensor, channel, block
}

/// Forms without zeros, as `--sparse` says it.
enum SparseOption: String, CaseIterable, ExpressibleByArgument {
    case auto, off, ios18

    var forms: SparseForms {
        switch self {
        case .auto: .sameVersion
        case .off: .never
        case .ios18: .newest
        }
    }
}
