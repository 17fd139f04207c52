internal import Foundation

/// Themes that stories should avoid, as text for the system message.
package enum NegativePrompt {
    /// The languages with a text, as BCP 47 tags.
    package static var languages: [String] { texts.keys.sorted() }

    /// The text in a language; in English if there is none, because models follow English best.
    package static func text(for language: FilterLanguage) -> String { texts[language.rawValue] ?? texts["en"] ?? "" }

    private static let texts: [String: String] = {
        struct File: Decodable { var prompts: [String: String] }
        // Part of this build, and covered by a test.
        let bytes = EmbeddedFile.bytes("negative-prompts.json") ?? []
        return (try? JSONDecoder().decode(File.self, from: Data(bytes)))?.prompts ?? [:]
    }()
}
