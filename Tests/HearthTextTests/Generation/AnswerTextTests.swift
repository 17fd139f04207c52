import HearthText
import HearthTokenizer
import Testing

/// What tokens say: answer, thought, and the strings that end an answer.
@Suite("Answers and thoughts", .timeLimit(.minutes(20))) struct AnswerTextTests {
    private func tokenizer() throws -> TextTokenizer {
        // A vocabulary of words, with Gemma 4's control tokens.
        TextTokenizer(
            try Vocabulary(
                pieces: [
                    "<pad>", "<eos>", "<bos>", "<|channel>", "<channel|>", "thought", "\n", "hm", "An", "swer", ".",
                    "e",
                ],
                kinds: [.unknown] + [TokenKind](repeating: .control, count: 4)
                    + [TokenKind](repeating: .normal, count: 7),
                scores: [Float](repeating: 0, count: 12)))
    }

    private func text(_ ids: [TokenID], stop: [String] = []) throws -> (answer: String, thought: String, used: Int) {
        var text = AnswerText(try tokenizer(), stop: stop)
        var (answer, thought, used) = ("", "", 0)
        for id in ids where !text.isStopped {
            let piece = try text.append(id)
            answer += piece.answer
            thought += piece.thought
            used += 1
        }
        let rest = text.finish()
        return (answer + rest.answer, thought + rest.thought, used)
    }

    @Test("A thought is no part of the answer, nor is its channel's name")
    func thoughts() throws {
        #expect(try text([3, 5, 6, 7, 7, 4, 8, 9]) == ("Answer", "hmhm", 8))
        #expect(try text([8, 3, 5, 6, 7, 4, 9]) == ("Answer", "hm", 7))
        // Empty, as large models without thinking begin; never closed; closed without a name.
        #expect(try text([3, 5, 6, 4, 8]) == ("An", "", 5))
        #expect(try text([3, 5, 6, 7]) == ("", "hm", 4))
        #expect(try text([3, 5, 4, 8]) == ("An", "", 4))
    }

    @Test("Strings end the answer, not the thought, as soon as they are there")
    func stops() throws {
        #expect(try text([3, 5, 6, 7, 10, 4, 8, 9, 10, 8], stop: ["."]) == ("Answer", "hm.", 9))
        #expect(try text([8, 9, 10, 8], stop: ["nsw"]) == ("A", "", 2))
        // The last character of the string is held back by nothing.
        #expect(try text([8, 9, 9, 9], stop: ["Answer"]) == ("", "", 2))
        #expect(try text([8, 9, 11], stop: ["ere."]) == ("Answere", "", 3))
    }
}
