import Foundation
import HearthCompression
import HearthSystem
import HearthVision

/// `hearth evaluate`: whether a smaller model is still accurate.
struct EvaluateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "evaluate",
        abstract: "Says which of several variants of a classifier is small and still accurate.",
        discussion: """
            Shows the same pictures to all models, and compares each with the full one: accuracy, agreement, size on disk and in an
            archive, time of an inference. A model is non-inferior where the 95 % interval of the difference in accuracy (Tango's,
            for paired pictures) ends no more than --max-drop below the full model; the smallest such model is chosen. Where
            the pictures are too few to tell, it says about how many would do.

            A line of the list is FILE,LABEL; a label is the name of a class or its place, from 0. With --results every picture
            is kept as it is done: the same command goes on where it was stopped, --shard spreads the pictures over several
            machines, and 'hearth evaluate merge' adds the parts up.
            """,
        examples: [
            (
                "evaluate --images test --labels test.csv Full.mlpackage Small.mlpackage",
                "Whether the small one will do."
            ),
            (
                "evaluate --images test --labels test.csv *.mlpackage --max-drop 0.005 --html sizes.html",
                "Half a percentage point at most; a page with size against accuracy."
            ),
            (
                "evaluate --images test --labels test.csv *.mlpackage --shard 2/8 --results part2.jsonl",
                "The second of eight parts, for a job scheduler."
            ),
            ("evaluate merge part*.jsonl --json", "All parts as one evaluation."),
        ])
    static var subcommands: [any ParsableCommand.Type] { [EvaluateMergeCommand.self] }

    @Option(valueName: "DIR", help: "Folder of the pictures, JPEG or PNG.")
    var images: String
    @Option(valueName: "CSV", help: "What they show.")
    var labels: String
    @Argument(
        valueName: "MODEL", help: "Classifiers: .mlpackage, .mlmodel, or names of installed models; the full one first."
    )
    var models: [String]
    @OptionGroup var report: EvaluationReportOptions
    @Option(help: "How a picture of another shape is made to fit: the centre, the whole with black bars, or stretched.")
    var crop: CropAndScale = .centerCrop
    @Option(valueName: "I/N", help: "Only the I-th of N parts of the pictures.")
    var shard: EvaluationShard?
    @Option(valueName: "FILE", help: "Keeps each picture's results, and goes on from those that are there.")
    var results: String?
    @Flag(help: "Leaves out pictures that cannot be read, instead of stopping.")
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
                if keeps { Output.error.writeLine("hearth: interrupted; the same command goes on from here") }
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
    /// All that takes time.
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
            let loaded = try await EvaluationModels(models, crop: crop, units: units, threads: threads)
            let classes = try list.classes(loaded.classes)
            let subjects = EvaluationRun.subjects(list, classes, folder: folder, shard: shard)
            if !skipsUnreadable {
                try await OwnThread.run { [labels] isCancelled in
                    try EvaluationRun.checkPresence(subjects, labels: labels, isCancelled: isCancelled)
                }
            }
            let header = EvaluationHeader(
                models: try await loaded.described(spinner), reference: reference, classes: loaded.classes.count,
                pictures: list.rows.count, labelsSHA256: list.sha256(classes), crop: crop.rawValue, shard: shard)
            let log = try await OwnThread.run { [results] isCancelled in
                try results.map { try EvaluationLog.open($0, header, isCancelled: isCancelled) }
            }
            let run = EvaluationRun(models: loaded, skipsUnreadable: skipsUnreadable, log: log)
            let answers = try await run(subjects) { progress($0, subjects.count) }
            for member in loaded.members { await member.host.logStart() }
            return (header, answers)
        }
    }
}
