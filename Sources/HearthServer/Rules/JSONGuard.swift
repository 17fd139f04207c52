internal import Foundation

/// Decodes a request's body after validating it.
package struct JSONGuard {
    package var limits: ServerLimits

    package init(limits: ServerLimits) { self.limits = limits }

    /// Decodes the fields of a request.
    /// - Throws: `HTTPFailure`, naming the field, what it has to be and what it is.
    package func decode<Fields: Decodable>(_ type: Fields.Type, from body: [UInt8]) throws(HTTPFailure) -> Fields {
        var scanner = JSONScanner(body, limits)
        try scanner.scan()
        do {
            let decoder = JSONDecoder()
            decoder.userInfo[OrderedBody.key] = OrderedBody(bytes: body)
            return try decoder.decode(type, from: Data(body))
        } catch let failure as HTTPFailure {
            throw failure
        } catch let error as DecodingError {
            throw Self.failure(error, try? JSONDecoder().decode(JSONValue.self, from: Data(body)))
        } catch {
            throw HTTPFailure(400, "invalid_json", "The body is not JSON. Send one JSON object.")
        }
    }

    private static func failure(_ error: DecodingError, _ body: JSONValue?) -> HTTPFailure {
        func name(_ path: [any CodingKey]) -> String {
            path.reduce("") { text, key in
                if let index = key.intValue { return text + "[\(index)]" }
                return text.isEmpty ? key.stringValue : text + "." + key.stringValue
            }
        }
        switch error {
        case .keyNotFound(let key, let context):
            return .field(name(context.codingPath + [key]), "is missing.")
        case .typeMismatch(let type, let context), .valueNotFound(let type, let context):
            let path = name(context.codingPath)
            let found = value(at: context.codingPath, in: body).map { ", but is \($0.kind)" } ?? ""
            return path.isEmpty
                ? HTTPFailure(400, "invalid_json", "The body must be a JSON object\(found).")
                : .field(path, "must be \(word(for: type))\(found).")
        case .dataCorrupted(let context):
            let path = name(context.codingPath)
            return path.isEmpty
                ? HTTPFailure(400, "invalid_json", "The body is not JSON. Send one JSON object.")
                : .field(path, "is out of range.")
        @unknown default: return HTTPFailure(400, "invalid_json", "The body is not JSON. Send one JSON object.")
        }
    }

    private static func value(at path: [any CodingKey], in body: JSONValue?) -> JSONValue? {
        path.reduce(body) { value, key in
            switch value {
            case .object(let fields): fields[key.stringValue]
            case .array(let values): key.intValue.flatMap { values.indices.contains($0) ? values[$0] : nil }
            default: nil
            }
        }
    }

    private static func word(for type: any Any.Type) -> String {
        switch type {
        case is any BinaryInteger.Type: "a whole number"
        case is any BinaryFloatingPoint.Type: "a number"
        case is String.Type: "a string"
        case is Bool.Type: "true or false"
        case is any RangeReplaceableCollection.Type: "an array"
        default: "an object"
        }
    }
}

extension KeyedDecodingContainer {
    /// A number within a range; nil if absent or null.
    /// - Throws: `HTTPFailure`, naming the field, the range and what was sent.
    func number<Value: Decodable & Comparable & Sendable>(_ key: Key, in range: ClosedRange<Value>) throws -> Value? {
        guard let sent = try decodeIfPresent(JSONValue.self, forKey: key) else { return nil }
        let isWhole = Value.self is any BinaryInteger.Type
        guard case .number(let number) = sent else {
            throw HTTPFailure.field(
                key.stringValue, "must be \(isWhole ? "a whole number" : "a number"), but is \(sent.kind).")
        }
        // Numbers that the type cannot hold throw an error of the decoder.
        guard let value = try? decode(Value.self, forKey: key), range.contains(value) else {
            let words = "must be from \(range.lowerBound) to \(range.upperBound)"
            throw HTTPFailure.field(
                key.stringValue, isWhole && number != number.rounded() ? words + ", and whole." : words + ".")
        }
        return value
    }
}
