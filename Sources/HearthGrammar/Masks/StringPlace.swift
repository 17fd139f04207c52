/// The position of a state relative to JSON strings; allows computing masks cheaply.
enum StringPlace {
    /// In a JSON string where every token that stays inside is allowed; `form` is an index of `TokenTrie.stringForms`.
    case anywhere(form: Int, mayEnd: Bool)
    /// Up to this many plain characters are allowed; other tokens have to be checked.
    case holdsPlain(characters: Int)
    case elsewhere
}

extension GrammarMachine {
    /// Determines the position of a state.
    /// - Parameter longest: the length of the longest token in bytes.
    mutating func stringPlace(_ state: State, longest: Int32) -> StringPlace {
        let threads = threads(of: state)
        let isOnly = threads.count == 1
        for thread in threads {
            if terms.regex.isEverythingBut(thread.node) { return .holdsPlain(characters: .max) }
            guard let (character, least, most, rest) = terms.regex.repeated(thread.node) else { continue }
            let isLong = most == RegexArena.unbounded || most > longest
            let form = terms.regex.jsonCharacters.firstIndex(of: character)
            let endsWithMark = terms.regex.firstByte(rest) == 0x22
            if let form, isOnly, endsWithMark {
                if isLong, least == 0 || least > longest { return .anywhere(form: form, mayEnd: least == 0) }
                return .holdsPlain(characters: isLong ? .max : Int(most))
            }
            if isLong, terms.regex.coversPlain(character) { return .holdsPlain(characters: .max) }
        }
        return .elsewhere
    }
}

extension RegexArena {
    /// The parts of an expression that starts with a repetition.
    func repeated(_ node: Node) -> (part: Node, least: Int32, most: Int32, rest: Node)? {
        let isSequence = kinds[Int(node)] == .sequence
        let head = Int(isSequence ? first[Int(node)] : node)
        guard kinds[head] == .repetition else { return nil }
        return (first[head], second[head], third[head], isSequence ? second[Int(node)] : Self.empty)
    }

    /// Whether it starts with arbitrary characters except for a finite set of words: then every plain character is allowed,
    /// because more can follow it.
    mutating func isEverythingBut(_ node: Node) -> Bool {
        let head = kinds[Int(node)] == .sequence ? first[Int(node)] : node
        guard kinds[Int(head)] == .intersection else { return false }
        var isAny = false
        for part in Array(list(head)) {
            if kinds[Int(part)] == .complement {
                guard isFinite(first[Int(part)]) else { return false }
            } else {
                guard kinds[Int(part)] == .repetition, third[Int(part)] == Self.unbounded,
                    coversPlain(first[Int(part)])
                else { return false }
                isAny = true
            }
        }
        return isAny
    }

    /// Whether the number of words is finite; false if this is not obvious from the structure.
    private mutating func isFinite(_ node: Node) -> Bool {
        if let known = finite[node] { return known }
        let result: Bool
        switch kinds[Int(node)] {
        case .none, .empty, .set, .literal: result = true
        case .sequence:
            let (a, b) = (first[Int(node)], second[Int(node)])
            result = isFinite(a) && isFinite(b)
        case .union: result = Array(list(node)).allSatisfy { isFinite($0) }
        default: result = false
        }
        finite[node] = result
        return result
    }

    /// The first byte of every word; nil if this is not obvious from the structure.
    func firstByte(_ node: Node) -> UInt8? {
        switch kinds[Int(node)] {
        case .literal: literals[Int(first[Int(node)])]
        case .sequence: firstByte(first[Int(node)])
        default: nil
        }
    }

    /// Whether it matches every character except quotation marks, backslashes, control characters and line separators, which
    /// are U+2028 and U+2029.
    mutating func coversPlain(_ node: Node) -> Bool {
        if let known = plainCovered[node] { return known }
        // All UTF-8 sequences, as ranges of bytes.
        var covers = true
        func ends(_ node: Node, _ arena: RegexArena) -> Bool { arena.nullable[Int(node)] }
        for byte in UInt8(0x20)...0x7E where byte != 0x22 && byte != 0x5C {
            if !ends(derivative(node, byte), self) { covers = false }
        }
        let forms: [[ClosedRange<UInt8>]] = [
            [0xC2...0xDF, 0x80...0xBF], [0xE0...0xE0, 0xA0...0xBF, 0x80...0xBF],
            [0xE1...0xE1, 0x80...0xBF, 0x80...0xBF], [0xE2...0xE2, 0x80...0x80, 0x80...0xA7],
            [0xE2...0xE2, 0x80...0x80, 0xAA...0xBF], [0xE2...0xE2, 0x81...0xBF, 0x80...0xBF],
            [0xE3...0xEC, 0x80...0xBF, 0x80...0xBF],
            [0xED...0xED, 0x80...0x9F, 0x80...0xBF], [0xEE...0xEF, 0x80...0xBF, 0x80...0xBF],
            [0xF0...0xF0, 0x90...0xBF, 0x80...0xBF, 0x80...0xBF], [0xF1...0xF3, 0x80...0xBF, 0x80...0xBF, 0x80...0xBF],
            [0xF4...0xF4, 0x80...0x8F, 0x80...0xBF, 0x80...0xBF],
        ]
        for form in forms where covers {
            var reached: Set<Node> = [node]
            for range in form {
                var next: Set<Node> = []
                for at in reached { for byte in range { next.insert(derivative(at, byte)) } }
                reached = next
            }
            covers = reached.allSatisfy { $0 != Self.none && ends($0, self) }
        }
        plainCovered[node] = covers
        return covers
    }
}
