import Foundation
import Hearth
import Testing

/// What an app does, with what is public alone.
@Suite("an app", .timeLimit(.minutes(5)))
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
        for _ in 0..<500 where !catalog.models.isEmpty {
            try? catalog.remove("teller")
            if !catalog.models.isEmpty { try await Task.sleep(for: .milliseconds(10)) }
        }
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

    @Test("a path that does not exist is an error that names it")
    func missing() async throws {
        let catalog = ModelCatalog(folders: folders)
        #expect(throws: ModelCatalogError.noSuchFile("/none/model.gguf")) { try catalog.text("/none/model.gguf") }
        await #expect(throws: ModelCatalogError.noSuchFile("/none/model.gguf")) {
            try await catalog.pull("/none/model.gguf")
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
    }

    @Test("filters what any model writes")
    func filter() {
        let filter = OutputFilter()
        let verdict = filter.judge("The knight killed the dragon.", in: .english, after: Seam())
        #expect(verdict.text != "The knight killed the dragon.")
    }
}
