import Foundation
import HearthGGUF
import HearthSystem
import HearthTestSupport
import HearthText
import Testing

extension GemmaFixtures {
    /// A copy of a good model with some keys changed and some tensors replaced by zeros, or by other bytes, or dropped;
    /// in memory, or `mapped` from a file.
    static func variant(
        of source: String, set: [String: GGUFValue] = [:], remove: [String] = [], bytes: [String: [UInt8]] = [:],
        mapped: Bool = false,
        tensor: (GGUFTensor) -> (type: GGUFTensorType, shape: [Int])? = { ($0.type, $0.shape) }
    ) throws -> TextModel {
        let original = try GGUFFile(path: path(source))
        var builder = GGUFBuilder()
        for key in original.metadata.keys where !remove.contains(key) {
            if let value = original.metadata[key] { builder.set(key, value) }
        }
        for (key, value) in set { builder.set(key, value) }
        for entry in original.tensors {
            guard let (type, shape) = tensor(entry) else { continue }
            if type == entry.type, shape == entry.shape, bytes[entry.name] == nil {
                try builder.add(entry, of: original)
            } else {
                let count = try #require(type.byteCount(shape: shape))
                try builder.add(
                    entry.name, type, shape: shape, bytes: bytes[entry.name] ?? [UInt8](repeating: 0, count: count))
            }
        }
        let content = try builder.bytes()
        guard mapped else {
            return try TextModel(gguf: GGUFFile(MappedFile(copying: content, path: "variant.gguf")))
        }
        let path = NSTemporaryDirectory() + "hearth-\(UUID().uuidString).gguf"
        // What is mapped stays mapped.
        defer { try? FileManager.default.removeItem(atPath: path) }
        try Data(content).write(to: URL(fileURLWithPath: path))
        return try TextModel(path: path)
    }

    /// The stored bytes of a tensor.
    static func bytes(of tensor: String, in source: String) throws -> [UInt8] {
        let file = try GGUFFile(path: path(source))
        let found = try #require(file.tensor(named: tensor))
        return file.file.withUnsafeBytes { Array($0[found.offset..<found.offset + found.byteCount]) }
    }

    /// The message of the error that loading throws.
    static func refusal(_ body: () throws -> TextModel) -> String {
        do {
            _ = try body()
            return "accepted"
        } catch {
            return error.localizedDescription
        }
    }
}
