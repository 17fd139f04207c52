/// Fills the slots of a text while it is written. The result depends only on the text, not on how it was split.
///
/// No part of a slot is ever returned. What cannot be filled is replaced by ``fault``: an unknown or broken slot, and a pronoun that was
/// written out and may be the wrong one. A sentence with that character must not be told.
package struct SlotFiller: Sendable {
    /// The object replacement character, which stands for what is no text.
    package static let fault: Unicode.Scalar = "\u{FFFC}"
    /// The longest slot of the training texts has 64 scalars, forms included.
    private static let longestSlot = 120

    private let slots: TaleSlots
    private var pronouns: Pronouns
    /// The slot that is open, without its brace.
    private var slot: String.UnicodeScalarView?
    /// What is ready.
    private var output = String.UnicodeScalarView()
    /// Spanish *y*, and the space after it, which a name may turn into *e*.
    private var held = String.UnicodeScalarView()
    /// The last scalar that was written.
    private var last: Unicode.Scalar = " "

    init(_ slots: TaleSlots) {
        self.slots = slots
        pronouns = Pronouns(slots.language)
    }

    /// Processes the next piece of text, of any length.
    /// - Returns: the text that is ready.
    package mutating func feed(_ text: String) -> String {
        for scalar in text.unicodeScalars { take(scalar) }
        return taken()
    }

    /// Ends the text.
    package mutating func finish() -> String {
        if slot != nil { spoil() }
        slot = nil
        if pronouns.end() { mark() }
        release()
        return taken()
    }

    /// Fills a whole text; nil if a part of it cannot be filled.
    package static func filled(_ text: String, _ plan: StoryPlan) -> String? {
        var filler = plan.filler
        let full = filler.feed(text) + filler.finish()
        return full.unicodeScalars.contains(fault) ? nil : full
    }

    private mutating func taken() -> String {
        defer { output = String.UnicodeScalarView() }
        return String(output)
    }

    private mutating func take(_ scalar: Unicode.Scalar) {
        guard let content = slot else { return write(scalar) }
        switch scalar {
        case "}":
            slot = nil
            fill(String(content))
        case "{": spoil()
        case "\n":
            spoil()
            slot = nil
            write(scalar)
        default:
            slot?.append(scalar)
            guard content.count >= Self.longestSlot || scalar == Self.fault else { return }
            spoil()
            slot = nil
        }
    }

    /// Writes a scalar outside of slots.
    private mutating func write(_ scalar: Unicode.Scalar) {
        if pronouns.take(scalar) { mark() }
        if held.count == 2, scalar != "{" { release() }
        switch scalar {
        case "{": slot = String.UnicodeScalarView()
        case "}", Self.fault: spoil()
        case "y" where mayBecomeE, "Y" where mayBecomeE: held.append(scalar)
        case " " where held.count == 1: held.append(scalar)
        default:
            release()
            put(scalar)
        }
        if pronouns.isComplete { mark() }
    }

    /// Whether a *y* that follows is a word's beginning, and not that of a question.
    private var mayBecomeE: Bool {
        slots.language == .spanish && held.isEmpty && !last.isLetter && last != "¿"
    }

    private mutating func fill(_ slot: String) {
        guard let value = slots.value(of: Substring(slot)), !slot.contains(":") || !pronouns.areIn(value) else {
            return spoil()
        }
        if slots.language == .spanish, held.count == 2, SpanishNames.beginsWithI(value) {
            held = (held.first == "y" ? "e " : "E ").unicodeScalars
        }
        release()
        for scalar in value.unicodeScalars { put(scalar) }
    }

    /// Marks the sentence. A capital stands in for what is missing, so that sentences end as they would with a name.
    private mutating func spoil() {
        slot = slot.map { _ in String.UnicodeScalarView() }
        release()
        put("X")
        put(Self.fault)
    }

    private mutating func mark() {
        release()
        output.append(Self.fault)
    }

    private mutating func release() {
        for scalar in held { put(scalar) }
        held = String.UnicodeScalarView()
    }

    private mutating func put(_ scalar: Unicode.Scalar) {
        output.append(scalar)
        last = scalar
    }
}

/// Finds pronouns outside of slots. In the training texts all of them are slots.
private struct Pronouns: Sendable {
    private let language: StoryLanguage
    /// The word that is being written; only its beginning if it is longer than all pronouns.
    private var word = ""
    /// Whether the last scalar is a pronoun by itself.
    private(set) var isComplete = false

    init(_ language: StoryLanguage) { self.language = language }

    private static let words: [StoryLanguage: Set<String>] = [
        .english: ["he", "she", "him", "his", "her", "hers", "himself", "herself"], .spanish: ["él", "ella"],
        .simplifiedChinese: ["它"],
    ]

    /// Takes the next scalar.
    /// - Returns: whether a pronoun ended before it.
    mutating func take(_ scalar: Unicode.Scalar) -> Bool {
        if language == .simplifiedChinese {
            isComplete = "他她".unicodeScalars.contains(scalar)
            // 它们 are things.
            defer { word = scalar == "它" ? "它" : "" }
            return word == "它" && scalar != "们"
        }
        guard scalar.continuesWord else { return end() }
        if word.unicodeScalars.count < 12 { word += scalar.properties.lowercaseMapping }
        return false
    }

    /// Whether the text before ends with a pronoun.
    mutating func end() -> Bool {
        defer { word = "" }
        return Self.words[language]?.contains(word) ?? false
    }

    /// Whether a text contains a pronoun.
    func areIn(_ text: String) -> Bool {
        var other = Pronouns(language)
        for scalar in text.unicodeScalars where other.take(scalar) || other.isComplete { return true }
        return other.end()
    }
}

extension Unicode.Scalar {
    /// Whether it is a letter, or a combining mark of one.
    fileprivate var isLetter: Bool { properties.isAlphabetic || properties.generalCategory == .nonspacingMark }
    /// Whether a word goes on with it.
    fileprivate var continuesWord: Bool { isLetter || properties.numericType != nil || self == "_" }
}
