/// An installed voice, independent of the framework's types.
package struct InstalledVoice: Sendable, Equatable {
    package var identifier: String
    /// A BCP 47 tag such as `en-GB`.
    package var language: String
    /// Higher is better; on Apple systems 1 is default, 2 enhanced, 3 premium.
    package var quality: Int
    /// Whether it is a novelty voice or a personal voice, which is only used on request.
    package var isSpecial: Bool

    package init(identifier: String, language: String, quality: Int, isSpecial: Bool = false) {
        self.identifier = identifier
        self.language = language
        self.quality = quality
        self.isSpecial = isSpecial
    }
}

/// Chooses an installed voice for a language.
///
/// Quality takes precedence over region: a voice of another region is better than none, and a good voice of another region is
/// better than a poor one of the right region. Varieties of Chinese are distinguished by script and region.
package enum VoiceChoice {
    /// Returns the best voice for a language.
    /// - Parameters:
    ///   - language: a BCP 47 tag such as `en`, `de-AT` or `zh-Hans`.
    ///   - regions: preferred regions, best first, such as the device's region.
    /// - Returns: nil if no voice speaks the language.
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
            // Ties are broken by identifier, so that a device always uses the same voice.
            .sorted { $0.identifier < $1.identifier }
            .max { rank($0) < rank($1) || (rank($0) == rank($1) && $0.identifier > $1.identifier) }
    }

    /// The parts of a language tag.
    private struct Tag {
        var language: String
        var region: String?
        /// For Chinese, the spoken variety: mainland (`CN`), Taiwan (`TW`) or Hong Kong (`HK`).
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
