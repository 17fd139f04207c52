import HearthCoreMLFormat
import HearthSystem

/// The folder of `inspect --weights`: each compressed weight of a Core ML model, decompressed.
struct WeightFolder {
    private let folder: OutputFolder

    /// - Throws: `FileError.noFolder`; `UsageError` where the folder is the model's, or in it.
    init(_ path: String, apartFrom model: String) throws {
        try OutputPlace.check(path, option: "--weights", command: "inspect", apartFrom: [model])
        folder = try OutputFolder(path, unfinished: Interruption.shared.unfinished)
    }

    /// Writes the weights, in a pipeline those of all its models.
    /// - Parameter prefix: what their names begin with: in a pipeline the name of the model.
    func write(_ package: CoreMLPackage, prefix: String = "") throws {
        switch package.model.kind {
        case .pipeline(let pipeline):
            for (stage, name) in zip(package.stages, pipeline.distinctNames) {
                try write(stage, prefix: "\(prefix)\(name).")
            }
        case .neuralNetwork(let network): try write(network, prefix)
        default: try writeProgram(package, prefix)
        }
    }

    private func writeProgram(_ package: CoreMLPackage, _ prefix: String) throws {
        var known: [String: DenseWeight] = [:]
        for (_, operation) in package.body?.pathedOperations ?? [] {
            guard let expression = try package.constantExpression(operation), let name = operation.outputs.last?.name
            else { continue }
            let weight = try package.expanded(expression, resolve: { known[$0] })
            known[name] = weight
            if let mask = try expression.expandedMask(file: package.path), let first = operation.outputs.first?.name {
                known[first] = mask
            }
            // Components of a weight are not written separately.
            if expression.isPart { continue }
            try folder.write(weight.values, name: prefix + name)
        }
    }

    private func write(_ network: NeuralNetwork, _ prefix: String) throws {
        for layer in network.layers {
            let filled = Dictionary(
                layer.matrices.map { ($0.name, $0.weights) }, uniquingKeysWith: { first, _ in first })
            for (parameter, weights) in layer.weights {
                switch weights.encoding {
                case .linear, .palette: break
                case .float32, .float16, .raw: continue
                }
                guard let values = (filled[parameter] ?? weights).floats() else { continue }
                try folder.write(values, name: "\(prefix)\(layer.name).\(parameter)")
            }
        }
    }
}
