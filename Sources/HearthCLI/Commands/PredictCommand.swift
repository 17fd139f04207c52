import Foundation
import HearthFormats
import HearthSystem
import HearthVision

/// `hearth predict`: raw tensors through a Core ML model.
struct PredictCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "predict",
        abstract: "Runs a Core ML model on raw tensors.",
        discussion: """
            Reads and writes little-endian float32, row-major. A picture is [1, channels, height, width] with values from
            0 to 255, planes in the model's order of colors. SHAPE, such as 1x3x224x224, is needed where a model leaves
            the shape open. Every output is written to D/<output name>.f32: of a classifier the probabilities in the order
            of its labels, and the label as its place among them (of integer labels, the label). A detector's pipeline
            also takes its thresholds, a value each (iouThreshold=FILE.f32), and gives as many boxes as stay.
            """,
        examples: [
            (
                "predict --model Digits.mlpackage --input image=three.f32 --output-dir out",
                "Writes out/classLabel_probs.f32 and out/classLabel.f32."
            ),
            (
                "predict --model Net.mlpackage --input x=x.f32:1x3x64x64 --output-dir out --json",
                "With the shape of an input, and the outputs' names and shapes as JSON."
            ),
        ])

    @Option(valueName: "P", help: "Core ML package (.mlpackage), model (.mlmodel), or the folder of a compiled one.")
    var model: String
    @Option(valueName: "NAME=FILE.f32[:SHAPE]", help: "An input of the model: its name, a file, and perhaps a shape.")
    var input: [String] = []
    @Option(valueName: "D", help: "Folder that the outputs are written to; made where it is missing.")
    var outputDir: String
    @Flag(help: "Prints one JSON object.")
    var json = false

    private struct Result: Encodable {
        struct Output: Encodable {
            var name: String
            var shape: [Int]
            /// What a classifier says; for the output that is its label.
            var label: String?
        }

        var outputs: [Output]
        var ms: Double
    }

    mutating func run() async throws {
        let given = try input.map { try TensorArgument($0) }
        for (index, argument) in given.enumerated() where given[..<index].contains(where: { $0.name == argument.name })
        {
            throw UsageError(
                "an input is given twice", command: "predict", suggestion: "Pass --input \(argument.name)= once.")
        }
        let shapes = Dictionary(
            given.compactMap { argument in argument.shape.map { (argument.name, $0) } },
            uniquingKeysWith: { first, _ in first })
        let path = try ModelLocator.using.path(of: model)
        let kernels = try EngineOptions.kernels()
        let (session, isCompiled) = try await OwnThread.run { _ in
            try VisionOpening().session(path, kernels: kernels, shapes: shapes)
        }
        let model = session.interface
        // Single values, which a detector's pipeline takes besides its picture.
        let thresholds = model.suppression.map { [$0.intersectionOverUnionInput, $0.thresholdInput] } ?? []
        var tensors: [String: CoreMLTensor] = [:]
        for argument in given {
            let input = model.inputs.first { $0.name == argument.name }
            guard let shape = input?.shape ?? (thresholds.contains(argument.name) ? [] : nil) else {
                throw CoreMLError.unknownInput(name: argument.name, inputs: model.inputs.map(\.name) + thresholds)
            }
            tensors[argument.name] = try argument.read(shape: shape)
        }
        let folder = try OutputFolder(outputDir)
        let inputs = tensors
        var start = ContinuousClock.now
        let results: [String: CoreMLTensor]
        do {
            results = try await session.predict(inputs)
        } catch FormatError.changed where isCompiled && !CoreMLArtifact.isArtifact(path) {
            // The artifact is no longer what it was; the package has all that was in it.
            let (session, _) = try await OwnThread.run { _ in
                try VisionOpening(usesArtifacts: false).session(path, kernels: kernels, shapes: shapes)
            }
            start = ContinuousClock.now
            results = try await session.predict(inputs)
        }
        let elapsed = start.duration(to: .now)
        var outputs: [Result.Output] = []
        for output in model.outputs {
            guard let tensor = results[output.name] else { continue }
            try folder.write(tensor.values, name: output.name)
            outputs.append(
                .init(name: output.name, shape: tensor.shape, label: Self.label(output, tensor, model)))
        }
        let milliseconds = Double(elapsed.components.seconds) * 1e3 + Double(elapsed.components.attoseconds) / 1e15
        try report(Result(outputs: outputs, ms: milliseconds))
    }

    private static func label(_ output: CoreMLInterface.Output, _ tensor: CoreMLTensor, _ model: CoreMLInterface)
        -> String?
    {
        guard output.kind == .label, let labels = model.labels, let value = tensor.values.first else { return nil }
        if case .integers = labels { return String(Int(value)) }
        return labels[Int(value)]
    }

    private func report(_ result: Result) throws {
        if json {
            try Output.standard.writeJSON(result)
            return
        }
        for output in result.outputs {
            let shape = output.shape.map(String.init).joined(separator: " × ")
            let label = output.label.map { " (\($0.withVisibleControls))" } ?? ""
            Output.standard.writeLine(
                "\(outputDir)/\(output.name).f32  \(shape.isEmpty ? "1 value" : shape)\(label)")
        }
        Output.error.writeLine(String(format: "%.1f ms", result.ms))
    }
}
