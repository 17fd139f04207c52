/// A set of options that can be parsed from words of a command line.
///
/// The API follows swift-argument-parser (property wrappers, `configuration`, `validate`, `run`), so that a migration
/// to it would be mechanical; it is small enough to avoid a dependency.
package protocol ParsableArguments {
    init()
    /// Checks conditions between options, such as which exclude each other.
    func validate() throws
}

extension ParsableArguments {
    package func validate() throws {}
}

/// A subcommand, whose options are its properties.
///
///     struct Greet: ParsableCommand {
///         static let configuration = CommandConfiguration(
///             commandName: "greet", abstract: "Greets someone.", examples: [("greet Ada", "Greets Ada.")])
///         @Argument(help: "Who is greeted.") var name: String
///         mutating func run() async throws { … }
///     }
package protocol ParsableCommand: ParsableArguments {
    static var configuration: CommandConfiguration { get }
    /// Nested commands, whose names begin with this one's: `startup report`.
    static var subcommands: [any ParsableCommand.Type] { get }
    /// Whether help omits it, because only the program itself calls it.
    static var isHidden: Bool { get }
    mutating func run() async throws
}

extension ParsableCommand {
    package static var subcommands: [any ParsableCommand.Type] { [] }
    package static var isHidden: Bool { false }
}

/// A command's help text.
package struct CommandConfiguration: Sendable {
    /// A command line without the program's name, and its description.
    package struct Example: Sendable {
        package var line: String
        var meaning: String
    }

    package var commandName: String
    /// One sentence.
    var abstract: String
    /// What a first-time user of the command needs to know.
    var discussion: String
    package var examples: [Example]

    package init(commandName: String, abstract: String, discussion: String = "", examples: [(String, String)]) {
        self.commandName = commandName
        self.abstract = abstract
        self.discussion = discussion
        self.examples = examples.map { Example(line: $0.0, meaning: $0.1) }
    }
}
