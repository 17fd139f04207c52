/// Versions of the whole text without disguises, to find phrases.
extension DisguisedWords {
    /// A text with restored words, and the units that changed.
    struct Undisguised {
        var text = FoldedText()
        var isChanged: [Bool] = []

        mutating func append(_ scalar: UInt32, _ kind: ScalarClass, _ source: FoldedText, _ index: Int, isChanged: Bool)
        {
            text.append(scalar, kind, from: source.starts[index], to: source.ends[index])
            self.isChanged.append(isChanged)
        }
    }

    /// The text with each disguised run of letters in its most likely reading, to find phrases that contain a disguised word
    /// (`sh-ut up`); nil if no run is disguised.
    func undisguised(_ text: FoldedText) -> Undisguised? {
        guard hasDisguise(text) else { return nil }
        var result = Undisguised()
        var at = 0
        while at < text.count {
            var end = at
            while end < text.count, isRunUnit(text, end) { end += 1 }
            let run = at..<max(end, at + 1)
            if isDisguisedWord(text, run) {
                appendWord(text, run, to: &result)
            } else {
                for index in run {
                    result.append(text.scalars[index], text.kinds[index], text, index, isChanged: false)
                }
            }
            at = run.upperBound
        }
        return result
    }

    private func hasDisguise(_ text: FoldedText) -> Bool {
        var at = 0
        while at < text.count {
            var end = at
            while end < text.count, isRunUnit(text, end) { end += 1 }
            if end > at, isDisguisedWord(text, at..<end) { return true }
            at = max(end, at + 1)
        }
        return false
    }

    private func isDisguisedWord(_ text: FoldedText, _ run: Range<Int>) -> Bool {
        let core = Self.core(text, run)
        return Self.isDisguised(text, core) && core.contains { text.kinds[$0].isAlphabetic }
    }

    /// Appends a word without joiners, with signs as the first letter that they represent, and with three or more of a letter
    /// as one.
    private func appendWord(_ text: FoldedText, _ run: Range<Int>, to result: inout Undisguised) {
        var high = run.upperBound
        while high > run.lowerBound, Signs.closing.contains(text.scalars[high - 1]) { high -= 1 }
        var index = run.lowerBound
        while index < high {
            let scalar = text.scalars[index]
            var next = index + 1
            while next < high, text.scalars[next] == scalar { next += 1 }
            let count = next - index > 2 ? 1 : next - index
            if text.kinds[index].isAlphabetic || text.kinds[index] == .hangul {
                for _ in 0..<count { result.append(scalar, text.kinds[index], text, index, isChanged: true) }
            } else if !Self.isJoiner(text, index), scalar != Signs.hash {
                let letter = Signs.leet[scalar]?.first ?? scalar
                for _ in 0..<count {
                    result.append(letter, UnicodeTable.shared.kind(of: letter), text, index, isChanged: true)
                }
            }
            index = next
        }
        for index in high..<run.upperBound {
            result.append(text.scalars[index], text.kinds[index], text, index, isChanged: false)
        }
    }

    /// The text without separators between characters of a script that is written without spaces; nil if there are none.
    func closedUp(_ text: FoldedText) -> FoldedText? {
        guard let language = lexicon.language, language.isUnspaced || language == .korean else { return nil }
        var isLeftOut = [Bool](repeating: false, count: text.count)
        var found = false
        var at = 0
        while at < text.count {
            guard isCharacter(text, at, language) else {
                at += 1
                continue
            }
            var end = at + 1
            while end < text.count, end - at <= 4, isFiller(text, end, language) { end += 1 }
            if end > at + 1, end < text.count, isCharacter(text, end, language) {
                for index in (at + 1)..<end { isLeftOut[index] = true }
                found = true
            }
            at = end
        }
        return found ? text.dropping(isLeftOut) : nil
    }

    private func isCharacter(_ text: FoldedText, _ index: Int, _ language: FilterLanguage) -> Bool {
        language == .korean ? text.kinds[index] == .hangul : text.kinds[index].isCJK
    }

    private func isFiller(_ text: FoldedText, _ index: Int, _ language: FilterLanguage) -> Bool {
        if text.kinds[index] == .blank { return language != .korean }
        return Signs.joiners.contains(text.scalars[index]) || text.kinds[index] == .pictograph
    }
}
