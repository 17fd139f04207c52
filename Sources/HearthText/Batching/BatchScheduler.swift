/// Decides which texts run and how many tokens of each the next step computes. A pure value: it has no clock, model or memory
/// of its own.
///
/// Texts join and leave between steps (continuous batching). A running text with one token to compute gets it in every step.
/// Texts with more than one, which are prompts, share the rest of the step evenly, so a short prompt finishes quickly however
/// long the others are. Texts are admitted in the order in which they joined, as long as their KV caches fit the memory limit.
/// If running texts outgrow it, the most recently admitted one is preempted and moved to the front of the queue; it resumes
/// when another text has left.
package struct BatchScheduler: Sendable {
    package typealias ID = Int

    /// Limits of a batch.
    package struct Limits: Sendable, Equatable {
        /// Maximum number of running texts.
        package var texts: Int
        /// Maximum tokens per step.
        package var stepTokens: Int
        /// Maximum prompt tokens in a step that also decodes other texts.
        package var promptTokens: Int
        /// Maximum bytes of KV cache; a single running text may exceed it.
        package var bytes: Int

        package init(texts: Int, stepTokens: Int, promptTokens: Int = 64, bytes: Int) {
            (self.texts, self.stepTokens) = (max(texts, 1), max(stepTokens, 1))
            (self.promptTokens, self.bytes) = (max(promptTokens, 1), bytes)
        }
    }

    /// Number of tokens of a text to compute in a step.
    package struct Share: Sendable, Equatable {
        package var id: ID
        package var tokens: Int

        package init(_ id: ID, tokens: Int) { (self.id, self.tokens) = (id, tokens) }
    }

    private struct Entry {
        var id: ID
        /// Positions that need space in the KV cache.
        var length: Int
    }

    package private(set) var limits: Limits
    /// Bytes of KV cache for a number of positions.
    private let bytes: @Sendable (Int) -> Int
    private var entries: [Entry] = []
    private var line: [Entry] = []
    /// A text was preempted, and none has left since.
    private var isCrowded = false
    /// Step counter, for round-robin.
    private var turn = 0

    /// Positions that must be free beyond a text's current length before it is admitted.
    package static let headroom = 64

    package init(limits: Limits, bytes: @escaping @Sendable (Int) -> Int) {
        (self.limits, self.bytes) = (limits, bytes)
    }

    /// Running texts, in order of admission.
    package var running: [ID] { entries.map(\.id) }
    /// Queued texts, in order.
    package var waiting: [ID] { line.map(\.id) }
    /// Bytes of KV cache that the running texts need.
    package var usedBytes: Int { entries.reduce(0) { $0 + bytes($1.length) } }

    /// Lowers the number of running texts, at least to one. Texts that run already go on.
    package mutating func limit(texts: Int) { limits.texts = min(limits.texts, max(texts, 1)) }

    // MARK: - Texts

    /// Adds a text at the end of the queue.
    package mutating func join(_ id: ID, length: Int) { line.append(Entry(id: id, length: length)) }

    /// Removes a text that has finished or was cancelled.
    package mutating func leave(_ id: ID) {
        entries.removeAll { $0.id == id }
        line.removeAll { $0.id == id }
        isCrowded = false
    }

    /// Updates the length of a running text.
    package mutating func note(_ id: ID, length: Int) {
        if let index = entries.firstIndex(where: { $0.id == id }) { entries[index].length = length }
    }

    /// Preempts texts until the rest fit the memory limit; at least one keeps running.
    /// - Returns: the preempted texts, whose KV caches are to be discarded.
    package mutating func makeRoom() -> [ID] {
        var back: [ID] = []
        while entries.count > 1, usedBytes > limits.bytes, let last = entries.popLast() {
            line.insert(last, at: 0)
            back.append(last.id)
            isCrowded = true
        }
        return back
    }

    /// Admits queued texts while there is capacity; at least one text always runs.
    /// - Returns: the texts that start or resume.
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
    /// - Parameter needs: the tokens each text still has to have computed, at least one.
    /// - Returns: the tokens each text gets, in the same order and at most what it needs; texts that get none are left out.
    ///   Every text gets at least one token if the step is large enough, otherwise they take turns.
    package mutating func divide(_ needs: [Share]) -> [Share] {
        guard !needs.isEmpty else { return [] }
        let first = turn % needs.count
        turn += 1
        var given = [Int](repeating: 0, count: needs.count)
        for place in 0..<min(needs.count, limits.stepTokens) { given[(first + place) % needs.count] = 1 }
        // The rest goes to prompts, shortest first, so that what they leave over is shared by the longer ones.
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
