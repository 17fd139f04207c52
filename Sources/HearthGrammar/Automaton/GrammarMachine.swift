/// Reads a text byte by byte according to a grammar: a pushdown automaton with shared stack tails, determinized lazily.
///
/// A state is a set of threads: the rest of the current lexeme, and its continuation. A continuation is a set of frames: a
/// term, and the continuation after it. Threads with the same lexeme are merged, and so are frames with the same term; this
/// bounds their number by the grammar, however ambiguous it is.
package struct GrammarMachine: Sendable {
    package typealias State = Int32

    /// The state without any continuation: the text is rejected.
    package static let dead: State = 0
    /// The maximum nesting depth of frames; deeper texts are rejected.
    static let mostDepth: Int32 = 20_000
    /// The maximum nesting depth of terms.
    private static let mostNesting = 3_000
    private static let mostFrames = 4_000_000

    private struct Frame: Equatable, Sendable {
        /// -1 represents the end of the text.
        var term: Int32
        var rest: Int32
    }

    struct Thread: Equatable, Sendable {
        /// A regular expression: the rest of the lexeme.
        var node: RegexArena.Node
        /// The continuation after the lexeme.
        var rest: Int32
    }

    private struct Expansion: Sendable {
        var threads: Range<Int>
        var isEnd: Bool
    }

    var terms: TermArena
    /// The initial state.
    package private(set) var start: State = 0

    // Continuations: the frames of each, by number.
    private var frames: [Frame] = []
    private var frameStarts: [Int32] = [0]
    private var depths: [Int32] = []
    private var frameTable = InternTable()
    private var unions: [UInt64: Int32] = [:]
    private var expansions: [Int32: Expansion] = [:]
    private var expanded: [Thread] = []

    // States: the threads of each, whether the text may end, and the transitions by byte class.
    private(set) var threads: [Thread] = []
    private var threadStarts: [Int32] = [0]
    private var isEnd: [Bool] = []
    private var stateTable = InternTable()
    private var rows: [State] = []
    private let columns: Int
    private let columnOf: [UInt8]
    /// A byte of each column, and whether it is the column's only one.
    private let columnBytes: [(byte: UInt8, isOnly: Bool)]
    private var nesting = 0

    /// Whether a limit was exceeded; all further states are dead.
    package private(set) var isExhausted = false

    /// Builds the machine.
    /// - Parameter place: the place reported if nothing satisfies the grammar.
    init(_ closed: TermArena, root: TermArena.Term, place: String) throws(GrammarError) {
        terms = closed
        guard !terms.isExhausted, !terms.regex.isExhausted else { throw .tooComplex(place) }
        columns = terms.regex.classes.count
        let classes = terms.regex.classes
        columnOf = classes.classOf
        columnBytes = classes.representatives.enumerated().map { column, byte in
            (byte, classes.classOf.count { $0 == column } == 1)
        }
        _ = intern([], isEnd: false)
        let end = follow([Frame(term: -1, rest: 0)])
        guard terms.productive[Int(root)] else { throw .allowsNothing(place: place) }
        let first = push(root, end)
        start = intern(Array(expandedThreads(of: first)), isEnd: expansion(of: first).isEnd)
        guard !isExhausted else { throw .tooComplex(place) }
    }

    /// Whether the text may end in this state.
    package func isComplete(_ state: State) -> Bool { isEnd[Int(state)] }

    /// Whether the text must end in this state.
    package func mustEnd(_ state: State) -> Bool {
        isEnd[Int(state)] && threadStarts[Int(state)] == threadStarts[Int(state) + 1]
    }

    func threads(of state: State) -> ArraySlice<Thread> {
        threads[Int(threadStarts[Int(state)])..<Int(threadStarts[Int(state) + 1])]
    }

    /// The state after a byte; `dead` if the byte is not allowed.
    @inline(__always)
    package mutating func next(_ state: State, _ byte: UInt8) -> State {
        let cell = Int(state) * columns + Int(columnOf[Int(byte)])
        let known = rows[cell]
        return known >= 0 ? known : step(state, byte, cell)
    }

    /// The only byte that may come next; nil if there are several, or if the text may end here.
    package mutating func onlyByte(_ state: State) -> UInt8? {
        guard !isEnd[Int(state)] else { return nil }
        var only: UInt8?
        for (byte, isOnly) in columnBytes where next(state, byte) != Self.dead {
            guard isOnly, only == nil else { return nil }
            only = byte
        }
        return only
    }

    /// Whether every sequence of these bytes up to a length may come next. False also if this takes too many states to find out.
    mutating func allowsAll(_ bytes: [UInt8], upTo length: Int, from state: State) -> Bool {
        var seen: Set<State> = [state]
        var edge = [state]
        for _ in 0..<length where !edge.isEmpty {
            var found: [State] = []
            for from in edge {
                for byte in bytes {
                    let to = next(from, byte)
                    if to == Self.dead { return false }
                    if seen.insert(to).inserted { found.append(to) }
                }
                if seen.count > 64 { return false }
            }
            edge = found
        }
        return true
    }

    /// The memory of states and their transitions, in cells; use `forget(keeping:)` when it gets too large.
    package var stateCells: Int { rows.count + threads.count }

    /// Discards all states but one.
    /// - Returns: the new number of the kept state.
    package mutating func forget(keeping state: State) -> State {
        let (first, kept, ends) = (Array(threads(of: start)), Array(threads(of: state)), isEnd[Int(state)])
        let startEnds = isEnd[Int(start)]
        threads.removeAll()
        threadStarts = [0]
        isEnd = []
        stateTable = InternTable()
        rows.removeAll()
        _ = intern([], isEnd: false)
        start = intern(first, isEnd: startEnds)
        return intern(kept, isEnd: ends)
    }

    // MARK: - Transitions

    @inline(never)
    private mutating func step(_ state: State, _ byte: UInt8, _ cell: Int) -> State {
        var found: [Thread] = []
        var ends = false
        for index in Int(threadStarts[Int(state)])..<Int(threadStarts[Int(state) + 1]) {
            let thread = threads[index]
            let node = terms.regex.derivative(thread.node, byte)
            if node == RegexArena.none { continue }
            if node != RegexArena.empty { found.append(Thread(node: node, rest: thread.rest)) }
            if terms.regex.nullable[Int(node)] {
                let expansion = expansion(of: thread.rest)
                found += expanded[expansion.threads]
                ends = ends || expansion.isEnd
            }
        }
        if terms.regex.isExhausted || terms.isExhausted { isExhausted = true }
        let next = isExhausted ? Self.dead : intern(found, isEnd: ends)
        rows[cell] = next
        return next
    }

    private mutating func intern(_ found: [Thread], isEnd ends: Bool) -> State {
        let merged = merged(found)
        var hash = InternTable.mix(ends ? 1 : 0, Int32(merged.count), 0, 11)
        for thread in merged { hash = InternTable.mix(InternTable.mix(hash, thread.node), thread.rest) }
        let known = stateTable.find(hash) { isEnd[Int($0)] == ends && threads(of: $0).elementsEqual(merged) }
        if let known { return known }
        let state = State(isEnd.count)
        threads += merged
        threadStarts.append(Int32(threads.count))
        isEnd.append(ends)
        rows.append(contentsOf: repeatElement(-1, count: columns))
        stateTable.insert(hash, state)
        return state
    }

    /// Merges threads with the same lexeme.
    private mutating func merged(_ found: [Thread]) -> [Thread] {
        guard found.count > 1 else { return found }
        var result: [Thread] = []
        result.reserveCapacity(found.count)
        for thread in found.sorted(by: { ($0.node, $0.rest) < ($1.node, $1.rest) }) {
            if let last = result.last, last.node == thread.node {
                if last.rest != thread.rest { result[result.count - 1].rest = union(last.rest, thread.rest) }
            } else {
                result.append(thread)
            }
        }
        return result
    }

    // MARK: - Continuations

    private func frames(of rest: Int32) -> ArraySlice<Frame> {
        frames[Int(frameStarts[Int(rest)])..<Int(frameStarts[Int(rest) + 1])]
    }

    private mutating func follow(_ sorted: [Frame]) -> Int32 {
        var hash = InternTable.mix(0, Int32(sorted.count), 0, 5)
        for frame in sorted { hash = InternTable.mix(InternTable.mix(hash, frame.term), frame.rest) }
        if let known = frameTable.find(hash, { frames(of: $0).elementsEqual(sorted) }) { return known }
        let depth = sorted.reduce(0) { max($0, $1.term < 0 ? 0 : depths[Int($1.rest)] + 1) }
        guard depth <= Self.mostDepth, frames.count < Self.mostFrames else {
            isExhausted = true
            return 0
        }
        let rest = Int32(depths.count)
        frames += sorted
        frameStarts.append(Int32(frames.count))
        depths.append(depth)
        frameTable.insert(hash, rest)
        return rest
    }

    private mutating func push(_ term: Int32, _ rest: Int32) -> Int32 {
        term == TermArena.empty ? rest : follow([Frame(term: term, rest: rest)])
    }

    private mutating func union(_ a: Int32, _ b: Int32) -> Int32 {
        if a == b { return a }
        let key = UInt64(UInt32(bitPattern: min(a, b))) << 32 | UInt64(UInt32(bitPattern: max(a, b)))
        if let known = unions[key] { return known }
        nesting += 1
        defer { nesting -= 1 }
        guard nesting < Self.mostNesting else {
            isExhausted = true
            return a
        }
        var result: [Frame] = []
        for frame in (frames(of: a) + frames(of: b)).sorted(by: { ($0.term, $0.rest) < ($1.term, $1.rest) }) {
            if let last = result.last, last.term == frame.term {
                result[result.count - 1].rest = union(last.rest, frame.rest)
            } else {
                result.append(frame)
            }
        }
        let united = follow(result)
        unions[key] = united
        return united
    }

    private mutating func expandedThreads(of rest: Int32) -> ArraySlice<Thread> {
        expanded[expansion(of: rest).threads]
    }

    /// The threads that start after the end of a lexeme.
    private mutating func expansion(of rest: Int32) -> Expansion {
        if let known = expansions[rest] { return known }
        var found: [Thread] = []
        var ends = false
        var seen: Set<Int32> = []
        var open = [rest]
        while let rest = open.popLast() {
            guard seen.insert(rest).inserted else { continue }
            for frame in Array(frames(of: rest)) {
                if frame.term < 0 {
                    ends = true
                } else {
                    begin(frame.term, frame.rest, &found)
                    if terms.nullable[Int(frame.term)] { open.append(frame.rest) }
                }
            }
        }
        found = merged(found)
        let start = expanded.count
        expanded += found
        let expansion = Expansion(threads: start..<expanded.count, isEnd: ends)
        expansions[rest] = expansion
        return expansion
    }

    /// Adds the threads of a term's non-empty texts.
    private mutating func begin(_ term: Int32, _ rest: Int32, _ found: inout [Thread]) {
        guard terms.productive[Int(term)] else { return }
        nesting += 1
        defer { nesting -= 1 }
        guard nesting < Self.mostNesting, found.count < 1_000_000 else {
            isExhausted = true
            return
        }
        let at = Int(term)
        switch terms.kinds[at] {
        case .lexeme:
            if terms.first[at] != RegexArena.empty { found.append(Thread(node: terms.first[at], rest: rest)) }
        case .sequence:
            let (a, b) = (terms.first[at], terms.second[at])
            begin(a, push(b, rest), &found)
            if terms.nullable[Int(a)] { begin(b, rest, &found) }
        case .choice:
            for part in terms.list(term) { begin(part, rest, &found) }
        case .repetition:
            let (part, most) = (terms.first[at], terms.third[at])
            let least = terms.nullable[Int(part)] ? 0 : terms.second[at]
            let fewer = terms.repetition(
                part, max(least - 1, 0), most == RegexArena.unbounded ? most : most - 1)
            begin(part, push(fewer, rest), &found)
        case .rule: begin(terms.bodies[Int(terms.first[at])], rest, &found)
        }
    }
}
