import HearthReports
import HearthSystem

/// Options of an evaluation's report: decision criteria and output files.
struct EvaluationReportOptions: ParsableArguments {
    @Option(
        valueName: "D",
        help:
            "Largest accepted loss: 0.01, the default, is one percentage point; of numbers the rise of the mean error, in their unit."
    )
    var maxDrop: Double?
    @Option(valueName: "X", help: "Confidence level of the intervals.")
    var confidence = ConfidenceLevel.usual.level
    @Option(valueName: "MODEL", help: "The full model; default: the first.")
    var reference: String?
    @Option(valueName: "F", help: "File for the table as comma-separated values; - prints them instead of the table.")
    var csv: String?
    @Option(valueName: "F", help: "File for a self-contained page with a plot; - prints it instead of the table.")
    var html: String?
    @Flag(help: "Prints one JSON object.")
    var json = false

    func validate() throws {
        if let maxDrop, !(maxDrop >= 0 && maxDrop.isFinite) {
            throw UsageError("'--max-drop \(maxDrop)' is out of range: expected 0 or more")
        }
        guard confidence >= 0.5, ConfidenceLevel(confidence) != nil else {
            throw UsageError("'--confidence \(confidence)' is out of range: expected 0.5 to less than 1")
        }
        try ReportFile.check([("--csv", csv), ("--html", html)], json: json)
        if let csv, csv == html { throw UsageError("'--csv' and '--html' name one file") }
    }

    /// The largest accepted loss, which has a default for shares only.
    /// - Throws: `UsageError` if the options do not fit the task.
    static func margin(_ maxDrop: Double?, confidence: Double, for task: EvaluationTask) throws -> Double {
        if task != .classification, confidence > PairedBootstrap.greatestLevel {
            throw UsageError(
                "'--confidence \(confidence)' is out of range: expected at most \(PairedBootstrap.greatestLevel) for boxes and numbers",
                command: "evaluate")
        }
        guard task == .regression else {
            let margin = maxDrop ?? 0.01
            guard margin <= 1 else {
                throw UsageError("'--max-drop \(margin)' is out of range: expected 0 to 1", command: "evaluate")
            }
            return margin
        }
        guard let maxDrop else {
            throw UsageError(
                "no '--max-drop'", command: "evaluate",
                suggestion: "Pass the largest accepted rise of the mean absolute error, in the unit of the labels.")
        }
        return maxDrop
    }

    /// Index of the full model.
    func reference(among models: [String]) throws -> Int? {
        guard let reference else { return nil }
        if let place = models.firstIndex(of: reference) { return place }
        let short = models.map { $0.split(separator: "/").last.map(String.init) ?? $0 }
        let places = short.indices.filter { short[$0] == reference }
        guard places.count == 1, let place = places.first else {
            throw UsageError(
                "'--reference \(reference)' is not one of the models",
                suggestion: "Pass one of: \(models.prefix(8).joined(separator: ", ")).")
        }
        return place
    }

    /// Refuses report files that would replace what the command reads.
    /// - Parameters:
    ///   - models: paths of models.
    ///   - files: the files that options name.
    func check(command: String, apartFrom models: [String] = [], files: [(option: String, path: String?)]) throws {
        for (option, path) in [("--csv", csv), ("--html", html)] where !ReportFile.isStandardOutput(path) {
            try OutputPlace.check(path, option: option, command: command, apartFrom: models, files: files)
        }
    }

    /// Prints the report, and writes the requested files.
    /// - Parameter missing: merged results, from which pictures may be missing; nil otherwise.
    func show(
        _ header: EvaluationHeader, _ answers: [PictureAnswers], place: String, shard: EvaluationShard? = nil,
        missing: EvaluationResults.Merged? = nil
    ) throws {
        let reference = try reference(among: header.models.map(\.name))
        let margin = try Self.margin(maxDrop, confidence: confidence, for: header.task ?? .classification)
        guard
            let evaluation = Evaluation(
                header, answers, reference: reference, maxDrop: margin,
                confidence: ConfidenceLevel(confidence) ?? .usual)
        else {
            let what = header.task == .detection ? "no image with a box was evaluated" : "no image was evaluated"
            guard let shard, shard.count > 1 else {
                throw CommandFailure(
                    .invalidInput, what, at: place, todo: "Check the images and the list of labels.")
            }
            // A part of few images may have nothing to report. Its results are complete, and count in the merge.
            return try showNothing(
                "\(what) in part \(shard) of \(header.pictures) pictures", header, answers, reference: reference,
                maxDrop: margin, shard: shard)
        }
        let notes = Self.notes(evaluation, header, shard, missing)
        for note in notes { Output.error.writeLine("hearth: note: " + note.withVisibleControls) }
        if json {
            try Output.standard.writeJSON(EvaluationJSON(evaluation, shard: shard, missing: missing))
        } else if ![csv, html].contains(where: ReportFile.isStandardOutput) {
            let terminal = Terminal(.standard)
            let table = EvaluationTable(
                evaluation, hasStyles: terminal?.hasStyles ?? false, columns: terminal.map { min($0.columns - 1, 100) })
            Output.standard.write(table.text)
        }
        // Last, so that the results are printed even if these files cannot be written.
        if let csv { try ReportFile.write(EvaluationCSV.text(evaluation), to: csv) }
        if let html { try ReportFile.write(EvaluationPage(evaluation, notes: notes).html, to: html) }
    }

    /// Says that a part has nothing to report; its results file is complete.
    private func showNothing(
        _ reason: String, _ header: EvaluationHeader, _ answers: [PictureAnswers], reference: Int?, maxDrop: Double,
        shard: EvaluationShard
    ) throws {
        let files = [(csv, "--csv"), (html, "--html")].compactMap { $0.0 == nil ? nil : $0.1 }
        Output.error.writeLine(
            "hearth: note: \(reason); 'hearth evaluate merge' adds the parts up"
                + (files.isEmpty ? "" : "; nothing is written for \(files.joined(separator: " and "))"))
        guard json else { return }
        try Output.standard.writeJSON(
            EvaluationJSON(
                nothing: reason, header, answers, reference: reference, maxDrop: maxDrop, confidence: confidence,
                shard: shard))
    }

    /// Notes on what the figures do not show.
    private static func notes(
        _ evaluation: Evaluation, _ header: EvaluationHeader, _ shard: EvaluationShard?,
        _ missing: EvaluationResults.Merged?
    ) -> [String] {
        var notes: [String] = []
        if let first = evaluation.unreadable.first {
            let count = evaluation.unreadable.count
            notes.append(
                count == 1
                    ? "1 image could not be read and does not count: \(first.picture)"
                    : "\(count) images could not be read and do not count, \(first.picture) among them")
        }
        if let missing, missing.missing > 0 {
            let parts = missing.missingShards.prefix(12).map(\.description).joined(separator: ", ")
            let more = missing.missingShards.count > 12 ? " and \(missing.missingShards.count - 12) more" : ""
            notes.append(
                "\(missing.missing) of \(header.pictures) pictures are missing"
                    + (parts.isEmpty ? "" : ": they belong to \(parts)\(more)"))
        }
        if let shard, shard.count > 1 {
            notes.append(
                "this is part \(shard) of \(header.pictures) pictures; 'hearth evaluate merge' adds the parts up")
        }
        return notes
    }
}
