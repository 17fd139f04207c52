internal import Foundation

/// Themes that a story keeps away from, in words for the system message.
package enum NegativePrompt {
    /// Languages that there is a text in, as BCP 47 tags.
    package static var languages: [String] { texts.keys.sorted() }

    /// The text in a language; in English where there is none, since models follow English best.
    package static func text(for language: FilterLanguage) -> String { texts[language.rawValue] ?? texts["en"] ?? "" }

    private static let texts: [String: String] = {
        struct File: Decodable { var prompts: [String: String] }
        // Part of this build, and read by a test.
        let bytes = EmbeddedFile.bytes("negative-prompts.json") ?? []
        return (try? JSONDecoder().decode(File.self, from: Data(bytes)))?.prompts ?? [:]
    }()
}
