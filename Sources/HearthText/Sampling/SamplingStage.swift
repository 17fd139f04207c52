/// A stage of sampling. The order of the stages is part of ``SamplingOptions``.
///
/// The raw values are the names used by `--samplers`. A stage whose option has its neutral value does nothing.
public enum SamplingStage: String, Sendable, Codable, CaseIterable {
    /// Repetition, presence and frequency penalties.
    case penalties
    /// DRY: penalises tokens that would continue a repeated sequence.
    case dry
    /// Top-nσ: keeps logits within a number of standard deviations of the largest.
    case topNSigma = "top-n-sigma"
    /// Keeps the most likely tokens, by number.
    case topK = "top-k"
    /// Locally typical sampling: keeps tokens whose information content is near the expected one.
    case typical
    /// Keeps the most likely tokens that together reach a probability.
    case topP = "top-p"
    /// Keeps tokens with at least a fraction of the most likely token's probability.
    case minP = "min-p"
    /// XTC: excludes the most likely tokens at random.
    case xtc
    /// Flattens or sharpens the distribution.
    case temperature

    /// llama.cpp's order.
    static let defaultOrder = allCases

    /// Whether the stage changes logits rather than excluding tokens.
    var changesLogits: Bool { self == .penalties || self == .dry }

    /// Whether the stage may exclude the most likely token.
    var mayExcludeLikeliest: Bool { self == .typical || self == .xtc }

    /// The stage with a given name, in Hearth's or llama.cpp's spelling (`top_k`, `typ_p`, `top_n_sigma`); nil for others.
    package init?(name: String) {
        let name = name.replacing("_", with: "-")
        switch name {
        case "typ-p", "typical-p": self = .typical
        case "top-nsigma": self = .topNSigma
        default:
            guard let stage = Self(rawValue: name) else { return nil }
            self = stage
        }
    }
}
