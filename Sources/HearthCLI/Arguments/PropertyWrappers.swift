/// Holds a parsed value where both the wrapper and the parser reach it.
final class ArgumentBox<Value> {
    var value: Value?
    init(_ value: Value?) { self.value = value }

    /// The parser runs a command only when everything required has a value, so nil is an error of this program.
    var parsed: Value {
        guard let value else { preconditionFailure("read before parsing") }
        return value
    }
}

/// `--name VALUE` or `--name=VALUE`; the name comes from the property's.
@propertyWrapper package struct Option<Value>: ArgumentProvider {
    private let box: ArgumentBox<Value>
    private let definition: ArgumentDefinition

    package var wrappedValue: Value {
        get { box.parsed }
        nonmutating set { box.value = newValue }
    }

    package func definitions(property: String) -> [ArgumentDefinition] {
        definition.name = kebabCase(property)
        return [definition]
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

    /// An option that must be given; `short` is a letter that stands for its name after one dash.
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
    /// An option that may be left out.
    package init<T: ExpressibleByArgument>(valueName: String? = nil, help: String) where Value == T? {
        let box = ArgumentBox<T?>(.some(nil))
        self.box = box
        definition = .single(
            T.self, kind: .option(takesMany: false), help: help, valueName: valueName, isRequired: false
        ) { box.value = $0 }
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

/// `--name`: true when given.
@propertyWrapper package struct Flag: ArgumentProvider {
    private let box: ArgumentBox<Bool>
    private let definition: ArgumentDefinition

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

    package func definitions(property: String) -> [ArgumentDefinition] {
        definition.name = kebabCase(property)
        return [definition]
    }
}

/// A word by its place.
@propertyWrapper package struct Argument<Value>: ArgumentProvider {
    private let box: ArgumentBox<Value>
    private let definition: ArgumentDefinition

    package var wrappedValue: Value {
        get { box.parsed }
        nonmutating set { box.value = newValue }
    }

    package func definitions(property: String) -> [ArgumentDefinition] {
        definition.name = kebabCase(property)
        return [definition]
    }
}

extension Argument where Value: ExpressibleByArgument {
    /// A word that must be given.
    init(valueName: String? = nil, help: String) {
        let box = ArgumentBox<Value>(nil)
        self.box = box
        definition = .single(
            Value.self, kind: .positional(takesMany: false), help: help, valueName: valueName, isRequired: true
        ) { box.value = $0 }
    }
}

extension Argument {
    /// All words that are not options; one at least.
    init<T: ExpressibleByArgument>(valueName: String? = nil, help: String) where Value == [T] {
        let box = ArgumentBox<[T]>([])
        self.box = box
        definition = .single(
            T.self, kind: .positional(takesMany: true), help: help, valueName: valueName, isRequired: true
        ) { box.value = box.parsed + [$0] }
    }

    /// All words that are not options; there may be none.
    init<T: ExpressibleByArgument>(wrappedValue: [T], valueName: String? = nil, help: String) where Value == [T] {
        let box = ArgumentBox<[T]>(wrappedValue)
        self.box = box
        definition = .single(
            T.self, kind: .positional(takesMany: true), help: help, valueName: valueName, isRequired: false
        ) { box.value = box.parsed + [$0] }
    }

    /// A word that may be left out.
    package init<T: ExpressibleByArgument>(valueName: String? = nil, help: String) where Value == T? {
        let box = ArgumentBox<T?>(.some(nil))
        self.box = box
        definition = .single(
            T.self, kind: .positional(takesMany: false), help: help, valueName: valueName, isRequired: false
        ) { box.value = $0 }
    }
}

/// Options that several commands share.
@propertyWrapper package struct OptionGroup<Group: ParsableArguments>: ArgumentProvider {
    package let wrappedValue: Group

    package init() { wrappedValue = Group() }

    package func definitions(property: String) -> [ArgumentDefinition] { wrappedValue.definitions }
    func validate() throws { try wrappedValue.validate() }
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
