package import HearthSystem

/// A summary of a weight: its name, its size, and how it is stored.
package struct CoreMLWeightSummary: Sendable, Equatable {
    /// Name of the constant, or layer and parameter.
    package let name: String
    /// The dimensions, slowest first.
    package let shape: [Int]
    /// Elements.
    package let count: Int
    /// How it is stored: `fp16`, `palette4`, `int8`, `int4 blocks`, `sparse fp16`.
    package let encoding: String
    /// Bytes in the file, palettes and scales included.
    package let byteCount: Int

    /// The same weight, seen from outside of a pipeline's model.
    fileprivate func inside(_ model: String) -> CoreMLWeightSummary {
        CoreMLWeightSummary(
            name: "\(model).\(name)", shape: shape, count: count, encoding: encoding, byteCount: byteCount)
    }
}

extension CoreMLPackage {
    /// Every weight of the function that runs: constants of floating-point numbers with at least one dimension, and
    /// compressed ones. A weight in several parts (joint compression) is listed once, at its last part.
    package func weightSummaries() throws(FileError) -> [CoreMLWeightSummary] {
        if case .neuralNetwork(let network) = model.kind { return network.layers.flatMap(Self.summaries) }
        if case .pipeline(let pipeline) = model.kind {
            var all: [CoreMLWeightSummary] = []
            for (stage, name) in zip(stages, pipeline.distinctNames) {
                all += try stage.weightSummaries().map { $0.inside(name) }
            }
            return all
        }
        var summaries: [CoreMLWeightSummary] = []
        var partBytes: [String: Int] = [:]
        var partNames: [String: String] = [:]
        for (_, operation) in body?.pathedOperations ?? [] {
            guard let output = operation.outputs.last else { continue }
            if let expression = try constantExpression(operation) {
                var bytes = expression.byteCount
                var encoding = expression.encodingName
                for case .output(let name) in expression.parameters.values {
                    if let part = partNames[name] { encoding = "sparse \(part)" }
                    // Parts that share parts would be counted twice at each step: no sum of bytes exceeds the files.
                    bytes = min(bytes + (partBytes[name] ?? 0), weightByteCount + modelByteCount)
                }
                for result in operation.outputs {
                    partBytes[result.name] = bytes
                    if expression.isPart { partNames[result.name] = encoding }
                }
                let summary = CoreMLWeightSummary(
                    name: output.name, shape: expression.shape, count: expression.count,
                    encoding: encoding, byteCount: bytes)
                if !expression.isPart { summaries.append(summary) }
            } else if operation.type == "const", let value = operation.attributes["val"], value.type.tensor != nil {
                let tensor = try self.tensor(value)
                guard tensor.type.isFloat, !tensor.shape.isEmpty else { continue }
                summaries.append(
                    CoreMLWeightSummary(
                        name: output.name, shape: tensor.shape, count: tensor.count, encoding: tensor.type.name,
                        byteCount: tensor.byteCount))
            }
        }
        return summaries
    }

    private static func summaries(_ layer: NeuralNetworkLayer) -> [CoreMLWeightSummary] {
        let shapes = Dictionary(layer.matrices.map { ($0.name, $0.shape) }, uniquingKeysWith: { first, _ in first })
        return layer.weights.map { name, weights in
            let shape = shapes[name] ?? [weights.count ?? 0]
            let count = weights.count ?? shape.reduce(1, *)
            return CoreMLWeightSummary(
                name: "\(layer.name).\(name)", shape: shape, count: count, encoding: weights.encodingName,
                byteCount: weights.byteCount)
        }
    }

    /// Labels of a classifier, or of a detector that names them; nil for other models.
    package var classCount: Int? {
        if case .neuralNetwork(let network) = model.kind { return network.labels?.count }
        if case .suppression(let suppression) = model.kind { return suppression.labels?.count }
        if case .tabular(let tabular, _) = model.kind { return tabular.labels?.count }
        if let stage = stages.last { return stage.classCount }
        guard let last = body?.operations.last(where: { $0.type == "classify" }) else { return nil }
        return last.inputs["classes"]?.value?.members.count
    }

    /// Bytes that are alive at once at most while the program runs step by step, every tensor as 32-bit floats; nil where
    /// a size is known only when it runs, and for networks of layers, whose files do not state sizes.
    package var activationByteCount: Int? {
        guard let function, let body = function.body else { return nil }
        var sizes: [String: Int] = [:]
        var live = 0
        for input in function.inputs {
            guard let count = input.type.tensor?.elementCount else { return nil }
            sizes[input.name] = count
            live += count
        }
        var lastUse: [String: Int] = [:]
        for (index, operation) in body.operations.enumerated() {
            for name in operation.usedNames { lastUse[name] = index }
        }
        for name in body.outputs { lastUse[name] = .max }
        var peak = live
        for (index, operation) in body.operations.enumerated() {
            guard operation.type != "const", !operation.type.hasPrefix("constexpr_") else { continue }
            for output in operation.outputs {
                // Labels and dictionaries of a classifier take no more memory than their inputs.
                guard case .tensor(let type) = output.type.kind else { continue }
                guard let count = type.elementCount else { return nil }
                sizes[output.name] = count
                live += count
            }
            peak = max(peak, live)
            for name in Set(operation.usedNames + operation.outputs.map(\.name)) where lastUse[name] ?? index == index {
                live -= sizes.removeValue(forKey: name) ?? 0
            }
        }
        let (bytes, overflow) = peak.multipliedReportingOverflow(by: 4)
        return overflow ? nil : bytes
    }
}

extension MILOperation {
    /// Names of what it works on, in its nested blocks too.
    fileprivate var usedNames: [String] {
        var names: [String] = []
        for input in inputs {
            for case .name(let name) in input.value.bindings.map(\.kind) { names.append(name) }
        }
        for block in blocks {
            names += block.outputs
            for operation in block.operations { names += operation.usedNames }
        }
        return names
    }
}

extension ConstantExpression {
    /// For people: `palette4`, `int8`, `sparse fp16`.
    package var encodingName: String {
        switch kind {
        case .palette, .sparsePalette: "palette\(bits ?? 0)"
        case .affine: tensor("quantized_data")?.type.name ?? "affine"
        case .blockwise, .sparseBlockwise: (tensor("data") ?? tensor("nonzero_data"))?.type.name ?? "blocks"
        case .sparse: tensor("nonzero_data").map { "sparse \($0.type.name)" } ?? "sparse"
        case .cast: "fp16"
        }
    }
}

extension NeuralNetworkWeights {
    /// For people: `fp32`, `int8`, `palette4`.
    package var encodingName: String {
        switch encoding {
        case .float32: "fp32"
        case .float16: "fp16"
        case .linear(let bits): "int\(bits)"
        case .palette(let bits): "palette\(bits)"
        case .raw: "raw"
        }
    }
}
