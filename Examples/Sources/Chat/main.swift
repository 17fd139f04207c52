// A conversation in the terminal, kept in a file: Chat MODEL [FILE]. /undo, /again, /quit; Ctrl-D ends too.
import Foundation
import Hearth

let words = Array(CommandLine.arguments.dropFirst())
guard let model = words.first else {
    print("usage: Chat MODEL [FILE]")
    exit(2)
}
let file = words.count > 1 ? words[1] : nil

// MODEL is a name that 'hearth pull' installed, or the path of a GGUF file.
let runner = try ModelCatalog().text(model)
let chat =
    if let file, FileManager.default.fileExists(atPath: file) {
        try ChatSession(restoring: file, runner: runner)
    } else {
        ChatSession(runner: runner, instructions: "You talk with a child. Be kind and brief.")
    }
for message in await chat.messages { print(message.role == .user ? "> \(message.content)" : message.content) }

var options = TextGenerator.Options(maximumTokens: 120)
options.stop = ["\n\n\n"]

@MainActor func show(_ answer: AsyncThrowingStream<ChatSession.Event, any Error>) async throws {
    for try await event in answer {
        switch event {
        case .text(let text):
            print(text, terminator: "")
            fflush(nil)
        case .notice(let notice): print("(\(notice))")
        case .finished(let summary):
            print("\n(\(summary.cachedTokens) of \(summary.promptTokens) tokens were known)")
        default: break
        }
    }
    if let file { try await chat.save(to: file) }
}

while true {
    print("> ", terminator: "")
    fflush(nil)
    guard let line = readLine() else { break }
    switch line {
    case "/quit": exit(0)
    case "/undo": print(await chat.undo().map { "removed: \($0)" } ?? "nothing to remove")
    case "/again": try await show(chat.regenerate(options: options))
    case "": break
    default: try await show(chat.respond(to: line, options: options))
    }
}
await runner.release()
