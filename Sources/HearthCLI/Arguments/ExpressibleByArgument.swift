/// A type that one word of a command line can stand for.
package protocol ExpressibleByArgument {
    /// nil where the word does not stand for a value.
    init?(argument: String)
    /// All words that are taken, for help and error messages; empty where there are too many to list.
    static var allValueStrings: [String] { get }
    /// What an error says was expected, such as "a whole number".
    static var expectation: String { get }
    /// The word that stands for this value.
    var argument: String { get }
}

extension ExpressibleByArgument {
    package static var allValueStrings: [String] { [] }
    package var argument: String { "\(self)" }
    package static var expectation: String {
        allValueStrings.isEmpty ? "another value" : "one of: " + allValueStrings.joined(separator: ", ")
    }
}

extension ExpressibleByArgument where Self: RawRepresentable & CaseIterable, RawValue == String {
    init?(argument: String) { self.init(rawValue: argument) }
    static var allValueStrings: [String] { allCases.map(\.rawValue) }
    var argument: String { rawValue }
}

extension String: ExpressibleByArgument {
    package init?(argument: String) { self = argument }
}

extension Int: ExpressibleByArgument {
    package init?(argument: String) { self.init(argument) }
    package static var expectation: String { "a whole number" }
}

extension UInt64: ExpressibleByArgument {
    package init?(argument: String) { self.init(argument) }
    package static var expectation: String { "a whole number from 0 to \(UInt64.max)" }
}

extension Float: ExpressibleByArgument {
    package init?(argument: String) {
        // "nan" and "inf" are numbers to Swift, and never what someone means by a setting.
        guard let value = Float(argument as String), value.isFinite else { return nil }
        self = value
    }
    package static var expectation: String { "a number" }
}

extension Double: ExpressibleByArgument {
    package init?(argument: String) {
        guard let value = Double(argument as String), value.isFinite else { return nil }
        self = value
    }
    package static var expectation: String { "a number" }
}
