package import HearthTokenizer

extension Vocabulary {
    /// The tokens around what a model thinks before it answers; nil for one without.
    var channelMarkers: (open: TokenID, close: TokenID)? {
        guard let open = id(of: "<|channel>"), let close = id(of: "<channel|>") else { return nil }
        return (open, close)
    }
}

/// What generated tokens say: the answer, which ends at a stop string, and apart from it what the model thinks before it answers.
///
/// Gemma 4 thinks between the control tokens `<|channel>` and `<channel|>`; the first line behind the opening one is the
/// channel's name. Control tokens decide, never their spelling.
package struct AnswerText: Sendable {
    /// Text that is certain now.
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

    /// - Parameter calls: tokens that are told as `ToolMarkers.startCharacter` and so on, for a reader of calls.
    package init(_ tokenizer: TextTokenizer, stop: [String], calls: ToolMarkers? = nil) {
        self.calls = calls
        detokenizer = StreamingDetokenizer(tokenizer)
        matcher = StopMatcher(stop)
        channel = tokenizer.vocabulary.channelMarkers
    }

    /// Whether a stop string has appeared; nothing more comes then.
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
        // What the detokenizer holds back may be the end of a stop string, and no later token can change that.
        if place == .answer, !matcher.isStopped, matcher.wouldStop(at: detokenizer.held) {
            add(detokenizer.finish(), to: &piece)
        }
        return piece
    }

    /// What was held back, at the end.
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
