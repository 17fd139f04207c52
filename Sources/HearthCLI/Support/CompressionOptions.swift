import HearthCompression

extension CompressionTarget: ExpressibleByArgument {
    init?(argument: String) {
        guard let match = Self.allCases.first(where: { $0.rawValue.lowercased() == argument.lowercased() }) else {
            return nil
        }
        self = match
    }
}

/// The elements that share a scale, for `--granularity`.
enum ScaleGranularity: String, CaseIterable, ExpressibleByArgument {
    case tensor, channel, block
}

/// What activations are stored as, for `--activations`.
enum ActivationForm: String, CaseIterable, ExpressibleByArgument {
    case int8
}

/// When to use sparse forms, for `--sparse`.
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
