internal import Foundation
internal import HearthGrammar

/// The JSON Schema of a type, derived from how it decodes itself: no macro, and nothing to write twice.
///
/// Structures and classes with the members that their `init(from:)` asks for, in that order, by their `CodingKeys`; optional members,
/// arrays, dictionaries by strings, nested and recursive types; numbers within what their type holds; `Date`, `URL`, `UUID`; and
/// enumerations that are `CaseIterable` with raw values. ``TextSchemaHints`` adds what types do not say.
public struct TextSchema: Sendable, Equatable {
    /// The schema's text.
    public let json: String

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

/// What the values of a type's members have to be beyond their types.
///
///     struct Trip: Decodable, TextSchemaHints {
///         var city: String
///         var days: Int
///         static let schemaHints: [String: [TextSchemaHint]] = [
///             "city": [.description("A city of Europe."), .length(2...40)], "days": [.range(1...14)],
///         ]
///     }
public protocol TextSchemaHints {
    /// By the member's name in JSON.
    static var schemaHints: [String: [TextSchemaHint]] { get }
}

/// One thing that a member's value has to be, or that a model should know of it.
public enum TextSchemaHint: Sendable, Equatable {
    /// For the model.
    case description(String)
    /// Of a number, or of the numbers of an array.
    case range(ClosedRange<Double>)
    /// Of an array's elements.
    case count(ClosedRange<Int>)
    /// Of a string, in Unicode scalars; or of the strings of an array.
    case length(ClosedRange<Int>)
    /// A regular expression of ECMA-262 that is found in a string; or in the strings of an array.
    case pattern(String)
    /// Values that a string may have; or the strings of an array.
    case anyOf([String])
}

/// JSON of a few strings.
enum JSONText {
    static func object(_ fields: KeyValuePairs<String, String>) -> String {
        JSONDocument.object(fields.map { ($0.key, .string($0.value)) }).text
    }
}
