import HearthGrammar
import HearthTestSupport
import Testing

@Suite("Token masks", .timeLimit(.minutes(20))) struct TokenMaskTests {
    /// Every byte, and pieces that cross the places where lexemes meet.
    private static func vocabulary(_ random: inout SeededNumbers) -> [[UInt8]] {
        let parts = [
            "\"", "\\", "{", "}", "[", "]", ",", ":", "a", "b", "name", "é", "😀", " ", "\n", "1", "23", ".", "e", "-",
            "\\n", "\\u00", "true", "null", "x",
        ]
        var pieces: [[UInt8]] = (0...255).map { [UInt8($0)] }
        for _ in 0..<3000 {
            var piece = (0...random.below(4)).flatMap { _ in Array(parts[random.below(parts.count)].utf8) }
            // Some end within a character.
            if random.below(6) == 0 { piece.removeLast(min(piece.count - 1, random.below(3))) }
            pieces.append(piece)
        }
        return pieces
    }

    private static let grammars: [(String, @Sendable () throws -> Grammar)] = [
        ("any JSON", { try Grammar(jsonSchema: "true") }),
        (
            "an object",
            {
                try Grammar(
                    jsonSchema:
                        #"{"type":"object","properties":{"name":{"type":"string"},"a":{"type":"string","maxLength":4},"b":{"type":["number","null"]},"x":{"type":"string","minLength":3}},"required":["name"]}"#
                )
            }
        ),
        (
            "strings",
            {
                try Grammar(
                    jsonSchema:
                        #"{"type":"array","items":{"anyOf":[{"type":"string","maxLength":300},{"type":"string","pattern":"^[a1]+$"},{"enum":["name","null","é😀"]}]}}"#
                )
            }
        ),
        (
            "lengths",
            { try Grammar(jsonSchema: #"{"type":"array","items":{"type":"string","minLength":40,"maxLength":400}}"#) }
        ),
        (
            "GBNF",
            {
                try Grammar(
                    gbnf: "root ::= \"{\" s \"}\" | \"[\" root \"]\"\ns ::= \"\\\"\" [^\"\\\\]* \"\\\"\" (\",\" s)?")
            }
        ),
        ("regular expression", { try Grammar(regex: "(a|b|é|\\.)*(name){1,3}.*") }),
    ]

    private static func trie(_ pieces: [[UInt8]]) -> TokenTrie {
        var bytes: [UInt8] = []
        var ranges: [Range<Int>?] = []
        for piece in pieces {
            ranges.append(bytes.count..<bytes.count + piece.count)
            bytes += piece
        }
        // A control token, and the end.
        return TokenTrie(bytes: bytes, ranges: ranges + [nil, nil])
    }

    @Test("A mask is what reading each token byte by byte gives, along random texts", arguments: grammars.indices)
    func masks(index: Int) throws {
        var random = SeededNumbers.fresh()
        let pieces = Self.vocabulary(&random)
        let trie = Self.trie(pieces)
        let end = Int32(trie.count - 1)
        let grammar = try Self.grammars[index].1()
        for _ in 0..<6 {
            var masker = TokenMasker(grammar, trie: trie, endTokens: [end])
            var machine = grammar.machine
            var state = machine.start
            for _ in 0..<25 {
                try masker.update()
                var allowed: [Int32] = []
                for (token, piece) in pieces.enumerated() {
                    var next = state
                    for byte in piece where next != GrammarMachine.dead { next = machine.next(next, byte) }
                    let isAllowed = next != GrammarMachine.dead
                    if isAllowed { allowed.append(Int32(token)) }
                    if masker.allows(Int32(token)) != isAllowed {
                        Issue.record("\(Self.grammars[index].0): \(piece)")
                    }
                }
                #expect(masker.allows(end) == machine.isComplete(state))
                #expect(!masker.allows(end - 1))
                guard let token = allowed.isEmpty ? nil : allowed[random.below(allowed.count)] else { break }
                #expect(try masker.advance(pieces[Int(token)]).all)
                for byte in pieces[Int(token)] { state = machine.next(state, byte) }
            }
        }
    }

    @Test(
        "Forced bytes are those without an alternative; what goes on behind them is found", arguments: grammars.indices)
    func forced(index: Int) throws {
        var random = SeededNumbers.fresh()
        let pieces = Self.vocabulary(&random)
        let trie = Self.trie(pieces)
        let grammar = try Self.grammars[index].1()
        var found = 0
        for _ in 0..<20 {
            var masker = TokenMasker(grammar, trie: trie, endTokens: [])
            var machine = grammar.machine
            var state = machine.start
            for _ in 0..<40 {
                var end = state
                var expected: [UInt8] = []
                while !machine.isComplete(end) {
                    let open = (0...255).map { UInt8($0) }.filter { machine.next(end, $0) != GrammarMachine.dead }
                    guard let only = open.first, open.count == 1 else { break }
                    end = machine.next(end, only)
                    expected.append(only)
                }
                let forced = try masker.forcedBytes(most: .max)
                #expect(forced.bytes == expected, "\(Self.grammars[index].0)")
                found += expected.count
                for count in 1...max(1, min(expected.count, 8)) where !expected.isEmpty {
                    let tail = expected.suffix(count)
                    let spans = pieces.contains { piece in
                        guard piece.count > count, piece.starts(with: tail) else { return false }
                        var next = end
                        for byte in piece.dropFirst(count) where next != GrammarMachine.dead {
                            next = machine.next(next, byte)
                        }
                        return next != GrammarMachine.dead
                    }
                    #expect(masker.spansEnd(of: forced, last: count) == spans, "\(Self.grammars[index].0): \(tail)")
                }
                try masker.update()
                let allowed = pieces.indices.filter { masker.allows(Int32($0)) }
                guard !allowed.isEmpty else { break }
                let piece = pieces[allowed[random.below(allowed.count)]]
                #expect(try masker.advance(piece).all)
                for byte in piece { state = machine.next(state, byte) }
            }
        }
        // Names and literals have only one way on.
        #expect(index == 0 || index > 3 || found > 0)
    }
}
