package import HearthCompute

/// A model that is run up to the input or the output of one of its layers, with some of its constants replaced.
///
/// Not for several threads at once.
package final class LayerProbe {
    /// The observed tensors.
    package enum Place: Sendable {
        /// A layer's inputs, one for each of its sites.
        case input(WeightedLayer)
        /// A layer's outputs, before any activation, one for each of its sites.
        case output(WeightedLayer)
        /// The model's output: a classifier's probabilities, or its first output.
        case result
    }

    private let session: CoreMLSession
    /// The result of the session that each observed tensor is: several sites may read the same one.
    private let places: [Int]

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
        let observed: [CoreMLGraph.TensorID]
        switch place {
        case .input(let layer): observed = layer.sites.map(\.input)
        case .output(let layer): observed = layer.sites.map(\.output)
        case .result:
            let output = model.outputs.first { $0.kind == .probabilities } ?? model.outputs.first
            observed = [graph.outputs[output?.result ?? 0]]
        }
        graph.outputs = []
        for id in observed where !graph.outputs.contains(id) { graph.outputs.append(id) }
        places = observed.compactMap(graph.outputs.firstIndex)
        session = try CoreMLSession(
            model: CoreMLModel(path: model.path, interface: model.interface, graph: graph), threads: threads,
            kernels: kernels, isCancelled: isCancelled)
    }

    /// The observed tensors, for some inputs of the model: one for the result, one for each site of a layer.
    /// - Throws: as `CoreMLSession.predict`.
    package func values(
        _ inputs: [String: CoreMLTensor], isCancelled: () -> Bool = { false }
    ) throws -> [CoreMLTensor] {
        let results = try session.run(session.interface.prepared(inputs), isCancelled: isCancelled)
        return places.map { results[$0] }
    }
}
