import Foundation
import HearthGGUF
import HearthSystem
import HearthTestSupport
import Testing

/// Files that are right: every fixture opens and its contents are reachable.
@Suite(.timeLimit(.minutes(20))) struct GGUFFileTests {
    @Test("every fixture opens, and everything in it can be read", arguments: try GemmaFixtures.models())
    func opens(path: String) throws {
        let file = try GGUFFile(path: path)
        #expect(file.version == 3)
        #expect(file.alignment == 32)
        #expect(try file.metadata.string("general.architecture")?.isEmpty == false)
        // An adapter changes a model that has the vocabulary.
        if try file.metadata.string("general.type") != "adapter" {
            let tokens = try #require(try file.metadata.strings("tokenizer.ggml.tokens"))
            #expect(tokens.count > 256)
            #expect(try file.metadata.integers("tokenizer.ggml.token_type")?.count == tokens.count)
        }
        #expect(try touchEverything(file) != 0)
    }

    @Test("a vocabulary of 262,144 strings stays in the map")
    func largeVocabulary() throws {
        let count = 262_144
        let bytes = RawGGUF.bytes(entries: 2) {
            $0.array("tokenizer.ggml.tokens", of: 8, count: UInt64(count))
            for index in 0..<count { $0.string(index % 2 == 0 ? "▁token" : "x") }
            $0.array("tokenizer.ggml.scores", of: 6, count: UInt64(count))
            $0.zeros(4 * count)
        }
        let folder = try TemporaryFolder()
        let path = try folder.write(bytes, "vocabulary.gguf")
        var file: GGUFFile?
        // Pages of the map count as resident, so the file itself is in the figure.
        let added = PeakMemory.added(upTo: bytes.count + 1 << 20) { file = try? GGUFFile(path: path) }
        #expect(added <= bytes.count + 1 << 20)
        let metadata = try #require(file).metadata
        let tokens = try #require(try metadata.strings("tokenizer.ggml.tokens"))
        #expect(tokens.count == count)
        #expect(tokens.string(at: count - 2) == "▁token")
        #expect(tokens[count - 1] == Array("x".utf8))
        #expect(tokens[count] == nil)
        #expect(tokens[-1] == nil)
        var total = 0
        tokens.forEach { _, text in total += text.count }
        #expect(total == count / 2 * 9)
        #expect(try metadata.floats("tokenizer.ggml.scores")?.count == count)
    }

    @Test("paths that are no GGUF file are refused, and none of them waits")
    func wrongPaths() throws {
        let folder = try TemporaryFolder()
        let pipe = folder.path("pipe")
        #expect(mkfifo(pipe, 0o600) == 0)
        for path in [folder.path("missing"), folder.path(""), pipe, "/dev/zero", ""] {
            let error = try #require(throws: FileError.self) { try GGUFFile(path: path) }
            #expect(error.kind == "unreadable")
        }
    }

    @Test("an error is one line that names file and field, whatever they contain")
    func errorText() throws {
        let bytes = RawGGUF.bytes(entries: 1) { $0.key("bad\n\u{1b}[31mkey\u{202e}", 99) }
        let error = try #require(throws: FileError.self) {
            try GGUFFile(MappedFile(copying: bytes, path: "models/m.gguf"))
        }
        #expect(
            error.localizedDescription
                == "unknown metadata type 99 (models/m.gguf: bad\\u{a}\\u{1b}[31mkey\\u{202e}). "
                + "The file is malformed: use another copy or another converter.")
        let long = FileError.duplicateKey(.init(file: "m", field: String(repeating: "k", count: 100_000)))
        #expect(long.localizedDescription.count < 400)
    }

    @Test("a file that somebody shortens is noticed")
    func shortened() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(Sample.builder().bytes(), "m.gguf")
        let file = try GGUFFile(path: path)
        #expect(file.file.isIntact)
        #expect(truncate(path, 64) == 0)
        #expect(!file.file.isIntact)
        #expect(throws: FileError.self) { try GGUFFile(path: path) }
    }

    @Test("a tensor of another file cannot read beyond this one")
    func foreignTensor() throws {
        let large = try GGUFFile(MappedFile(copying: Sample.builder().bytes()))
        let small = try GGUFFile(MappedFile(copying: GGUFBuilder().bytes()))
        let tensor = try #require(large.tensors.last)
        #expect(throws: FileError.self) { try small.withBytes(of: tensor) { $0.count } }
        #expect(small.tensor(named: tensor.name) == nil)
    }

    @Test("block sizes agree with the goldens of an independent implementation")
    func blockSizes() throws {
        struct Goldens: Decodable { let types: [Golden] }
        struct Golden: Decodable {
            let type: String
            let ggml_type: UInt32
            let block: Int
            let bytes_per_block: Int
        }
        let data = try Data(contentsOf: TestFixtures.url("gemma/blocks.json"))
        let goldens = try JSONDecoder().decode(Goldens.self, from: data).types
        #expect(goldens.count == 26)
        for golden in goldens {
            let type = try #require(GGUFTensorType(rawValue: golden.ggml_type))
            #expect(type.name == golden.type)
            #expect(type.blockElements == golden.block)
            #expect(type.blockBytes == golden.bytes_per_block)
        }
    }
}
