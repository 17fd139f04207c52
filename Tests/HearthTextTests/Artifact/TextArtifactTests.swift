import Foundation
import HearthCompute
import HearthDelivery
import HearthRuntime
import HearthSystem
import HearthTestSupport
import HearthText
import HearthTokenizer
import Testing

/// Starting from a compiled artifact is starting from the file, only faster; and an artifact is never used for anything
/// but the file that it was made from.
@Suite("Text artifact", .timeLimit(.minutes(20)))
final class TextArtifactTests {
    static let models = [
        "gemma1-f32", "gemma1-q4_0", "gemma1-q8_0", "gemma2-f16", "gemma2-q8_0", "gemma3-f16", "gemma3-kquant-kmix",
        "gemma3-linear-f16", "gemma3-q4_0", "gemma3-q8_0", "gemma3n-f16", "gemma3n-q8_0", "gemma4-bf16", "gemma4-q4_0",
        "gemma4-q8_0",
    ]
    let root: String
    static let device = DeviceIdentity(model: "a device", osVersion: "an OS", osBuild: "1", processors: 2)

    init() throws {
        root = FileManager.default.temporaryDirectory.appendingPathComponent("hearth-text-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: root) }

    private func compiler(
        kernels: String? = nil, device: DeviceIdentity = device, boot: String = "first"
    ) throws -> TextCompiler {
        TextCompiler(
            folders: HearthFolders(data: root, cache: root), kernels: try KernelSet.selected(by: kernels),
            device: device,
            boot: boot)
    }

    /// A copy of a fixture that a test may spoil.
    private func copy(_ name: String = "gemma3-q8_0", as other: String = "model") throws -> String {
        let path = "\(root)/\(other).gguf"
        try? FileManager.default.removeItem(atPath: path)
        try FileManager.default.copyItem(atPath: GemmaFixtures.path(name + ".gguf"), toPath: path)
        return path
    }

    private func logits(_ model: TextModel) async throws -> [[Float]] {
        let rows = Rows()
        _ = try await TextGenerator(model: model, contextLength: 64, threads: 1).score([2, 30, 41, 5, 77, 106]) {
            rows.append($0)
        }
        return rows.all
    }

    private final class Rows: @unchecked Sendable {
        private let lock = NSLock()
        private var rows: [[Float]] = []
        func append(_ row: [Float]) { lock.withLock { rows.append(row) } }
        var all: [[Float]] { lock.withLock { rows } }
    }

    @Test("An embedding model from its artifact gives the same vectors", arguments: ["embed-dense", "embed-plain"])
    func embeddings(name: String) async throws {
        let path = try copy(name)
        let made = try compiler().compile(path)
        #expect(TextModel.givesEmbeddings(path: made.artifact.path))
        let compiled = try TextEmbedder(model: TextModel(artifact: made.artifact), threads: 1)
        let plain = try TextEmbedder(model: TextModel(path: path), threads: 1)
        let texts = ["The fox sleeps.", ""]
        #expect(try await compiled.embed(texts, task: .query) == plain.embed(texts, task: .query))
    }

    @Test(arguments: models)
    func aModelFromAnArtifactIsTheModelFromItsFile(_ name: String) async throws {
        let path = GemmaFixtures.path(name + ".gguf")
        let made = try compiler().compile(path)
        #expect(!made.reused)
        let plain = try TextModel(path: path)
        let compiled = try TextModel(artifact: try #require(compiler().find(path)?.artifact))
        #expect(compiled.configuration == plain.configuration)
        #expect(compiled.chatTemplate == plain.chatTemplate)
        #expect(compiled.samplingDefaults == plain.samplingDefaults)
        #expect(compiled.name == plain.name && compiled.languages == plain.languages)
        #expect(compiled.weightBytes == plain.weightBytes && compiled.headerBytes == plain.headerBytes)
        let text = "Once upon a time, <start_of_turn> a fox… 狐狸\n\n"
        for special in [false, true] {
            #expect(
                compiled.tokenizer.encode(text, addBOS: true, parseSpecial: special)
                    == plain.tokenizer.encode(text, addBOS: true, parseSpecial: special))
        }
        let expected = try await logits(plain)
        #expect(expected.count == 6)
        #expect(try await logits(compiled) == expected, "bit for bit")
    }

    @Test func aSecondCompileFindsTheFirst() throws {
        let path = try copy()
        let first = try compiler().compile(path)
        let second = try compiler().compile(path)
        #expect(second.reused && second.artifact.digest == first.artifact.digest && second.driftedFields.isEmpty)
        #expect(try compiler().find(path)?.reused == true)
        let profile = try compiler().profile(path)
        #expect(profile.digest == first.artifact.digest)
        #expect(profile.modelSHA256 == SHA256.digest(of: try Data(contentsOf: URL(fileURLWithPath: path))))
        #expect(profile.quantization == "Q8_0" && profile.contextLength == 2048 || profile.contextLength <= 4096)
    }

    @Test func nothingIsFoundThatWasNotCompiled() throws {
        let path = try copy()
        #expect(try compiler().find(path) == nil)
        #expect(try compiler().find(root + "/nothing.gguf") == nil)
        #expect(throws: FileError.self) { try self.compiler().compile(self.root + "/nothing.gguf") }
        #expect(throws: TextError.self) { try self.compiler().compile(GemmaFixtures.path("tokenizer-gemma4.gguf")) }
        #expect(try compiler().cache.list().isEmpty)
    }

    @Test func driftMakesANewArtifactAndNamesTheField() throws {
        let path = try copy()
        let first = try compiler().compile(path)
        let context = try compiler().compile(path, contextLength: 100)
        #expect(!context.reused && context.driftedFields == ["contextLength"])
        var device = Self.device
        device.osBuild = "2"
        let system = try compiler(device: device).compile(path)
        #expect(
            !system.reused && system.driftedFields == ["osBuild"]
                || system.driftedFields == ["contextLength", "osBuild"])
        let kernels = try compiler(kernels: "portable").compile(path)
        #expect(kernels.reused || kernels.driftedFields.contains("kernelSet"))
        #expect(Set([first, context, system].map(\.artifact.digest)).count == 3)
        // The vocabulary was taken over, not rebuilt.
        func inode(_ made: TextCompilation) -> UInt64? {
            SourceIdentity(path: made.artifact.path + "/" + TextArtifact.tokensFile)?.inode
        }
        #expect(inode(first) == inode(context) && inode(first) == inode(system))
        #expect(throws: TextError.self) { try self.compiler().compile(path, contextLength: 1 << 20) }
    }

    @Test func anotherModelUnderTheSameNameIsDrift() throws {
        let path = try copy("gemma3-q8_0")
        _ = try compiler().compile(path)
        _ = try copy("gemma3-f16")
        #expect(try compiler().find(path) == nil)
        let second = try compiler().compile(path)
        #expect(!second.reused)
        #expect(second.driftedFields.contains("modelSHA256") || second.driftedFields.isEmpty)
        #expect(try TextModel(artifact: second.artifact).weightBytes == TextModel(path: path).weightBytes)
    }

    @Test func aCopyOfTheFileUsesTheSameArtifact() async throws {
        let path = try copy()
        let first = try compiler().compile(path)
        let other = try copy(as: "copy")
        try FileManager.default.removeItem(atPath: path)
        let second = try compiler().compile(other)
        #expect(second.reused && second.artifact.digest == first.artifact.digest)
        #expect(try TextModel(artifact: second.artifact).path == SourceIdentity(path: other)?.path)
        #expect(throws: TextError.self) { try TextModel(artifact: first.artifact) }
    }

    /// Each way of changing the model behind the artifact's back; never are its weights used as if nothing had happened.
    @Test func aChangedSourceIsNeverUsed() throws {
        let changes: [(String) throws -> Void] = [
            { truncate($0, 100_000) },
            { truncate($0, 0) },
            { try FileManager.default.removeItem(atPath: $0) },
            {
                try FileManager.default.removeItem(atPath: $0)
                try FileManager.default.copyItem(atPath: GemmaFixtures.path("gemma3-q8_0.gguf"), toPath: $0)
            },
            {
                try FileManager.default.removeItem(atPath: $0)
                try FileManager.default.copyItem(atPath: GemmaFixtures.path("gemma3-f16.gguf"), toPath: $0)
            },
            {
                let handle = try FileHandle(forUpdating: URL(fileURLWithPath: $0))
                try handle.seekToEnd()
                try handle.write(contentsOf: Data([0]))
                try handle.close()
            },
            {
                try FileManager.default.setAttributes(
                    [.modificationDate: Date(timeIntervalSince1970: 9)], ofItemAtPath: $0)
            },
            {
                // The header in place, everything the system tells put back as it was.
                let date = try FileManager.default.attributesOfItem(atPath: $0)[.modificationDate] as? Date
                let handle = try FileHandle(forUpdating: URL(fileURLWithPath: $0))
                try handle.seek(toOffset: 60)
                try handle.write(contentsOf: Data([0x55, 0xAA]))
                try handle.close()
                try FileManager.default.setAttributes([.modificationDate: date ?? Date()], ofItemAtPath: $0)
            },
        ]
        for (index, change) in changes.enumerated() {
            let path = try copy()
            let artifact = try compiler().compile(path).artifact
            _ = try TextModel(artifact: artifact)
            try change(path)
            #expect(throws: (any Error).self, "change \(index)") { try TextModel(artifact: artifact) }
            if let found = try compiler().find(path) {
                #expect(throws: (any Error).self, "change \(index)") { try TextModel(artifact: found.artifact) }
            }
        }
    }

    @Test func verifyingFindsAndMendsASilentChange() throws {
        let path = try copy()
        let made = try compiler().compile(path)
        let tokens = made.artifact.path + "/" + TextArtifact.tokensFile
        let original = try Data(contentsOf: URL(fileURLWithPath: tokens))
        var damaged = original
        damaged[original.count - 70] ^= 1
        chmod(tokens, 0o644)
        try damaged.write(to: URL(fileURLWithPath: tokens))
        // All files: one that is as new as the record is reason enough to look at each byte.
        for name in try FileManager.default.contentsOfDirectory(atPath: made.artifact.path)
        where name != "artifact.json" {
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSinceNow: -60)], ofItemAtPath: "\(made.artifact.path)/\(name)")
        }
        #expect(try compiler().compile(path).reused, "no start looks that closely")
        let mended = try compiler().compile(path, isVerifying: true)
        #expect(!mended.reused)
        #expect(try Data(contentsOf: URL(fileURLWithPath: mended.artifact.path + "/tokens.bin")) != damaged)
        #expect(try compiler().compile(path, isVerifying: true).reused)
        _ = try TextModel(artifact: mended.artifact)
    }

    @Test func anArtifactIsFoundByItsFolder() throws {
        let path = try copy()
        let made = try compiler().compile(path).artifact
        let opened = try TextCompiler.open(folder: made.path)
        #expect(opened.digest == made.digest && opened.modelPath == made.modelPath)
        #expect(throws: TextError.self) { try TextCompiler.open(folder: self.root) }
        #expect(throws: TextError.self) { try TextCompiler.open(folder: "") }
        #expect(throws: TextError.self) { try TextCompiler.open(folder: "/") }
    }

    @Test func aContextThatTheModelDoesNotHaveGetsNoArtifact() throws {
        let path = try copy()
        let made = try compiler().compile(path).artifact
        let trained = try TextModel(artifact: made).configuration.contextLength
        for length in [0, trained + 1] { #expect(try compiler().find(path, contextLength: length) == nil) }
        let artifacts = (made.path as NSString).deletingLastPathComponent
        #expect(try FileManager.default.contentsOfDirectory(atPath: artifacts) == [made.digest])
        #expect(try compiler().find(path, contextLength: trained) != nil)
    }

    @Test func cancellingLeavesNothing() throws {
        let path = try copy()
        // Cancelled at the first look, at the second, and so on until none is left.
        var cancelled = 0
        while true {
            let asked = Counter()
            do {
                let made = try compiler().compile(path, isCancelled: { asked.next() >= cancelled })
                #expect(!made.reused)
                break
            } catch is CancellationError {
                cancelled += 1
                #expect(try compiler().cache.list().isEmpty)
                try #require(cancelled < 100)
            }
        }
        #expect(cancelled >= 3)
    }

    private final class Counter: @unchecked Sendable {
        private let lock = NSLock()
        private var count = 0
        func next() -> Int {
            lock.withLock {
                count += 1
                return count - 1
            }
        }
    }

    @Test func progressReachesTheEnd() throws {
        let path = try copy()
        var seen: [Int] = []
        _ = try compiler().compile(path, progress: { seen.append($0) })
        #expect(seen.last == (try compiler().workload(path)) && seen == seen.sorted())
    }
}
