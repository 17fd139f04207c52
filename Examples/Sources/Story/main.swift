// Tells a bedtime story and reads it aloud while the model writes: Story MODEL.gguf [WISH] [SOUND.wav]
import Foundation
import Hearth

let words = Array(CommandLine.arguments.dropFirst())
guard let model = words.first else {
    print("usage: Story MODEL.gguf [WISH] [SOUND.wav]")
    exit(2)
}
guard let wish = Wishes.wish(words.count > 1 ? words[1] : "friendly-dragon") else {
    print("There is no such wish. There are: \(Wishes.all.map(\.id).joined(separator: ", "))")
    exit(2)
}

// Compiled work is kept in the usual folders, so that the second start is warm.
let folders = HearthFolders(environment: ProcessInfo.processInfo.environment)
let monitor = SystemMonitor.make()
let store = ModelStore(runner: ModelRunner(engine: try TextEngine(path: model, folders: folders)), monitor: monitor)
store.firstFrame.open()
store.activity = .session

// The voice of the system, into a file where one was named.
let narrator: Narrator? =
    if words.count > 2 {
        Narrator(
            synthesizer: try EspeakSynthesizer(), sink: try WAVFileSink(path: words[2]),
            language: StoryLanguage.english.rawValue)
    } else {
        nil
    }

let storyteller = Storyteller(runner: store.runner, conditions: { monitor.current() })
for try await event in storyteller.tell(StoryRequest(.wish(wish), in: .english)) {
    switch event {
    case .title(let title): print(title.text + "\n")
    case .sentence(let sentence, let startsParagraph): print((startsParagraph ? "\n" : "") + sentence.text)
    case .spoken(let piece): try await narrator?.say(piece.text)
    default: break
    }
}
try await narrator?.finish()
await store.runner.release()
