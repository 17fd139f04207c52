internal import HearthCompression
internal import HearthCoreML
internal import HearthCoreMLFormat

/// Measures the ranges of activations that a package can have as integers, for representative inputs.
struct ActivationCalibration {
    let package: CoreMLPackage
    /// What runs of it.
    let model: CoreMLModel
    let inputs: CalibrationInputs
    let threads: Int

    /// The ranges, by the names of the tensors, which begin with that of the model in a pipeline.
    /// - Throws: `CalibrationError`, `CoreMLError`, `ComputeError`, `FileError`, `CancellationError`.
    func ranges(
        progress: (_ done: Int, _ total: Int) -> Void, isCancelled: () -> Bool
    ) throws -> [String: ActivationRange] {
        let names = ActivationQuantization.names(in: package)
        let groups = TensorProbe.groups(of: names, in: model)
        guard !groups.isEmpty else { throw CalibrationError.noActivations(file: model.path) }
        var ranges: [String: ActivationRange] = [:]
        var done = 0
        for group in groups {
            let probe = try TensorProbe(model, group, threads: threads, isCancelled: isCancelled)
            for (name, input) in zip(inputs.names, inputs.tensors) {
                if isCancelled() { throw CancellationError() }
                for (tensor, values) in zip(probe.names, try probe.values(input, isCancelled: isCancelled)) {
                    guard values.values.allSatisfy(\.isFinite) else {
                        throw CalibrationError.nonFiniteOutput(model: model.path, image: name, output: tensor)
                    }
                    ranges[tensor, default: ActivationRange(least: .infinity, most: -.infinity)].add(values.values)
                }
                done += 1
                progress(done, groups.count * inputs.count)
            }
        }
        return ranges
    }
}
