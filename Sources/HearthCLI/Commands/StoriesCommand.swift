import HearthStory
import HearthSystem

/// `hearth stories`: lists or prints the finished stories.
struct StoriesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stories",
        abstract: "Lists the finished stories, or prints one.",
        discussion: """
            A finished story is told when no model can tell one: while the model is downloaded, or when the
            device is too warm or has too little memory. None of them is a translation: each language has its
            own.
            """,
        examples: [
            ("stories", "Lists ids and titles."),
            ("stories the-lowest-note", "Prints a story."),
            ("stories --language es --json", "All stories in Spanish with their texts, as JSON."),
        ])

    @Argument(valueName: "ID", help: "Id of the story to print.")
    var id: String?
    @Option(valueName: "L", help: "Language of the stories; with --json and without it, all languages.")
    var language: StoryLanguage?
    @Flag(help: "Prints one JSON object, texts included.")
    var json = false

    private struct Result: Encodable {
        struct Entry: Encodable {
            var id: String
            var language: String
            var title: String
            var wishes: [String]
            var tags: [String]
            var length: Int
            var text: String
        }
        var stories: [Entry]
    }

    mutating func run() async throws {
        let stories = try chosen()
        if json {
            return try Output.standard.writeJSON(
                Result(
                    stories: stories.map {
                        Result.Entry(
                            id: $0.id, language: $0.language.rawValue, title: $0.title, wishes: $0.wishes,
                            tags: $0.tags,
                            length: $0.length, text: $0.text)
                    }))
        }
        if id != nil, let story = stories.first { return show(story) }
        Output.standard.write(TextTable(stories.map { [$0.id, $0.title] }).text)
    }

    private func chosen() throws -> [FinishedStory] {
        let languages = language.map { [$0] } ?? StoryLanguage.allCases
        guard let id else {
            // A table of three languages would not be readable.
            return json ? languages.flatMap(StoryLibrary.stories) : StoryLibrary.stories(in: language ?? .english)
        }
        for language in languages {
            if let story = StoryLibrary.story(id, in: language) { return [story] }
        }
        let known = languages.flatMap(StoryLibrary.stories).map(\.id)
        let near = Nearest.match(for: id, in: known).map { "Did you mean '\($0)'? " } ?? ""
        throw UsageError(
            "unknown story '\(id)'", command: "stories", suggestion: near + "'hearth stories' lists them all.")
    }

    private func show(_ story: FinishedStory) {
        var text = story.title + "\n\n" + story.text + "\n"
        if let columns = Terminal(.standard)?.columns {
            var wrapper = TextWrapper(width: min(columns - 1, StoryPage.widestLine))
            text = wrapper.wrap(text)
        }
        Output.standard.write(text)
    }
}
