import Foundation
import HearthCalibration
import HearthCoreML
import HearthGPU
import HearthImages
import HearthModels
import HearthReports
import HearthSystem

/// `hearth evaluate`: finds out whether a smaller model is still accurate.
struct EvaluateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "evaluate",
        abstract: "Finds the smallest variant of a model that is still accurate.",
        discussion: """
            Shows the same images to all models and compares each with the full one: accuracy, size on disk and
            in an archive, inference time. A model is non-inferior if the worse end of the 95 % confidence
            interval of its difference from the full model is no more than --max-drop below it. The smallest
            non-inferior model is chosen. If there are too few images to decide, about how many are needed is
            reported.

            Classifiers: each line of --labels is FILE,LABEL; a label is the name of a class or its index, from
            0. They are compared by top-1 accuracy (Tango's interval for paired samples).

            Detectors: --labels is a JSON file of COCO's annotations (instances_*.json), whose categories are
            named as the model's classes. They are compared by the average precision at overlaps of 0.50 to
            0.95, computed as by pycocotools (paired bootstrap over the images).

            Models that return numbers: each line of --labels is FILE,NUMBER, with a column for each number.
            They are compared by the mean absolute error (paired bootstrap); --max-drop is in its unit.

            With --results, the result of every image is saved when it is done: the same command resumes where
            it stopped, --shard spreads the images over several machines, and 'hearth evaluate merge' combines
            the parts.
            """,
        examples: [
            (
                "evaluate --images test --labels test.csv Full.mlpackage Small.mlpackage",
                "Whether the small model is accurate enough."
            ),
            (
                "evaluate --images test --labels test.csv *.mlpackage --max-drop 0.005 --html sizes.html",
                "Margin of half a percentage point; writes a page that plots accuracy against size."
            ),
            (
                "evaluate --images val2017 --labels instances_val2017.json Full.mlpackage Small.mlpackage",
                "The same for detectors, by average precision."
            ),
            (
                "evaluate --images faces --labels ages.csv Full.mlpackage Small.mlpackage --max-drop 0.5",
                "For models that estimate an age: at most half a year more of mean error."
            ),
            (
                "evaluate --images test --labels test.csv *.mlpackage --shard 2/8 --results part2.jsonl",
                "The second of eight parts, for a job scheduler."
            ),
            ("evaluate merge part*.jsonl --json", "Combines all parts into one evaluation."),
        ])
    static var subcommands: [any ParsableCommand.Type] { [EvaluateMergeCommand.self] }

    @Option(valueName: "DIR", help: "Folder of images.")
    var images: String
    @Option(valueName: "FILE", help: "Labels of the images: CSV (file, label), or COCO's annotations.")
    var labels: String
    @Argument(
        valueName: "MODEL", help: "Variants: .mlpackage, .mlmodel, or names of installed models; the full one first."
    )
    var models: [String]
    @OptionGroup var report: EvaluationReportOptions
    @Option(
        help:
            "How an image of another shape is fitted: centre crop (default), whole with black bars, or stretched (default of detectors)."
    )
    var crop: CropAndScale?
    @Option(valueName: "X", help: "Minimum confidence of a detector's box; default: 0.001.")
    var threshold: Float?
    @Option(valueName: "X", help: "Maximum overlap of two boxes with the same label (default: the model's, or 0.45).")
    var iou: Float?
    @Option(valueName: "I/N", help: "Only the I-th of N parts of the images.")
    var shard: EvaluationShard?
    @Option(valueName: "FILE", help: "Saves the result of each image, and resumes from what is there.")
    var results: String?
    @Flag(help: "Skips images that cannot be read, instead of stopping.")
    var skipUnreadable = false
    @OptionGroup var options: VisionOptions

    func validate() throws {
        if shard != nil, results == nil {
            throw UsageError(
                "'--shard' goes with '--results'", command: "evaluate",
                suggestion: "Pass a file for the part's results.")
        }
        if results?.isEmpty == true { throw UsageError("'--results' has no name", command: "evaluate") }
        if models.count > 256 { throw UsageError("more than 256 models", command: "evaluate") }
        if let twice = models.indices.first(where: { models[..<$0].contains(models[$0]) }) {
            throw UsageError("the model '\(models[twice])' is given twice", command: "evaluate")
        }
        for case (let name, let value?) in [("threshold", threshold), ("iou", iou)] where !(0...1).contains(value) {
            throw UsageError("'--\(name) \(value)' is out of range: expected 0 to 1", command: "evaluate")
        }
        _ = try report.reference(among: models)
    }

    mutating func run() async throws {
        let folder = images
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: folder, isDirectory: &isFolder), isFolder.boolValue else {
            throw CommandFailure(
                .invalidInput, "there is no such folder", at: "--images \(folder)", todo: "Check the path.")
        }
        let paths = OutputPlace.models(models)
        try OutputPlace.check(
            results, option: "--results", command: "evaluate", apartFrom: paths, files: [("--labels", labels)])
        try report.check(
            command: "evaluate", apartFrom: paths, files: [("--labels", labels), ("--results", results)])
        let meter = report.json ? nil : ProgressMeter(total: 1000, label: "evaluating")
        let spinner = Spinner()
        let work = Work(
            folder: folder, labels: labels, models: models, reference: try report.reference(among: models) ?? 0,
            crop: crop, threshold: threshold, iou: iou, shard: shard ?? .whole, results: results,
            skipsUnreadable: skipUnreadable, units: options.computeUnits, threads: options.threads,
            gpu: try options.requestedGPU(), spinner: spinner,
            check: { [maxDrop = report.maxDrop, confidence = report.confidence] task in
                _ = try EvaluationReportOptions.margin(maxDrop, confidence: confidence, for: task)
            },
            progress: { meter?.show(1000 * $0 / max($1, 1)) })
        let keeps = results != nil
        let (header, answers): (EvaluationHeader, [PictureAnswers])
        do {
            (header, answers) = try await Interruption.shared.cancelling {
                spinner.stop()
                meter?.clear()
                if keeps { Output.error.writeLine("hearth: interrupted; the same command resumes from here") }
            } _: {
                try await work.run()
            }
        } catch {
            meter?.clear()
            throw error
        }
        meter?.clear()
        var failure: (any Error)?
        Interruption.shared.finish {
            do { try report.show(header, answers, place: labels, shard: shard) } catch { failure = error }
        }
        if let failure { throw failure }
    }
}

extension EvaluateCommand {
    /// The part of the command that takes time.
    fileprivate struct Work: Sendable {
        var folder: String
        var labels: String
        var models: [String]
        var reference: Int
        var crop: CropAndScale?
        var threshold: Float?
        var iou: Float?
        var shard: EvaluationShard
        var results: String?
        var skipsUnreadable: Bool
        var units: ComputeUnits
        var threads: Int?
        var gpu: GPUDeviceInfo?
        var spinner: Spinner
        /// Checks the report's options before anything is computed.
        var check: @Sendable (EvaluationTask) throws -> Void
        var progress: @Sendable (_ done: Int, _ total: Int) -> Void

        func run() async throws -> (EvaluationHeader, [PictureAnswers]) {
            let labelled = try await OwnThread.run { [labels] _ in
                try EvaluationLabels(try InputFile.bytes(labels, option: "--labels"), file: labels)
            }
            var isDetection = false
            if case .objects = labelled { isDetection = true }
            if !isDetection, threshold != nil || iou != nil {
                throw UsageError(
                    "'--threshold' and '--iou' are for detectors", command: "evaluate",
                    suggestion: "Pass COCO's annotations as '--labels'.")
            }
            // The whole curve of precision over recall counts, not only the boxes that an app would show.
            let boxes = EvaluationModels.Boxes(threshold: threshold ?? 0.001, iou: iou)
            var hosts: [ModelHost<CoreMLEngine>] = []
            let loaded = try await EvaluationModels(models, labels: labelled, crop: crop, boxes: boxes) { name in
                let host = try VisionOptions.host(name, units: units, threads: threads, gpu: gpu)
                hosts.append(host)
                return (host.runner, try await host.preparedInterface())
            }
            let list = loaded.list
            try check(list.task)
            if let first = loaded.uncounted.first {
                let others = loaded.uncounted.count - 1
                Output.error.writeLine(
                    "hearth: note: boxes of '\(first.withVisibleControls)'\(others > 0 ? " and \(others) other classes" : "") "
                        + "do not count: there is no such category")
            }
            let subjects = EvaluationRun.subjects(list, folder: folder, shard: shard)
            if !skipsUnreadable {
                try await OwnThread.run { [labels] isCancelled in
                    try EvaluationRun.checkPresence(subjects, labels: labels, isCancelled: isCancelled)
                }
            }
            let header = EvaluationHeader(
                models: try await described(loaded), reference: reference,
                task: list.task == .classification ? nil : list.task, classes: loaded.classes,
                names: list.task == .classification ? nil : list.names,
                threshold: isDetection ? boxes.threshold : nil, iou: isDetection ? iou : nil,
                pictures: list.pictures.count, labelsSHA256: list.sha256, crop: loaded.crop.rawValue, shard: shard)
            let log = try await OwnThread.run { [results] isCancelled in
                try results.map { try EvaluationLog.open($0, header, isCancelled: isCancelled) }
            }
            let run = EvaluationRun(models: loaded, skipsUnreadable: skipsUnreadable, log: log) {
                Output.error.writeLine("hearth: note: skipped: " + $0.withVisibleControls)
            }
            let answers = try await run(subjects) { progress($0, subjects.count) }
            for host in hosts { await host.recordStart() }
            return (header, answers)
        }

        /// Measures the models' sizes. Compressing all files for the archive size takes some seconds per hundred
        /// megabytes.
        private func described(_ models: EvaluationModels) async throws -> [EvaluationHeader.Model] {
            spinner.start("measuring sizes", on: Terminal(.error))
            defer { spinner.stop() }
            return try await models.described()
        }
    }
}
