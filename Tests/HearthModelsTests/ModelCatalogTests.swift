import Foundation
import HearthCompute
import HearthCoreML
import HearthDelivery
import HearthModels
import HearthRuntime
import HearthSystem
import HearthTestSupport
import HearthText
import HearthVision
import Testing

/// An app's way to models: install, look up, run, remove.
@Suite("The catalog of models", .timeLimit(.minutes(20)))
struct ModelCatalogTests {
    private let home: TemporaryFolder
    private let catalog: ModelCatalog
    private static let gemma = GemmaFixtures.path("gemma1-q8_0.gguf")
    private static let greedy = TextGenerator.Options(maximumTokens: 4, sampling: SamplingOptions(temperature: 0))
    private static let package = TestFixtures.url("coreml/digits/fp16.mlpackage").path

    init() throws {
        home = try TemporaryFolder()
        catalog = ModelCatalog(
            folders: HearthFolders(data: home["data"], cache: home["cache"]),
            modelFolders: [TestFixtures.url("gemma").path, TestFixtures.url("coreml/digits").path])
    }

    @Test("Files and packages are installed under a name, answer, and go")
    func installing() async throws {
        #expect(catalog.models.isEmpty)
        let installed = try await catalog.pull(Self.gemma, name: "gemma")
        #expect(installed.name == "gemma" && installed.isCurrent && installed.isWhole)
        #expect(try catalog.path(of: "gemma") == installed.path)
        let images = try await catalog.pull(Self.package)
        #expect(images.name == "fp16")
        #expect(catalog.models.map(\.name).sorted() == ["fp16", "gemma"])

        let digest = try FileDigest.sha256(Self.gemma) { _ in }
        try await catalog.pull(Self.gemma, name: "gemma", sha256: digest.uppercased())
        await #expect(throws: DeliveryError.self) {
            try await catalog.pull(Self.gemma, name: "gemma", sha256: String(repeating: "0", count: 64))
        }
        #expect(throws: DeliveryError.nothingBefore(name: "gemma")) { try catalog.rollBack("gemma") }

        var text: ModelRunner<TextEngine>? = try catalog.text("gemma", contextLength: 64)
        var answer = ""
        if let text {
            for try await piece in text.answer("abc", options: Self.greedy) { answer += piece }
        }
        #expect(!answer.isEmpty)
        // A runner keeps its model.
        #expect(throws: DeliveryError.self) { try catalog.remove("gemma") }
        await text?.release()
        text = nil
        // The task of the answer may hold it for a moment longer.
        while (try? catalog.remove("gemma")) == nil { try await Task.sleep(for: .milliseconds(5)) }
        #expect(throws: ModelCatalogError.unknownModel("gemma")) { try catalog.text("gemma") }
        #expect(throws: DeliveryError.notInstalled(name: "gemma", version: nil)) { try catalog.remove("gemma") }
    }

    @Test("Files of the app are found by name with and without their endings; a missing one says so before any work")
    func names() throws {
        #expect(try catalog.path(of: "gemma1-q8_0") == GemmaFixtures.path("gemma1-q8_0.gguf"))
        #expect(try catalog.path(of: "fp16.mlpackage") == Self.package)
        #expect(try catalog.path(of: Self.package) == Self.package)
        #expect(throws: ModelCatalogError.noSuchFile("/none/a.gguf")) { try catalog.path(of: "/none/a.gguf") }
        for name in ["none", "none.gguf", "", ".", "..", "a b"] {
            #expect(throws: ModelCatalogError.unknownModel(name)) { try catalog.text(name) }
            #expect(throws: ModelCatalogError.unknownModel(name)) { try catalog.images(name) }
        }
    }

    @Test("Images are classified by name; what no picture or no text is is an error of the runner")
    func images() async throws {
        let runner = try catalog.images("fp16")
        let picture = TestFixtures.url("coreml/digits/images/0000.png").path
        #expect(try await runner.classify(picture).first?.label == "zero")
        await #expect(throws: (any Error).self) { try await runner.classify(Self.gemma) }
        await #expect(throws: CoreMLError.self) { try await runner.detect(picture) }
        await runner.release()

        let wrong = try catalog.text(Self.package)
        let error = await #expect(throws: RunnerError.self) {
            for try await _ in wrong.answer("abc") {}
        }
        guard case .failed(let message, _)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(message.contains("fp16.mlpackage"), "\(message)")
    }

    @Test("What cannot run is installed, and says why when it is used")
    func notRunnable() async throws {
        let path = home["vocabulary.gguf"]
        try FileManager.default.copyItem(atPath: GemmaFixtures.path("tokenizer-llama.gguf"), toPath: path)
        let kernels = try KernelSet.selected(by: nil).forText()
        let folders = HearthFolders(data: home["data"], cache: home["cache"])
        let compilers = ModelCompilers.all(folders: folders, kernels: kernels)
        let text = try #require(compilers[.text]), images = try #require(compilers[.coreml])
        try text.validate(path)
        #expect(throws: (any Error).self) { try text.validate(Self.package) }
        #expect(throws: (any Error).self) { try images.validate(path) }
        let sha256 = try FileDigest.sha256(path) { _ in }
        guard case .notRunnable(let reason) = try text.compile(path, sha256: sha256, progress: { _, _ in }) else {
            Issue.record("a vocabulary alone runs")
            return
        }
        #expect(reason.contains("vocabulary.gguf"), "\(reason)")
        let unknown = TestFixtures.url("coreml/bad/unknown_op.mlpackage").path
        guard case .notRunnable = try images.compile(unknown, sha256: sha256, progress: { _, _ in }) else {
            Issue.record("an unknown operation runs")
            return
        }
        // A package that is no longer the one that was verified.
        let error = #expect(throws: FileError.self) {
            try images.compile(Self.package, sha256: sha256, progress: { _, _ in })
        }
        #expect(error?.kind == "changed")
    }

    @Test(
        "Every error says what, where and what to do in one line",
        arguments: [
            (ModelCatalogError.noSuchFile("/a/b"), "/a/b", ErrorCategory.invalidInput),
            (.unreadable("/a/b", reason: "it is locked"), "it is locked", .invalidInput),
            (.manifestTooLarge("/a/b.json", limit: 8 << 20), "8 MiB", .invalidInput),
            (.otherManifest("/a/b.json"), "/a/b.json", .failed),
            (.unknownModel("bed"), "(bed)", .invalidInput),
            (.invalidName("a b"), "(a b)", .invalidInput),
            (.compiledFunction("/a/b", function: "wide"), "'wide'", .invalidInput),
            (.noFolder, "HEARTH_HOME", .unavailable),
            (.unusableFolder("/a", reason: "it is a file"), "it is a file", .invalidInput),
        ])
    func messages(_ error: ModelCatalogError, _ part: String, _ category: ErrorCategory) {
        let text = error.localizedDescription
        #expect(text.contains(part) && !text.contains("\n") && text.hasSuffix("."), "\(text)")
        #expect(error.category == category)
    }
}
