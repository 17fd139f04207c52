import Foundation
import HearthGrammar

/// A JSON Lines filter: reads a JSON object per line and writes one per line, in the same order and as soon as it is
/// known. An invalid line is answered with `{"error": …}`, and reading continues.
enum LineProgram {
    /// The problem with one line.
    struct Problem: Error {
        var text: String
        init(_ text: String) { self.text = text }
    }

    private struct Failure: Encodable { var error: String }

    /// - Parameter answer: throws `Problem` for an invalid request.
    static func run<Request: Decodable>(
        _ request: Request.Type, _ answer: (Request) throws -> some Encodable
    ) throws {
        let decoder = JSONDecoder()
        try lines { text in
            let request: Request
            do {
                request = try decoder.decode(Request.self, from: Data(text.utf8))
            } catch {
                throw problem(error)
            }
            try Output.standard.writeJSON(try answer(request))
        }
    }

    /// What is wrong with a line. The fields of all requests are strings, or arrays of strings.
    static func problem(_ error: any Error) -> Problem {
        let type: any Any.Type
        let context: DecodingError.Context
        switch error as? DecodingError {
        case .typeMismatch(let expected, let place), .valueNotFound(let expected, let place):
            (type, context) = (expected, place)
        case .keyNotFound(let key, let place):
            return Problem("'\(name(place.codingPath + [key]))' is missing")
        case .dataCorrupted(let place) where !place.codingPath.isEmpty:
            return Problem("'\(name(place.codingPath))' has an unknown value")
        default: return Problem("the line is not a JSON object")
        }
        let field = name(context.codingPath)
        if field.isEmpty { return Problem("the line is not a JSON object") }
        return Problem("'\(field)' is not \(type == String.self ? "a string" : "an array of strings")")
    }

    private static func name(_ path: [any CodingKey]) -> String {
        path.reduce(into: "") { $0 += $1.intValue.map { "[\($0)]" } ?? $1.stringValue }
    }

    /// For requests in which the order of keys matters.
    static func run(_ answer: (String) throws -> JSONDocument) throws {
        try lines { Output.standard.writeLine(try answer($0).text) }
    }

    private static func lines(_ take: (String) throws -> Void) throws {
        var input = InputLines()
        while let line = try input.next() {
            do {
                switch line {
                case .text(let text): try take(text)
                case .problem(let what): throw Problem(what)
                }
            } catch let problem as Problem {
                try Output.standard.writeJSON(Failure(error: problem.text))
            }
        }
    }
}
