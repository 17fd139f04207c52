import Foundation
import HearthSystem
import HearthText
import HearthTokenizer
import Synchronization

/// The turns of `hearth chat`: requests answers, prints them, and keeps the conversation's file up to date.
struct ChatTurns: Sendable {
    enum Request: Sendable {
        case message(String)
        /// Answers the last message again.
        case again
    }

    var chat: ChatSession
    var options: TextGenerator.Options
    var pace: GenerationPace
    var tokenizer: TextTokenizer
    /// Path of the conversation's file; nil for none.
    var file: String?
    var json: Bool
    var seed: UInt64

    private struct Turn: Encodable {
        var text: String
        var promptTokens: Int
        var cachedTokens: Int
        var tokens: [TokenID]
        var prefillMS: Double
        var decodeMS: Double
        var tokensPerSecond: Double
        var stop: String
        var seed: UInt64
        var notices: [String]?
        var thought: String?
        var logprobs: [LikelihoodRow]?
    }
    private struct Problem: Encodable { var error: String }

    /// Requests an answer and prints it, or reports that the message is too long.
    /// - Returns: the length of the context in tokens if the message is too long for it; nil if it was answered.
    /// - Throws: other errors of the model; the conversation is then unchanged.
    func limit(exceededBy request: Request) async throws -> Int? {
        do {
            try await answer(request)
            return nil
        } catch TextError.contextOverflow(let tokens, let limit) {
            try tell(problem: "the message takes \(tokens) tokens, more than the context of \(limit)")
            return limit
        }
    }

    /// Requests an answer and prints it.
    /// - Throws: errors of the model; the conversation is then unchanged.
    func answer(_ request: Request) async throws {
        var text = "", thought = ""
        var tokens: [TokenID] = []
        var notices: [String] = []
        var likelihoods: [TokenLikelihood] = []
        let events =
            switch request {
            case .message(let message): chat.respond(to: message, options: options, pace: pace)
            case .again: chat.regenerate(options: options, pace: pace)
            }
        do {
            for try await event in events {
                switch event {
                case .notice(let notice):
                    notices.append(notice)
                    Output.error.writeLine("hearth: note: \(notice)")
                case .likelihood(let likelihood): likelihoods.append(likelihood)
                case .token(let id): tokens.append(id)
                case .thought(let piece): thought += piece
                case .paused, .calling, .result: break
                case .text(let piece):
                    text += piece
                    if !json { Output.standard.write(shown(piece)) }
                case .finished(let summary):
                    // A turn that is printed as JSON is saved; one that cannot be saved is printed before the error.
                    var unsaved: (any Error)?
                    do {
                        if let file { try await chat.saveText(to: file) }
                    } catch {
                        unsaved = error
                    }
                    guard json else {
                        if let unsaved { throw unsaved }
                        if text.last?.isNewline != true { Output.standard.write("\n") }
                        continue
                    }
                    let rows = likelihoods.prefix(tokens.count).map { LikelihoodRow($0, tokenizer) }
                    try Output.standard.writeJSON(
                        Turn(
                            text: text, promptTokens: summary.promptTokens, cachedTokens: summary.cachedTokens,
                            tokens: tokens, prefillMS: summary.prefillMS, decodeMS: summary.decodeMS,
                            tokensPerSecond: summary.tokensPerSecond, stop: summary.stop.rawValue, seed: seed,
                            notices: notices.isEmpty ? nil : notices, thought: thought.isEmpty ? nil : thought,
                            logprobs: options.likelihoods == nil ? nil : rows))
                    if let unsaved { throw unsaved }
                }
            }
        } catch {
            if !json, !text.isEmpty { Output.standard.write("\n") }
            throw error
        }
    }

    /// Reports a line that is not a valid message.
    func tell(problem: String) throws {
        if json {
            try Output.standard.writeJSON(Problem(error: problem))
        } else {
            Output.error.writeLine("hearth: note: \(problem)")
        }
    }

    private func shown(_ text: String) -> String {
        Output.standard.isTerminal ? text.withoutTerminalControls : text
    }
}

/// Handles Ctrl-C while a model answers: stops the answer.
final class ChatInterruption: Sendable {
    private struct State {
        var isAnswering = false
        var mustEnd = false
    }
    private let state = Mutex(State())
    private let chat: ChatSession
    private let survives: Bool

    /// - Parameter survives: whether the conversation continues after an interrupted answer.
    init(chat: ChatSession, survives: Bool) {
        self.chat = chat
        self.survives = survives
    }

    /// Marks the beginning of an answer.
    func begin() { state.withLock { $0.isAnswering = true } }

    /// Marks the end of an answer.
    /// - Returns: whether the program has to exit.
    func end() -> Bool {
        state.withLock {
            $0.isAnswering = false
            return $0.mustEnd
        }
    }

    /// Stops the current answer.
    /// - Returns: false if the signal ends the program at once.
    func takes(_ signal: Int32) -> Bool {
        let isFirst = state.withLock { state -> Bool? in
            guard state.isAnswering, !state.mustEnd else { return nil }
            state.mustEnd = !survives || signal != SIGINT
            return state.mustEnd
        }
        guard let endsAfterwards = isFirst else { return false }
        Task { await chat.cancel() }
        if endsAfterwards {
            // Ends the program if ending the answer takes too long: it is still printed and saved on a busy machine.
            Thread.detachNewThread { Interruption.leaveUnlessRead(after: 180_000) }
        }
        return true
    }
}

/// Lines of standard input, read on a separate thread.
final class LineSource: Sendable {
    private let lines = Mutex(InputLines())

    func next() async throws -> InputLines.Line? {
        try await OwnThread.run { [self] _ in try lines.withLock { try $0.next() } }
    }
}
