import Foundation

/// One thing that takes bytes from outside.
struct FuzzTarget: Sendable {
    /// As the command line and the folder of its corpus have it.
    let name: String
    /// Bytes; libFuzzer makes none longer.
    let longestInput: Int
    /// What is needed once. Returns what is done with each input: it ends the program where an invariant does not hold.
    let prepare: @Sendable () throws -> ([UInt8]) -> Void
    /// Inputs to begin with, by name.
    let seeds: @Sendable () throws -> [String: [UInt8]]

    /// All of them.
    static let all: [FuzzTarget] = [
        .gguf, .mlpackage, .mlmodel, .picture, .manifest, .archive, .textArtifact, .visionArtifact, .draft, .snapshot,
        .http,
        .chat, .filter, .sanitizer, .chunker, .grammar,
    ]

    /// Writes the seeds into a folder named after the target.
    func writeSeeds(to folder: String) throws {
        let place = "\(folder)/\(name)"
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
        for (name, bytes) in try seeds() where bytes.count <= longestInput {
            try Data(bytes).write(to: URL(fileURLWithPath: "\(place)/\(name)"))
        }
    }
}

/// What runs in this process. Set once, before the first input; libFuzzer calls from one thread.
enum CurrentTarget {
    nonisolated(unsafe) static var body: ([UInt8]) -> Void = { _ in }
}

/// Ends the program where something that always holds does not; libFuzzer then keeps the input.
func require(_ holds: Bool, _ what: @autoclosure () -> String) {
    if holds { return }
    FileHandle.standardError.write(Data("invariant: \(what())\n".utf8))
    abort()
}

/// Files of the tests.
enum Fixture {
    static let folder = "Tests/Fixtures"

    static func bytes(_ path: String) throws -> [UInt8] {
        try Array(Data(contentsOf: URL(fileURLWithPath: "\(folder)/\(path)")))
    }

    /// Files of a folder and those below it that `isWanted` takes, by path from the folder of fixtures.
    static func files(_ path: String, _ isWanted: (String) -> Bool) throws -> [String] {
        guard let found = FileManager.default.enumerator(atPath: "\(folder)/\(path)") else { return [] }
        return found.compactMap { $0 as? String }.filter(isWanted).sorted().map { "\(path)/\($0)" }
    }

    /// Fit for a file of a seed.
    static func flatName(_ path: String) -> String {
        path.replacingOccurrences(of: "/", with: "-").replacingOccurrences(of: ".", with: "-")
    }
}

/// Decisions at the beginning of an input, its content behind them.
struct FuzzInput {
    private(set) var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) { rest = bytes[...] }

    /// The next byte; 0 where nothing is left.
    mutating func byte() -> Int { Int(rest.popFirst() ?? 0) }

    /// One of some values.
    mutating func choose<Value>(_ values: [Value]) -> Value { values[byte() % values.count] }

    /// All that is left, as text; what is not UTF-8 is repaired.
    var text: String { String(decoding: rest, as: UTF8.self) }
    /// All that is left.
    var bytes: [UInt8] { Array(rest) }
}
