/// The file names of a model that is split into several files: `NAME-00001-of-00003.gguf` and so on.
package struct FileShards: Sendable, Equatable {
    /// What is in front of the numbers, folders included.
    private let stem: String
    /// What is behind them.
    private let ending: String
    /// How many files there are, at least 2.
    package let count: Int
    /// Which of them the path named, from 0.
    package let index: Int

    /// Digits of a number, and the largest number of files that they can count.
    private static let digits = 5, limit = 4096

    /// - Returns: nil if the name is not one of several.
    package init?(_ path: String) {
        let ending = ".gguf", infix = "-of-"
        guard path.hasSuffix(ending) else { return nil }
        let stem = path.dropLast(ending.count)
        let count = stem.suffix(Self.digits)
        let left = stem.dropLast(Self.digits)
        guard left.hasSuffix(infix), let total = Self.number(count) else { return nil }
        let front = left.dropLast(infix.count)
        guard let number = Self.number(front.suffix(Self.digits)), front.dropLast(Self.digits).hasSuffix("-") else {
            return nil
        }
        guard (2...Self.limit).contains(total), (1...total).contains(number) else { return nil }
        self.stem = String(front.dropLast(Self.digits))
        self.ending = infix + count + ending
        self.count = total
        index = number - 1
    }

    /// A number as it is written in names.
    package static func padded(_ number: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
    }

    private static func number(_ digits: Substring) -> Int? {
        guard digits.utf8.count == Self.digits, digits.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
        return Int(digits)
    }

    /// The path of a file, from 0.
    package subscript(_ index: Int) -> String {
        stem + Self.padded(index + 1) + ending
    }

    /// All of them.
    package var paths: [String] { (0..<count).map { self[$0] } }

    /// All files of the model that `path` belongs to; `path` alone if its name is not one of several, or if some of the others
    /// are missing.
    package static func paths(of path: String) -> [String] {
        guard let shards = FileShards(path), shards.paths.allSatisfy({ RealPath.of($0) != nil }) else { return [path] }
        return shards.paths
    }
}
