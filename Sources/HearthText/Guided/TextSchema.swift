internal import Foundation
internal import HearthGrammar

/// The JSON Schema of a type, derived from its `Decodable` conformance, without macros or separate declarations.
///
/// Supports structures and classes with the members that their `init(from:)` decodes, in that order, named by their
/// `CodingKeys`; optional members, arrays, dictionaries with string keys, nested and recursive types; numbers within the range
/// of their type; `Date`, `URL`, `UUID`; and enumerations that are `CaseIterable` with raw values. ``TextSchemaHints`` adds
/// constraints that types do not express.
public struct TextSchema: Sendable, Equatable {
    /// The schema as text.
    public let json: String

    /// Derives the schema of a type.
    /// - Throws: ``TextError/indescribableType(name:reason:)``.
    public init(of type: any Decodable.Type) throws(TextError) {
        let recorder = SchemaRecorder()
        do {
            let root = try recorder.describe(type)
            json = recorder.document(root).text
        } catch let error as TextError {
            throw error
        } catch {
            throw .indescribableType(name: "\(type)", reason: "\(error)")
        }
    }

    /// - Throws: ``TextError/undecodableAnswer(type:problem:)``.
    static func decode<Value: Decodable>(_ type: Value.Type, _ json: String) throws(TextError) -> Value {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        do {
            return try decoder.decode(type, from: Data(json.utf8))
        } catch {
            throw .undecodableAnswer(type: "\(type)", problem: "\(error)")
        }
    }
}

/// Constraints on a type's members beyond their types.
///
///     struct Trip: Decodable, TextSchemaHints {
///         var city: String
///         var days: Int
///         static let schemaHints: [String: [TextSchemaHint]] = [
///             "city": [.description("A city of Europe."), .length(2...40)], "days": [.range(1...14)],
///         ]
///     }
public protocol TextSchemaHints {
    /// Hints by the member's name in JSON.
    static var schemaHints: [String: [TextSchemaHint]] { get }
}

/// A constraint on a member's value, or a description of it for the model.
public enum TextSchemaHint: Sendable, Equatable {
    /// A description for the model.
    case description(String)
    /// Range of a number, or of the numbers in an array.
    case range(ClosedRange<Double>)
    /// Number of elements of an array.
    case count(ClosedRange<Int>)
    /// Length of a string in Unicode scalars, or of the strings in an array.
    case length(ClosedRange<Int>)
    /// An ECMA-262 regular expression that matches some part of a string, or of the strings in an array.
    case pattern(String)
    /// Allowed values of a string, or of the strings in an array.
    case anyOf([String])
}

/// JSON objects with string values.
enum JSONText {
    static func object(_ fields: KeyValuePairs<String, String>) -> String {
        JSONDocument.object(fields.map { ($0.key, .string($0.value)) }).text
    }
}
