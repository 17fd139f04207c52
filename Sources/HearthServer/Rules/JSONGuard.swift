internal import Foundation

/// Looks a body over before anything is made of it: how deep it goes and how long its strings are. What is no JSON at all is
/// found by the decoder afterwards, with its place.
package struct JSONGuard {
    var limits: ServerLimits

    package init(limits: ServerLimits) {
        self.limits = limits
    }

    /// - Throws: `HTTPFailure`.
    func check(_ body: [UInt8]) throws(HTTPFailure) {
        var depth = 0
        var index = 0
        while index < body.count {
            switch body[index] {
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                depth += 1
                if depth > limits.jsonDepth {
                    throw HTTPFailure(
                        400, "too_deep", "The JSON is too deep. Nest at most \(limits.jsonDepth) arrays and objects.")
                }
            case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
            case UInt8(ascii: "\""):
                index = try end(ofString: index, in: body)
            default: break
            }
            index += 1
        }
    }

    /// Where the string that begins at `start` ends; its length counts as it is written, escapes included.
    private func end(ofString start: Int, in body: [UInt8]) throws(HTTPFailure) -> Int {
        var index = start + 1
        while index < body.count, body[index] != UInt8(ascii: "\"") {
            index += body[index] == UInt8(ascii: "\\") ? 2 : 1
            if index - start > limits.stringBytes {
                throw HTTPFailure(
                    400, "string_too_long", "A string is too long. Send at most \(limits.stringBytes) bytes in one.")
            }
        }
        return index
    }

    /// A request's fields.
    /// - Throws: `HTTPFailure`, naming the field.
    package func decode<Fields: Decodable>(_ type: Fields.Type, from body: [UInt8]) throws(HTTPFailure) -> Fields {
        try check(body)
        do {
            return try JSONDecoder().decode(type, from: Data(body))
        } catch let failure as HTTPFailure {
            throw failure
        } catch let error as DecodingError {
            throw Self.failure(error)
        } catch {
            throw HTTPFailure(400, "invalid_json", "The body is not JSON. Send one JSON object.")
        }
    }

    private static func failure(_ error: DecodingError) -> HTTPFailure {
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
            return path.isEmpty
                ? HTTPFailure(400, "invalid_json", "The body has to be a JSON object.")
                : .field(path, "has to be \(word(for: type)).")
        case .dataCorrupted(let context):
            let path = name(context.codingPath)
            return path.isEmpty
                ? HTTPFailure(400, "invalid_json", "The body is not JSON. Send one JSON object.")
                : .field(path, "is out of range.")
        @unknown default: return HTTPFailure(400, "invalid_json", "The body is not JSON. Send one JSON object.")
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
    /// A number within its range; nil where it is absent or null.
    /// - Throws: `HTTPFailure`, naming the field and the range.
    func number<Value: Decodable & Comparable & Sendable>(_ key: Key, in range: ClosedRange<Value>) throws -> Value? {
        let value: Value?
        do {
            value = try decodeIfPresent(Value.self, forKey: key)
        } catch {
            // Numbers that no type holds come as errors of the decoder's own.
            throw HTTPFailure.field(key.stringValue, "has to be from \(range.lowerBound) to \(range.upperBound).")
        }
        guard let value else { return nil }
        guard range.contains(value) else {
            throw HTTPFailure.field(key.stringValue, "has to be from \(range.lowerBound) to \(range.upperBound).")
        }
        return value
    }

    /// Fields that OpenAI's clients may send and that this server does not have: refused where they ask for something.
    func refuse<Value: Decodable & Equatable>(_ key: Key, unless harmless: Value) throws {
        guard contains(key), try !decodeNil(forKey: key), (try? decode(Value.self, forKey: key)) != harmless else {
            return
        }
        throw HTTPFailure.field(key.stringValue, "asks for what this server does not have. Leave it out.")
    }
}
