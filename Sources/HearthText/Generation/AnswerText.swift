package import HearthTokenizer

extension Vocabulary {
    /// The tokens that enclose a thought before the answer; nil if the vocabulary has none.
    var channelMarkers: (open: TokenID, close: TokenID)? {
        guard let open = id(of: "<|channel>"), let close = id(of: "<channel|>") else { return nil }
        return (open, close)
    }

    /// The thought that a prompt begins and does not end, from its opening marker on; empty if there is none.
    package func thoughtBegun(in prompt: ArraySlice<TokenID>) -> ArraySlice<TokenID> {
        guard let channel = channelMarkers,
            let last = prompt.lastIndex(where: { $0 == channel.open || $0 == channel.close }),
            prompt[last] == channel.open
        else { return [] }
        return prompt[last...]
    }
}

/// Converts generated tokens to text: the answer, up to a stop string, and separately the thought before it.
///
/// Gemma 4 thinks between the control tokens `<|channel>` and `<channel|>`; the first line after the opening one is the
/// channel's name. Only the control tokens count, not text that spells them.
package struct AnswerText: Sendable {
    /// Text that is final and can be delivered.
    package struct Piece: Sendable, Equatable {
        package var answer = ""
        package var thought = ""
    }

    private enum Place { case answer, channelName, thought }

    private var detokenizer: StreamingDetokenizer
    private var matcher: StopMatcher
    private let channel: (open: TokenID, close: TokenID)?
    private let calls: ToolMarkers?
    private var place = Place.answer

    /// - Parameter calls: tool call tokens, which are emitted as `ToolMarkers.startCharacter` and so on for the tool call reader.
    package init(_ tokenizer: TextTokenizer, stop: [String], calls: ToolMarkers? = nil) {
        self.calls = calls
        detokenizer = StreamingDetokenizer(tokenizer)
        matcher = StopMatcher(stop)
        channel = tokenizer.vocabulary.channelMarkers
    }

    /// Whether a stop string has appeared; the answer has ended then.
    package var isStopped: Bool { matcher.isStopped }

    /// - Throws: `TokenizerError.tokenOutOfRange`.
    package mutating func append(_ token: TokenID) throws(TokenizerError) -> Piece {
        var piece = Piece()
        if let channel, token == channel.open || token == channel.close {
            add(detokenizer.finish(), to: &piece)
            place = token == channel.open ? .channelName : .answer
            return piece
        }
        if let character = calls?.character(of: token) {
            add(detokenizer.finish(), to: &piece)
            if place == .answer { piece.answer += matcher.feed(String(character)) }
            return piece
        }
        add(try detokenizer.append(token), to: &piece)
        // The text held back by the detokenizer may complete a stop string, whatever token follows.
        if place == .answer, !matcher.isStopped, matcher.wouldStop(at: detokenizer.held) {
            add(detokenizer.finish(), to: &piece)
        }
        return piece
    }

    /// Returns the text held back, at the end of the text.
    package mutating func finish() -> Piece {
        var piece = Piece()
        add(detokenizer.finish(), to: &piece)
        piece.answer += matcher.finish()
        return piece
    }

    private mutating func add(_ text: String, to piece: inout Piece) {
        switch place {
        case .answer: piece.answer += matcher.feed(calls == nil ? text : ToolMarkers.cleaned(text))
        case .thought: piece.thought += text
        case .channelName:
            guard let end = text.firstIndex(of: "\n") else { return }
            piece.thought += text[text.index(after: end)...]
            place = .thought
        }
    }
}
