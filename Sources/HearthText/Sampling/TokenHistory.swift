internal import Foundation
import HearthTokenizer

/// The tokens before the next one, as far as penalties look at them.
struct TokenHistory: Sendable {
    private let options: SamplingOptions
    private let count: Int
    /// The tokens of the repetition penalty's window, a ring.
    private var recent: [TokenID] = []
    private var oldest = 0
    /// How often a token is among the recent ones.
    private var occurrences: [UInt32] = []
    /// How often the model has chosen a token, and which ones it has.
    private var chosen: [TokenID: Int] = [:]
    private var sequences: RepeatedSequences?

    init(_ options: SamplingOptions, vocabularyCount: Int, breaks: (@Sendable (TokenID) -> Bool)?) {
        self.options = options
        count = vocabularyCount
        if options.dryMultiplier > 0 { sequences = RepeatedSequences(options, breaks: breaks ?? { _ in false }) }
    }

    /// - Parameter isGenerated: whether the model chose it; presence and frequency penalties count nothing else.
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
    /// The repetition penalty has the form of CTRL (Keskar et al., 2019), once a token, however often it occurred lately. The
    /// other two are OpenAI's: they count what the model has chosen in this answer, and not the prompt.
    func penalized(_ logit: Float, _ id: TokenID) -> Float {
        var value = logit
        if !occurrences.isEmpty, occurrences[Int(id)] > 0 {
            value = value > 0 ? value / options.repeatPenalty : value * options.repeatPenalty
        }
        if let times = chosen[id] { value -= options.presencePenalty + Float(times) * options.frequencyPenalty }
        return Self.finite(value)
    }

    /// The same for the few tokens of a row that it changes.
    /// - Parameter before: a token's logit without penalties; asked again for a token that occurred more than once.
    func penalize(_ logits: inout [Float], before: (TokenID) -> Float) {
        func change(_ id: TokenID) {
            // A masked token stays masked.
            if logits[Int(id)] > -.infinity { logits[Int(id)] = penalized(before(id), id) }
        }
        for id in recent { change(id) }
        for id in chosen.keys { change(id) }
    }

    /// What DRY takes off the logits of some tokens.
    mutating func sequencePenalties() -> [TokenID: Float] { sequences?.penalties() ?? [:] }

    /// No logit may become infinite here: a penalty near zero may overflow.
    static func finite(_ value: Float) -> Float {
        min(max(value, -.greatestFiniteMagnitude), .greatestFiniteMagnitude)
    }
}

/// DRY (p-e-w, 2024): a token that would go on with a sequence that was there before is made less likely, exponentially in
/// the sequence's length.
///
/// A sequence does not reach across a breaker: a token whose text holds one of some strings.
struct RepeatedSequences: Sendable {
    private let multiplier: Double
    private let base: Double
    private let allowedLength: Int
    private let window: Int
    private let breaks: @Sendable (TokenID) -> Bool
    private var tokens: [TokenID] = []
    private var isBreaker: [Bool] = []
    /// For each token, counted from the end, how many tokens before it are those at the end.
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

    /// By token, what its logit loses.
    mutating func penalties() -> [TokenID: Float] {
        let last = tokens.suffix(window), breakers = isBreaker.suffix(window)
        // Reversed, the ends of sequences are beginnings, and their common lengths the Z function: linear in the window.
        let text = Array(last.reversed())
        let reach = breakers.reversed().prefix { !$0 }.count
        guard reach >= allowedLength, text.count > allowedLength else { return [:] }
        commonLengths(text)
        var longest: [TokenID: Int] = [:]
        for place in 1..<text.count {
            let length = min(lengths[place], reach)
            guard length >= allowedLength else { continue }
            // The token that followed the sequence then.
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
