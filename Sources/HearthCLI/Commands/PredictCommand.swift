import Foundation
import HearthCoreML
import HearthCoreMLFormat
import HearthModels
import HearthSystem

/// `hearth predict`: runs a Core ML model on raw tensors.
struct PredictCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "predict",
        abstract: "Runs a Core ML model on raw tensors, or on rows of a table.",
        discussion: """
            Reads and writes little-endian float32, row-major. An image is [1, channels, height, width] with
            values from 0 to 255, as planes in the channel order of the model. SHAPE, such as 1x3x224x224, is
            needed if the model leaves the shape open. Every output is written to D/<output name>.f32; for a
            classifier these are the probabilities in the order of its labels, and the predicted label as an
            index into them (integer labels: the label itself). A detection pipeline also takes its thresholds,
            one value each (iouThreshold=FILE.f32), and returns only the boxes that remain.

            An audio file (WAVE, or what ffmpeg reads) is given to an input as samples from -1 to 1, its channels
            mixed to one, in windows of the input's length, one prediction after the other; the last window is
            filled with silence, and every output has the windows as its first dimension. --carry passes an output
            on to an input of the next window; states of the model (iOS 18) are kept from window to window, and
            with --state from run to run.

            --row gives the inputs as a JSON object: numbers, texts, arrays, dictionaries, and null for a missing
            value. --csv reads a table whose first line names the inputs, and writes a table. Both run tabular
            models (trees, linear models, support vectors, nearest neighbours, pipelines of them) and networks.
            """,
        examples: [
            (
                "predict --model Digits.mlpackage --input image=three.f32 --output-dir out",
                "Writes out/classLabel_probs.f32 and out/classLabel.f32."
            ),
            (
                "predict --model Net.mlpackage --input x=x.f32:1x3x64x64 --output-dir out --json",
                "Gives the shape of an input; prints names and shapes of the outputs as JSON."
            ),
            (
                "predict --model Voice.mlpackage --input audio=talk.m4a --sample-rate 16000 --carry h1=h0 --output-dir out",
                "Writes an output for each window of the recording; the network's memory goes along."
            ),
            (
                #"predict --model Iris.mlmodel --row '{"sepal length":5.1,"sepal width":3.5}' --json"#,
                "Predicts for one row of a table; prints the values of the outputs."
            ),
            ("predict --model Iris.mlmodel --csv flowers.csv", "Predicts for each line of a table; prints a table."),
        ])

    @Option(valueName: "P", help: "Core ML package (.mlpackage), model (.mlmodel), or the folder of a compiled one.")
    var model: String
    @Option(valueName: "NAME=FILE.f32[:SHAPE]", help: "Input of the model: its name, a file, and optionally a shape.")
    var input: [String] = []
    @Option(valueName: "HZ", help: "Sample rate to which audio files are converted; default: their own.")
    var sampleRate: Int?
    @Option(valueName: "OUTPUT=INPUT", help: "An output that is an input of the next window; 0 before the first.")
    var carry: [String] = []
    @Option(
        valueName: "DIR",
        help: "Folder with the model's states: read before the first prediction, written after the last.")
    var state: String?
    @Option(valueName: "JSON", help: "Inputs of one prediction as a JSON object; may be given several times.")
    var row: [String] = []
    @Option(valueName: "FILE.csv", help: "Inputs of one prediction per line; the first line has their names.")
    var csv: String?
    @Option(valueName: "NAME", help: "Function of a program that has several. 'hearth inspect' lists them.")
    var function: String?
    @Option(valueName: "D", help: "Folder for the outputs of --input; created if it does not exist.")
    var outputDir: String?
    @OptionGroup var options: VisionOptions
    @Flag(help: "Prints one JSON object.")
    var json = false

    func validate() throws {
        if let sampleRate, !(100...1_000_000).contains(sampleRate) {
            throw UsageError("'--sample-rate \(sampleRate)' is out of range: expected 100 to 1000000")
        }
    }

    private struct Result: Encodable {
        struct Output: Encodable {
            var name: String
            var shape: [Int]
            /// The predicted class, for a classifier's label output.
            var label: String?
            /// The same for each window of an audio file.
            var labels: [String]?
        }

        var outputs: [Output]
        /// The number of windows of an audio file.
        var windows: Int?
        var ms: Double
    }

    mutating func run() async throws {
        if !row.isEmpty || csv != nil { return try await predictRows() }
        guard let outputDir else {
            throw UsageError(
                "no --output-dir", command: "predict",
                suggestion: "Pass --output-dir D, or the inputs as --row or --csv.")
        }
        let given = try input.map { try TensorArgument($0) }
        for (index, argument) in given.enumerated() where given[..<index].contains(where: { $0.name == argument.name })
        {
            throw UsageError(
                "an input is given twice", command: "predict", suggestion: "Pass --input \(argument.name)= once.")
        }
        let shapes = Dictionary(
            given.compactMap { argument in argument.shape.map { (argument.name, $0) } },
            uniquingKeysWith: { first, _ in first })
        let gpu = try options.gpu(for: model)
        let path = try ModelLocator.using.path(of: model)
        try OutputPlace.check(outputDir, option: "--output-dir", command: "predict", apartFrom: [path])
        try OutputPlace.check(state, option: "--state", command: "predict", apartFrom: [path])
        if function != nil, CoreMLArtifact.isArtifact(path) {
            throw UsageError(
                "a compiled model has one function", command: "predict", suggestion: "Pass its package.")
        }
        try requireFunction(path)
        var opening = CoreMLOpening(threads: options.threads, units: options.computeUnits, function: function)
        let kernels = try EngineOptions.kernels()
        let (session, isCompiled): (CoreMLSession, Bool)
        do {
            (session, isCompiled) = try await OwnThread.run { [opening] _ in
                try opening.session(path, kernels: kernels, shapes: shapes)
            }
        } catch let error as CoreMLError {
            try requireTensors(path)
            throw error
        }
        try await options.move(session, to: gpu)
        let work = try TensorRun(
            given, carry: carry, state: state, sampleRate: sampleRate, model: session.interface)
        let folder = try OutputFolder(outputDir, unfinished: Interruption.shared.unfinished)
        var start = ContinuousClock.now
        let results: TensorRun.Results
        do {
            results = try await work.run(on: session)
        } catch FileError.changed where isCompiled && !CoreMLArtifact.isArtifact(path) {
            // The artifact was changed while in use; the package has the same content.
            opening.usesArtifacts = false
            let (session, _) = try await OwnThread.run { [opening] _ in
                try opening.session(path, kernels: kernels, shapes: shapes)
            }
            try await options.move(session, to: gpu)
            start = ContinuousClock.now
            results = try await work.run(on: session)
        }
        let elapsed = start.duration(to: .now)
        var outputs: [Result.Output] = []
        for output in session.interface.outputs {
            let tensors = results.outputs.compactMap { $0[output.name] }
            guard let first = tensors.first else { continue }
            try folder.write(tensors.flatMap(\.values), name: output.name)
            let labels = results.outputs.compactMap { Self.label(output, $0, session.interface) }
            outputs.append(
                .init(
                    name: output.name, shape: work.hasWindows ? [tensors.count] + first.shape : first.shape,
                    label: work.hasWindows ? nil : labels.first,
                    labels: work.hasWindows && !labels.isEmpty ? labels : nil))
        }
        try work.keep(results.state)
        try report(
            Result(outputs: outputs, windows: work.hasWindows ? results.outputs.count : nil, ms: elapsed.milliseconds),
            folder: outputDir)
    }

    /// Fails where the model has no function of the name that was given.
    private func requireFunction(_ path: String) throws {
        guard let function, !CoreMLArtifact.isArtifact(path) else { return }
        let names = try CoreMLPackage(path: path).functionNames
        guard !names.contains(function) else { return }
        let known = names.prefix(16).joined(separator: ", ")
        throw CommandFailure(
            .invalidInput, "the model has no function '\(function)'", at: path,
            todo: names.isEmpty ? "Leave --function out." : "Pass one of its functions: \(known).")
    }

    /// Reports that a tabular model takes rows, not tensors.
    private func requireTensors(_ path: String) throws {
        guard InspectCommand.isCoreML(path), !CoreMLArtifact.isArtifact(path) else { return }
        let package = try CoreMLPackage(path: path)
        guard TabularModel.isTabular(package) else { return }
        throw CommandFailure(
            .invalidInput, "a model of kind '\(package.model.kindName)' takes rows of a table", at: path,
            todo: "Pass its inputs as --row JSON or --csv FILE.")
    }

    private func predictRows() async throws {
        guard input.isEmpty else {
            throw UsageError(
                "--input and --row/--csv exclude each other", command: "predict", suggestion: "Pass one of them.")
        }
        guard csv == nil || row.isEmpty else {
            throw UsageError("--row and --csv exclude each other", command: "predict", suggestion: "Pass one of them.")
        }
        guard !options.wantsGPU else {
            throw UsageError(
                "--compute gpu is for --input", command: "predict", suggestion: "Leave it out: tables run on the CPU.")
        }
        guard carry.isEmpty, state == nil, sampleRate == nil else {
            throw UsageError(
                "--carry, --state and --sample-rate are for --input", command: "predict", suggestion: "Leave them out.")
        }
        guard outputDir == nil else {
            throw UsageError(
                "--output-dir is for --input", command: "predict",
                suggestion: "Leave it out: what is predicted for rows is printed.")
        }
        let path = try ModelLocator.using.path(of: model)
        try requireFunction(path)
        let (rows, table, function, isJSON) = (row, self.csv, self.function, json)
        try await OwnThread.run { _ in
            var run = try TabularRun(path, function: function, isJSON: isJSON)
            for (index, row) in rows.enumerated() {
                try run.predict(json: row, number: rows.count > 1 ? index + 1 : nil)
            }
            if let table { try run.predict(csv: table) }
        }
    }

    private static func label(
        _ output: CoreMLInterface.Output, _ outputs: [String: CoreMLTensor], _ model: CoreMLInterface
    ) -> String? {
        model.labelPlace(output, in: outputs).flatMap { place in model.labels.map { $0[place] } }
    }

    private func report(_ result: Result, folder: String) throws {
        if json {
            try Output.standard.writeJSON(result)
            return
        }
        for output in result.outputs {
            let shape = output.shape.map(String.init).joined(separator: " × ")
            let labels = output.label.map { [$0] } ?? output.labels ?? []
            let label = labels.isEmpty ? "" : " (\(labels.joined(separator: ", ").withVisibleControls))"
            Output.standard.writeLine(
                "\(folder)/\(output.name).f32  \(shape.isEmpty ? "1 value" : shape)\(label)")
        }
        Output.error.writeLine(String(format: "%.1f ms", result.ms))
    }
}
