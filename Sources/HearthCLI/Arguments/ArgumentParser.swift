/// Parses the words of a command line into a command's properties. Pure: words in, a command or a `UsageError` out.
///
/// - `--name value` and `--name=value`; if repeated, the last one wins.
/// - A value may begin with a dash (`--seed -1`, `--prompt "- milk"`), unless it looks like an option's name.
/// - `-o value` for options with a short form.
/// - `--` ends options; all following words are positional.
package enum ArgumentParser {
    package static func parse<Command: ParsableCommand>(_ type: Command.Type, _ words: [String]) throws -> Command {
        let command = Command()
        let definitions = command.definitions
        var parser = Run(
            command: Command.configuration.commandName, definitions: definitions, words: words[...],
            subcommands: Command.subcommands.filter { !$0.isHidden }.map { $0.configuration.commandName })
        try parser.parse()
        do {
            try command.validateAll()
        } catch var error as UsageError {
            // An option group does not know its command.
            error.command = error.command ?? Command.configuration.commandName
            throw error
        }
        return command
    }

    /// Whether help is requested; this takes precedence over errors in the rest of the line.
    static func wantsHelp(_ words: [String]) -> Bool {
        words.prefix { $0 != "--" }.contains { $0 == "-h" || $0 == "--help" }
    }

    /// Whether a word is never taken as a value: `--x`, `--long-name`, `--long-name=value` or `-h`.
    static func looksLikeOption(_ word: String) -> Bool {
        if word == "-h" || word == "--" { return true }
        guard word.hasPrefix("--") else { return false }
        let name = word.dropFirst(2).prefix { $0 != "=" }
        return name.first?.isLetter == true && name.allSatisfy { $0.isLetter || $0.isNumber || $0 == "-" }
    }
}

extension ParsableArguments {
    /// Checks the option groups, those inside them too, and then what lies between options.
    func validateAll() throws {
        for child in Mirror(reflecting: self).children {
            if let group = child.value as? any ValidatableGroup { try group.validate() }
        }
        try validate()
    }
}

private protocol ValidatableGroup { func validate() throws }
extension OptionGroup: ValidatableGroup {}

extension ArgumentParser {
    private struct Run {
        let command: String
        let definitions: [ArgumentDefinition]
        var words: ArraySlice<String>
        /// Names suggested for an unexpected word.
        let subcommands: [String]
        var places: ArraySlice<ArgumentDefinition> = []

        mutating func parse() throws {
            places = definitions.filter(\.isPositional)[...]
            while let word = words.popFirst() {
                if word == "--" {
                    while let rest = words.popFirst() { try place(rest) }
                } else if word.hasPrefix("-"), word.count > 1, looksLikeOption(word) || !takesPlace(word) {
                    try option(word)
                } else {
                    try place(word)
                }
            }
            if let missing = definitions.first(where: { $0.isRequired && !$0.wasGiven }) {
                throw UsageError(
                    "missing \(missing.isPositional ? "argument" : "option") '\(missing.usage)'", command: command)
            }
        }

        /// Whether a word such as `-5` or `- milk` is a value: only if the command expects a positional argument here.
        private func takesPlace(_ word: String) -> Bool {
            guard !places.isEmpty else { return false }
            return word.dropFirst().first.map { $0.isNumber || $0.isWhitespace || $0 == "-" } ?? false
        }

        private mutating func option(_ word: String) throws {
            // Of three dashes the third belongs to the name, which then is none.
            let name = String(word.dropFirst(word.hasPrefix("--") ? 2 : 1).prefix { $0 != "=" })
            let attached = word.firstIndex(of: "=").map { String(word[word.index(after: $0)...]) }
            guard let found = definitions.first(where: { isNamed($0, word, name) }) else {
                let names = definitions.filter { !$0.isPositional }.map(\.name) + ["help"]
                let near = Nearest.match(for: name, in: names).map { "Did you mean '--\($0)'?" }
                throw UsageError(
                    "unknown option '\(word.prefix { $0 != "=" })'", command: command, suggestion: near)
            }
            found.wasGiven = true
            switch found.kind {
            case .flag:
                guard attached == nil else {
                    throw UsageError("option '--\(name)' takes no value", command: command)
                }
                _ = found.accept("")
            case .option(let takesMany):
                guard let first = attached ?? nextValue() else {
                    throw UsageError("option '--\(name)' needs a value (\(found.usage))", command: command)
                }
                try take(first, for: found)
                guard takesMany else { return }
                while let next = nextValue() { try take(next, for: found) }
            case .positional:
                break
            }
        }

        /// Whether a word is the definition's name, `--name`, or its short form, `-n`.
        private func isNamed(_ definition: ArgumentDefinition, _ word: String, _ name: String) -> Bool {
            guard !definition.isPositional else { return false }
            return word.hasPrefix("--") ? definition.name == name : definition.short.map(String.init) == name
        }

        private mutating func nextValue() -> String? {
            guard let next = words.first, !looksLikeOption(next),
                !definitions.contains(where: { $0.short.map { "-\($0)" } == next })
            else { return nil }
            return words.removeFirst()
        }

        private mutating func place(_ word: String) throws {
            guard let definition = places.first else {
                if let near = Nearest.match(for: "\(command) \(word)", in: subcommands) {
                    throw UsageError(
                        "unknown command '\(command) \(word)'", command: command,
                        suggestion: "Did you mean '\(near)'?")
                }
                throw UsageError(
                    "unexpected argument '\(word)'", command: command,
                    suggestion: word.contains(" ") ? nil : "Put text of several words into quotes.")
            }
            if !definition.takesMany { places.removeFirst() }
            definition.wasGiven = true
            try take(word, for: definition)
        }

        private func take(_ word: String, for definition: ArgumentDefinition) throws {
            guard !definition.accept(word) else { return }
            let option = definition.isPositional ? definition.usage : "--\(definition.name)"
            let near = Nearest.match(for: word, in: definition.allowedValues).map { "Did you mean '\($0)'?" }
            throw UsageError(
                "'\(word)' is not a value of '\(option)': expected \(definition.expectation)", command: command,
                suggestion: near)
        }
    }
}

/// An invalid command line. Exit status 2.
package struct UsageError: Error {
    package var what: String
    /// The subcommand; nil if not known yet.
    package var command: String?
    package var suggestion: String?

    package init(_ what: String, command: String? = nil, suggestion: String? = nil) {
        self.what = what
        self.command = command
        self.suggestion = suggestion
    }
}
