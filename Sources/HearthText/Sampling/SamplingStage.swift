/// One step of choosing a token. The order of the steps is part of ``SamplingOptions``.
///
/// The raw values are the names of `--samplers`. A step whose option asks for nothing does nothing.
public enum SamplingStage: String, Sendable, Codable, CaseIterable {
    /// Repetition, presence and frequency penalties.
    case penalties
    /// DRY: tokens that would go on with a sequence that was there before.
    case dry
    /// Top-nσ: what is within some standard deviations of the largest logit.
    case topNSigma = "top-n-sigma"
    /// The likeliest few.
    case topK = "top-k"
    /// Locally typical sampling: tokens whose information content is near the expected one.
    case typical
    /// The likeliest that together reach a probability.
    case topP = "top-p"
    /// What is not too unlikely beside the likeliest.
    case minP = "min-p"
    /// XTC: the likeliest tokens are left out at times.
    case xtc
    /// Flattens or sharpens the distribution.
    case temperature

    /// llama.cpp's order.
    static let defaultOrder = allCases

    /// Whether it changes logits, rather than leaving tokens out.
    var changesLogits: Bool { self == .penalties || self == .dry }

    /// A stage by its name or by llama.cpp's (`top_k`, `typ_p`, `top_n_sigma`); nil for others.
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
