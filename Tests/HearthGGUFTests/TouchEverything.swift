import Foundation
import HearthGGUF
import HearthTestSupport

extension GemmaFixtures {
    /// Paths of all GGUF fixtures.
    static func models() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: TestFixtures.url("gemma").path)
            .filter { $0.hasSuffix(".gguf") }.sorted().map(path)
    }

    /// The bytes of a fixture.
    static func bytes(_ name: String) throws -> [UInt8] {
        try Array(Data(contentsOf: TestFixtures.url("gemma/\(name)")))
    }
}

/// Reads all that a model loader could read, through the public API; returns something that depends on every byte
/// read, so that nothing is optimised away.
func touchEverything(_ file: GGUFFile) throws -> Int {
    var sum = Int(file.version) + file.alignment
    for key in file.metadata.keys {
        guard let value = file.metadata[key] else { continue }
        sum &+= touch(value)
        sum &+= file.metadata.bytes(key)?.count ?? 0
        sum &+= (try? file.metadata.integer(key)) ?? 0
        sum &+= (try? file.metadata.number(key)).map { $0.map { Int(truncatingIfNeeded: $0.bitPattern) } ?? 0 } ?? 0
        sum &+= (try? file.metadata.string(key))?.utf8.count ?? 0
        sum &+= (try? file.metadata.bool(key)) == true ? 1 : 0
        sum &+= (try? file.metadata.integers(key))?.count ?? 0
        sum &+= (try? file.metadata.numbers(key))?.count ?? 0
        sum &+= (try? file.metadata.floats(key))?.count ?? 0
    }
    for tensor in file.tensors {
        sum &+= tensor.elementCount &+ (file.tensor(named: tensor.name)?.offset ?? 0)
        // Copying reads every byte, in one piece and where the address sanitizer looks.
        sum &+= try file.withBytes(of: tensor) { Array($0).last.map { Int($0) } ?? 0 }
    }
    return sum
}

private func touch(_ value: GGUFValue) -> Int {
    switch value {
    case .string(let text): return text.utf8.count
    case .array(let array):
        var sum = array.prefix(64).reduce(0) { $0 &+ touch($1) }
        array.strings?.forEach { index, bytes in
            sum &+= index &+ (Array(bytes).last.map { Int($0) } ?? 0)
        }
        if let strings = array.strings, strings.count > 0 {
            sum &+= strings[strings.count - 1]?.count ?? 0
            sum &+= strings[strings.count / 2]?.count ?? 0
            sum &+= strings.string(at: strings.count)?.count ?? 0
        }
        return sum
    default: return 1
    }
}
