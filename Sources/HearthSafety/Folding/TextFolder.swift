/// Folds a text so that disguised letters become plain ones: invisible characters are removed; compatibility forms, case and
/// foreign diacritics are folded; lookalikes are replaced by the letters that they resemble.
///
/// Each character is processed once, so the time is linear in the length of the text.
struct TextFolder: Sendable {
    private let table = UnicodeTable.shared
    private let lookalikes = Lookalikes.shared
    private let language: FilterLanguage?
    /// Base and mark → the language's letter that they form.
    private let ownLetters: [UInt64: UInt32]

    /// Creates a folder.
    /// - Parameter ownLetters: letters with diacritics that the language uses; all other diacritics are dropped.
    init(language: FilterLanguage?, ownLetters: String) {
        self.language = language
        var letters: [UInt64: UInt32] = [:]
        for scalar in ownLetters.unicodeScalars {
            guard let fold = UnicodeTable.shared.fold(of: scalar.value), fold.count == 2, let base = fold.first,
                let mark = fold.last
            else { continue }
            letters[Self.key(base, mark)] = scalar.value
        }
        self.ownLetters = letters
    }

    private static func key(_ base: UInt32, _ mark: UInt32) -> UInt64 { UInt64(base) << 32 | UInt64(mark) }

    func fold(_ text: String) -> FoldedText {
        let source = Array(text.unicodeScalars)
        var result = FoldedText()
        result.reserve(source.count)
        var at = 0
        var offset: Int32 = 0
        while at < source.count {
            let value = source[at].value
            if value == 0x3C || value == 0x26, let skipped = MarkupScanner.length(source, at) {
                let end = offset + Self.width(source[at..<(at + skipped)])
                if let scalar = MarkupScanner.entity(source[at..<(at + skipped)]) {
                    append(scalar, from: offset, to: end, &result)
                } else {
                    result.extendLast(to: end)
                }
                at += skipped
                offset = end
                continue
            }
            let end = offset + Int32(UTF8.width(source[at]))
            append(value, from: offset, to: end, &result)
            offset = end
            at += 1
        }
        resolveMixedWords(&result)
        return result
    }

    private static func width(_ scalars: ArraySlice<Unicode.Scalar>) -> Int32 {
        scalars.reduce(0) { $0 + Int32(UTF8.width($1)) }
    }

    private func append(_ value: UInt32, from start: Int32, to end: Int32, _ result: inout FoldedText) {
        if value < 0x80 { return appendASCII(value, from: start, to: end, &result) }
        if let letter = lookalike(value) { return result.append(letter, table.kind(of: letter), from: start, to: end) }
        guard let fold = table.fold(of: value) else { return appendFolded(value, from: start, to: end, &result) }
        // An invisible character remains invisible, even if it has a fold.
        if table.kind(of: value) == .ignorable { return result.extendLast(to: end) }
        for scalar in fold { appendFolded(scalar, from: start, to: end, &result) }
    }

    private func appendASCII(_ value: UInt32, from start: Int32, to end: Int32, _ result: inout FoldedText) {
        switch value {
        case 0x61...0x7A: result.append(value, .latin, from: start, to: end)
        case 0x41...0x5A: result.append(value + 32, .latin, from: start, to: end)
        case 0x30...0x39: result.append(value, .digit, from: start, to: end)
        case 0x20, 0x09...0x0D:
            if result.kinds.last == .blank {
                result.extendLast(to: end)
            } else {
                result.append(0x20, .blank, from: start, to: end)
            }
        case 0..<0x20, 0x7F: result.extendLast(to: end)
        default: result.append(value, .other, from: start, to: end)
        }
    }

    private func appendFolded(_ value: UInt32, from start: Int32, to end: Int32, _ result: inout FoldedText) {
        if value < 0x80 { return appendASCII(value, from: start, to: end, &result) }
        if let letter = lookalike(value) { return result.append(letter, table.kind(of: letter), from: start, to: end) }
        let kind = table.kind(of: value)
        switch kind {
        case .ignorable: result.extendLast(to: end)
        case .blank: appendASCII(0x20, from: start, to: end, &result)
        case .mark:
            let letter = result.scalars.last.flatMap { ownLetters[Self.key($0, value)] }
            result.mark(letter, to: end)
        case .hangul:
            if let base = result.scalars.last, let syllable = Hangul.composed(base, value) {
                result.replaceLast(syllable, hasOwnMark: false)
                result.extendLast(to: end)
            } else {
                result.append(value, kind, from: start, to: end)
            }
        default:
            result.append(Self.plainSign(value), kind, from: start, to: end)
        }
    }

    /// Normalizes signs that are used interchangeably.
    private static func plainSign(_ value: UInt32) -> UInt32 {
        switch value {
        case 0x2018, 0x2019, 0x201B, 0x2BC, 0xB4, 0x2032: 0x27
        case 0x2010...0x2013, 0x2212, 0xAD: 0x2D
        default: value
        }
    }

    private func lookalike(_ value: UInt32) -> UInt32? {
        if language?.isLatin == true { return lookalikes.latin[value] }
        if language == .arabic { return lookalikes.arabic[value] }
        return value >= 0x1F130 ? lookalikes.latin[value] : nil
    }

    /// Outside the Latin languages, lookalikes are recognized by mixed scripts within a word.
    private func resolveMixedWords(_ text: inout FoldedText) {
        guard language?.isLatin != true else { return }
        var at = 0
        while at < text.count {
            guard text.kinds[at].isAlphabetic else {
                at += 1
                continue
            }
            var end = at
            var hasLatin = false
            var hasCyrillic = false
            var isMixed = false
            while end < text.count, text.kinds[end].isAlphabetic {
                switch text.kinds[end] {
                case .latin: hasLatin = true
                case .cyrillic: hasCyrillic = true
                default: isMixed = true
                }
                end += 1
            }
            if hasLatin, hasCyrillic || isMixed {
                let map = language == .russian && hasCyrillic ? lookalikes.cyrillic : lookalikes.latin
                for index in at..<end {
                    if let letter = map[text.scalars[index]] { text.replace(index, letter, table.kind(of: letter)) }
                }
            }
            at = end
        }
    }
}

/// Composes Korean syllables from jamo (The Unicode Standard, section 3.12).
enum Hangul {
    static func composed(_ first: UInt32, _ second: UInt32) -> UInt32? {
        if (0x1100...0x1112).contains(first), (0x1161...0x1175).contains(second) {
            return 0xAC00 + ((first - 0x1100) * 21 + second - 0x1161) * 28
        }
        if (0xAC00...0xD7A3).contains(first), (first - 0xAC00) % 28 == 0, (0x11A8...0x11C2).contains(second) {
            return first + second - 0x11A7
        }
        return nil
    }
}

/// Recognizes tags and numeric entities inside a text: `k<b>i</b>ll`, `&#107;ill`.
enum MarkupScanner {
    private static let longest = 64

    /// The number of scalars of the tag or entity at `at`; nil if there is none.
    static func length(_ source: [Unicode.Scalar], _ at: Int) -> Int? {
        let limit = min(source.count, at + longest)
        if source[at] == "<" {
            var next = at + 1
            if next < limit, source[next] == "/" { next += 1 }
            guard next < limit, source[next].properties.isAlphabetic, source[next].isASCII else { return nil }
            while next < limit, source[next] != ">" {
                guard source[next] != "<", source[next] != "\n" else { return nil }
                next += 1
            }
            return next < limit ? next + 1 - at : nil
        }
        guard source[at] == "&", at + 2 < limit, source[at + 1] == "#" else { return nil }
        var next = at + 2
        while next < limit, next - at < 11, source[next] != ";" {
            guard source[next].isASCII,
                source[next].properties.isAlphabetic || source[next].properties.numericType != nil
            else { return nil }
            next += 1
        }
        return next < limit && source[next] == ";" && next > at + 2 ? next + 1 - at : nil
    }

    /// The scalar of an entity; nil for a tag.
    static func entity(_ source: ArraySlice<Unicode.Scalar>) -> UInt32? {
        guard source.first == "&" else { return nil }
        var digits = String(String.UnicodeScalarView(source.dropFirst(2).dropLast()))
        let isHexadecimal = digits.hasPrefix("x") || digits.hasPrefix("X")
        if isHexadecimal { digits.removeFirst() }
        guard let value = UInt32(digits, radix: isHexadecimal ? 16 : 10), Unicode.Scalar(value) != nil else {
            return nil
        }
        return value
    }
}
