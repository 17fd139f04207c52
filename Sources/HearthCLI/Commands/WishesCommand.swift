import HearthStory
import HearthSystem

/// `hearth wishes`: lists what a story can be about.
struct WishesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "wishes",
        abstract: "Lists what a story can be about.",
        examples: [
            ("wishes", "Lists ids and titles."),
            ("wishes --language es --json", "The same in Spanish, for programs."),
        ])

    @Option(valueName: "L", help: "Language of the titles.")
    var language: StoryLanguage = .english
    @Flag(help: "Prints one JSON object.")
    var json = false

    private struct Result: Encodable {
        struct Entry: Encodable {
            var id: String
            var title: String
        }
        var wishes: [Entry]
    }

    mutating func run() async throws {
        let entries = Wishes.all.map { Result.Entry(id: $0.id, title: $0.title(in: language)) }
        if json { return try Output.standard.writeJSON(Result(wishes: entries)) }
        Output.standard.write(TextTable(entries.map { [$0.id, $0.title] }).text)
    }
}

extension StoryLanguage: ExpressibleByArgument {}
