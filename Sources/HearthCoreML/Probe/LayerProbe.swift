package import HearthCompute

/// A model that is run up to the input or the output of one of its layers, with some of its constants replaced.
///
/// Not for several threads at once.
package final class LayerProbe {
    /// The observed tensor.
    package enum Place: Sendable {
        /// A layer's input.
        case input(WeightedLayer)
        /// A layer's output, before any activation.
        case output(WeightedLayer)
        /// The model's output: a classifier's probabilities, or its first output.
        case result
    }

    private let session: CoreMLSession

    /// - Parameters:
    ///   - replacing: new elements of constants, by name.
    ///   - isCancelled: asked at least every 50 ms.
    /// - Throws: `CoreMLError`, `ComputeError`, `CancellationError`.
    package init(
        _ model: CoreMLModel, _ place: Place, replacing: [String: [Float]] = [:], threads: Int? = nil,
        kernels: KernelSet? = nil, isCancelled: () -> Bool = { false }
    ) throws {
        var graph = model.graph
        for (id, _) in graph.constants {
            guard let values = replacing[graph.tensors[id].name] else { continue }
            guard values.count == graph.tensors[id].count else {
                throw CoreMLError.invalid(
                    .init(file: model.path, field: graph.tensors[id].name),
                    problem: "\(values.count) elements in place of \(graph.tensors[id].count)")
            }
            graph.constants[id] = .values(values)
        }
        switch place {
        case .input(let layer): graph.outputs = [layer.input]
        case .output(let layer): graph.outputs = [layer.output]
        case .result:
            let output = model.outputs.first { $0.kind == .probabilities } ?? model.outputs.first
            graph.outputs = [graph.outputs[output?.result ?? 0]]
        }
        session = try CoreMLSession(
            model: CoreMLModel(path: model.path, interface: model.interface, graph: graph), threads: threads,
            kernels: kernels, isCancelled: isCancelled)
    }

    /// The observed tensor, for some inputs of the model.
    /// - Throws: as `CoreMLSession.predict`.
    package func values(
        _ inputs: [String: CoreMLTensor], isCancelled: () -> Bool = { false }
    ) throws -> CoreMLTensor {
        let results = try session.run(session.interface.prepared(inputs), isCancelled: isCancelled)
        guard let result = results.first else { throw CancellationError() }
        return result
    }
}
