/// Any JSON value, for fields that may have several types or are only compared.
package enum JSONValue: Decodable, Sendable, Equatable {
    case null
    case bool(Bool)
    case number(Double)
    case string(String)
    case array([JSONValue])
    case object([String: JSONValue])

    package init(from decoder: any Decoder) throws {
        if let fields = try? decoder.container(keyedBy: Name.self) {
            var object: [String: JSONValue] = [:]
            for name in fields.allKeys { object[name.stringValue] = try fields.value(name) }
            self = .object(object)
            return
        }
        if var values = try? decoder.unkeyedContainer() {
            var array: [JSONValue] = []
            while !values.isAtEnd { array.append(try values.decodeIfPresent(JSONValue.self) ?? .null) }
            self = .array(array)
            return
        }
        let value = try decoder.singleValueContainer()
        if value.decodeNil() {
            self = .null
        } else if let bool = try? value.decode(Bool.self) {
            self = .bool(bool)
        } else if let string = try? value.decode(String.self) {
            self = .string(string)
        } else {
            // A number that `Double` cannot hold is still a number.
            self = .number((try? value.decode(Double.self)) ?? .infinity)
        }
    }

    /// The type in words for messages, such as `an array`.
    package var kind: String {
        switch self {
        case .null: "null"
        case .bool: "true or false"
        case .number: "a number"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }

    /// The value as JSON with sorted keys.
    package var text: String {
        switch self {
        case .null: "null"
        case .bool(let value): String(value)
        case .number(let value): value == value.rounded() && abs(value) < 1e15 ? String(Int(value)) : String(value)
        case .string(let value): String(decoding: JSONText.bytes(value), as: UTF8.self)
        case .array(let values): "[" + values.map(\.text).joined(separator: ",") + "]"
        case .object(let fields):
            "{"
                + fields.sorted { $0.key < $1.key }.map { JSONValue.string($0.key).text + ":" + $0.value.text }
                .joined(separator: ",") + "}"
        }
    }

    /// A coding key with any name.
    package struct Name: CodingKey {
        package let stringValue: String
        package var intValue: Int? { nil }
        init(_ text: String) { stringValue = text }
        package init(stringValue: String) { self.stringValue = stringValue }
        package init?(intValue: Int) { nil }
    }
}

extension KeyedDecodingContainer {
    /// The field's value; null if absent.
    func value(_ key: Key) throws -> JSONValue { try decodeIfPresent(JSONValue.self, forKey: key) ?? .null }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByFloatLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral, ExpressibleByNilLiteral
{
    package init(stringLiteral value: String) { self = .string(value) }
    package init(booleanLiteral value: Bool) { self = .bool(value) }
    package init(integerLiteral value: Int) { self = .number(Double(value)) }
    package init(floatLiteral value: Double) { self = .number(value) }
    package init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    package init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(Dictionary(elements) { first, _ in first })
    }
    package init(nilLiteral: ()) { self = .null }
}
