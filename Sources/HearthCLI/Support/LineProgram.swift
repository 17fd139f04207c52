import Foundation

/// A command as a filter: a JSON object a line on standard input, one a line on standard output, in the same order, each written
/// as soon as it is known. A line that cannot be used is answered with `{"error": …}`, and the next one is read.
enum LineProgram {
    /// What is wrong with one line.
    struct Problem: Error {
        var text: String
        init(_ text: String) { self.text = text }
    }

    private struct Failure: Encodable { var error: String }

    /// - Parameter answer: throws `Problem` for a request that makes no sense.
    static func run<Request: Decodable>(
        _ request: Request.Type, _ answer: (Request) throws -> some Encodable
    ) throws {
        var input = InputLines()
        let decoder = JSONDecoder()
        while let line = try input.next() {
            do {
                guard case .text(let text) = line else {
                    if case .problem(let what) = line { throw Problem(what) }
                    continue
                }
                guard let request = try? decoder.decode(Request.self, from: Data(text.utf8)) else {
                    throw Problem("not a JSON object with the expected fields")
                }
                try Output.standard.writeJSON(try answer(request))
            } catch let problem as Problem {
                try Output.standard.writeJSON(Failure(error: problem.text))
            }
        }
    }
}
