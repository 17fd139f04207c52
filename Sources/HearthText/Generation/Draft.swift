package import HearthTokenizer

/// Draft tokens for speculative decoding, up to the point where they become unlikely to be accepted.
package struct Draft {
    /// Minimum cumulative probability for drafting a token. With the bundled model, checking one costs about a fifth of a
    /// single-token step (Benchmarks/README.md).
    private static let leastChance: Float = 0.6

    private let table: DraftTable
    /// The end of the text, followed by the draft.
    private var line: [TokenID] = []
    private var textCount = 0

    package init(_ table: DraftTable) {
        self.table = table
        line.reserveCapacity(table.longestRun + 64)
    }

    /// Number of draft tokens.
    package var count: Int { line.count - textCount }
    /// Draft token `index`.
    package subscript(_ index: Int) -> TokenID { line[textCount + index] }
    /// The last token of the text and the draft: the tokens to run in one step.
    package var step: ArraySlice<TokenID> { line[max(0, textCount - 1)...] }

    /// Replaces the draft.
    /// - Parameters:
    ///   - most: maximum number of tokens.
    ///   - stops: end-of-text tokens, which are not drafted since nothing follows them.
    package mutating func write(after text: [TokenID], most: Int, stops: [TokenID]) {
        line.removeAll(keepingCapacity: true)
        line.append(contentsOf: text.suffix(table.longestRun))
        textCount = line.count
        var chance: Float = 1
        while count < most, let next = table.next(after: line), !stops.contains(next.token) {
            chance *= next.chance
            if chance < Self.leastChance { return }
            line.append(next.token)
        }
    }
}
