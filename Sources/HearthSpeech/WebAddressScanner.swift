/// Detects web addresses (`http://`, `https://`, `www.` up to a space or a wide mark), inside which dots and question marks do
/// not end a sentence.
struct WebAddressScanner: Sendable {
    enum Answer: Equatable {
        case no
        /// The address continues at the given index.
        case yes(Int)
        case wait
    }

    /// The start of the run of characters that could be an address.
    private var runStart = 0
    private var isInside = false
    /// The end of the lookahead, so that long runs of marks are scanned only once.
    private var lookedTo = 0

    private static let beginnings = ["http://", "https://", "www."].map { Array($0.unicodeScalars) }
    /// Characters that belong to the sentence if they end an address.
    private static let trailing = Set(".,;:!?\"'”’)]»".unicodeScalars)

    mutating func end() { isInside = false }

    mutating func shift(by count: Int) {
        runStart = max(0, runStart - count)
        lookedTo = max(0, lookedTo - count)
    }

    /// Processes the character at `index`.
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

    /// Whether the mark at `index` and the following text are part of an address.
    mutating func contains(
        _ text: [Unicode.Scalar], markAt index: Int, rules: SentenceRules, atEnd: Bool
    ) -> Answer {
        if rules.isWideMark(text[index]) { return .no }
        if !isInside {
            guard text[index] == ".", index - runStart == 3,
                text[runStart..<index].map(\.properties.lowercaseMapping).joined() == "www"
            else { return .no }
        }
        // Behind the mark, whatever it is: an answer that does not advance would be asked for again, endlessly.
        lookedTo = max(lookedTo, index + 1)
        while lookedTo < text.count, Self.trailing.contains(text[lookedTo]) { lookedTo += 1 }
        guard lookedTo < text.count else { return atEnd ? .no : .wait }
        let next = text[lookedTo]
        if next.properties.isWhitespace || rules.isWide(next) { return .no }
        isInside = true
        return .yes(lookedTo)
    }
}
