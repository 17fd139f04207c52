import HearthCLI
import HearthSystem
import Testing

private struct Sample: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sample", abstract: "A sample.", examples: [("sample x", "Does it.")])
    @Argument(valueName: "WORD", help: "A word.") var word: String?
    @Option(help: "A model.") var model: String
    @Option(help: "A number.") var maxTokens: Int = 5
    @Option(help: "A float.") var topP: Float?
    @Option(help: "Many.") var decode: [String] = []
    @Flag(help: "JSON.") var json = false
    @OptionGroup var group: Group
    mutating func run() async throws {}
}

private struct Group: ParsableArguments {
    @Option(help: "Threads.") var threads: Int?
    func validate() throws {
        if threads == 0 { throw UsageError("'--threads 0' is out of range") }
    }
}

@Suite("ArgumentParser", .timeLimit(.minutes(20)))
struct ArgumentParserTests {
    private func parse(_ words: String...) throws -> Sample { try ArgumentParser.parse(Sample.self, words) }

    private func problem(_ words: String...) -> UsageError? {
        do {
            _ = try ArgumentParser.parse(Sample.self, words)
            return nil
        } catch {
            return error as? UsageError
        }
    }

    @Test("Both ways of giving a value, defaults, groups and flags")
    func values() throws {
        let command = try parse("--model", "m", "hello", "--max-tokens=7", "--threads", "2", "--json")
        #expect(command.model == "m")
        #expect(command.word == "hello")
        #expect(command.maxTokens == 7)
        #expect(command.group.threads == 2)
        #expect(command.json)
        let plain = try parse("--model=a=b")
        #expect(plain.model == "a=b")
        #expect(plain.maxTokens == 5)
        #expect(!plain.json)
        #expect(plain.word == nil)
        #expect(plain.topP == nil)
    }

    @Test("Values may begin with a dash; names of options are never taken for values")
    func dashes() throws {
        #expect(try parse("--model", "-", "--max-tokens", "-3").maxTokens == -3)
        #expect(try parse("--model", "- milk").model == "- milk")
        #expect(try parse("--model", "--a text of words").model == "--a text of words")
        #expect(try parse("--model", "x", "--", "--json").word == "--json")
        #expect(try parse("--model", "x", "-5").word == "-5")
        #expect(problem("--model", "--json")?.what.contains("needs a value") == true)
        #expect(problem("--model")?.what.contains("needs a value") == true)
        #expect(try parse("--model", "").model.isEmpty)
    }

    @Test("A list takes words up to the next option; the last of repeated options wins")
    func lists() throws {
        let command = try parse("--decode", "1", "-2", "3", "--model", "x", "--max-tokens", "1", "--max-tokens", "2")
        #expect(command.decode == ["1", "-2", "3"])
        #expect(command.maxTokens == 2)
        #expect(problem("--model", "x", "--decode")?.what.contains("needs a value") == true)
    }

    @Test("Mistakes are named, with the nearest name")
    func mistakes() {
        #expect(problem("--modle", "x")?.suggestion == "Did you mean '--model'?")
        #expect(problem("--max-token=3")?.suggestion == "Did you mean '--max-tokens'?")
        #expect(problem("--zzzzzzzz")?.suggestion == nil)
        #expect(problem("-j")?.what == "unknown option '-j'")
        #expect(problem("--model", "x", "a", "---json")?.what == "unknown option '---json'")
        #expect(problem()?.what.contains("--model") == true)
        #expect(problem("--model", "x", "a", "b")?.what == "unexpected argument 'b'")
        #expect(problem("--model", "x", "--json=1")?.what.contains("takes no value") == true)
        #expect(problem("--model", "x", "--max-tokens", "many")?.what.contains("a whole number") == true)
        #expect(problem("--model", "x", "--max-tokens", "99999999999999999999")?.what.contains("whole number") == true)
        #expect(problem("--model", "x", "--top-p", "nan")?.what.contains("a number") == true)
        let group = problem("--model", "x", "--threads", "0")
        #expect(group?.command == "sample")
    }

    @Test("Edit distance counts swaps as one")
    func distance() {
        #expect(Nearest.distance("", "abc") == 3)
        #expect(Nearest.distance("story", "story") == 0)
        #expect(Nearest.distance("stroy", "story") == 1)
        #expect(Nearest.distance("kitten", "sitting") == 3)
        #expect(Nearest.match(for: "gen", in: ["story", "generate"]) == "generate")
        #expect(Nearest.match(for: "xyzzy", in: ["story", "generate"]) == nil)
        #expect(Nearest.match(for: "temp", in: ["help", "temperature"]) == "temperature")
        #expect(Nearest.match(for: "seeds", in: ["seed", "seedscale"]) == "seed")
    }

    @Test("Every command has help with an example that parses")
    func help() throws {
        for type in HearthCommand.commands.flatMap({ [$0] + $0.subcommands }) {
            let text = HelpText.command(type)
            #expect(text.contains("EXAMPLES\n  $ hearth \(type.configuration.commandName)"))
            for definition in type.init().definitions { #expect(text.contains(definition.usage)) }
            #expect(text.split(separator: "\n").allSatisfy { $0.count <= 120 })
            for example in type.configuration.examples { #expect(throws: Never.self) { try check(example.line) } }
        }
    }

    private func check(_ line: String) throws {
        func parse<Command: ParsableCommand>(_ type: Command.Type, _ words: [String]) throws {
            _ = try ArgumentParser.parse(type, words)
        }
        var words: [String] = []
        for (index, part) in line.split(separator: "\"", omittingEmptySubsequences: false).enumerated() {
            if index % 2 == 1 {
                words.append(String(part))
            } else {
                words += part.split(separator: " ").map(String.init)
            }
        }
        let end = words.firstIndex(of: "<") ?? words.count
        guard case .command(let type, let rest) = try Invocation(Array(words[..<end]), commands: HearthCommand.commands)
        else {
            throw UsageError("an example that only shows text")
        }
        try parse(type, rest)
    }

    @Test("The top level: version, help, unknown commands")
    func invocation() throws {
        func text(_ words: String...) throws -> String? {
            if case .text(let text) = try Invocation(words, commands: HearthCommand.commands) { text } else { nil }
        }
        #expect(try text("--version") == "hearth \(HearthVersion.description)\n")
        #expect(try text()?.contains("COMMANDS") == true)
        #expect(try text("help", "story")?.contains("hearth story") == true)
        #expect(try text("story", "--bogus", "-h")?.contains("hearth story") == true)
        #expect(try text("tokenize", "--", "--help") == nil)
        #expect(try text("help", "startup", "report")?.contains("hearth startup report") == true)
        func suggestion(_ words: String...) -> String? {
            do {
                _ = try Invocation(words, commands: HearthCommand.commands)
                return "none: that is a command"
            } catch {
                return (error as? UsageError)?.suggestion
            }
        }
        #expect(suggestion("help", "nonsense") == nil)
        #expect(suggestion("wihses") == "Did you mean 'wishes'?")
        #expect(suggestion("--versoin") == "Did you mean '--version'?")
        #expect(suggestion("--hlep", "story") == "Did you mean '--help'?")
        #expect(suggestion("--json") == nil)
        #expect(suggestion("help", "bench", "txt") == "Did you mean 'bench text'?")
        #expect(suggestion("help", "story", "tokenize") == nil)
    }
}
