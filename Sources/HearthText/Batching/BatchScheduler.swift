/// Decides which texts are written now, and how many tokens of each the next step computes. A value without a clock, a model or
/// memory of its own.
///
/// Texts join and leave at every step. A running text that has one token to compute gets it in every step. Texts with more of
/// them, which are prompts, share what is left of the step evenly: a short prompt is through soon, however long the others are.
/// Texts come in the order in which they joined, as long as their keys and values fit the memory. Where texts outgrow it, the
/// one that came last steps back and comes first in the line; it goes on when another text has left.
package struct BatchScheduler: Sendable {
    package typealias ID = Int

    /// What a batch may take.
    package struct Limits: Sendable, Equatable {
        /// Most texts at once.
        package var texts: Int
        /// Most tokens of a step.
        package var stepTokens: Int
        /// Most tokens of prompts in a step that others wait for with their next token.
        package var promptTokens: Int
        /// Most bytes of keys and values, unless a single text needs more.
        package var bytes: Int

        package init(texts: Int, stepTokens: Int, promptTokens: Int = 64, bytes: Int) {
            (self.texts, self.stepTokens) = (max(texts, 1), max(stepTokens, 1))
            (self.promptTokens, self.bytes) = (max(promptTokens, 1), bytes)
        }
    }

    /// Tokens of a text that are computed in a step.
    package struct Share: Sendable, Equatable {
        package var id: ID
        package var tokens: Int

        package init(_ id: ID, tokens: Int) { (self.id, self.tokens) = (id, tokens) }
    }

    private struct Entry {
        var id: ID
        /// Positions that keys and values are needed for.
        var length: Int
    }

    package let limits: Limits
    /// Of keys and values of so many positions.
    private let bytes: @Sendable (Int) -> Int
    private var entries: [Entry] = []
    private var line: [Entry] = []
    /// A text has stepped back, and none has left since.
    private var isCrowded = false
    /// Counts steps.
    private var turn = 0

    /// Positions that a text must have room for beyond those it has when it begins.
    package static let headroom = 64

    package init(limits: Limits, bytes: @escaping @Sendable (Int) -> Int) {
        (self.limits, self.bytes) = (limits, bytes)
    }

    /// Texts that are written, in the order in which they began.
    package var running: [ID] { entries.map(\.id) }
    /// Texts that wait, in order.
    package var waiting: [ID] { line.map(\.id) }
    /// Bytes of keys and values that the running texts need.
    package var usedBytes: Int { entries.reduce(0) { $0 + bytes($1.length) } }

    // MARK: - Texts

    /// A text comes, at the line's end.
    package mutating func join(_ id: ID, length: Int) { line.append(Entry(id: id, length: length)) }

    /// A text has ended, or is not wanted any more.
    package mutating func leave(_ id: ID) {
        entries.removeAll { $0.id == id }
        line.removeAll { $0.id == id }
        isCrowded = false
    }

    /// How long a running text is by now.
    package mutating func note(_ id: ID, length: Int) {
        if let index = entries.firstIndex(where: { $0.id == id }) { entries[index].length = length }
    }

    /// Takes texts back that the memory does not bear; one always stays.
    /// - Returns: those that step back, whose keys and values go.
    package mutating func makeRoom() -> [ID] {
        var back: [ID] = []
        while entries.count > 1, usedBytes > limits.bytes, let last = entries.popLast() {
            line.insert(last, at: 0)
            back.append(last.id)
            isCrowded = true
        }
        return back
    }

    /// Lets texts begin, as many as there is room for; one always may.
    /// - Returns: those that begin, or go on.
    package mutating func admit() -> [ID] {
        var begun: [ID] = []
        while entries.count < limits.texts, let first = line.first {
            if !entries.isEmpty {
                if isCrowded || usedBytes + bytes(first.length + Self.headroom) > limits.bytes { break }
            }
            entries.append(line.removeFirst())
            begun.append(first.id)
        }
        return begun
    }

    // MARK: - A step

    /// Divides a step among texts.
    /// - Parameter needs: what each still has to have computed, at least one token.
    /// - Returns: what each gets, in the same order and never more; texts that get nothing are left out. Everybody gets at least
    ///   one token where there are as many, and in turn where there are not.
    package mutating func divide(_ needs: [Share]) -> [Share] {
        guard !needs.isEmpty else { return [] }
        let first = turn % needs.count
        turn += 1
        var given = [Int](repeating: 0, count: needs.count)
        for place in 0..<min(needs.count, limits.stepTokens) { given[(first + place) % needs.count] = 1 }
        // What is left goes to prompts, those with the least first: what they do not need is for the others.
        let prompts = needs.indices.filter { needs[$0].tokens > 1 && given[$0] > 0 }
            .sorted { (needs[$0].tokens, $0) < (needs[$1].tokens, $1) }
        let others = given.reduce(0, +) - prompts.count
        let most = others == 0 ? limits.stepTokens : min(limits.promptTokens, limits.stepTokens - others)
        var left = max(0, most - prompts.count)
        for (place, index) in prompts.enumerated() {
            let more = min(needs[index].tokens - 1, left / (prompts.count - place))
            given[index] += more
            left -= more
        }
        return needs.indices.compactMap { given[$0] > 0 ? Share(needs[$0].id, tokens: given[$0]) : nil }
    }
}
