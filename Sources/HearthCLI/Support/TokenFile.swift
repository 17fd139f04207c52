import HearthTokenizer

/// Token ids given by the user; errors name the index of the invalid id.
enum TokenFile {
    /// Reads a JSON array of ids.
    static func ids(_ path: String, option: String) throws -> [Int] {
        do {
            return try TokenList.parse(try InputFile.bytes(path, option: option))
        } catch let problem as TokenList.Problem {
            throw CommandFailure(
                .invalidInput, problem.what, at: "\(path): \(problem.field)",
                todo: "Pass a JSON array of token ids, such as [2, 651, 1230].")
        }
    }

    /// Checks ids against a vocabulary of size `count`.
    static func tokens(_ ids: [Int], file: String, count: Int) throws -> [TokenID] {
        guard !ids.isEmpty else {
            throw CommandFailure(.invalidInput, "there are no tokens", at: file, todo: "Pass at least one token id.")
        }
        return try ids.enumerated().map { index, id in
            guard (0..<count).contains(id), let token = TokenID(exactly: id) else {
                throw CommandFailure(
                    .invalidInput, "token id \(id) is out of range", at: "\(file): [\(index)]",
                    todo: "This model has the ids 0 to \(count - 1).")
            }
            return token
        }
    }
}
