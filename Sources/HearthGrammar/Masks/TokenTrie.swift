/// A trie of the bytes of all tokens in one flat array, depth first; if a byte is not allowed, its subtree is skipped.
///
/// It also contains tables that are the same for all grammars with JSON strings: tokens that stay inside a string, and the
/// bytes after the closing quotation mark in tokens that leave it.
package struct TokenTrie: Sendable {
    /// A trie of tokens, depth first.
    struct Tree: Sendable {
        /// For each node: the byte, its depth (16 bits), whether tokens end there, for each `WordSlice` whether all tokens of its
        /// subtree belong to it, and in the upper half the node after its subtree.
        private(set) var nodes: [UInt64] = [1 << 32]
        /// The index of each node's first token, and a final end index.
        private(set) var tokenStarts: [Int32] = [0]
        private(set) var tokens: [Int32] = []
        private(set) var depth = 0

        init() { tokenStarts.append(0) }

        /// Builds a trie.
        /// - Parameter words: tokens with their bytes, sorted by bytes.
        init(ascending words: [(token: Int32, bytes: Range<Int>)], of bytes: [UInt8]) {
            var path = [Step(node: 0, inside: WordSlice.all, whole: 0)]
            var last = 0..<0
            var rootTokens: [Int32] = []
            for word in words {
                let limit = min(word.bytes.count, last.count)
                var common = 0
                while common < limit, bytes[word.bytes.lowerBound + common] == bytes[last.lowerBound + common] {
                    common += 1
                }
                while path.count > common + 1 { close(&path) }
                for index in common..<word.bytes.count {
                    let byte = bytes[word.bytes.lowerBound + index]
                    var inside = path[index].inside & WordSlice.flags[Int(byte)]
                    if index >= WordSlice.longest { inside = 0 }
                    path.append(Step(node: nodes.count, inside: inside, whole: inside))
                    nodes.append(UInt64(byte) | UInt64(index + 1) << 8)
                    tokenStarts.append(Int32(tokens.count))
                }
                if word.bytes.isEmpty {
                    rootTokens.append(word.token)
                } else {
                    nodes[nodes.count - 1] |= 1 << 24
                    tokens.append(word.token)
                }
                depth = max(depth, word.bytes.count)
                last = word.bytes
            }
            while !path.isEmpty { close(&path) }
            tokenStarts.append(Int32(tokens.count))
            tokens = rootTokens + tokens
            for index in tokenStarts.indices { tokenStarts[index] += Int32(rootTokens.count) }
            tokenStarts[0] = 0
        }

        /// A node whose subtree is being built, with the slices that all bytes up to it belong to, and those that its whole
        /// subtree does, as far as it is known.
        private struct Step {
            var node: Int
            var inside: UInt64
            var whole: UInt64
        }

        private mutating func close(_ path: inout [Step]) {
            let step = path.removeLast()
            nodes[step.node] |= UInt64(nodes.count) << 32 | step.whole
            if !path.isEmpty { path[path.count - 1].whole &= step.whole }
        }
    }

    /// Letters that patterns often allow in any number, and the tokens that consist of them alone.
    enum WordSlice: Int, CaseIterable {
        case lowercase, word

        /// The maximum number of bytes of its tokens.
        static let longest = 16

        /// The mark of a node of the trie.
        var flag: UInt64 { 1 << UInt64(25 + rawValue) }

        func contains(_ byte: UInt8) -> Bool {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"): true
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
                self == .word
            default: false
            }
        }

        /// The marks of all slices.
        static let all = allCases.reduce(0) { $0 | $1.flag }
        /// The marks of the slices that each byte belongs to.
        static let flags = (0...255).map { byte in
            allCases.reduce(0) { $1.contains(UInt8(byte)) ? $0 | $1.flag : $0 }
        }
        static let bytes = allCases.map { slice in (0...255).map { UInt8($0) }.filter { slice.contains($0) } }
    }

    /// Tables for a notation of JSON strings, which differ in the escapes allowed; see `RegexArena.jsonCharacters`.
    struct StringForm: Sendable {
        /// Tokens that stay inside a string, except plain ones.
        var inner: [UInt64]
        /// The bytes after the closing quotation mark, for tokens that leave the string.
        var behind: Tree
    }

    /// The number of tokens; tokens without text are not in any trie.
    package let count: Int
    /// The length of the longest token in bytes.
    package let longest: Int
    /// The number of 64-bit words in a mask.
    package var maskWords: Int { (count + 63) / 64 }

    let all: Tree
    /// Tokens with a quotation mark, a backslash, a control character, a line separator or an incomplete character.
    let special: Tree
    /// Masks of all other tokens, by their maximum number of characters; the last contains all of them.
    let plain: [[UInt64]]
    let stringForms: [StringForm]
    /// Masks of the tokens of each `WordSlice`.
    let words: [[UInt64]]

    /// Builds the tries.
    /// - Parameters:
    ///   - bytes: the bytes of all tokens, concatenated.
    ///   - ranges: the range of each token; nil for a token without text.
    package init(bytes: [UInt8], ranges: [Range<Int>?]) {
        count = ranges.count
        var words: [(key: UInt64, token: Int32)] = []
        words.reserveCapacity(ranges.count)
        var longest = 0
        for (token, range) in ranges.enumerated() {
            guard let range, !range.isEmpty else { continue }
            var key: UInt64 = 0
            for index in 0..<8 {
                key = key << 8 | (index < range.count ? UInt64(bytes[range.lowerBound + index]) : 0)
            }
            words.append((key, Int32(token)))
            longest = max(longest, range.count)
        }
        self.longest = longest
        let known = ranges
        func range(_ token: Int32) -> Range<Int> { known[Int(token)] ?? 0..<0 }
        Self.sortByKey(&words)
        var start = 0
        while start < words.count {
            var end = start + 1
            while end < words.count, words[end].key == words[start].key { end += 1 }
            if end > start + 1 {
                words[start..<end].sort { a, b in
                    let (first, second) = (range(a.token), range(b.token))
                    if first.count > 8 || second.count > 8 {
                        if bytes[first].lexicographicallyPrecedes(bytes[second]) { return true }
                        if bytes[second].lexicographicallyPrecedes(bytes[first]) { return false }
                    }
                    return (first.count, a.token) < (second.count, b.token)
                }
            }
            start = end
        }
        let sorted = words.map { (token: $0.token, bytes: range($0.token)) }
        all = Tree(ascending: sorted, of: bytes)

        let width = (ranges.count + 63) / 64
        var byCount: [[Int32]] = []
        var others: [(token: Int32, bytes: Range<Int>)] = []
        for word in sorted {
            guard let characters = Self.plainCharacters(bytes, word.bytes) else {
                others.append(word)
                continue
            }
            while byCount.count <= characters { byCount.append([]) }
            byCount[characters].append(word.token)
        }
        special = Tree(ascending: others, of: bytes)
        var plain: [[UInt64]] = []
        var mask = [UInt64](repeating: 0, count: width)
        for tokens in byCount {
            for token in tokens { mask[Int(token) >> 6] |= 1 << UInt64(token & 63) }
            plain.append(mask)
        }
        self.plain = plain.isEmpty ? [mask] : plain
        self.words = WordSlice.allCases.map { slice in
            var mask = [UInt64](repeating: 0, count: width)
            for word in sorted
            where word.bytes.count <= WordSlice.longest
                && word.bytes.allSatisfy({ WordSlice.flags[Int(bytes[$0])] & slice.flag != 0 })
            {
                mask[Int(word.token) >> 6] |= 1 << UInt64(word.token & 63)
            }
            return mask
        }
        stringForms = [ScalarEncoding.json, .jsonEscaped].map { Self.stringForm($0, others, bytes, width) }
    }

    /// Sorts by the key, 16 bits at a time: several times as fast as comparing.
    private static func sortByKey(_ words: inout [(key: UInt64, token: Int32)]) {
        var other = words
        for shift in stride(from: UInt64(0), to: 64, by: 16) {
            var places = [Int](repeating: 0, count: 1 << 16)
            for word in words { places[Int(word.key >> shift & 0xFFFF)] += 1 }
            var sum = 0
            for index in places.indices { (places[index], sum) = (sum, sum + places[index]) }
            for word in words {
                let digit = Int(word.key >> shift & 0xFFFF)
                other[places[digit]] = word
                places[digit] += 1
            }
            swap(&words, &other)
        }
    }

    /// The number of characters of a token without quotation marks, backslashes, control characters and the line separators
    /// that a regular expression's dot excludes; nil for others.
    private static func plainCharacters(_ bytes: [UInt8], _ range: Range<Int>) -> Int? {
        var characters = 0
        var index = range.lowerBound
        while index < range.upperBound {
            let byte = bytes[index]
            if byte < 0x80 {
                if byte < 0x20 || byte == 0x22 || byte == 0x5C || byte == 0x7F { return nil }
                index += 1
            } else {
                guard let length = characterLength(bytes[index..<range.upperBound]) else { return nil }
                index += length
            }
            characters += 1
        }
        return characters
    }

    /// The number of bytes of the character that a text beyond ASCII begins with; nil if it is incomplete, invalid, or a
    /// line separator (U+2028 or U+2029).
    private static func characterLength(_ bytes: ArraySlice<UInt8>) -> Int? {
        let start = bytes.startIndex
        let length = bytes[start] >= 0xF0 ? 4 : bytes[start] >= 0xE0 ? 3 : 2
        guard bytes.count >= length, bytes[start] >= 0xC2, bytes[start] <= 0xF4 else { return nil }
        for index in start + 1..<start + length where bytes[index] & 0xC0 != 0x80 { return nil }
        switch (bytes[start], bytes[start + 1]) {
        // Too long, surrogates, beyond the last scalar.
        case (0xE0, ..<0xA0), (0xED, 0xA0...), (0xF0, ..<0x90), (0xF4, 0x90...): return nil
        case (0xE2, 0x80): return [0xA8, 0xA9].contains(bytes[start + 2]) ? nil : length
        default: return length
        }
    }

    /// Classifies each token by reading it inside a string.
    private static func stringForm(
        _ encoding: ScalarEncoding, _ words: [(token: Int32, bytes: Range<Int>)], _ bytes: [UInt8], _ width: Int
    ) -> StringForm {
        var form = StringForm(inner: [UInt64](repeating: 0, count: width), behind: Tree())
        var terms = TermArena()
        var encoder = ScalarEncoder()
        let character = encoder.node(.all, encoding, &terms.regex)
        let inside = terms.regex.repetition(character, 0, RegexArena.unbounded)
        let root = terms.lexeme(terms.regex.sequence(inside, terms.regex.literal([0x22])))
        _ = terms.close()
        guard var machine = try? GrammarMachine(terms, root: root, place: "string") else { return form }
        var leaving: [(token: Int32, bytes: Range<Int>)] = []
        for word in words {
            var state = machine.start
            var index = word.bytes.lowerBound
            while index < word.bytes.upperBound, state != GrammarMachine.dead, !machine.isComplete(state) {
                state = machine.next(state, bytes[index])
                index += 1
            }
            if state == GrammarMachine.dead { continue }
            if machine.isComplete(state) {
                leaving.append((word.token, index..<word.bytes.upperBound))
            } else {
                form.inner[Int(word.token) >> 6] |= 1 << UInt64(word.token & 63)
            }
        }
        leaving.sort { a, b in
            if bytes[a.bytes].elementsEqual(bytes[b.bytes]) { return a.token < b.token }
            return bytes[a.bytes].lexicographicallyPrecedes(bytes[b.bytes])
        }
        form.behind = Tree(ascending: leaving, of: bytes)
        return form
    }
}
