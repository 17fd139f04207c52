/// A model that is run up to several of its tensors.
///
/// Not for several threads at once.
package final class TensorProbe {
    /// Elements of tensors that are observed at a time: their memory is in use all at once.
    private static let elements = 1 << 24

    /// The observed tensors.
    package let names: [String]
    private let session: CoreMLSession

    /// - Parameters:
    ///   - names: as `groups(of:in:)` gives them.
    ///   - isCancelled: asked at least every 50 ms.
    /// - Throws: `CoreMLError`, `ComputeError`, `CancellationError`.
    package init(
        _ model: CoreMLModel, _ names: [String], threads: Int? = nil, isCancelled: () -> Bool = { false }
    ) throws {
        let places = Self.places(in: model.graph)
        var graph = model.graph
        self.names = names.filter { places[$0] != nil }
        graph.outputs = self.names.compactMap { places[$0] }
        session = try CoreMLSession(
            model: CoreMLModel(path: model.path, interface: model.interface, graph: graph), threads: threads,
            isCancelled: isCancelled)
    }

    /// The tensors that go in or are computed, in sets that can be observed at a time; others have no place.
    package static func groups(of names: Set<String>, in model: CoreMLModel) -> [[String]] {
        let places = places(in: model.graph)
        var (groups, room): ([[String]], Int) = ([], 0)
        for (name, id) in places.filter({ names.contains($0.key) }).sorted(by: { $0.value < $1.value }) {
            let count = model.graph.tensors[id].count
            if groups.isEmpty || count > room {
                groups.append([])
                room = elements
            }
            groups[groups.count - 1].append(name)
            room -= count
        }
        return groups
    }

    private static func places(in graph: CoreMLGraph) -> [String: CoreMLGraph.TensorID] {
        let computed = graph.inputs + graph.steps.flatMap(\.outputs)
        // A name that several have names none.
        let found = Dictionary(grouping: computed) { graph.tensors[$0].name }
        return found.compactMapValues { $0.count == 1 ? $0[0] : nil }.filter { !$0.key.isEmpty }
    }

    /// The observed tensors, in the order of their names, for some inputs of the model.
    /// - Throws: as `CoreMLSession.predict`.
    package func values(
        _ inputs: [String: CoreMLTensor], isCancelled: () -> Bool = { false }
    ) throws -> [CoreMLTensor] {
        try session.run(session.interface.prepared(inputs), isCancelled: isCancelled)
    }
}
