internal import HearthCompression
package import HearthCoreML
package import HearthImages
package import HearthReports
package import HearthRuntime
internal import HearthSystem
internal import HearthVision

/// The models of an evaluation: all loaded at the same time, with the same classes.
package struct EvaluationModels: Sendable {
    struct Member: Sendable {
        var name: String
        var runner: ModelRunner<CoreMLEngine>
        var classifier: ImageClassifier
        /// The index of its entry in `inputs`; models with the same preprocessing share one.
        var input: Int
    }

    let members: [Member]
    /// One classifier for each kind of preprocessing.
    let inputs: [ImageClassifier]
    /// The names of the classes.
    package let classes: [String]

    /// Loads all models.
    /// - Parameter open: returns a model's runner and interface.
    /// - Throws: errors of `open`, `CoreMLError` for a model that is not a classifier, ``CalibrationError`` for one whose
    ///   classes differ from the others'.
    package init(
        _ names: [String], crop: CropAndScale,
        open: (_ name: String) async throws -> (runner: ModelRunner<CoreMLEngine>, interface: CoreMLInterface)
    ) async throws {
        var members: [Member] = []
        var inputs: [ImageClassifier] = []
        for name in names {
            try Task.checkCancellation()
            let (runner, interface) = try await open(name)
            let classifier = try ImageClassifier(
                interface, file: name, crop: crop,
                top: TopResults(limit: PictureAnswers.depth, threshold: -.greatestFiniteMagnitude))
            let known = inputs.firstIndex {
                $0.picture.image == classifier.picture.image && $0.picture.name == classifier.picture.name
            }
            if known == nil { inputs.append(classifier) }
            members.append(
                Member(name: name, runner: runner, classifier: classifier, input: known ?? inputs.count - 1))
        }
        (self.members, self.inputs) = (members, inputs)
        classes = try Self.classes(members)
    }

    /// The class names, which must be the same for all models. Labels that are numbers from 0 match the names of another model
    /// in order.
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
                throw CalibrationError.differentClasses(
                    model: member.name, count: own.count, reference: first.name, referenceCount: names.count)
            }
        }
        return names
    }

    /// Names, digests and sizes of the models, for the header of the results. Measuring the compressed download size takes
    /// several seconds per hundred megabytes.
    package func described() async throws -> [EvaluationHeader.Model] {
        var models: [EvaluationHeader.Model] = []
        for member in members {
            try Task.checkCancellation()
            let engine = member.runner.engine
            let path = engine.path
            let (bytes, download) = try await OwnThread.run { _ in
                // Without gzip, only this value is missing.
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
