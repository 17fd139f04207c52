/// The text of `hearth help` and `hearth help COMMAND`.
package enum HelpText {
    /// Maximum line width.
    static let width = 100

    /// The list of all commands.
    static func overview(_ commands: [any ParsableCommand.Type]) -> String {
        let rows = commands.map { ($0.configuration.commandName, $0.configuration.abstract) }
        return """
            Hearth runs language and vision models on this machine, and tells bedtime stories.

            USAGE
              hearth COMMAND [OPTIONS]

            COMMANDS
            \(table(rows + [("help", "Explains a command.")]))

            ENVIRONMENT
            \(table([
                ("HEARTH_HOME", "Folder for everything that Hearth stores; installed models are in its Models folder."),
                ("HEARTH_KERNELS", "Forces a kernel set: portable, avx2, avx512 or neon."),
            ]))

            EXAMPLES
              $ hearth story
                  Tells a bedtime story about a random wish.
              $ hearth help generate
                  Explains a command; 'hearth generate --help' does the same.

            """
    }

    /// Help for one command: its purpose, usage, all options, and examples.
    package static func command(_ type: any ParsableCommand.Type) -> String {
        let configuration = type.configuration
        let definitions = type.init().definitions
        let places = definitions.filter(\.isPositional)
        let options = definitions.filter { !$0.isPositional }

        let required = options.filter(\.isRequired).map(\.usage)
        let optional = options.contains { !$0.isRequired } ? ["[OPTIONS]"] : []
        let usage =
            ["hearth", configuration.commandName] + required + optional
            + places.map { $0.isRequired ? $0.usage : "[\($0.usage)]" }

        var sections = [configuration.abstract]
        if !configuration.discussion.isEmpty { sections.append(configuration.discussion) }
        sections.append("USAGE\n  " + usage.joined(separator: " "))
        if !places.isEmpty { sections.append("ARGUMENTS\n" + table(places.map(row))) }
        let below = type.subcommands.filter { !$0.isHidden }.map { $0.configuration }
        if !below.isEmpty {
            sections.append("SUBCOMMANDS\n" + table(below.map { ($0.commandName, $0.abstract) }))
        }
        sections.append("OPTIONS\n" + table(options.map(row) + [("-h, --help", "Shows this help.")]))
        sections.append(
            "EXAMPLES\n"
                + configuration.examples.map { example in
                    "  $ hearth \(example.line)\n      \(example.meaning)"
                }.joined(separator: "\n"))
        return sections.joined(separator: "\n\n") + "\n"
    }

    private static func row(_ definition: ArgumentDefinition) -> (String, String) {
        var notes: [String] = []
        if !definition.allowedValues.isEmpty {
            notes.append("values: " + definition.allowedValues.joined(separator: ", "))
        }
        if let value = definition.defaultValue, !value.isEmpty { notes.append("default: \(value)") }
        let note = notes.isEmpty ? "" : " (\(notes.joined(separator: "; ")))"
        return (definition.usage, definition.help + note)
    }

    /// A table with two columns; long texts are wrapped within their column.
    static func table(_ rows: [(String, String)]) -> String {
        let left = min(26, rows.map(\.0.count).max() ?? 0)
        let indent = String(repeating: " ", count: left + 4)
        return rows.map { name, text in
            let lines = wrap(text, to: width - indent.count)
            let head =
                name.count > left
                ? "  \(name)\n\(indent)" : "  \(name)" + String(repeating: " ", count: left + 2 - name.count)
            return head + lines.joined(separator: "\n" + indent)
        }.joined(separator: "\n")
    }

    private static func wrap(_ text: String, to width: Int) -> [String] {
        var lines = [""]
        for word in text.split(separator: " ") {
            if let last = lines.last, !last.isEmpty, last.count + 1 + word.count > width { lines.append("") }
            lines[lines.count - 1] += (lines.last?.isEmpty == true ? "" : " ") + word
        }
        return lines
    }
}
