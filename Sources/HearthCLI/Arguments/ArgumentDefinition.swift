/// One option, flag or positional argument, independent of its value's type: used by the parser and the help text.
package final class ArgumentDefinition {
    enum Kind {
        case flag
        case option(takesMany: Bool)
        case positional(takesMany: Bool)
    }

    let kind: Kind
    let help: String
    /// Placeholder for the value in the help text.
    var valueName: String?
    let isRequired: Bool
    let defaultValue: String?
    let allowedValues: [String]
    let expectation: String
    /// Stores a value; false if the word is not valid.
    let accept: (String) -> Bool

    /// The long name without dashes; set from the property's name.
    var name = ""
    /// Letter of the short form, used after one dash.
    var short: Character?
    var wasGiven = false

    init(
        kind: Kind, help: String, valueName: String?, isRequired: Bool, defaultValue: String? = nil,
        allowedValues: [String] = [], expectation: String = "", accept: @escaping (String) -> Bool
    ) {
        self.kind = kind
        self.help = help
        self.valueName = valueName
        self.isRequired = isRequired
        self.defaultValue = defaultValue
        self.allowedValues = allowedValues
        self.expectation = expectation
        self.accept = accept
    }

    var isPositional: Bool { if case .positional = kind { true } else { false } }
    var isFlag: Bool { if case .flag = kind { true } else { false } }

    var takesMany: Bool {
        switch kind {
        case .flag: false
        case .option(let many), .positional(let many): many
        }
    }

    /// `TEXT` for positionals, `--max-tokens N` for options.
    package var usage: String {
        let value = (valueName ?? name.uppercased()) + (takesMany ? "…" : "")
        let option = (short.map { "-\($0), " } ?? "") + "--\(name)"
        return isPositional ? value : isFlag ? option : "\(option) \(value)"
    }
}

/// Implemented by property wrappers to provide argument definitions.
package protocol ArgumentProvider {
    /// The definitions for a property with that name.
    func definitions(property: String) -> [ArgumentDefinition]
}

extension ParsableArguments {
    /// All definitions of a value, in the order of its properties. The wrappers keep their values in boxes, so that
    /// values stored by the parser are visible in `self`.
    package var definitions: [ArgumentDefinition] {
        Mirror(reflecting: self).children.flatMap { child -> [ArgumentDefinition] in
            guard let provider = child.value as? any ArgumentProvider, let label = child.label else { return [] }
            return provider.definitions(property: String(label.drop { $0 == "_" }))
        }
    }
}

/// Converts `maxTokens` to `max-tokens`.
func kebabCase(_ name: String) -> String {
    name.reduce(into: "") { result, character in
        if character.isUppercase { result += "-" }
        result += character.lowercased()
    }
}
