/// Holds a parsed value, shared by the wrapper and the parser.
final class ArgumentBox<Value> {
    var value: Value?
    init(_ value: Value?) { self.value = value }

    /// A command runs only after all required values have been parsed, so nil is a programming error.
    var parsed: Value {
        guard let value else { preconditionFailure("read before parsing") }
        return value
    }
}

/// One argument, named after its property.
package protocol NamedArgument: ArgumentProvider {
    var definition: ArgumentDefinition { get }
}

extension NamedArgument {
    package func definitions(property: String) -> [ArgumentDefinition] {
        definition.name = kebabCase(property)
        return [definition]
    }
}

/// `--name VALUE` or `--name=VALUE`; the name is derived from the property's name.
@propertyWrapper package struct Option<Value>: NamedArgument {
    private let box: ArgumentBox<Value>
    package let definition: ArgumentDefinition

    package var wrappedValue: Value {
        get { box.parsed }
        nonmutating set { box.value = newValue }
    }
}

extension Option where Value: ExpressibleByArgument {
    /// An option with a default.
    package init(wrappedValue: Value, valueName: String? = nil, help: String) {
        let box = ArgumentBox<Value>(wrappedValue)
        self.box = box
        definition = .single(
            Value.self, kind: .option(takesMany: false), help: help, valueName: valueName, isRequired: false,
            defaultValue: wrappedValue.argument
        ) { box.value = $0 }
    }

    /// A required option; `short` is the letter of its short form.
    package init(short: Character? = nil, valueName: String? = nil, help: String) {
        let box = ArgumentBox<Value>(nil)
        self.box = box
        definition = .single(
            Value.self, kind: .option(takesMany: false), help: help, valueName: valueName, isRequired: true
        ) { box.value = $0 }
        definition.short = short
    }
}

extension Option {
    /// An optional option.
    package init<T: ExpressibleByArgument>(valueName: String? = nil, help: String) where Value == T? {
        let box = ArgumentBox<T?>(.some(nil))
        self.box = box
        definition = .single(
            T.self, kind: .option(takesMany: false), help: help, valueName: valueName, isRequired: false
        ) { box.value = $0 }
    }

    /// An option that takes one word and may be repeated.
    package init<T: ExpressibleByArgument>(repeated: [T], valueName: String? = nil, help: String)
    where Value == [T] {
        let box = ArgumentBox<[T]>(repeated)
        self.box = box
        definition = .single(
            T.self, kind: .option(takesMany: false), help: help, valueName: valueName, isRequired: false
        ) { box.value = box.parsed + [$0] }
    }

    /// An option that takes all words up to the next option.
    package init<T: ExpressibleByArgument>(wrappedValue: [T], valueName: String? = nil, help: String)
    where Value == [T] {
        let box = ArgumentBox<[T]>(wrappedValue)
        self.box = box
        definition = .single(
            T.self, kind: .option(takesMany: true), help: help, valueName: valueName, isRequired: false
        ) { box.value = box.parsed + [$0] }
    }
}

/// `--name`: true if given.
@propertyWrapper package struct Flag: NamedArgument {
    private let box: ArgumentBox<Bool>
    package let definition: ArgumentDefinition

    package var wrappedValue: Bool {
        get { box.parsed }
        nonmutating set { box.value = newValue }
    }

    package init(wrappedValue: Bool, help: String) {
        let box = ArgumentBox(wrappedValue)
        self.box = box
        definition = ArgumentDefinition(kind: .flag, help: help, valueName: nil, isRequired: false) { _ in
            box.value = true
            return true
        }
    }
}

/// A positional argument.
@propertyWrapper package struct Argument<Value>: NamedArgument {
    private let box: ArgumentBox<Value>
    package let definition: ArgumentDefinition

    package var wrappedValue: Value {
        get { box.parsed }
        nonmutating set { box.value = newValue }
    }
}

extension Argument where Value: ExpressibleByArgument {
    /// A required argument.
    init(valueName: String? = nil, help: String) {
        let box = ArgumentBox<Value>(nil)
        self.box = box
        definition = .single(
            Value.self, kind: .positional(takesMany: false), help: help, valueName: valueName, isRequired: true
        ) { box.value = $0 }
    }
}

extension Argument {
    /// All positional words; at least one.
    init<T: ExpressibleByArgument>(valueName: String? = nil, help: String) where Value == [T] {
        let box = ArgumentBox<[T]>([])
        self.box = box
        definition = .single(
            T.self, kind: .positional(takesMany: true), help: help, valueName: valueName, isRequired: true
        ) { box.value = box.parsed + [$0] }
    }

    /// All positional words; may be empty.
    init<T: ExpressibleByArgument>(wrappedValue: [T], valueName: String? = nil, help: String) where Value == [T] {
        let box = ArgumentBox<[T]>(wrappedValue)
        self.box = box
        definition = .single(
            T.self, kind: .positional(takesMany: true), help: help, valueName: valueName, isRequired: false
        ) { box.value = box.parsed + [$0] }
    }

    /// An optional argument.
    package init<T: ExpressibleByArgument>(valueName: String? = nil, help: String) where Value == T? {
        let box = ArgumentBox<T?>(.some(nil))
        self.box = box
        definition = .single(
            T.self, kind: .positional(takesMany: false), help: help, valueName: valueName, isRequired: false
        ) { box.value = $0 }
    }
}

/// Options shared by several commands.
@propertyWrapper package struct OptionGroup<Group: ParsableArguments>: ArgumentProvider {
    package let wrappedValue: Group

    package init() { wrappedValue = Group() }

    package func definitions(property: String) -> [ArgumentDefinition] { wrappedValue.definitions }
    func validate() throws { try wrappedValue.validateAll() }
}

extension ArgumentDefinition {
    fileprivate static func single<T: ExpressibleByArgument>(
        _ type: T.Type, kind: Kind, help: String, valueName: String?, isRequired: Bool, defaultValue: String? = nil,
        store: @escaping (T) -> Void
    ) -> ArgumentDefinition {
        ArgumentDefinition(
            kind: kind, help: help, valueName: valueName, isRequired: isRequired, defaultValue: defaultValue,
            allowedValues: T.allValueStrings, expectation: T.expectation
        ) { word in
            guard let value = T(argument: word) else { return false }
            store(value)
            return true
        }
    }
}
