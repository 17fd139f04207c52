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

    @Test("A thought that the prompt begins goes on in what is generated")
    func thoughtOfThePrompt() throws {
        let vocabulary = try tokenizer().vocabulary
        #expect(vocabulary.thoughtBegun(in: [2, 8, 3, 5, 6]) == [3, 5, 6])
        #expect(vocabulary.thoughtBegun(in: [2, 8, 3]) == [3])
        #expect(vocabulary.thoughtBegun(in: [3, 5, 6, 4, 8]).isEmpty)
        #expect(vocabulary.thoughtBegun(in: [2, 8]).isEmpty)
        #expect(try text([3, 5, 6] + [7, 4, 8]) == ("An", "hm", 6))
    }

    @Test("What a text has to be counts from the end of its thought")
    func constraints() throws {
        let grammar = try TextConstraint.choices(["Answer."]).compiled()
        var text = ConstrainedText(grammar, try tokenizer(), thinks: true)
        func allowed() throws -> [TokenID] {
            try text.update()
            return (0..<12).filter { text.allows($0) }
        }
        #expect(try allowed() == [3, 8] && !text.mustEnd && !text.isComplete)
        // Within the thought everything may come, but for the end of the text.
        for token in [3, 5, 6, 7, 7] as [TokenID] { #expect(try text.advance(token).all) }
        let within = try allowed()
        #expect(within.contains(7) && within.contains(4) && within.contains(9) && !text.isComplete && !text.mustEnd)
        #expect(try text.advance(4).all)
        #expect(try allowed() == [8])
        for token in [8, 9, 10] as [TokenID] { #expect(try text.advance(token).all) }
        #expect(text.mustEnd && text.isComplete)
        // A text without a thought has none later on, and one that was not asked for has none at all.
        text = ConstrainedText(grammar, try tokenizer(), thinks: true)
        #expect(try text.advance(8).all)
        #expect(try allowed() == [9])
        text = ConstrainedText(grammar, try tokenizer())
        #expect(try allowed() == [8])
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
