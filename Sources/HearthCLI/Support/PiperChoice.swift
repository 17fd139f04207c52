import Foundation
import HearthSpeech
import HearthStory

/// The voice of `--voice`; neither voice nor synthesizer for espeak-ng.
struct PiperChoice {
    var voice: PiperVoice?
    var synthesizer: PiperSynthesizer?

    /// Finds the voice and its program.
    /// - Throws: `PiperError`.
    init(_ name: String?) throws {
        guard let name, name != "espeak" else { return }
        let voice = try PiperVoice.named(name, in: Self.folders)
        synthesizer = try PiperSynthesizer(voice: voice)
        self.voice = voice
    }

    static var folders: [String] { PiperVoice.folders(environment: ProcessInfo.processInfo.environment) }

    /// What to say where the voice speaks another language than the story.
    func notice(for language: StoryLanguage) -> String? {
        guard let voice, !voice.speaks(language.rawValue) else { return nil }
        return "the voice \(voice.name) speaks \(voice.language), the story is in \(language.rawValue)"
    }
}
