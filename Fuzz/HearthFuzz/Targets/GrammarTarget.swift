import HearthGrammar

extension FuzzTarget {
    /// A constraint (the first byte says of which kind) and a text to judge by it: an answer or an error, and a mask over tokens
    /// that says what reading their bytes says.
    static let grammar = FuzzTarget(name: "grammar", longestInput: 1 << 10) {
        let pieces =
            (0...255).map { [UInt8($0)] }
            + ["\",", "{\"", "\":", "ab", "null", "é", "1.", "]}", "\\u00"].map { Array($0.utf8) }
        var bytes: [UInt8] = []
        var ranges: [Range<Int>?] = []
        for piece in pieces {
            ranges.append(bytes.count..<bytes.count + piece.count)
            bytes += piece
        }
        let trie = TokenTrie(bytes: bytes, ranges: ranges)
        return { bytes in
            var input = FuzzInput(bytes)
            let kind = input.byte() % 3
            // What follows a byte that no constraint holds is the text.
            let parts = input.bytes.split(separator: 0, maxSplits: 1, omittingEmptySubsequences: false)
            let source = String(decoding: parts[0], as: UTF8.self)
            let text = parts.count > 1 ? Array(parts[1]) : [UInt8]()
            let made =
                switch kind {
                case 0: try? Grammar(jsonSchema: source)
                case 1: try? Grammar(gbnf: source)
                default: try? Grammar(regex: source)
                }
            guard let grammar = made else { return }
            GrammarChecks.check(grammar, text, pieces, trie)
        }
    } seeds: {
        let schemas = [
            #"{"type":"object","properties":{"a":{"type":"integer","minimum":-3,"multipleOf":0.5},"b":{"enum":["x",1]}},"required":["a"],"additionalProperties":false}"#,
            ##"{"anyOf":[{"type":"string","pattern":"^a+$","maxLength":3},{"type":"array","prefixItems":[{}],"items":{"$ref":"#"},"maxItems":2}]}"##,
            #"{"type":"string","format":"date-time"}"#,
            #"{"patternProperties":{"^a":{"type":"null"}},"minProperties":1,"oneOf":[{"type":"object"},{"const":1.0}]}"#,
        ]
        let grammars = [#"root ::= "a" root "b" | [a-c\x41]{2,3} (x | .)* # end"#, "root ::= \"(\" root \")\" | \"1\""]
        let expressions = [#"^(a|b{2,3})+?[^\d\p{Lu}]$"#, #"(?:\u{1F600}|.)*x"#]
        var seeds: [String: [UInt8]] = [:]
        for (kind, sources) in [schemas, grammars, expressions].enumerated() {
            for (index, source) in sources.enumerated() {
                seeds["\(kind)-\(index)"] = [UInt8(kind)] + Array(source.utf8) + [0] + Array(#"{"a":1.5}"#.utf8)
            }
        }
        return seeds
    }
}

private enum GrammarChecks {
    static func check(_ grammar: Grammar, _ text: [UInt8], _ pieces: [[UInt8]], _ trie: TokenTrie) {
        guard let verdict = try? grammar.verdict(of: text) else { return }
        if case .rejected(let place) = verdict { require((0...text.count).contains(place), "rejected at \(place)") }
        var masker = TokenMasker(grammar, trie: trie, endTokens: [])
        for byte in text.prefix(8) { guard (try? masker.advance([byte]))?.all == true else { break } }
        guard (try? masker.update()) != nil else { return }
        for (token, piece) in pieces.enumerated() {
            var reading = masker
            guard let (_, all) = try? reading.advance(piece) else { return }
            require(all == masker.allows(Int32(token)), "the mask and the bytes of \(piece) disagree")
        }
    }
}
