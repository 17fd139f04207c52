import Foundation
import Hearth
import Testing

/// What an app does, with what is public alone.
@Suite("an app", .timeLimit(.minutes(20)))
struct AppTests {
    private static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().path
    private let folder = FileManager.default.temporaryDirectory.appendingPathComponent("hearth-app-\(UUID())").path
    private var folders: HearthFolders { HearthFolders(data: folder + "/data", cache: folder + "/cache") }

    @Test("keeps a model warm and tells a story, sentence by sentence")
    @MainActor
    func story() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let engine = try TextEngine(path: Self.root + "/Models/hearth-nano.gguf", folders: folders)
        let monitor = SystemMonitor.make()
        let store = ModelStore(runner: ModelRunner(engine: engine), monitor: monitor)
        store.firstFrame.open()
        store.prewarmIfNeeded()
        store.activity = .session
        let wish = try #require(Wishes.wish("friendly-dragon"))
        let storyteller = Storyteller(runner: store.runner, conditions: { monitor.current() })
        var sentences: [String] = []
        for try await event in storyteller.tell(StoryRequest(.wish(wish), in: .english, seed: 3)) {
            if case .sentence(let sentence, _) = event { sentences.append(sentence.text) }
        }
        #expect(sentences.count > 3)
        await store.runner.release()
    }

    @Test("installs a model by a file's path, runs it by its name, and removes it")
    func pull() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let catalog = ModelCatalog(folders: folders)
        let installed = try await catalog.pull(Self.root + "/Models/hearth-nano.gguf", name: "teller")
        #expect(installed.name == "teller" && installed.isCurrent)
        #expect(catalog.models.map(\.name) == ["teller"])
        #expect(try await !answer(catalog).isEmpty)
        // What the runner held is given back soon after it is gone.
        while (try? catalog.remove("teller")) == nil { try await Task.sleep(for: .milliseconds(10)) }
        #expect(catalog.models.isEmpty)
        #expect(throws: ModelCatalogError.unknownModel("teller")) { try catalog.path(of: "teller") }
    }

    private func answer(_ catalog: ModelCatalog) async throws -> String {
        let runner = try catalog.text("teller")
        #expect(throws: DeliveryError.self, "in use") { try catalog.remove("teller") }
        var answer = ""
        let options = TextGenerator.Options(maximumTokens: 12, sampling: SamplingOptions(seed: 1))
        for try await piece in runner.answer("Once upon a time", options: options) { answer += piece }
        #expect(runner.state == .ready)
        await runner.release()
        return answer
    }

    @Test("keeps a text that a release interrupted, and continues it with the same tokens")
    func interrupted() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let runner = try ModelCatalog(folders: folders).text(Self.root + "/Models/hearth-nano.gguf")
        let options = TextGenerator.Options(maximumTokens: 60, sampling: SamplingOptions(seed: 3))
        let whole = try await write(runner, options, interrupts: false)
        let (start, kept) = try await write(runner, options, interrupts: true)
        let data = try JSONEncoder().encode(try #require(kept))
        let progress = try JSONDecoder().decode(TextProgress.self, from: data)
        var rest = ""
        for try await event in TextSession(runner: runner, start: { _ in progress }).events() {
            switch event {
            case .token(_, let piece), .finished(_, let piece): rest += piece
            default: break
            }
        }
        #expect(!rest.isEmpty && start + rest == whole.text)
        await runner.release()
    }

    /// Generates a text; an interrupted one stops at its first token.
    private func write(
        _ runner: ModelRunner<TextEngine>, _ options: TextGenerator.Options, interrupts: Bool
    ) async throws -> (text: String, kept: TextProgress?) {
        try await runner.withModel { generator in
            let pace = GenerationPace()
            // It waits after its first token, however late that is read.
            if interrupts { pace.share = 0 }
            let prompt = generator.model.tokenizer.encode("Once upon a time", addBOS: true)
            let events = generator.generate(prompt, options: options, pace: pace)
            return try await Task {
                var text = ""
                var kept: TextProgress?
                for try await event in events {
                    switch event {
                    case .token(_, let piece):
                        text += piece
                        if interrupts { Task { await runner.release(.cancelInference) } }
                    case .finished(_, let piece): text += piece
                    case .suspended(let progress): kept = progress
                    default: break
                    }
                }
                return (text, kept)
            }.value
        }
    }

    @Test("a path that does not exist is an error that names it")
    func missing() async throws {
        let catalog = ModelCatalog(folders: folders)
        #expect(throws: ModelCatalogError.noSuchFile("/none/model.gguf")) { try catalog.text("/none/model.gguf") }
        await #expect(throws: ModelCatalogError.noSuchFile("/none/model.gguf")) {
            try await catalog.pull("/none/model.gguf")
        }
    }

    @Test("a file in the working directory needs no folder before its name")
    func relative() throws {
        let name = "hearth-app-\(UUID()).gguf"
        try Data().write(to: URL(fileURLWithPath: name))
        defer { try? FileManager.default.removeItem(atPath: name) }
        #expect(try ModelCatalog(folders: folders).path(of: name) == name)
        #expect(throws: ModelCatalogError.unknownModel("other-" + name)) {
            try ModelCatalog(folders: folders).path(of: "other-" + name)
        }
    }

    @Test("a manifest of more bytes than any manifest has is refused as that")
    func largeManifest() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let path = folder + "/model.json"
        try Data(count: (8 << 20) + 1).write(to: URL(fileURLWithPath: path))
        await #expect(throws: ModelCatalogError.manifestTooLarge(path, limit: 8 << 20)) {
            try await ModelCatalog(folders: folders).pull(path)
        }
    }

    @Test("classifies a picture with a package from a folder of resources")
    func classify() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let cards = Self.root + "/Tests/Fixtures/cards"
        let catalog = ModelCatalog(folders: folders, modelFolders: [cards])
        let pictures = try FileManager.default.contentsOfDirectory(atPath: cards + "/heldout").sorted()
        let picture = try #require(pictures.first { $0.hasSuffix(".jpg") })
        let runner = try catalog.images("WishCards")
        let found = try await runner.classify("\(cards)/heldout/\(picture)", top: TopResults(limit: 2, threshold: 0))
        #expect(found.count == 2)
        #expect(found[0].confidence >= found[1].confidence)
        do {
            _ = try await runner.detect("\(cards)/heldout/\(picture)")
            Issue.record("a classifier detected something")
        } catch CoreMLError.notADetector(let place, _) {
            #expect(place.file == cards + "/WishCards.mlpackage")
        }
    }

    @Test("installs a model for pictures from a package and from an archive, and runs it by its name")
    func pullPackage() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let cards = Self.root + "/Tests/Fixtures/cards"
        let catalog = ModelCatalog(folders: folders)
        let installed = try await catalog.pull(cards + "/WishCards.mlpackage", name: "cards")
        #expect(installed.engine == .coreml && installed.isCurrent)
        let picture = try #require(
            FileManager.default.contentsOfDirectory(atPath: cards + "/heldout").sorted().first { $0.hasSuffix(".jpg") })
        let found = try await catalog.images("cards").classify(
            "\(cards)/heldout/\(picture)", top: TopResults(limit: 3, threshold: 0))
        let direct = try await catalog.images(cards + "/WishCards.mlpackage").classify(
            "\(cards)/heldout/\(picture)", top: TopResults(limit: 3, threshold: 0))
        #expect(found == direct && found.count == 3)

        let archive = folder + "/cards.tar"
        try pack(cards + "/WishCards.mlpackage", as: archive)
        let again = try await catalog.pull(archive, name: "again")
        #expect(again.sha256 == installed.sha256 && again.path == installed.path)
        await #expect(throws: DeliveryError.self) {
            try Data(contentsOf: URL(fileURLWithPath: archive)).dropLast(20_000).write(
                to: URL(fileURLWithPath: archive))
            return try await catalog.pull(archive, name: "cut")
        }
        #expect(Set(catalog.models.map(\.name)) == ["cards", "again"])
    }

    private func pack(_ package: String, as archive: String) throws {
        let tar = Process()
        tar.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        tar.arguments = [
            "tar", "-cf", archive, "-C", URL(fileURLWithPath: package).deletingLastPathComponent().path,
            "WishCards.mlpackage",
        ]
        try tar.run()
        tar.waitUntilExit()
        #expect(tar.terminationStatus == 0)
    }

    @Test("filters what any model writes")
    func filter() {
        let filter = OutputFilter()
        let verdict = filter.judge("The knight killed the dragon.", in: .english, after: Seam())
        #expect(verdict.text != "The knight killed the dragon.")
    }
}
