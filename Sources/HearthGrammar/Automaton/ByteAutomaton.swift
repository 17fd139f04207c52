/// A deterministic finite automaton, built completely. Every state leads to an accepting one.
struct ByteAutomaton: Sendable {
    let states: Int
    let start: Int32
    /// The disjoint byte sets that transitions distinguish.
    let sets: [ByteSet]
    private let column: [UInt8]
    private let columns: Int
    private let transitions: [Int32]
    private let accepting: [Bool]
    private let leaving: [Bool]

    /// Builds the automaton.
    /// - Parameters:
    ///   - symbols: disjoint sets of bytes.
    ///   - next: the next state for each state and symbol, or -1.
    init(start: Int32, symbols: [ByteSet], next: [[Int32]], accepting: [Bool]) {
        // Removes states that cannot reach an accepting one.
        var live = accepting
        var changes = true
        while changes {
            changes = false
            for state in next.indices.reversed() where !live[state] {
                if next[state].contains(where: { $0 >= 0 && live[Int($0)] }) {
                    live[state] = true
                    changes = true
                }
            }
        }
        columns = symbols.count + 1
        var column = [UInt8](repeating: 0, count: 256)
        for (index, set) in symbols.enumerated() {
            for byte in 0...255 where set.contains(UInt8(byte)) { column[byte] = UInt8(index + 1) }
        }
        self.column = column
        sets = symbols
        transitions = next.flatMap { row in [-1] + row.map { $0 >= 0 && live[Int($0)] ? $0 : -1 } }
        self.accepting = accepting
        leaving = next.map { row in row.contains { $0 >= 0 && live[Int($0)] } }
        self.start = start
        states = start >= 0 && live[Int(start)] ? next.count : 0
    }

    func next(_ state: Int32, _ byte: UInt8) -> Int32 { transitions[Int(state) * columns + Int(column[Int(byte)])] }
    func accepts(_ state: Int32) -> Bool { accepting[Int(state)] }
    func isFinal(_ state: Int32) -> Bool { accepting[Int(state)] && !leaving[Int(state)] }
}
