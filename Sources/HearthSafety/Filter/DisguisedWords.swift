/// Finds words written to evade a lexicon: `k1ll`, `kiiill`, `k i l l`, `ki-ll`, `sh*t`, 杀 死.
///
/// A disguised run of letters counts only as a whole: `W-A-R-M` is not "war". The number of readings per run is bounded, so the
/// work is linear in the length of the text.
struct DisguisedWords: Sendable {
    let scanner: LexiconScanner
    var lexicon: CompiledLexicon { scanner.lexicon }

    /// How a word was disguised.
    enum View: String, Sendable {
        case plain, lookedAlike = "leet, stretched or masked", spelled = "spelled out", broken = "broken by signs"
        case closedUp = "blanks and signs between characters"
    }

    struct Sighting {
        var range: Range<Int>
        var pattern: Pattern
        /// The word or phrase as the lexicon has it, folded.
        var entry: String
        var view: View
        var reading: String
    }

    /// The maximum length of a run that is read, in letters; longer forms are phrases, which are never a single run.
    private static let longestRun = 48
    private static let mostReadings = 48

    func sightings(in text: FoldedText) -> [Sighting] {
        var result: [Sighting] = []
        findWholeRuns(text, &result)
        findSpelled(text, &result)
        return result
    }

    // MARK: Runs without spaces

    private func findWholeRuns(_ text: FoldedText, _ result: inout [Sighting]) {
        var at = 0
        while at < text.count {
            guard isRunUnit(text, at) else {
                at += 1
                continue
            }
            var end = at
            var ownMarks = 0
            while end < text.count, isRunUnit(text, end) {
                if text.hasOwnMark[end] { ownMarks += 1 }
                end += 1
            }
            if ownMarks > 1 || Self.isDisguised(text, Self.core(text, at..<end)) { readRun(text, at..<end, &result) }
            at = end
        }
    }

    /// The run without surrounding signs that are not part of a word, such as leading asterisks or a final full stop.
    static func core(_ text: FoldedText, _ run: Range<Int>) -> Range<Int> {
        var (low, high) = (run.lowerBound, run.upperBound)
        while low < high, Signs.isAround(text.scalars[low]) { low += 1 }
        while low < high, Signs.isAround(text.scalars[high - 1]) || Signs.closing.contains(text.scalars[high - 1]) {
            high -= 1
        }
        return low..<high
    }

    func isRunUnit(_ text: FoldedText, _ index: Int) -> Bool {
        let kind = text.kinds[index]
        if kind.isAlphabetic || kind == .digit { return true }
        if kind == .blank || kind.isLetter { return false }
        return kind == .pictograph || Signs.isPartOfWords(text.scalars[index])
    }

    /// Reads a run of letters, digits and signs as a word with lookalikes, as a word broken by signs, and part by part.
    private func readRun(_ text: FoldedText, _ run: Range<Int>, _ result: inout [Sighting]) {
        // Parts between joiners: "k1ll-joy" contains a disguised one.
        var start = run.lowerBound
        for index in run.lowerBound...run.upperBound
        where index == run.upperBound || Self.isDivider(text, index) {
            readPart(text, start..<index, &result)
            start = index + 1
        }
        var high = run.upperBound
        while high > run.lowerBound, Signs.closing.contains(text.scalars[high - 1]) { high -= 1 }
        let letters = (run.lowerBound..<high).filter { !Self.isJoiner(text, $0) }
        guard letters.count >= 3, letters.count < high - run.lowerBound, let first = letters.first,
            let last = letters.last,
            last - first >= letters.count, last - first < 4 * Self.longestRun
        else { return }
        read(letters.map { Element(text, $0, lexicon) }, text, first..<(last + 1), .broken, &result)
    }

    static func isJoiner(_ text: FoldedText, _ index: Int) -> Bool {
        Signs.joiners.contains(text.scalars[index]) || text.kinds[index] == .pictograph
    }
    /// Whether it is a joiner that cannot represent a letter.
    private static func isDivider(_ text: FoldedText, _ index: Int) -> Bool {
        isJoiner(text, index) && text.scalars[index] != Signs.star && Signs.leet[text.scalars[index]] == nil
    }

    /// Whether it contains anything but plain letters: a sign, a digit, or a letter repeated three times.
    static func isDisguised(_ text: FoldedText, _ part: Range<Int>) -> Bool {
        part.contains { index in
            !text.kinds[index].isAlphabetic
                || index >= part.lowerBound + 2 && text.scalars[index] == text.scalars[index - 1]
                    && text.scalars[index] == text.scalars[index - 2]
        }
    }

    private func readPart(_ text: FoldedText, _ part: Range<Int>, _ result: inout [Sighting]) {
        var (low, high) = (part.lowerBound, part.upperBound)
        while low < high, text.scalars[low] == Signs.star || text.scalars[low] == Signs.hash { low += 1 }
        while low < high, Signs.closing.contains(text.scalars[high - 1]) { high -= 1 }
        guard high - low >= 2, (low..<high).contains(where: { text.kinds[$0].isAlphabetic }) else { return }
        // Plain words were already looked up in the text.
        if Self.isDisguised(text, low..<high) {
            read((low..<high).map { Element(text, $0, lexicon) }, text, low..<high, .lookedAlike, &result)
        }
        // Diacritics of the language's own letters, if there are too many to be genuine.
        if isMarkedAllOver(text, low..<high) {
            let bare = (low..<high).map { Element(bare: text.scalars[$0]) }
            read(bare, text, low..<high, .lookedAlike, &result)
        }
    }

    /// Whether there are at least two diacritics and no vowel without one: `mátár`, but not `dégagé`.
    private func isMarkedAllOver(_ text: FoldedText, _ part: Range<Int>) -> Bool {
        part.count(where: { text.hasOwnMark[$0] }) >= 2
            && !part.contains { !text.hasOwnMark[$0] && lexicon.vowels.contains(text.scalars[$0]) }
    }

    // MARK: Single letters

    private func findSpelled(_ text: FoldedText, _ result: inout [Sighting]) {
        var at = 0
        while at < text.count {
            guard isSingle(text, at), let separator = separator(text, after: at) else {
                at += 1
                continue
            }
            var letters = [at]
            var last = at
            while isSingle(text, last + separator.count + 1, after: separator, text, last) {
                // The "l" of "l'arbre" belongs to the next word.
                if separator == [0x20], Self.isElided(text, last + 2) { break }
                last += separator.count + 1
                letters.append(last)
            }
            if letters.count >= 3, letters.count <= Self.longestRun {
                readSpelled(text, letters, isBlank: separator == [0x20], &result)
            }
            at = max(last, at + 1)
        }
    }

    private static func isElided(_ text: FoldedText, _ index: Int) -> Bool {
        index + 1 < text.count && text.scalars[index + 1] == Signs.apostrophe && text.isWordUnit(index + 2)
    }

    private func readSpelled(_ text: FoldedText, _ letters: [Int], isBlank: Bool, _ result: inout [Sighting]) {
        for dropFirst in [false, true] {
            for dropLast in [false, true] {
                if dropFirst || dropLast {
                    guard isBlank, letters.count > 3 else { continue }
                    if dropFirst, !lexicon.shortWords.contains(text.scalars[letters[0]]) { continue }
                    if dropLast, !lexicon.shortWords.contains(text.scalars[letters[letters.count - 1]]) { continue }
                }
                let kept = letters.dropFirst(dropFirst ? 1 : 0).dropLast(dropLast ? 1 : 0)
                guard kept.count >= 3, let first = kept.first, let last = kept.last else { continue }
                read(kept.map { Element(text, $0, lexicon) }, text, first..<(last + 1), .spelled, &result)
                if let phrase = lexicon.closedPhrase(kept.map { text.scalars[$0] }) {
                    result.append(
                        Sighting(
                            range: first..<(last + 1), pattern: phrase.pattern, entry: Self.string(phrase.text),
                            view: .spelled, reading: Self.string(kept.map { text.scalars[$0] })))
                }
            }
        }
    }

    private static func string(_ scalars: [UInt32]) -> String {
        String(String.UnicodeScalarView(scalars.compactMap(Unicode.Scalar.init)))
    }

    private func isSingle(_ text: FoldedText, _ index: Int) -> Bool {
        guard index < text.count, text.kinds[index].isAlphabetic || text.kinds[index] == .digit else { return false }
        return !text.isWordUnit(index - 1) && !text.isWordUnit(index + 1)
    }

    private func isSingle(
        _ text: FoldedText, _ index: Int, after separator: ArraySlice<UInt32>, _ source: FoldedText, _ last: Int
    ) -> Bool {
        guard isSingle(text, index) else { return false }
        return text.scalars[(last + 1)..<index] == separator
    }

    /// One to three signs followed by a single letter.
    private func separator(_ text: FoldedText, after index: Int) -> ArraySlice<UInt32>? {
        var end = index + 1
        while end < text.count, end - index <= 3, !text.kinds[end].isLetter, text.kinds[end] != .digit { end += 1 }
        return end > index + 1 && isSingle(text, end) ? text.scalars[(index + 1)..<end] : nil
    }

    // MARK: Readings

    /// One position of a run, with the letters that it may represent.
    private struct Element {
        var choices: [UInt32]
        var isLetter: Bool

        init(_ text: FoldedText, _ index: Int, _ lexicon: CompiledLexicon) {
            let scalar = text.scalars[index]
            isLetter = text.kinds[index].isAlphabetic
            choices = [scalar]
            guard !isLetter else { return }
            if scalar == Signs.star || scalar == Signs.hash {
                choices = lexicon.vowels
            } else if lexicon.language == .russian, let letters = Signs.cyrillicLeet[scalar] {
                choices = letters + (Signs.leet[scalar] ?? [])
            } else {
                choices = Signs.leet[scalar] ?? choices
            }
        }

        init(bare scalar: UInt32) {
            isLetter = true
            choices = [UnicodeTable.shared.fold(of: scalar)?.first ?? scalar]
        }
    }

    private func read(
        _ elements: [Element], _ text: FoldedText, _ range: Range<Int>, _ view: View, _ result: inout [Sighting]
    ) {
        guard elements.contains(where: \.isLetter) else { return }
        var readings: [[UInt32]] = [[]]
        var at = 0
        var places = 0
        while at < elements.count {
            var end = at + 1
            while end < elements.count, elements[end].choices == elements[at].choices { end += 1 }
            let choices = elements[at].choices
            // Three or more of a letter are read as one and as two; two are read as they are.
            let count = end - at
            let options: [[UInt32]] =
                choices.count == 1 || count > 2
                ? choices.flatMap { letter in
                    (count > 2 ? [1, 2] : [count]).map { Array(repeating: letter, count: $0) }
                }
                : choices.flatMap { first in count == 1 ? [[first]] : choices.map { [first, $0] } }
            let room = max(1, Self.mostReadings / readings.count)
            readings = readings.flatMap { reading in options.prefix(room).map { reading + $0 } }
            at = end
            places += 1
            guard places <= Self.longestRun else { return }
        }
        for reading in readings {
            var word = FoldedText()
            for scalar in reading { word.append(scalar, UnicodeTable.shared.kind(of: scalar), from: 0, to: 0) }
            for hit in scanner.hits(in: word) where hit.range.count > 1 {
                result.append(
                    Sighting(
                        range: range, pattern: hit.pattern, entry: word.text(hit.range), view: view,
                        reading: word.text(0..<word.count)))
            }
        }
    }
}

/// Signs used in place of letters, or between them.
enum Signs {
    static let star: UInt32 = 0x2A
    static let apostrophe: UInt32 = 0x27
    static let hash: UInt32 = 0x23
    /// `- _ . * · • ~ / | +` and similar signs.
    static let joiners = Set("-_.*·•~/|+\\‧∙=^:".unicodeScalars.map(\.value))
    /// Whether it is a joiner, an asterisk or a hash, which represent no letter at the edge of a word.
    static func isAround(_ scalar: UInt32) -> Bool {
        scalar < 0x80 ? ascii[Int(scalar)] & 2 != 0 : joiners.contains(scalar)
    }
    /// Whether it may be between letters, or represent one.
    static func isPartOfWords(_ scalar: UInt32) -> Bool {
        scalar < 0x80 ? ascii[Int(scalar)] != 0 : joiners.contains(scalar) || leet[scalar] != nil
    }
    /// Flags of each ASCII character, the most common signs. 1: may be part of a word; 2: is ignored at its edge.
    private static let ascii: [UInt8] = (0..<0x80 as Range<UInt32>).map { scalar in
        let isAround = (joiners.contains(scalar) && leet[scalar] == nil) || scalar == star || scalar == hash
        return (isAround ? 2 : 0) | (isAround || joiners.contains(scalar) || leet[scalar] != nil ? 1 : 0)
    }
    /// Signs that end a word even if they could represent a letter: an exclamation mark usually is one.
    static let closing = Set("!|+*#".unicodeScalars.map(\.value))

    static let leet = map([
        "0": "o", "1": "il", "3": "e", "4": "a", "5": "s", "7": "t", "8": "b", "@": "a", "$": "s", "!": "il", "|": "il",
        "€": "e", "+": "t", "6": "bg", "9": "g", "2": "z", "£": "l", "¥": "y", "¢": "c",
    ])
    static let cyrillicLeet = map(["0": "о", "3": "з", "4": "ч", "6": "б", "@": "а"])

    private static func map(_ table: [String: String]) -> [UInt32: [UInt32]] {
        var result: [UInt32: [UInt32]] = [:]
        for (sign, letters) in table {
            if let key = sign.unicodeScalars.first?.value { result[key] = letters.unicodeScalars.map(\.value) }
        }
        return result
    }
}
