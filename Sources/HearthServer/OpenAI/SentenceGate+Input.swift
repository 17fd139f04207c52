internal import HearthGrammar
internal import HearthSafety
package import HearthText

/// What a filtered request hands in is judged like an answer, before the model reads it: the texts of people, of pages and of functions.
/// The app's own instructions, which are system messages and declarations of functions, are not: they may name what to avoid.
extension SentenceGate {
    /// Stands for an earlier message that the filter stopped, so that a conversation can go on after it.
    package static let omitted = "…"

    /// Judges the messages of a conversation. If one that is to be answered is stopped, so is the answer; earlier ones are left out.
    /// - Returns: the messages that the model may read.
    package mutating func admit(_ messages: [ChatMessage]) -> [ChatMessage] {
        // What follows the last answer; a message of the assistant at the end is the beginning of an answer.
        let newest = messages.dropLast().lastIndex { $0.role == .assistant }.map { $0 + 1 } ?? 0
        var admitted = messages
        for (index, message) in messages.enumerated() where message.role != .system {
            for call in message.calls ?? [] {
                // An answer with such a call was never sent.
                var gate = SentenceGate(language)
                if !gate.allows(arguments: call.arguments) { isStopped = true }
            }
            if let text = read(message.content) {
                admitted[index].content = text
            } else if index >= newest {
                isStopped = true
            } else {
                admitted[index].content = Self.omitted
            }
        }
        return admitted
    }

    /// Judges a text that is to be continued or read aloud. If it is stopped, so is the answer.
    /// - Returns: the text that the model may read.
    package mutating func admit(_ text: String) -> String {
        guard let text = read(text) else {
            isStopped = true
            return ""
        }
        return text
    }

    /// The text, unchanged unless words of it are replaced; nil if the filter stops it.
    private func read(_ text: String) -> String? {
        let isJSON = (try? JSONDocument(text.utf8)) != nil
        if isJSON {
            // Escapes hide words from the filter, so the strings in it are judged.
            var gate = SentenceGate(language)
            if gate.allows(arguments: text) { return text }
        }
        var gate = SentenceGate(language)
        let softened = gate.feed(text) + gate.finish()
        guard !gate.isStopped else { return nil }
        guard gate.swaps > 0 else { return isJSON ? nil : text }
        var strict = SentenceGate(language)
        return isJSON && !strict.allows(arguments: softened) ? nil : softened
    }
}
