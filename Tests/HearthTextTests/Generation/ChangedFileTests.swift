import Foundation
import HearthCompute
import HearthRuntime
import HearthSystem
import HearthTestSupport
import HearthText
import HearthTokenizer
import Testing

/// Files that are cut short or overwritten while texts are made with them: no token that came of it is handed out, the error
/// names the file, and where another file has the same content the text goes on.
@Suite("Changed files", .timeLimit(.minutes(20)))
final class ChangedFileTests {
    private let place: ArtifactFolder
    private let prompt: [TokenID] = [2, 402, 278, 284, 311]
    /// Random moments that are tried: HEARTH_CHANGE_MOMENTS, or a few.
    private static let moments =
        ProcessInfo.processInfo.environment["HEARTH_CHANGE_MOMENTS"].flatMap { Int($0) } ?? 12

    init() throws { place = try ArtifactFolder() }

    /// A copy of a fixture that a test may spoil.
    private func copy(_ name: String = "gemma3-q8_0.gguf", as other: String = "model.gguf") throws -> String {
        let path = "\(place.path)/\(other)"
        try? FileManager.default.removeItem(atPath: path)
        try FileManager.default.copyItem(atPath: GemmaFixtures.path(name), toPath: path)
        // A change in the same tick of the file system's clock, some milliseconds, would leave the time as it is.
        try FileManager.default.setAttributes([.modificationDate: Date(timeIntervalSinceNow: -60)], ofItemAtPath: path)
        return path
    }

    /// Waits until a file that is changed has another time than one that was written just now.
    private static func nextTick() async throws { try await Task.sleep(for: .milliseconds(20)) }

    private func options(_ count: Int) -> TextGenerator.Options {
        var sampling = SamplingOptions()
        sampling.seed = 11
        return TextGenerator.Options(maximumTokens: count, sampling: sampling)
    }

    private func generator(_ path: String) throws -> TextGenerator {
        // With these kernels the text is long enough for all moments, on every machine.
        try TextGenerator(
            model: TextModel(path: path), contextLength: 256, threads: 2, kernels: KernelSet.selected(by: "portable"))
    }

    private enum Change: CaseIterable {
        case cut, emptied, overwritten

        func happen(to path: String, at fraction: Double) throws {
            let size = try #require(
                (try FileManager.default.attributesOfItem(atPath: path)[.size] as? NSNumber)?.intValue)
            switch self {
            case .cut: #expect(truncate(path, off_t(Double(size) * fraction)) == 0)
            case .emptied: #expect(truncate(path, 0) == 0)
            case .overwritten:
                let file = open(path, O_WRONLY)
                try #require(file >= 0)
                defer { close(file) }
                let noise = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ 3) }
                #expect(pwrite(file, noise, size, 0) == size)
            }
        }
    }

    /// Reads a text whose model is changed when `moment` tokens are there.
    private func read(_ path: String, changing change: Change, at fraction: Double, after moment: Int) async throws
        -> (tokens: [TokenID], error: (any Error)?)
    {
        let generator = try generator(path)
        var tokens: [TokenID] = []
        do {
            if moment == 0 { try change.happen(to: path, at: fraction) }
            for try await event in generator.generate(prompt, options: options(100)) {
                guard case .token(let id, _) = event else { continue }
                tokens.append(id)
                if tokens.count == moment { try change.happen(to: path, at: fraction) }
            }
            return (tokens, nil)
        } catch {
            return (tokens, error)
        }
    }

    @Test(
        "Whatever happens to the model's file, and whenever: what was handed out is right, and the error names the file"
    )
    func moments() async throws {
        var expected: [TokenID] = []
        for try await event in try generator(copy()).generate(prompt, options: options(100)) {
            if case .token(let id, _) = event { expected.append(id) }
        }
        try #require(expected.count == 100)
        let seed = UInt64.random(in: .min ... .max)
        var random = Xoshiro256(seed: seed)
        for round in 0..<Self.moments {
            let path = try copy()
            let change = Change.allCases[round % Change.allCases.count]
            let moment = Int.random(in: 0..<90, using: &random), fraction = Double.random(in: 0..<1, using: &random)
            let comment = Comment(rawValue: "seed \(seed), round \(round): \(change) at \(fraction) after \(moment)")
            let (tokens, error) = try await read(path, changing: change, at: fraction, after: moment)
            #expect(tokens == Array(expected[..<tokens.count]), comment)
            // The writer may be some tokens ahead of who reads the stream.
            #expect(error as? FileError == .changed(.init(file: path, field: "file")) || tokens.count == 100, comment)
            if moment == 0 { #expect(tokens == [], comment) }
        }
    }

    @Test("Scoring and trying a model out see it too, and no logits of it come out")
    func scoring() async throws {
        let path = try copy()
        let generator = try generator(path)
        #expect(truncate(path, 4096) == 0)
        let changed = FileError.changed(.init(file: path, field: "file"))
        await #expect(throws: changed) {
            _ = try await generator.score([2, 30, 41, 5]) { _ in Issue.record("logits of a file that is gone") }
        }
        await #expect(throws: changed) { try await generator.warmUp(nil) }
        #expect(throws: FileError.self) { try TextModel(path: path) }
    }

    @Test("A text of a runner ends with the error, and the next one gets the file as it is then")
    func restored() async throws {
        let path = try copy()
        let runner = ModelRunner(engine: try TextEngine(path: path, contextLength: 256, threads: 2, folders: nil))
        func text(changing mustChange: Bool) async throws -> [TokenID] {
            // The model is loaded when its text is asked for.
            let session = TextSession(runner: runner) { [prompt, options = options(60)] _ in
                if mustChange { #expect(truncate(path, 100_000) == 0) }
                return TextProgress(prompt: prompt, options: options)
            }
            var tokens: [TokenID] = []
            for try await event in session.events() {
                guard case .token(let id, _) = event else { continue }
                tokens.append(id)
            }
            return tokens
        }
        let expected = try await text(changing: false)
        do {
            _ = try await text(changing: true)
            Issue.record("a text of a file that is gone")
        } catch {
            #expect(error as? FileError == .changed(.init(file: path, field: "file")))
        }
        #expect(runner.state == .cold)
        _ = try copy()
        #expect(try await text(changing: false) == expected)
    }

    @Test("Where the file of kept rows is cut short or overwritten, they are computed again: the text is the same")
    func keptRows() async throws {
        let text = place.text(100)
        for change in [Change.cut, .emptied, .overwritten] {
            let model = try place.model()
            let folder = try #require(model.artifactFolder)
            func tokens(_ whenBegun: @escaping () throws -> Void) async throws -> [TokenID] {
                let generator = try TextGenerator(model: model, contextLength: 256, threads: 2)
                var tokens: [TokenID] = []
                let progress = TextProgress(prompt: text, options: options(40), prefixTokens: 90)
                for try await event in generator.generate(resuming: progress) {
                    guard case .token(let id, _) = event else { continue }
                    tokens.append(id)
                    if tokens.count == 3 { try whenBegun() }
                }
                return tokens
            }
            let expected = try await tokens {}
            let kept = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".kv") }
            let path = "\(folder)/" + (try #require(kept.first))
            #expect(chmod(path, 0o600) == 0)
            try await Self.nextTick()
            #expect(try await tokens { try change.happen(to: path, at: 0.3) } == expected, "\(change)")
            try FileManager.default.removeItem(atPath: path)
        }
    }

    @Test(
        "Where the vocabulary of the artifact is changed, the text goes on with the model's own file, token for token")
    func vocabulary() async throws {
        for change in Change.allCases {
            let path = try copy()
            let folders = HearthFolders(data: place.path, cache: place.path)
            let runner = ModelRunner(
                engine: try TextEngine(
                    path: path, contextLength: 256, threads: 2, folders: folders, whenMissing: .compile))
            func text(_ whenBegun: @escaping () throws -> Void) async throws -> (ids: [TokenID], text: String) {
                let session = TextSession(runner: runner) { [prompt, options = options(60)] _ in
                    TextProgress(prompt: prompt, options: options)
                }
                var ids: [TokenID] = []
                var text = ""
                for try await event in session.events() {
                    if case .finished(_, let rest) = event { text += rest }
                    guard case .token(let id, let piece) = event else { continue }
                    ids.append(id)
                    text += piece
                    if ids.count == 4 { try whenBegun() }
                }
                return (ids, text)
            }
            let expected = try await text {}
            let folder = try await runner.withModel { try #require($0.model.artifactFolder) }
            try await Self.nextTick()
            let found = try await text { try change.happen(to: "\(folder)/tokens.bin", at: 0.2) }
            #expect(found.ids == expected.ids, "\(change)")
            #expect(found.text == expected.text, "\(change)")
            await runner.release()
        }
    }
}
