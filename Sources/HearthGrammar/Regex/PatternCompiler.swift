/// Compiles patterns over characters to expressions over bytes.
///
/// `^` and `$` are allowed anywhere. The matches of a pattern are divided into four parts, by whether a match must begin at the
/// start of the text, and whether it must end at its end. A part followed by `^` can only match the empty text, and so on.
struct PatternCompiler {
    private struct Match {
        typealias Node = RegexArena.Node
        /// By index: bit 0 is set if matches must begin at the start of the text, bit 1 if they must end at its end.
        var parts: [Node] = [RegexArena.none, RegexArena.none, RegexArena.none, RegexArena.none]

        init(free: Node = RegexArena.none, bound: Int? = nil) {
            parts[0] = free
            if let bound { parts[bound] = RegexArena.empty }
        }

        var isFree: Bool { parts[1...].allSatisfy { $0 == RegexArena.none } }
    }

    /// Whether a pattern matches a part of the text, or all of it.
    enum Extent { case somewhere, whole }

    static func node(
        _ pattern: Pattern, _ extent: Extent, _ encoding: ScalarEncoding, _ encoder: inout ScalarEncoder,
        _ arena: inout RegexArena
    ) throws(PatternParser.Problem) -> RegexArena.Node {
        let match = try match(pattern, encoding, &encoder, &arena)
        if extent == .whole { return arena.union(match.parts) }
        let any = arena.universal(encoder.node(.all, encoding, &arena))
        return arena.union([
            arena.sequence([any, match.parts[0], any]), arena.sequence(match.parts[1], any),
            arena.sequence(any, match.parts[2]), match.parts[3],
        ])
    }

    private static func match(
        _ pattern: Pattern, _ encoding: ScalarEncoding, _ encoder: inout ScalarEncoder, _ arena: inout RegexArena
    ) throws(PatternParser.Problem) -> Match {
        switch pattern {
        case .start: return Match(bound: 1)
        case .end: return Match(bound: 2)
        case .set(let set): return Match(free: encoder.node(set, encoding, &arena))
        case .sequence(let parts):
            var result = Match(free: RegexArena.empty)
            // From the last part, because sequences are nested to the right.
            for part in parts.reversed() {
                result = joined(try match(part, encoding, &encoder, &arena), result, &arena)
            }
            return result
        case .choice(let choices):
            var all: [[RegexArena.Node]] = [[], [], [], []]
            for choice in choices {
                let match = try match(choice, encoding, &encoder, &arena)
                for index in 0..<4 { all[index].append(match.parts[index]) }
            }
            var result = Match()
            for index in 0..<4 { result.parts[index] = arena.union(all[index]) }
            return result
        case .repetition(let part, let least, let most):
            let match = try match(part, encoding, &encoder, &arena)
            if match.isFree {
                return Match(free: arena.repetition(match.parts[0], least, most ?? RegexArena.unbounded))
            }
            guard least <= 1, most == nil || most == 1 else { throw .unsupported("^ or $ in a counted repetition") }
            let once = most == 1 ? match : joined(match, anyNumber(match, &arena), &arena)
            return least == 1 ? once : either(once, Match(free: RegexArena.empty), &arena)
        }
    }

    /// Zero or more repetitions: only the first may be anchored to the start, only the last to the end.
    private static func anyNumber(_ match: Match, _ arena: inout RegexArena) -> Match {
        let free = Match(free: arena.repetition(match.parts[0], 0, RegexArena.unbounded))
        return joined(joined(either(match, free, &arena), free, &arena), either(match, free, &arena), &arena)
    }

    private static func either(_ a: Match, _ b: Match, _ arena: inout RegexArena) -> Match {
        var result = Match()
        for index in 0..<4 { result.parts[index] = arena.union([a.parts[index], b.parts[index]]) }
        return result
    }

    private static func joined(_ a: Match, _ b: Match, _ arena: inout RegexArena) -> Match {
        var all: [[RegexArena.Node]] = [[], [], [], []]
        for left in 0..<4 where a.parts[left] != RegexArena.none {
            for right in 0..<4 where b.parts[right] != RegexArena.none {
                // Nothing may follow a part anchored to the end, or precede one anchored to the start.
                let first = right & 1 == 1 ? emptyOnly(a.parts[left], arena) : a.parts[left]
                let second = left & 2 == 2 ? emptyOnly(b.parts[right], arena) : b.parts[right]
                all[left | right].append(arena.sequence(first, second))
            }
        }
        var result = Match()
        for index in 0..<4 { result.parts[index] = arena.union(all[index]) }
        return result
    }

    private static func emptyOnly(_ node: RegexArena.Node, _ arena: RegexArena) -> RegexArena.Node {
        arena.nullable[Int(node)] ? RegexArena.empty : RegexArena.none
    }
}
