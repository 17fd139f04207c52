import Foundation
import HearthCalibration
import HearthCoreML
import HearthImages
import HearthReports
import HearthRuntime
import HearthTestSupport
import Testing

/// Models run over labelled pictures: what is answered, and what is refused before or while that is done.
@Suite("Evaluating over pictures", .timeLimit(.minutes(20)))
struct EvaluationRunTests {
    private static let digits = TestFixtures.url("coreml/digits").path
    private static let images = "\(digits)/images"
    private static let full = "\(digits)/fp32.mlpackage"
    private static let boxes = EvaluationModels.Boxes(threshold: 0.25, iou: nil)

    private func models(_ paths: [String], _ labels: EvaluationLabels) async throws -> EvaluationModels {
        try await EvaluationModels(paths, labels: labels, crop: nil, boxes: Self.boxes) { path in
            let runner = ModelRunner(engine: try CoreMLEngine(path: path, folders: nil))
            return (runner, try await runner.withSoundModel { $0.interface })
        }
    }

    private func table(_ text: String) throws -> EvaluationLabels {
        try EvaluationLabels(Array(text.utf8), file: "labels.csv")
    }

    /// The first lines of the digits' labels.
    private func few(_ count: Int) throws -> String {
        try String(contentsOfFile: "\(Self.digits)/labels.csv", encoding: .utf8)
            .split(separator: "\n").prefix(count + 1).joined(separator: "\n")
    }

    @Test("Each picture is answered by all models, best class first, and what was answered before is not run again")
    func answers() async throws {
        let int8 = "\(Self.digits)/int8_sym.mlpackage"
        let loaded = try await models([Self.full, int8], try table(try few(3)))
        #expect(loaded.classes == 10 && loaded.crop == .centerCrop && loaded.uncounted.isEmpty)
        let subjects = EvaluationRun.subjects(loaded.list, folder: Self.images, shard: .whole)
        #expect(subjects.map(\.row) == [2, 3, 4])
        #expect(subjects.first?.path == "\(Self.images)/0000.png")
        try EvaluationRun.checkPresence(subjects, labels: "labels.csv", isCancelled: { false })
        let run = EvaluationRun(models: loaded, skipsUnreadable: false, log: nil) { Issue.record("skipped: \($0)") }
        var progress: [Int] = []
        let answers = try await run(subjects) { progress.append($0) }
        #expect(progress == [1, 2, 3] && answers.count == 3)
        for (answer, subject) in zip(answers, subjects) {
            #expect(answer.picture == subject.picture.picture && answer.answers.count == 2)
            #expect(answer.answers.allSatisfy { $0.top?.count == PictureAnswers.depth && $0.ms > 0 })
            // Both models get nearly all of the digits right, and these three.
            #expect(answer.answers.map { $0.top?.first } == [answer.label, answer.label])
        }
        let described = try await loaded.described()
        #expect(described.map(\.name) == [Self.full, int8] && described[0].bytes > described[1].bytes)
        #expect(described.allSatisfy { $0.sha256.count == 64 })
    }

    @Test("Only the pictures of a shard are run, and a path of its own is kept")
    func shards() async throws {
        let absolute = try few(3) + "\n\(Self.images)/0003.png,eight\n"
        let loaded = try await models([Self.full], try table(absolute))
        let second = try #require(EvaluationShard(2, of: 2))
        let subjects = EvaluationRun.subjects(loaded.list, folder: "/none", shard: second)
        #expect(subjects.map(\.path) == ["/none/0001.png", "\(Self.images)/0003.png"])
        let error = #expect(throws: CalibrationError.self) {
            try EvaluationRun.checkPresence(subjects, labels: "labels.csv", isCancelled: { false })
        }
        #expect(
            error
                == .missingImages(file: "labels.csv", row: 3, path: "/none/0001.png", others: 0, total: 2))
        #expect(throws: CancellationError.self) {
            try EvaluationRun.checkPresence(subjects, labels: "labels.csv", isCancelled: { true })
        }
    }

    @Test("A picture that cannot be read ends the run, or is skipped with the reason if that is wanted")
    func unreadable() async throws {
        let folder = try TemporaryFolder()
        try FileManager.default.copyItem(atPath: "\(Self.images)/0000.png", toPath: folder["0000.png"])
        _ = try folder.write(Data("no picture".utf8), "0001.png")
        let loaded = try await models([Self.full], try table(try few(2)))
        let subjects = EvaluationRun.subjects(loaded.list, folder: folder.path, shard: .whole)
        let strict = EvaluationRun(models: loaded, skipsUnreadable: false, log: nil) { _ in }
        let error = await #expect(throws: CalibrationError.self) { _ = try await strict(subjects) { _ in } }
        let message = error?.localizedDescription ?? ""
        #expect(message.contains("0001.png") && message.contains("--skip-unreadable"), "\(message)")
        let reasons = Reasons()
        let lenient = EvaluationRun(models: loaded, skipsUnreadable: true, log: nil) { reasons.add($0) }
        let answers = try await lenient(subjects) { _ in }
        #expect(answers.map(\.answers.count) == [1, 0])
        #expect(answers[1].unreadable?.contains("0001.png") == true && reasons.all == [answers[1].unreadable])
    }

    private final class Reasons: @unchecked Sendable {
        // Sendable: guarded by the lock.
        private let lock = NSLock()
        private var found: [String] = []
        func add(_ reason: String) { lock.withLock { found.append(reason) } }
        var all: [String?] { lock.withLock { found } }
    }

    @Test("A cancelled run says so")
    func cancelled() async throws {
        let loaded = try await models([Self.full], try table(try few(2)))
        let subjects = EvaluationRun.subjects(loaded.list, folder: Self.images, shard: .whole)
        let run = EvaluationRun(models: loaded, skipsUnreadable: false, log: nil) { _ in }
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await run(subjects) { _ in }
        }
        await #expect(throws: CancellationError.self) { _ = try await task.value }
    }

    @Test("Models of different classes, kinds and outputs are not compared")
    func differences() async throws {
        let labels = try table(try few(2))
        let cards = TestFixtures.url("cards/WishCards.mlpackage").path
        let classes = await #expect(throws: CalibrationError.self) { _ = try await models([Self.full, cards], labels) }
        guard case .differentClasses(let model, _, let reference, 10)? = classes else {
            Issue.record("\(String(describing: classes))")
            return
        }
        #expect(model == cards && reference == Self.full)
        let gauge = TestFixtures.url("coreml/regressors/gauge.mlpackage").path
        let pair = TestFixtures.url("coreml/regressors/pair.mlpackage").path
        await #expect(throws: CalibrationError.otherKind(model: Self.full)) {
            _ = try await models([gauge, Self.full], labels)
        }
        let numbers = try table("file,value\n0000.png,1\n0001.png,2\n")
        await #expect(throws: CalibrationError.otherKind(model: pair)) { _ = try await models([gauge, pair], numbers) }
        await #expect(throws: CoreMLError.self) { _ = try await models([Self.full, gauge], labels) }
        let unknown = try table("file,label\n0000.png,eleventy\n")
        await #expect(throws: ReportError.self) { _ = try await models([Self.full], unknown) }
    }

    @Test("Annotations name classes of the detector, and their pictures have the size that they say")
    func detectors() async throws {
        let detector = TestFixtures.url("coreml/rectangles/boxes.mlpackage").path
        func annotations(_ category: String, width: Int) throws -> EvaluationLabels {
            let text = """
                {"images": [{"id": 1, "file_name": "street.png", "width": \(width), "height": \(width)}],
                 "categories": [{"id": 1, "name": "\(category)"}],
                 "annotations": [{"id": 1, "image_id": 1, "category_id": 1, "bbox": [1, 1, 3, 3], "area": 9,
                  "iscrowd": 0}]}
                """
            return try EvaluationLabels(Array(text.utf8), file: "boxes.json")
        }
        let error = await #expect(throws: CalibrationError.self) {
            _ = try await models([detector], try annotations("dragon", width: 64))
        }
        guard case .unknownCategory(_, "dragon", detector, let classes)? = error, let first = classes.first else {
            Issue.record("\(String(describing: error))")
            return
        }
        let loaded = try await models([detector], try annotations(first, width: 7))
        #expect(loaded.crop == .scaleFill && loaded.uncounted == classes.dropFirst().sorted())
        let subjects = EvaluationRun.subjects(
            loaded.list, folder: TestFixtures.url("coreml/rectangles").path, shard: .whole)
        #expect(subjects.map(\.row) == [nil])
        let run = EvaluationRun(models: loaded, skipsUnreadable: true, log: nil) { _ in }
        let size = await #expect(throws: CalibrationError.self) { _ = try await run(subjects) { _ in } }
        guard case .otherSize(let file, _, "7 × 7")? = size else {
            Issue.record("\(String(describing: size))")
            return
        }
        #expect(file.hasSuffix("street.png"))
    }
}
