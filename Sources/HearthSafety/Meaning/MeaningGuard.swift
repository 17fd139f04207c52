internal import Foundation

/// The guard of this build: a small classifier trained on sentences written for it (`Training/safety`).
package struct MeaningGuard: TextGuard {
    private let library: LexiconLibrary

    package init(library: LexiconLibrary = .shared) { self.library = library }

    /// Judges a sentence alone, then as one of those before it.
    package func objection(
        to sentence: String, after context: [String], in language: FilterLanguage?, _ evidence: inout StoryEvidence
    ) throws -> SentenceObjection? {
        let model = try library.meaning()
        let threshold = model.threshold(language)
        var worst = StoryEvidence.Finding.none
        for part in SentencePart.parts(of: sentence, after: context, in: model.vocabulary) where part.isSentence {
            let logits = MeaningNetwork(model: model).scores(part)
            let margin = logits[0] - threshold
            guard margin > worst.margin else { continue }
            worst = .init(
                margin: margin, theme: logits.indices.dropFirst().max { logits[$0] < logits[$1] }.map { $0 - 1 } ?? 0)
        }
        evidence.add(worst)
        guard let theme = worst.margin > 0 ? worst.theme : evidence.theme else { return nil }
        return SentenceObjection(theme: MeaningModel.themes[theme], score: Self.probability(worst.margin + threshold))
    }

    /// The probability of each theme, from 0 to 1; for a text of several sentences, the maximum over its sentences.
    package func scores(of text: String, after context: [String] = []) throws -> [String: Double] {
        let model = try library.meaning()
        var result = Dictionary(uniqueKeysWithValues: MeaningModel.themes.map { ($0, 0.0) })
        for part in SentencePart.parts(of: text, after: context, in: model.vocabulary) {
            let logits = MeaningNetwork(model: model).scores(part)
            let shares = logits.dropFirst().map(Self.probability)
            let sum = max(shares.reduce(0, +), .leastNormalMagnitude)
            for (theme, share) in zip(MeaningModel.themes, shares) {
                result[theme] = max(result[theme] ?? 0, Self.probability(logits[0]) * share / sum)
            }
        }
        return result
    }

    /// The logit of harm and one per theme, for each part of the text that is classified as a whole.
    package func logits(of text: String, after context: [String]) throws -> [[Float]] {
        let model = try library.meaning()
        return SentencePart.parts(of: text, after: context, in: model.vocabulary).map {
            MeaningNetwork(model: model).scores($0)
        }
    }

    private static func probability(_ logit: Float) -> Double { 1 / (1 + exp(-Double(logit))) }
}
