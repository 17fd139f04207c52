/// Whether the text is inside a web address (`http://`, `https://`, `www.` up to a blank or a wide mark), where a dot or
/// question mark is no mark.
struct WebAddressScanner: Sendable {
    enum Answer: Equatable {
        case no
        /// The address goes on at the given index.
        case yes(Int)
        case wait
    }

    /// Where the run of characters began that could be an address.
    private var runStart = 0
    private var isInside = false
    /// How far was looked ahead of a mark, so that long runs of marks are looked at once.
    private var lookedTo = 0

    private static let beginnings = ["http://", "https://", "www."].map { Array($0.unicodeScalars) }
    /// At the end of an address they belong to the sentence.
    private static let trailing = Set(".,;:!?\"'”’)]»".unicodeScalars)

    mutating func end() { isInside = false }

    mutating func shift(by count: Int) {
        runStart = max(0, runStart - count)
        lookedTo = max(0, lookedTo - count)
    }

    /// The character at `index` was taken in.
    mutating func take(_ text: [Unicode.Scalar], _ index: Int, rules: SentenceRules) {
        let scalar = text[index]
        if scalar.properties.isWhitespace || rules.isWide(scalar) {
            isInside = false
            runStart = index + 1
        } else if !isInside, !scalar.isSpeech || scalar.isCJK, !"/:.".unicodeScalars.contains(scalar) {
            runStart = index + 1
        } else if !isInside, scalar == "/" {
            isInside = Self.beginnings.contains { text[min(runStart, index)...index].elementsEqual($0) }
        }
    }

    /// Whether the mark at `index`, and what follows it, is part of an address.
    mutating func contains(
        _ text: [Unicode.Scalar], markAt index: Int, rules: SentenceRules, atEnd: Bool
    ) -> Answer {
        if rules.isWideMark(text[index]) { return .no }
        if !isInside {
            guard text[index] == ".", index - runStart == 3,
                text[runStart..<index].map(\.properties.lowercaseMapping).joined() == "www"
            else { return .no }
        }
        lookedTo = max(lookedTo, index)
        while lookedTo < text.count, Self.trailing.contains(text[lookedTo]) { lookedTo += 1 }
        guard lookedTo < text.count else { return atEnd ? .no : .wait }
        let next = text[lookedTo]
        if next.properties.isWhitespace || rules.isWide(next) { return .no }
        isInside = true
        return .yes(lookedTo)
    }
}
