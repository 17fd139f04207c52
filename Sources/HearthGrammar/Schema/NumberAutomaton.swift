/// Automata that compare numbers digit by digit in decimal, without binary fractions.
enum NumberAutomaton {
    struct Bound: Hashable, Sendable {
        var value: DecimalNumber
        var isLower: Bool
        var isExclusive: Bool

        static func == (a: Bound, b: Bound) -> Bool {
            a.value == b.value && a.isLower == b.isLower && a.isExclusive == b.isExclusive
        }
        func hash(into hasher: inout Hasher) { hasher.combine(value.digits) }
    }

    /// The maximum number of digits before and after the decimal point: without a limit, a weak model may generate digits
    /// forever.
    static let integerDigits: Int32 = 64
    static let fractionDigits: Int32 = 32
    /// The maximum number of states for a divisor.
    static let mostRemainders = 200_000
    static let mostBoundDigits = 400

    /// The minus sign, the ten digits, the decimal point.
    private static let symbols =
        [ByteSet(0x2D...0x2D)] + (0..<10).map { ByteSet(0x30 + $0...0x30 + $0) } + [ByteSet(0x2E...0x2E)]

    /// The notation of JSON numbers; without `isNegative`, -0 is the only one with a minus sign.
    static func shape(
        isInteger: Bool, isNegative: Bool, hasExponent: Bool, _ arena: inout RegexArena
    ) -> RegexArena.Node {
        let zero = ByteSet(0x30...0x30), digits = ByteSet(0x30...0x39)
        let minus = arena.literal([0x2D]), leadingZero = arena.set(zero)
        let leading = arena.sequence(
            arena.set(ByteSet(0x31...0x39)), arena.repetition(arena.set(digits), 0, integerDigits - 1))
        func rest(_ fraction: ByteSet, _ arena: inout RegexArena) -> RegexArena.Node {
            guard !isInteger else { return arena.literal([]) }
            let places = arena.repetition(arena.set(fraction), 1, fractionDigits)
            let point = arena.optional(arena.sequence(arena.literal([0x2E]), places))
            guard hasExponent else { return point }
            let exponent = arena.sequence([
                arena.set(ByteSet([0x45, 0x65])), arena.optional(arena.set(ByteSet([0x2B, 0x2D]))),
                arena.repetition(arena.set(digits), 1, 3),
            ])
            return arena.sequence(point, arena.optional(exponent))
        }
        let whole = arena.union([leadingZero, leading])
        let number = arena.sequence(whole, rest(digits, &arena))
        guard !isNegative else { return arena.sequence(arena.optional(minus), number) }
        return arena.union([number, arena.sequence([minus, leadingZero, rest(zero, &arena)])])
    }

    /// Numbers within a bound, written without an exponent. nil if the bound has too many digits.
    static func within(_ bound: Bound) -> ByteAutomaton? {
        let value = bound.value
        let isShort =
            value.exponent < mostBoundDigits && value.digits.count - value.exponent < mostBoundDigits
            && value.digits.count < mostBoundDigits
        guard isShort else { return nil }
        let whole = value.integerDigits, fraction = value.fractionDigits
        // Order: -1, 0, 1 if the digits so far are less than, equal to or greater than those of the bound.
        struct State: Hashable {
            var isNegative = false
            var phase = 0  // 0: at the start, 1: before the decimal point, 2: after it
            var count = 0
            var order = 0
        }
        func next(_ state: State, _ symbol: Int) -> State? {
            var state = state
            switch (symbol, state.phase) {
            case (0, 0):
                guard !state.isNegative else { return nil }
                state.isNegative = true
                return state
            case (11, 1):
                if state.count != whole.count { state.order = state.count < whole.count ? -1 : 1 }
                (state.phase, state.count) = (2, 0)
                return state
            case (1...10, 0), (1...10, 1):
                let digit = symbol - 1
                state.phase = 1
                // A leading zero does not count as a digit.
                if state.count == 0, digit == 0 { return state }
                if state.count < whole.count, state.order == 0 {
                    let other = Int(whole[state.count])
                    state.order = digit == other ? 0 : digit < other ? -1 : 1
                }
                state.count = min(state.count + 1, whole.count + 1)
                return state
            case (1...10, 2):
                let other = state.count < fraction.count ? Int(fraction[state.count]) : 0
                if state.order == 0 { state.order = symbol - 1 == other ? 0 : symbol - 1 < other ? -1 : 1 }
                state.count = state.order == 0 ? min(state.count + 1, fraction.count) : 0
                return state
            default: return nil
            }
        }
        func accepts(_ state: State) -> Bool {
            guard state.phase > 0 else { return false }
            var order = state.order
            if state.phase == 1 {
                if state.count != whole.count { order = state.count < whole.count ? -1 : 1 }
                if order == 0, !fraction.isEmpty { order = -1 }
            } else if order == 0, state.count < fraction.count {
                order = -1
            }
            // Compare signs; zero has none.
            if state.isNegative != value.isNegative {
                let isZero = value.isZero && order == 0
                order = isZero ? 0 : state.isNegative ? -1 : 1
            } else if state.isNegative {
                order = -order
            }
            return order == 0 ? !bound.isExclusive : (order > 0) == bound.isLower
        }
        return build(State(), next, accepts)
    }

    /// Multiples of a number, written without an exponent. nil if that takes too many states.
    static func multiple(of divisor: DecimalNumber) -> ByteAutomaton? {
        let places = max(0, -divisor.exponent)
        guard divisor.digits.count + max(0, divisor.exponent) <= 12, places <= mostBoundDigits else { return nil }
        let modulus = (divisor.digits + [UInt8](repeating: 0, count: max(0, divisor.exponent)))
            .reduce(0) { $0 * 10 + Int($1) }
        guard modulus > 0, modulus * (places + 2) <= mostRemainders else { return nil }
        struct State: Hashable {
            var begins = true
            /// The number of digits after the decimal point; -1 before it.
            var place = -1
            var remainder = 0
        }
        func next(_ state: State, _ symbol: Int) -> State? {
            var state = state
            switch symbol {
            case 0:
                guard state.begins else { return nil }
                return state
            case 11:
                guard !state.begins, state.place < 0 else { return nil }
                state.place = 0
            default:
                state.begins = false
                if state.place == places { return symbol == 1 ? state : nil }
                state.remainder = (state.remainder * 10 + symbol - 1) % modulus
                if state.place >= 0 { state.place += 1 }
            }
            return state
        }
        func accepts(_ state: State) -> Bool {
            var remainder = state.remainder
            for _ in max(state.place, 0)..<max(places, state.place, 0) { remainder = remainder * 10 % modulus }
            return !state.begins && remainder == 0
        }
        return build(State(), next, accepts)
    }

    private static func build<State: Hashable>(
        _ start: State, _ next: (State, Int) -> State?, _ accepts: (State) -> Bool
    ) -> ByteAutomaton {
        var numbers = [start: Int32(0)]
        var states = [start]
        var rows: [[Int32]] = []
        while rows.count < states.count {
            let state = states[rows.count]
            var row: [Int32] = []
            for symbol in symbols.indices {
                guard let after = next(state, symbol) else {
                    row.append(-1)
                    continue
                }
                if let number = numbers[after] {
                    row.append(number)
                } else {
                    let number = Int32(states.count)
                    numbers[after] = number
                    states.append(after)
                    row.append(number)
                }
            }
            rows.append(row)
        }
        return ByteAutomaton(start: 0, symbols: symbols, next: rows, accepting: states.map(accepts))
    }
}
