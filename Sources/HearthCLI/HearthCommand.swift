import Dispatch
import Foundation
import HearthStory
import HearthSystem

/// The program: finds and runs the subcommand, and turns every error into one line and an exit status.
@main
package enum HearthCommand {
    package static var commands: [any ParsableCommand.Type] {
        [
            StoryCommand.self, StoriesCommand.self, WishesCommand.self, VoicesCommand.self, GenerateCommand.self,
            ChatCommand.self,
            TokenizeCommand.self, ScoreCommand.self, EmbedCommand.self, GrammarCommand.self, PredictCommand.self,
            ClassifyCommand.self, DetectCommand.self, WatchCommand.self,
            InspectCommand.self, CompressCommand.self, EvaluateCommand.self, ThinningCommand.self, FilterCommand.self,
            EvaluateFilterCommand.self,
            SanitizeCommand.self,
            PullCommand.self, ModelsCommand.self,
            RollbackCommand.self, RemoveCommand.self,
            PruneCommand.self, CompileCommand.self, UnitsCommand.self, BenchCommand.self, StartupCommand.self,
            ChunkCommand.self, SimulateCommand.self,
            ConditionsCommand.self, DoctorCommand.self, ServeCommand.self,
        ]
    }

    /// Not `async`: the process limits are checked before Swift's task runtime starts, which depends on them.
    static func main() {
        ProcessLimits.openStandardDescriptors()
        do {
            try ProcessLimits.check()
            try Interruption.shared.install()
        } catch {
            let failure = CommandFailure(error)
            Output.error.writeLine(failure.line)
            leaveProcess(failure.status.rawValue)
        }
        Task { await start() }
        #if canImport(Darwin)
        // Speech on this platform needs a run loop on the main thread.
        CFRunLoopRun()
        #else
        dispatchMain()
        #endif
    }

    private static func start() async {
        let status = await run(CommandWords.given)
        Interruption.shared.end(status)
    }

    private static func run(_ words: [[UInt8]]) async -> ExitStatus {
        do {
            try CommandWords.checkHome()
            switch try Invocation(CommandWords.text(words), commands: commands) {
            case .text(let text): Output.standard.write(text)
            case .command(let type, let words): try await run(type, words)
            }
            return .success
        } catch {
            let failure = CommandFailure(error)
            Output.error.writeLine(failure.line)
            return failure.status
        }
    }

    private static func run<Command: ParsableCommand>(_ type: Command.Type, _ words: [String]) async throws {
        var command = try ArgumentParser.parse(type, words)
        do {
            try await command.run()
        } catch var error as UsageError {
            // What is noticed late does not know its command either.
            error.command = error.command ?? type.configuration.commandName
            throw error
        }
    }
}

/// The interpretation of a whole command line. Pure.
package enum Invocation {
    /// Help or the version: text to print.
    case text(String)
    case command(any ParsableCommand.Type, [String])

    package init(_ words: [String], commands: [any ParsableCommand.Type]) throws {
        guard let first = words.first, first != "--help", first != "-h" else {
            self = .text(HelpText.overview(commands))
            return
        }
        if first == "--version" {
            self = .text("hearth \(HearthVersion.description)\n")
            return
        }
        let rest = Array(words.dropFirst())
        if first == "help" {
            // `hearth help help` and `hearth help --help` show the overview.
            let names = rest.filter { !$0.hasPrefix("-") }
            guard let name = names.first, name != "help" else {
                self = .text(HelpText.overview(commands))
                return
            }
            let (type, left) = Self.descend(try Self.find(name, in: commands), names.dropFirst())
            if let word = left.first {
                let below = type.subcommands.filter { !$0.isHidden }.map { $0.configuration.commandName }
                let wanted = "\(type.configuration.commandName) \(word)"
                throw UsageError(
                    "unknown command '\(wanted)'", command: type.configuration.commandName,
                    suggestion: Nearest.match(for: wanted, in: below).map { "Did you mean '\($0)'?" })
            }
            self = .text(HelpText.command(type))
            return
        }
        let (type, words) = Self.descend(try Self.find(first, in: commands), rest[...])
        self = ArgumentParser.wantsHelp(words) ? .text(HelpText.command(type)) : .command(type, words)
    }

    /// Resolves nested subcommands.
    private static func descend(
        _ type: any ParsableCommand.Type, _ words: ArraySlice<String>
    ) -> (type: any ParsableCommand.Type, words: [String]) {
        let name = words.first.map { "\(type.configuration.commandName) \($0)" }
        guard let below = type.subcommands.first(where: { $0.configuration.commandName == name }) else {
            return (type, Array(words))
        }
        return descend(below, words.dropFirst())
    }

    private static func find(
        _ name: String, in commands: [any ParsableCommand.Type]
    ) throws -> any ParsableCommand.Type {
        if let found = commands.first(where: { $0.configuration.commandName == name }) { return found }
        if name.hasPrefix("-") {
            let near = Nearest.match(for: String(name.drop { $0 == "-" }), in: ["help", "version"])
            throw UsageError("unknown option '\(name)'", suggestion: near.map { "Did you mean '--\($0)'?" })
        }
        let names = commands.map { $0.configuration.commandName } + ["help"]
        let near = Nearest.match(for: name, in: names).map { "Did you mean '\($0)'?" }
        throw UsageError("unknown command '\(name)'", suggestion: near)
    }
}
