import Foundation
import HearthGGUF
import HearthSystem
import HearthText
import HearthTokenizer

extension FuzzTarget {
    /// A vocabulary's flat file, and the record of a text artifact (JSON): no damage leads out of the file. What opens is laid
    /// out again and opens as the same.
    static let textArtifact = FuzzTarget(name: "text-artifact", longestInput: 24 << 10) {
        { bytes in
            if bytes.first == UInt8(ascii: "{") {
                TextArtifactChecks.record(bytes)
                return
            }
            _ = try? Vocabulary(flat: MappedFile(copying: bytes, path: "tokens.bin"))
            let file = RepairedSections.file(
                bytes, path: "tokens.bin", adding: (TextArtifactChecks.boundaries, TextArtifactChecks.joins))
            guard let vocabulary = try? Vocabulary(flat: file) else { return }
            TextArtifactChecks.use(vocabulary, bytes)
        }
    } seeds: {
        var seeds: [String: [UInt8]] = [:]
        for (name, merges) in [("by-score", nil), ("by-rank", [("a", "b"), ("ab", "c")])]
            as [(String, [(String, String)]?)]
        {
            var pieces = (0...255).map { "<0x\(Vocabulary.hex(UInt8($0)))>" }
            var kinds = [TokenKind](repeating: .byte, count: 256)
            pieces += ["<bos>", "<eos>", "<unk>", "<tag>", "a", "b", "c", "ab", "abc", "\u{2581}", "\n\n", "é"]
            kinds += [.control, .control, .unknown, .userDefined] + [TokenKind](repeating: .normal, count: 8)
            let scores = pieces.indices.map { -Float($0) }
            let vocabulary = try Vocabulary(pieces: pieces, kinds: kinds, scores: scores, merges: merges)
            seeds[name] = RepairedSections.without(
                TextArtifactChecks.boundaries, vocabulary.flatFile().withUnsafeBytes { Array($0) })
        }
        seeds["record"] = Array(
            """
            {"format":12,"shape":[4,2],"tensors":["8 256x512 - 4096 139264 token_embd.weight","0 4 - 0 16 a b","0 x - 1 1 n"]}
            """.utf8)
        return seeds
    }

    /// A table of drafts beside a model: whatever it says, it names tokens of the vocabulary or nothing.
    static let draft = FuzzTarget(name: "draft", longestInput: 4 << 10) {
        { bytes in
            let vocabulary = 512
            let texts: [[TokenID]] = [[], [2], [2, 3, 4], [511, 0, -1, .max, .min, 7], Array(0..<40)]
            let files = [MappedFile(copying: bytes), RepairedSections.file(bytes, path: "fuzz.draft")]
            for file in files {
                guard let table = try? DraftTable(file, vocabularyCount: vocabulary) else { continue }
                require((1...16).contains(table.longestRun), "runs of \(table.longestRun)")
                for text in texts {
                    guard let (token, chance) = table.next(after: text) else { continue }
                    require(token >= 0 && token < vocabulary, "the token \(token)")
                    require(chance > 0 && chance < 1, "the chance \(chance)")
                }
            }
        }
    } seeds: {
        var seeds: [String: [UInt8]] = [:]
        for slots in [8, 64] {
            var file = SectionFileBuilder(magic: DraftTable.magic, version: DraftTable.version)
            file.append(1, FlatArray([512, 3] as [UInt32]))
            file.append(2, FlatArray((0..<slots).map { UInt32($0) &* 0x9E37_79B9 }))
            seeds["\(slots)-slots"] = file.file().withUnsafeBytes { Array($0) }
        }
        return seeds
    }
}

private enum TextArtifactChecks {
    /// The section of pairs of bytes that merges join: 66 kB of ones and zeros that say nothing about the others.
    static let boundaries = 6
    static let joins = [UInt8](repeating: 1, count: 257 * 257)

    private struct Record: Codable {
        var tensors: [TextArtifact.Tensor]
    }

    static func record(_ bytes: [UInt8]) {
        _ = try? JSONDecoder().decode(TextArtifact.Content.self, from: Data(bytes))
        guard let record = try? JSONDecoder().decode(Record.self, from: Data(bytes)) else { return }
        let table = record.tensors.compactMap { tensor in
            GGUFTensorType(rawValue: tensor.format).map {
                GGUFTensor(
                    name: tensor.name, type: $0, shape: tensor.shape, offset: tensor.offset, byteCount: tensor.length)
            }
        }
        let file = MappedFile(copying: [UInt8](repeating: 0, count: 8192), path: "model.gguf")
        guard let model = try? GGUFFile(file, table: table) else { return }
        for tensor in model.tensors {
            require(
                (try? model.withBytes(of: tensor) { $0.reduce(0) { $0 &+ Int($1) } }) == 0, "a tensor outside the file")
        }
    }

    static func use(_ vocabulary: Vocabulary, _ bytes: [UInt8]) {
        let tokenizer = TextTokenizer(vocabulary)
        let text = Array("abc ab\n\n\u{2581}é<tag><bos>".utf8) + bytes.suffix(64)
        for parsesSpecial in [false, true] {
            let tokens = tokenizer.encode(bytes: text, addBOS: true, parseSpecial: parsesSpecial)
            require(tokens.allSatisfy { $0 >= 0 && $0 < vocabulary.count }, "a token of no vocabulary")
            _ = try? tokenizer.decode(tokens, showSpecial: true)
        }
        for id in stride(from: 0, to: vocabulary.count, by: max(1, vocabulary.count / 64)) {
            _ = try? tokenizer.piece(TokenID(id))
        }
        // What is laid out of it is what it is, damaged or not.
        let flat = vocabulary.flatFile().withUnsafeBytes { Array($0) }
        guard let again = try? Vocabulary(flat: MappedFile(copying: flat, path: "tokens.bin")) else {
            require(false, "a vocabulary that was laid out cannot be opened")
            return
        }
        require(again.flatFile().withUnsafeBytes { Array($0) } == flat, "a second writing changes something")
        require(TextTokenizer(again).encode(bytes: text) == tokenizer.encode(bytes: text), "other tokens")
    }
}
