internal import HearthCoreMLFormat

/// A target format for weights.
public enum CompressionForm: Sendable, Equatable {
    /// Half precision.
    case float16
    /// Integers with a scale.
    case linear(LinearQuantization)
    /// Indices into palettes.
    case palette(Palettization)

    /// Bits per element, without palettes and scales.
    public var bits: Int {
        switch self {
        case .float16: 16
        case .linear(let linear): linear.bits
        case .palette(let palette): palette.bits
        }
    }

    /// The lowest specification version that supports the format: 7 for iOS 16, 9 for iOS 18, 10 for iOS 26.
    package var minimumVersion: Int {
        switch self {
        case .float16: 7
        case .linear(let linear):
            if case .block = linear.granularity { 9 } else { linear.bits == 8 ? 7 : 9 }
        // Systems before iOS 26 take scales only before a palette, which then has to be there for each channel.
        case .palette(let palette) where palette.hasChannelScales: 10
        case .palette(let palette) where palette.vectorSize > 1: 9
        case .palette(let palette): palette.groupSize == nil && [1, 2, 4, 6, 8].contains(palette.bits) ? 7 : 9
        }
    }

    /// The lowest version that has a weight that was made already.
    static func minimumVersion(_ weight: PalettizedWeight) -> Int {
        weight.palettes.count == 1 && weight.mask == nil && [1, 2, 4, 6, 8].contains(weight.bits) ? 7 : 9
    }

    /// Refuses numbers of bits that Core ML does not have.
    /// - Throws: `CompressionError.invalidSetting`.
    func check() throws(CompressionError) {
        switch self {
        case .palette(let palette) where !(1...CoreMLLimits.paletteVector).contains(palette.vectorSize):
            throw .invalidSetting(
                name: "--vector \(palette.vectorSize)",
                problem: "a level of a palette has 1 to \(CoreMLLimits.paletteVector) elements")
        case .palette(let palette) where ![1, 2, 3, 4, 6, 8].contains(palette.bits):
            throw .invalidSetting(name: "bits", problem: "a palette has 1, 2, 3, 4, 6 or 8 bits")
        case .linear(let linear) where ![4, 8].contains(linear.bits):
            throw .invalidSetting(name: "bits", problem: "integers have 4 or 8 bits")
        case .float16, .linear, .palette: break
        }
    }
}
