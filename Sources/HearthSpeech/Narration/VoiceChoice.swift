/// A voice that is installed, without the framework's types.
package struct InstalledVoice: Sendable, Equatable {
    package var identifier: String
    /// A BCP 47 tag such as `en-GB`.
    package var language: String
    /// Greater is better: on Apple systems 1 default, 2 enhanced, 3 premium.
    package var quality: Int
    /// A voice that jokes, or a person's own: not one for stories unless it was asked for.
    package var isSpecial: Bool

    package init(identifier: String, language: String, quality: Int, isSpecial: Bool = false) {
        self.identifier = identifier
        self.language = language
        self.quality = quality
        self.isSpecial = isSpecial
    }
}

/// Which of the installed voices reads a language aloud.
///
/// A voice of another region speaks a language better than none, and a good voice of another region better than a poor one
/// of the right region: it is the same language. Chinese is told apart by its script.
package enum VoiceChoice {
    /// - Parameters:
    ///   - language: a BCP 47 tag such as `en`, `de-AT` or `zh-Hans`.
    ///   - regions: regions that the user prefers, best first, such as that of the device.
    /// - Returns: nil where no voice speaks the language.
    package static func best(
        of voices: [InstalledVoice], for language: String, regions: [String] = []
    ) -> InstalledVoice? {
        let wanted = Tag(language)
        let regions = (wanted.region.map { [$0] } ?? []) + regions.map { $0.uppercased() }
        func rank(_ voice: InstalledVoice) -> (Int, Int) {
            let region = Tag(voice.language).region.flatMap { regions.firstIndex(of: $0) } ?? regions.count
            return (voice.quality, -region)
        }
        return voices.filter { !$0.isSpecial && Tag($0.language).speaks(wanted) }
            // Of equals the first by name, so that the same device always speaks with the same voice.
            .sorted { $0.identifier < $1.identifier }
            .max { rank($0) < rank($1) || (rank($0) == rank($1) && $0.identifier > $1.identifier) }
    }

    /// A language tag in its parts.
    private struct Tag {
        var language: String
        var region: String?
        /// Of Chinese: whether it is spoken as on the mainland, as in Taiwan, or as in Hong Kong.
        var variety: String?

        init(_ tag: String) {
            let parts = tag.split { $0 == "-" || $0 == "_" }.map(String.init)
            language = parts.first?.lowercased() ?? ""
            region = parts.dropFirst().first { $0.count == 2 }?.uppercased()
            guard ["zh", "yue"].contains(language) else { return }
            let script = parts.dropFirst().first { $0.count == 4 }?.lowercased()
            let isCantonese = language == "yue" || region == "HK" || region == "MO"
            variety = isCantonese ? "HK" : region == "TW" || script == "hant" ? "TW" : "CN"
            language = "zh"
        }

        func speaks(_ wanted: Tag) -> Bool { language == wanted.language && variety == wanted.variety }
    }
}
