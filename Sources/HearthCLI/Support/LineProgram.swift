import Foundation

/// A command that answers JSON Lines: one object in, one out, in order and at once.
enum LineProgram {
    /// Why a line has no answer; the next one may.
    struct Problem: Error {
        var what: String
        init(_ what: String) { self.what = what }
    }

    private struct Failure: Encodable { var error: String }

    static func run<Request: Decodable, Answer: Encodable>(_ answer: (Request) throws -> Answer) throws {
        var input = InputLines()
        let decoder = JSONDecoder()
        while let line = input.next() {
            switch line {
            case .problem(let what): try Output.standard.writeJSON(Failure(error: what))
            case .text(let line):
                guard let request = try? decoder.decode(Request.self, from: Data(line.utf8)) else {
                    try Output.standard.writeJSON(
                        Failure(error: "not a JSON object with the fields that are read here"))
                    continue
                }
                do {
                    try Output.standard.writeJSON(answer(request))
                } catch let problem as Problem {
                    try Output.standard.writeJSON(Failure(error: problem.what))
                }
            }
        }
    }
}
