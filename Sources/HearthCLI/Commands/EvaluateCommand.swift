import Foundation
import HearthCalibration
import HearthCoreML
import HearthImages
import HearthModels
import HearthReports
import HearthSystem

/// `hearth evaluate`: finds out whether a smaller model is still accurate.
struct EvaluateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "evaluate",
        abstract: "Finds the smallest variant of a classifier that is still accurate.",
        discussion: """
            Shows the same images to all models and compares each with the full one: accuracy, agreement, size
            on disk and in an archive, inference time. A model is non-inferior if the lower end of the 95 %
            confidence interval of its difference in accuracy (Tango's interval for paired samples) is no more
            than --max-drop below the full model. The smallest non-inferior model is chosen. If there are too
            few images to decide, about how many are needed is reported.

            Each line of --labels is FILE,LABEL; a label is the name of a class or its index, from 0. With
            --results, the result of every image is saved when it is done: the same command resumes where it
            stopped, --shard spreads the images over several machines, and 'hearth evaluate merge' combines the
            parts.
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
                "evaluate --images test --labels test.csv *.mlpackage --shard 2/8 --results part2.jsonl",
                "The second of eight parts, for a job scheduler."
            ),
            ("evaluate merge part*.jsonl --json", "Combines all parts into one evaluation."),
        ])
    static var subcommands: [any ParsableCommand.Type] { [EvaluateMergeCommand.self] }

    @Option(valueName: "DIR", help: "Folder of images.")
    var images: String
    @Option(valueName: "CSV", help: "Labels of the images, CSV: file, label.")
    var labels: String
    @Argument(
        valueName: "MODEL", help: "Classifiers: .mlpackage, .mlmodel, or names of installed models; the full one first."
    )
    var models: [String]
    @OptionGroup var report: EvaluationReportOptions
    @Option(help: "How an image of another shape is fitted: centre crop, whole with black bars, or stretched.")
    var crop: CropAndScale = .centerCrop
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
        _ = try report.reference(among: models)
    }

    mutating func run() async throws {
        let folder = images
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: folder, isDirectory: &isFolder), isFolder.boolValue else {
            throw CommandFailure(
                .invalidInput, "there is no such folder", at: "--images \(folder)", todo: "Check the path.")
        }
        let meter = report.json ? nil : ProgressMeter(total: 1000, label: "evaluating")
        let spinner = Spinner()
        let work = Work(
            folder: folder, labels: labels, models: models, reference: try report.reference(among: models) ?? 0,
            crop: crop, shard: shard ?? .whole, results: results, skipsUnreadable: skipUnreadable,
            units: options.computeUnits, threads: options.threads, spinner: spinner,
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
        var crop: CropAndScale
        var shard: EvaluationShard
        var results: String?
        var skipsUnreadable: Bool
        var units: ComputeUnits
        var threads: Int?
        var spinner: Spinner
        var progress: @Sendable (_ done: Int, _ total: Int) -> Void

        func run() async throws -> (EvaluationHeader, [PictureAnswers]) {
            let list = try await OwnThread.run { [labels] _ in
                try LabelList(try InputFile.bytes(labels, option: "--labels"), file: labels)
            }
            var hosts: [ModelHost<CoreMLEngine>] = []
            let loaded = try await EvaluationModels(models, crop: crop) { name in
                let host = try VisionOptions.host(name, units: units, threads: threads)
                hosts.append(host)
                return (host.runner, try await host.preparedInterface())
            }
            let classes = try list.classes(loaded.classes)
            let subjects = EvaluationRun.subjects(list, classes, folder: folder, shard: shard)
            if !skipsUnreadable {
                try await OwnThread.run { [labels] isCancelled in
                    try EvaluationRun.checkPresence(subjects, labels: labels, isCancelled: isCancelled)
                }
            }
            let header = EvaluationHeader(
                models: try await described(loaded), reference: reference, classes: loaded.classes.count,
                pictures: list.rows.count, labelsSHA256: list.sha256(classes), crop: crop.rawValue, shard: shard)
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
