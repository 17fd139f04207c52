import Foundation
import HearthSystem
import HearthText

/// An interactive conversation at a terminal: one message or command per line.
struct ChatPrompt: Sendable {
    var turns: ChatTurns
    var interruption: ChatInterruption

    /// The meaning of a line. Pure.
    enum Line: Equatable {
        case nothing
        case message(String)
        case help, undo, regenerate, quit
        /// nil for the session's file.
        case save(String?)
        case unknown(String)

        init(_ text: String) {
            let trimmed = text.trimmingCharacters(in: .whitespaces)
            guard text.hasPrefix("/") else {
                self = trimmed.isEmpty ? .nothing : .message(text)
                return
            }
            let words = trimmed.split(separator: " ", maxSplits: 1).map(String.init)
            switch words.first {
            case "/help", "/?": self = .help
            case "/undo": self = .undo
            case "/regenerate": self = .regenerate
            case "/quit", "/exit": self = .quit
            case "/save": self = .save(words.count > 1 ? words[1] : nil)
            default: self = .unknown(words.first ?? text)
            }
        }
    }

    static let help = """
        /undo         removes the last message and its answer
        /regenerate   answers the last message again
        /save [FILE]  saves the conversation, as --session does
        /quit         ends the program, as Ctrl-D does
        /help         shows this list
        Ctrl-C stops an answer; at the prompt it ends the program. A line with a blank before the slash is a message.

        """

    func run() async throws {
        let input = LineSource()
        let earlier = await turns.chat.messages.count / 2
        if earlier > 0 { tell("\(earlier) earlier \(earlier == 1 ? "turn" : "turns"); /undo removes the last") }
        while true {
            if isatty(STDERR_FILENO) == 1 { Output.error.write("> ") }
            guard let line = try await input.next() else { return Output.error.write("\n") }
            switch line {
            case .problem(let what): tell(what)
            case .text(let text):
                guard try await perform(Line(text)) else { return }
            }
        }
    }

    /// - Returns: false if the conversation is over.
    private func perform(_ line: Line) async throws -> Bool {
        switch line {
        case .nothing: break
        case .message(let text): try await answer(.message(text))
        case .help: Output.error.write(Self.help)
        case .undo:
            if let message = await turns.chat.undo() {
                try await keep(turns.file)
                tell("removed: \(message)")
            } else {
                tell("there is no message yet")
            }
        case .regenerate:
            if await turns.chat.messages.isEmpty { tell("there is no message yet") } else { try await answer(.again) }
        case .save(let path):
            guard let path = path ?? turns.file else {
                tell("pass a file: /save FILE")
                break
            }
            do {
                try await turns.chat.save(to: path)
                tell("saved to \(path)")
            } catch {
                Output.error.writeLine(CommandFailure(error).line)
            }
        case .quit: return false
        case .unknown(let word): tell("there is no \(word); /help lists the commands")
        }
        return true
    }

    /// If an answer fails, the conversation continues.
    private func answer(_ request: ChatTurns.Request) async throws {
        interruption.begin()
        do {
            try await turns.answer(request)
        } catch {
            Output.error.writeLine(CommandFailure(error).line)
        }
        if interruption.end() { Interruption.shared.end(.interrupted) }
    }

    private func keep(_ path: String?) async throws {
        if let path { try await turns.chat.saveText(to: path) }
    }

    private func tell(_ text: String) { Output.error.writeLine(text.withVisibleControls) }
}
