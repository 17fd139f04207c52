/// A type that can be parsed from one word of a command line.
package protocol ExpressibleByArgument {
    /// nil if the word is not a valid value.
    init?(argument: String)
    /// All valid words, for help and error messages; empty if there are too many to list.
    static var allValueStrings: [String] { get }
    /// The expected kind of value for error messages, such as "a whole number".
    static var expectation: String { get }
    /// The value as written on a command line.
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
        // Swift parses "nan" and "inf" as numbers, but they are never meant as settings.
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
