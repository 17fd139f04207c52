/// A set of options that can be parsed from words of a command line.
///
/// The shape is that of swift-argument-parser (property wrappers, `configuration`, `validate`, `run`), so that a move
/// to it stays mechanical; its own size was not worth a dependency while the package has none.
package protocol ParsableArguments {
    init()
    /// Checks what single options cannot know: which of them go together.
    func validate() throws
}

extension ParsableArguments {
    package func validate() throws {}
}

/// One subcommand: its options are its properties.
///
///     struct Greet: ParsableCommand {
///         static let configuration = CommandConfiguration(
///             commandName: "greet", abstract: "Greets someone.", examples: [("greet Ada", "Greets Ada.")])
///         @Argument(help: "Who is greeted.") var name: String
///         mutating func run() async throws { … }
///     }
package protocol ParsableCommand: ParsableArguments {
    static var configuration: CommandConfiguration { get }
    /// Commands below this one, named with this one's name in front: `startup report`.
    static var subcommands: [any ParsableCommand.Type] { get }
    /// Whether help leaves it out: the program calls it itself.
    static var isHidden: Bool { get }
    mutating func run() async throws
}

extension ParsableCommand {
    package static var subcommands: [any ParsableCommand.Type] { [] }
    package static var isHidden: Bool { false }
}

/// What help says about a command.
package struct CommandConfiguration: Sendable {
    /// A command line without the program's name, and what it does.
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
