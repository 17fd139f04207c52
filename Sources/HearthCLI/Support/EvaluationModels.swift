import Foundation
import HearthCompression
import HearthCoreML
import HearthImages
import HearthReports
import HearthRuntime
import HearthSystem
import HearthVision

/// The models of an evaluation: loaded side by side, telling the same classes apart.
struct EvaluationModels: Sendable {
    struct Member: Sendable {
        var name: String
        var host: VisionHost
        var classifier: ImageClassifier
        /// Which of the inputs it takes; models that take pictures alike share one.
        var input: Int
    }

    let members: [Member]
    /// One for each way in which pictures are prepared.
    let inputs: [ImageClassifier]
    /// The names of the classes.
    let classes: [String]

    /// Loads all of them.
    init(_ names: [String], crop: CropAndScale, units: ComputeUnits, threads: Int?) async throws {
        var members: [Member] = []
        var inputs: [ImageClassifier] = []
        for name in names {
            try Task.checkCancellation()
            let host = try VisionHost(name, units: units, threads: threads)
            let classifier = try ImageClassifier(
                await host.interface(), file: name, crop: crop,
                top: TopResults(limit: PictureAnswers.depth, threshold: -.greatestFiniteMagnitude))
            let known = inputs.firstIndex {
                $0.picture.image == classifier.picture.image && $0.picture.name == classifier.picture.name
            }
            if known == nil { inputs.append(classifier) }
            members.append(
                Member(name: name, host: host, classifier: classifier, input: known ?? inputs.count - 1))
        }
        (self.members, self.inputs) = (members, inputs)
        classes = try Self.classes(members)
    }

    /// The names of the classes, which have to be the same everywhere. Numbers from 0 stand for the names of another model in
    /// their order.
    private static func classes(_ members: [Member]) throws -> [String] {
        func isNumbered(_ labels: [String]) -> Bool {
            labels.enumerated().allSatisfy { $0.element == String($0.offset) }
        }
        guard let first = members.first(where: { !isNumbered($0.classifier.labels) }) ?? members.first else {
            return []
        }
        let names = first.classifier.labels
        for member in members {
            let own = member.classifier.labels
            guard own == names || own.count == names.count && isNumbered(own) else {
                throw CommandFailure(
                    .invalidInput,
                    "the models have different classes: this one has \(own.count), \(first.name) has \(names.count)"
                        + (own.count == names.count ? " of other names or in another order" : ""),
                    at: member.name, todo: "Evaluate variants of one model.")
            }
        }
        return names
    }

    /// What results are known by, and what models weigh. Compressing every file for the size of an archive takes some seconds
    /// for each hundred megabytes.
    func described(_ spinner: Spinner) async throws -> [EvaluationHeader.Model] {
        spinner.start("measuring sizes", on: Terminal(.error))
        defer { spinner.stop() }
        var models: [EvaluationHeader.Model] = []
        for member in members {
            try Task.checkCancellation()
            let engine = member.host.runner.engine
            let path = engine.path
            let (bytes, download) = try await OwnThread.run { _ in
                // Without gzip only this figure is missing.
                (try PackageCompressor.byteCount(of: path), try? DeflatedSize.measure(path).compressed)
            }
            models.append(
                EvaluationHeader.Model(
                    name: member.name, sha256: try await engine.profile().modelSHA256, bytes: bytes,
                    downloadBytes: download))
        }
        return models
    }
}
