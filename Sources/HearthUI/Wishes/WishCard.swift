package import HearthStory

/// The text of a wish's card, for display and VoiceOver. A plain value.
package struct WishCard: Sendable, Equatable, Identifiable {
    package let id: Wish.ID
    /// The emoji that represents the wish.
    package var emoji: String
    /// The title with a capital letter, for use as a heading.
    package var title: String
    /// The VoiceOver hint.
    package var hint: String

    package init(_ wish: Wish, in language: StoryLanguage) {
        id = wish.id
        emoji = Self.emoji[wish.id] ?? (wish.kind == .being ? "🐾" : "✨")
        // In the list of wishes it is written for the middle of a sentence.
        let title = wish.title(in: language)
        self.title = title.prefix(1).uppercased() + title.dropFirst()
        hint = UIPhrases(language).wishHint
    }

    private static let emoji = [
        "friendly-dragon": "🐉", "sleepy-bear": "🐻", "brave-mouse": "🐭", "little-robot": "🤖", "singing-whale": "🐳",
        "curious-kitten": "🐱", "kind-giant": "🗻", "tiny-fairy": "🧚", "lost-star": "⭐", "clumsy-penguin": "🐧",
        "wise-owl": "🦉", "rainbow-unicorn": "🦄", "gentle-elephant": "🐘", "playful-puppy": "🐶", "shy-hedgehog": "🦔",
        "baby-turtle": "🐢", "dancing-bunny": "🐇", "friendly-snowman": "⛄", "moon-rabbit": "🐰", "little-fox": "🦊",
        "patient-snail": "🐌", "glowing-firefly": "🪲", "sea-otter": "🦦", "young-mermaid": "🧜", "cloud-sheep": "🐑",
        "old-teddy": "🧸", "baby-dinosaur": "🦕", "wandering-duckling": "🐥", "flying-bed": "🛏️", "star-train": "🚂",
        "cloud-castle": "🏰", "cozy-treehouse": "🌳", "old-lighthouse": "🗼", "magic-garden": "🌷", "paper-boat": "⛵",
        "moonlight-picnic": "🧺", "hot-air-balloon": "🎈", "first-snow": "❄️", "music-box": "🎵", "dream-library": "📚",
        "little-bakery": "🥐", "star-lantern": "🏮", "small-spaceship": "🚀", "rainy-day": "🌧️", "tiny-island": "🏝️",
        "warm-blanket": "🧶", "wishing-well": "🪣", "forest-at-night": "🌲",
    ]
}
