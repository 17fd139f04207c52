import Foundation
import HearthCoreML
import HearthSystem

/// Predictions of `hearth predict`: one, or one for each window of an audio file, with outputs and states carried from one to the
/// next.
struct TensorRun {
    struct Results {
        /// The outputs of each prediction.
        var outputs: [[String: CoreMLTensor]]
        /// What the last one leaves.
        var state: [CoreMLTensor]
    }

    private let inputs: [String: CoreMLTensor]
    /// The windows of the input that is audio.
    private let audio: (name: String, windows: [CoreMLTensor])?
    private let carries: [(output: String, input: String)]
    private let state: [CoreMLTensor]
    private let stateFolder: String?
    private let states: [CoreMLInterface.State]

    /// Whether the input is an audio file, so that outputs have a dimension for its windows.
    var hasWindows: Bool { audio != nil }

    /// Reads the inputs.
    /// - Throws: `CommandFailure`, `CoreMLError`, `UsageError`.
    init(
        _ given: [TensorArgument], carry: [String], state folder: String?, sampleRate: Int?, model: CoreMLInterface
    ) throws {
        // Scalar inputs, which a detection pipeline takes besides its image.
        let thresholds = model.suppression.map { [$0.intersectionOverUnionInput, $0.thresholdInput] } ?? []
        func shape(_ name: String) throws -> [Int] {
            guard
                let shape = model.inputs.first(where: { $0.name == name })?.shape
                    ?? (thresholds.contains(name) ? [] : nil)
            else { throw CoreMLError.unknownInput(name: name, inputs: model.inputs.map(\.name) + thresholds) }
            return shape
        }
        var inputs: [String: CoreMLTensor] = [:]
        var audio: (name: String, windows: [CoreMLTensor])?
        for argument in given {
            let shape = try shape(argument.name)
            guard AudioSamples.isAudio(argument.path) else {
                inputs[argument.name] = try argument.read(shape: shape)
                continue
            }
            guard audio == nil else {
                throw UsageError("two inputs are audio files", command: "predict", suggestion: "Pass one.")
            }
            audio = (argument.name, try Self.windows(argument, shape, sampleRate))
        }
        guard sampleRate == nil || audio != nil else {
            throw UsageError(
                "'--sample-rate' is for audio files", command: "predict",
                suggestion: "Pass --input NAME=FILE.wav as well, or leave it out.")
        }
        carries = try carry.map { text in
            let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty else {
                throw UsageError(
                    "'--carry \(text)' is not OUTPUT=INPUT", command: "predict", suggestion: "Pass --carry h1=h0.")
            }
            guard model.outputs.contains(where: { $0.name == parts[0] }) else {
                throw CommandFailure(
                    .invalidInput, "the model has no output '\(parts[0])'", at: "--carry \(text)",
                    todo: "Its outputs are: \(model.outputs.map(\.name).joined(separator: ", ")).")
            }
            // As the state of a network begins, unless it is given.
            inputs[parts[1]] = try inputs[parts[1]] ?? CoreMLTensor(shape: shape(parts[1]))
            return (parts[0], parts[1])
        }
        (self.inputs, self.audio, stateFolder, states) = (inputs, audio, folder, model.states)
        guard folder == nil || !states.isEmpty else {
            throw CommandFailure(
                .invalidInput, "the model has no states", at: "--state \(folder ?? "")",
                todo: "Leave it out. For a state that is an input and an output, pass --carry OUTPUT=INPUT.")
        }
        state = try folder.map { try Self.read($0, model.states) } ?? []
    }

    private static func windows(_ argument: TensorArgument, _ shape: [Int], _ rate: Int?) throws -> [CoreMLTensor] {
        let place = "--input \(argument.name)"
        let length = shape.reduce(1, *)
        guard length > 1, shape.filter({ $0 > 1 }).count == 1 else {
            throw CommandFailure(
                .invalidInput, "an input of shape \(shape) does not take a sequence of samples",
                at: "\(argument.path): \(place)",
                todo: "Compute its features first, and pass them as a file of float32 values (.f32).")
        }
        return try AudioSamples(path: argument.path, rate: rate, place: place).windows(of: length)
            .map { CoreMLTensor(shape: shape, values: $0) }
    }

    /// Runs all predictions, from the first on.
    /// - Throws: as `CoreMLSession.predict`; `CommandFailure` if an output does not fit the input it is carried to.
    func run(on session: CoreMLSession) async throws -> Results {
        var inputs = inputs
        var results = Results(outputs: [], state: state)
        for window in audio?.windows.map(Optional.some) ?? [nil] {
            if let audio, let window { inputs[audio.name] = window }
            // A single prediction that keeps no state says most about results that are not finite.
            let outputs =
                states.isEmpty || stateFolder == nil && audio == nil
                ? try await session.predict(inputs) : try await session.predict(inputs, state: &results.state)
            for (output, input) in carries {
                guard let tensor = outputs[output], let place = inputs[input] else { continue }
                guard tensor.values.count == place.values.count else {
                    throw CommandFailure(
                        .invalidInput, "the output's shape \(tensor.shape) is not the input's, \(place.shape)",
                        at: "--carry \(output)=\(input)", todo: "Name an output and an input of the same size.")
                }
                inputs[input] = CoreMLTensor(shape: place.shape, values: tensor.values)
            }
            results.outputs.append(outputs)
        }
        return results
    }

    /// Writes the states for the next run.
    func keep(_ state: [CoreMLTensor]) throws {
        guard let stateFolder else { return }
        let folder = try OutputFolder(stateFolder, unfinished: Interruption.shared.unfinished)
        for (entry, tensor) in zip(states, state) { try folder.write(tensor.values, name: entry.name) }
    }

    /// The states that an earlier run left; empty if there are none yet.
    private static func read(_ folder: String, _ states: [CoreMLInterface.State]) throws -> [CoreMLTensor] {
        let paths = states.map { "\(folder)/\($0.name).f32" }
        let files = FileManager.default
        guard paths.contains(where: { files.fileExists(atPath: $0) }) else { return [] }
        return try zip(states, paths).map { entry, path in
            let bytes = try InputFile.bytes(path, option: "--state")
            let count = entry.shape.reduce(1, *)
            guard bytes.count == 4 * count else {
                throw CommandFailure(
                    .invalidInput,
                    "the file has \(bytes.count) bytes, but the state of shape \(entry.shape) has \(4 * count)",
                    at: "\(path): --state", todo: "Remove the folder to begin anew.")
            }
            return CoreMLTensor(shape: entry.shape, values: [Float](littleEndianBytes: bytes))
        }
    }
}
