import Foundation
import HearthGGUF
import HearthSystem
import HearthText
import HearthTokenizer

extension FuzzTarget {
    /// A GGUF file: what opens is written again and opens as the same; its values can all be read; a vocabulary made of it
    /// takes text.
    static let gguf = FuzzTarget(name: "gguf", longestInput: 16 << 10) {
        { bytes in
            guard let file = try? GGUFFile(MappedFile(copying: bytes)) else { return }
            GGUFChecks.readAll(file)
            GGUFChecks.writeAgain(file)
            _ = try? TextModel(gguf: file)
            guard let vocabulary = try? Vocabulary(gguf: file) else { return }
            let tokens = TextTokenizer(vocabulary).encode("The kettle sings.\n<end_of_turn> 🙂", parseSpecial: true)
            require(tokens.allSatisfy { $0 >= 0 && $0 < vocabulary.count }, "a token of no vocabulary")
        }
    } seeds: {
        var seeds: [String: [UInt8]] = [:]
        for version in [2, 3] as [UInt32] { seeds["every-type-\(version)"] = try GGUFChecks.everyType(version) }
        for name in ["gemma3-q4_0.gguf", "gemma4-q4_0.gguf"] {
            seeds["small-\(name)"] = try GGUFChecks.small(GGUFFile(path: "\(Fixture.folder)/gemma/\(name)"))
        }
        return seeds
    }
}

private enum GGUFChecks {
    static func readAll(_ file: GGUFFile) {
        for key in file.metadata.keys {
            guard let value = file.metadata[key] else {
                require(false, "no value of the key '\(key)'")
                return
            }
            require(file.metadata.type(of: key) == value.type, "two types of '\(key)'")
            _ = try? file.metadata.integers(key)
            if let strings = try? file.metadata.strings(key) {
                for index in 0..<min(strings.count, 1000) { _ = strings.string(at: index) }
            }
        }
        for tensor in file.tensors {
            require(file.tensor(named: tensor.name) == tensor, "two tensors '\(tensor.name)'")
            do {
                try file.withBytes(of: tensor) { bytes in
                    require(bytes.count == tensor.byteCount, "length of '\(tensor.name)'")
                    require(bytes.first == bytes.first && bytes.last == bytes.last, "bytes that change")
                }
            } catch {
                require(false, "a tensor outside: \(error)")
            }
        }
    }

    static func writeAgain(_ file: GGUFFile) {
        let builder = GGUFBuilder(copying: file)
        guard let bytes = try? builder.bytes(), let again = try? GGUFFile(MappedFile(copying: bytes)) else {
            require(false, "what was read cannot be written")
            return
        }
        require(again.metadata.keys == file.metadata.keys, "other keys")
        for (old, new) in zip(file.metadata.entries, again.metadata.entries) {
            require(old.type == new.type && old.range.array == new.range.array, "another value of '\(old.key)'")
        }
        require(again.tensors.map(\.name) == file.tensors.map(\.name), "other tensors")
        require(again.tensors.map(\.shape) == file.tensors.map(\.shape), "other shapes")
        require(again.tensors.map(\.type) == file.tensors.map(\.type), "other types")
        for (old, new) in zip(file.tensors, again.tensors) {
            let before = ByteRange(file: file.file, offset: old.offset, count: old.byteCount).array
            let after = ByteRange(file: again.file, offset: new.offset, count: new.byteCount).array
            require(before == after, "other bytes of '\(old.name)'")
        }
        // Once written, a file has the canonical layout.
        require((try? GGUFBuilder(copying: again).bytes()) == bytes, "a second writing changes something")
    }

    /// A value of each type.
    static func everyType(_ version: UInt32) throws -> [UInt8] {
        var builder = GGUFBuilder()
        builder.version = version
        let values: [GGUFValue] = [
            .uint8(1), .int8(-1), .uint16(2), .int16(-2), .uint32(3), .int32(-3), .uint64(4), .int64(-4), .float32(0.5),
            .float64(-0.5), .bool(true), .string("text"), .array(GGUFArray(strings: ["a", "bc"])),
            .array(GGUFArray([1, 2, 3] as [Int32])), .array(GGUFArray([GGUFArray([true, false])])),
        ]
        for (index, value) in values.enumerated() { builder.set("key.\(index)", value) }
        builder.set("general.alignment", .uint32(64))
        try builder.add("a", .f32, shape: [4, 2], bytes: [UInt8](repeating: 1, count: 32))
        try builder.add("b", .q8_0, shape: [32], bytes: [UInt8](repeating: 2, count: 34))
        return try builder.bytes()
    }

    /// A model's metadata with 300 of its pieces, and no tensors: the hyper-parameters and the vocabulary are what is read.
    static func small(_ file: GGUFFile) throws -> [UInt8] {
        var builder = GGUFBuilder(metadataOf: file)
        for key in file.metadata.keys {
            guard case .array(let array)? = file.metadata[key], array.count > 300 else { continue }
            if let strings = try? file.metadata.strings(key) {
                builder.set(
                    key, .array(GGUFArray(byteStrings: (0..<300).map { Array((strings.string(at: $0) ?? "").utf8) })))
            } else if let numbers = try? file.metadata.integers(key) {
                builder.set(key, .array(GGUFArray(numbers.prefix(300).map { Int32(truncatingIfNeeded: $0) })))
            } else {
                builder.set(key, .array(GGUFArray((0..<300).map { -Float($0) })))
            }
        }
        return try builder.bytes()
    }
}
