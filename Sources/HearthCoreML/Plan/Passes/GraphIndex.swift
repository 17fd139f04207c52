/// The producer and the uses of each tensor of a graph, at the time when the index was made.
package struct GraphIndex {
    private let producers: [Int32]
    private let useCounts: [Int32]
    private let users: [Int32]

    init(_ graph: CoreMLGraph) {
        var producers = [Int32](repeating: -1, count: graph.tensors.count)
        var useCounts = [Int32](repeating: 0, count: graph.tensors.count)
        var users = [Int32](repeating: -1, count: graph.tensors.count)
        for (index, step) in graph.steps.enumerated() {
            for output in step.outputs { producers[output] = Int32(index) }
            for case let input? in step.inputs {
                useCounts[input] += 1
                users[input] = Int32(index)
            }
        }
        // Outputs of the graph are used outside of it.
        for output in graph.outputs {
            useCounts[output] += 1
            users[output] = -1
        }
        self.producers = producers
        self.useCounts = useCounts
        self.users = users
    }

    /// The step that makes a tensor; nil for inputs and constants.
    func producer(of tensor: CoreMLGraph.TensorID?) -> Int? {
        guard let tensor, producers[tensor] >= 0 else { return nil }
        return Int(producers[tensor])
    }

    /// The one step that uses a tensor, once; nil where there are others, or where it is an output.
    func soleUser(of tensor: CoreMLGraph.TensorID) -> Int? {
        useCounts[tensor] == 1 && users[tensor] >= 0 ? Int(users[tensor]) : nil
    }

    /// How often a tensor is used, as an output too.
    func useCount(of tensor: CoreMLGraph.TensorID) -> Int { Int(useCounts[tensor]) }
}
