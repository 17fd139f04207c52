/// Replaces matched words with softer ones, and leaves everything else unchanged.
struct Rewriter {
    private let bytes: [UInt8]
    private let language: FilterLanguage?

    init(_ text: String, _ lexicon: CompiledLexicon) {
        bytes = Array(text.utf8)
        language = lexicon.language
    }

    /// Returns the text with replacements.
    /// - Parameter findings: sorted by start, longer ones first.
    func text(replacing findings: [SentenceJudge.Finding]) -> String {
        var result = ""
        var at = 0
        for finding in findings {
            let low = max(finding.range.lowerBound, at)
            guard finding.range.upperBound > at else { continue }
            result += String(decoding: bytes[at..<low], as: UTF8.self)
            // A match that overlaps a replaced part is removed with it.
            let isRest = finding.isRest || finding.range.lowerBound < at
            let replacement = isRest ? "" : cased(finding)
            if replacement.isEmpty {
                closeGap(&result, end: finding.range.upperBound)
            } else if language == .english {
                fitArticle(&result, to: replacement)
            } else if language == .french {
                elide(&result, before: replacement, insteadOf: finding)
            }
            result += replacement
            at = finding.range.upperBound
            if language == .korean, !replacement.isEmpty { at = takeParticle(&result, at, after: replacement) }
        }
        return result + String(decoding: bytes[at...], as: UTF8.self)
    }

    /// The replacement in the letter case of the original.
    private func cased(_ finding: SentenceJudge.Finding) -> String {
        let surface = String(decoding: bytes[finding.range], as: UTF8.self)
        let letters = surface.filter(\.isLetter)
        let word = finding.pattern.replacement
        guard letters.first?.isUppercase == true else { return word }
        if letters.count > 1, letters.allSatisfy(\.isUppercase) { return word.uppercased() }
        // The replacement keeps its own capitals (German nouns); at the start of a sentence it is capitalized.
        return word.prefix(1).uppercased() + word.dropFirst()
    }

    /// Removes one of the spaces around a deleted word.
    private func closeGap(_ result: inout String, end: Int) {
        let next = end < bytes.count ? bytes[end] : 0x2E
        let closes = next == 0x20 || next == 0x2E || next == 0x2C || next == 0x21 || next == 0x3F
        if closes, result.unicodeScalars.last == " " { result.unicodeScalars.removeLast() }
    }

    /// Adapts the article: "an idiot" becomes "a silly goose".
    private func fitArticle(_ result: inout String, to word: String) {
        let isVowel = word.first.map { "aeiouAEIOU".contains($0) } ?? false
        for (article, other) in [("a ", "an "), ("A ", "An ")] {
            let (wrong, right) = isVowel ? (article, other) : (other, article)
            guard result.hasSuffix(wrong) else { continue }
            let before = result.dropLast(wrong.count).last
            guard before.map({ !$0.isLetter && !$0.isNumber && $0 != "'" && $0 != "’" }) ?? true else { continue }
            result.removeLast(wrong.count)
            result += right
            return
        }
    }

    /// Elides a French word before a vowel: "ne tue" becomes "n'attrape". The reverse is left to the lexicon: `l'` has no gender.
    private func elide(_ result: inout String, before word: String, insteadOf finding: SentenceJudge.Finding) {
        func isVowel(_ letter: Character?) -> Bool { letter.map { "aeiouâàéèêëîïôöûùœæ".contains($0) } ?? false }
        let surface = String(decoding: bytes[finding.range], as: UTF8.self)
        guard isVowel(word.lowercased().first), !isVowel(surface.lowercased().first) else { return }
        for elided in ["ne ", "je ", "me ", "te ", "se ", "de ", "que ", "le ", "la "] {
            guard result.lowercased().hasSuffix(elided) else { continue }
            let before = result.dropLast(elided.count).last
            guard before.map({ !$0.isLetter && !$0.isNumber && !"'’-".contains($0) }) ?? true else { continue }
            result.removeLast(2)
            result += "'"
            return
        }
    }

    /// Replaces a Korean particle, which depends on whether the word before it ends in a consonant.
    private func takeParticle(_ result: inout String, _ at: Int, after word: String) -> Int {
        guard let last = word.unicodeScalars.last?.value, (0xAC00...0xD7A3).contains(last) else { return at }
        let final = (last - 0xAC00) % 28
        let rest = String(decoding: bytes[at..<min(at + 24, bytes.count)], as: UTF8.self)
        for (closed, open) in [("을", "를"), ("은", "는"), ("이", "가"), ("과", "와"), ("으로", "로")] {
            // 로 follows vowels and ㄹ.
            let takesOpen = final == 0 || (open == "로" && final == 8)
            let (wrong, right) = takesOpen ? (closed, open) : (open, closed)
            guard rest.hasPrefix(wrong) else { continue }
            let following = rest.dropFirst(wrong.count).unicodeScalars.first?.value ?? 0x20
            // "이" is also the start of the copula and other endings, which must stay.
            guard wrong == "으로" || wrong == "로" || !(0xAC00...0xD7A3).contains(following) else { continue }
            result += right
            return at + wrong.utf8.count
        }
        return at
    }
}
