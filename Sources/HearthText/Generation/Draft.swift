package import HearthTokenizer

/// Tokens that are likely to follow a text, up to where it becomes unlikely that they are the right ones.
package struct Draft {
    /// A token is worth its part of a step from this chance on: with the bundled model each costs about a fifth of what
    /// one token alone does (Benchmarks/README.md).
    private static let leastChance: Float = 0.6

    private let table: DraftTable
    /// The end of the text, then the draft.
    private var line: [TokenID] = []
    private var textCount = 0

    package init(_ table: DraftTable) {
        self.table = table
        line.reserveCapacity(table.longestRun + 64)
    }

    /// How many tokens were drafted.
    package var count: Int { line.count - textCount }
    /// Drafted token `index`.
    package subscript(_ index: Int) -> TokenID { line[textCount + index] }
    /// The last token of the text and the draft: what one step computes.
    package var step: ArraySlice<TokenID> { line[max(0, textCount - 1)...] }

    /// Drafts anew.
    /// - Parameters:
    ///   - most: tokens at most.
    ///   - stops: tokens that end a text; nothing follows them, so they are not worth computing.
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
