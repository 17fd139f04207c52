internal import Foundation
import HearthTokenizer

/// The previous tokens, as far as the penalties use them.
struct TokenHistory: Sendable {
    private let options: SamplingOptions
    private let count: Int
    /// Ring buffer of the tokens in the repetition penalty's window.
    private var recent: [TokenID] = []
    private var oldest = 0
    /// Number of occurrences of each token in `recent`.
    private var occurrences: [UInt32] = []
    /// How often the model has chosen each token.
    private var chosen: [TokenID: Int] = [:]
    private var sequences: RepeatedSequences?

    init(_ options: SamplingOptions, vocabularyCount: Int, breaks: (@Sendable (TokenID) -> Bool)?) {
        self.options = options
        count = vocabularyCount
        if options.dryMultiplier > 0 { sequences = RepeatedSequences(options, breaks: breaks ?? { _ in false }) }
    }

    /// - Parameter isGenerated: whether the model chose it; presence and frequency penalties count only such tokens.
    mutating func append(_ id: TokenID, isGenerated: Bool) {
        guard id >= 0, id < count else { return }
        sequences?.append(id)
        if isGenerated, options.presencePenalty != 0 || options.frequencyPenalty != 0 { chosen[id, default: 0] += 1 }
        guard options.repeatPenalty != 1, options.repeatWindow > 0 else { return }
        if occurrences.isEmpty {
            occurrences = [UInt32](repeating: 0, count: count)
            recent.reserveCapacity(options.repeatWindow)
        }
        if recent.count < options.repeatWindow {
            recent.append(id)
        } else {
            occurrences[Int(recent[oldest])] -= 1
            recent[oldest] = id
            oldest = (oldest + 1) % options.repeatWindow
        }
        occurrences[Int(id)] += 1
    }

    /// Whether `penalized` changes anything.
    var hasPenalties: Bool { !recent.isEmpty || !chosen.isEmpty }

    /// A logit after repetition, presence and frequency penalties.
    ///
    /// The repetition penalty is that of CTRL (Keskar et al., 2019), applied once per token, however often it occurred. The
    /// other two are OpenAI's: they count the tokens generated in this answer, and not the prompt.
    func penalized(_ logit: Float, _ id: TokenID) -> Float {
        var value = logit
        if !occurrences.isEmpty, occurrences[Int(id)] > 0 {
            value = value > 0 ? value / options.repeatPenalty : value * options.repeatPenalty
        }
        if let times = chosen[id] { value -= options.presencePenalty + Float(times) * options.frequencyPenalty }
        return Self.finite(value)
    }

    /// Applies `penalized` to the tokens of a row that it changes.
    /// - Parameter before: a token's logit before penalties; called again for a token that occurred more than once.
    func penalize(_ logits: inout [Float], before: (TokenID) -> Float) {
        func change(_ id: TokenID) {
            // A masked token stays masked.
            if logits[Int(id)] > -.infinity { logits[Int(id)] = penalized(before(id), id) }
        }
        for id in recent { change(id) }
        for id in chosen.keys { change(id) }
    }

    /// DRY's penalties by token.
    mutating func sequencePenalties() -> [TokenID: Float] { sequences?.penalties() ?? [:] }

    /// Clamps to finite values: dividing by a penalty near zero may overflow.
    static func finite(_ value: Float) -> Float {
        min(max(value, -.greatestFiniteMagnitude), .greatestFiniteMagnitude)
    }
}

/// DRY (p-e-w, 2024): penalises a token that would continue a repeated sequence, exponentially in the sequence's length.
///
/// A sequence does not extend across a breaker, a token whose text contains one of some strings.
struct RepeatedSequences: Sendable {
    private let multiplier: Double
    private let base: Double
    private let allowedLength: Int
    private let window: Int
    private let breaks: @Sendable (TokenID) -> Bool
    private var tokens: [TokenID] = []
    private var isBreaker: [Bool] = []
    /// For each position, counted from the end, the length of the common suffix of the text up to there and the whole text.
    private var lengths: [Int] = []

    init(_ options: SamplingOptions, breaks: @escaping @Sendable (TokenID) -> Bool) {
        multiplier = Double(options.dryMultiplier)
        base = Double(options.dryBase)
        allowedLength = options.dryAllowedLength
        window = options.dryWindow
        self.breaks = breaks
    }

    mutating func append(_ id: TokenID) {
        if tokens.count == 2 * window {
            tokens.removeFirst(window)
            isBreaker.removeFirst(window)
        }
        tokens.append(id)
        isBreaker.append(breaks(id))
    }

    /// The penalty of each token's logit.
    mutating func penalties() -> [TokenID: Float] {
        let last = tokens.suffix(window), breakers = isBreaker.suffix(window)
        // In the reversed text, common suffixes are common prefixes, given by the Z function: linear in the window.
        let text = Array(last.reversed())
        let reach = breakers.reversed().prefix { !$0 }.count
        guard reach >= allowedLength, text.count > allowedLength else { return [:] }
        commonLengths(text)
        var longest: [TokenID: Int] = [:]
        for place in 1..<text.count {
            let length = min(lengths[place], reach)
            guard length >= allowedLength else { continue }
            // The token that followed the earlier occurrence.
            longest[text[place - 1]] = max(longest[text[place - 1]] ?? 0, length)
        }
        return longest.mapValues { length in
            Float(min(multiplier * pow(base, Double(length - allowedLength)), Double(Float.greatestFiniteMagnitude)))
        }
    }

    /// The Z function of `text`.
    private mutating func commonLengths(_ text: [TokenID]) {
        lengths = [Int](repeating: 0, count: text.count)
        var (left, right) = (0, 0)
        for place in 1..<text.count {
            var length = place < right ? min(right - place, lengths[place - left]) : 0
            while place + length < text.count, text[length] == text[place + length] { length += 1 }
            if place + length > right { (left, right) = (place, place + length) }
            lengths[place] = length
        }
    }
}
