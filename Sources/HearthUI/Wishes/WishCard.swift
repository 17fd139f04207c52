package import HearthStory

/// What a wish's card shows and says. A plain value.
package struct WishCard: Sendable, Equatable, Identifiable {
    package let id: Wish.ID
    /// One character that stands for the wish.
    package var emoji: String
    /// The title, as a heading.
    package var title: String
    /// What VoiceOver says of choosing it.
    package var hint: String

    package init(_ wish: Wish, in language: StoryLanguage) {
        id = wish.id
        emoji = Self.emoji[wish.id] ?? (wish.kind == .being ? "🐾" : "✨")
        // It stands in the middle of a sentence in the list of wishes.
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
