/// Finds attention that a file spells out: softmax(q·kᵀ · scale + mask) · v.
enum AttentionRecognition: GraphPass {
    static func apply(to graph: inout CoreMLGraph) throws -> Bool {
        try graph.rewrite { graph, index, place in
            let step = graph.steps[place]
            guard case .matmul(false, false) = step.operation, let weights = step.inputs[0], let value = step.inputs[1],
                let softmax = index.producer(of: weights), index.soleUser(of: weights) == place,
                case .softmax(let axis) = graph.steps[softmax].operation,
                axis == graph.tensors[weights].shape.count - 1, var scores = graph.steps[softmax].inputs[0]
            else { return false }
            var scale: Float = 1
            var mask: CoreMLGraph.TensorID?
            // From the softmax back to the product: mask, then scale, each at most once and without another use.
            while let maker = index.producer(of: scores), index.useCount(of: scores) == 1 {
                let made = graph.steps[maker]
                switch made.operation {
                case .binary(.add) where mask == nil && scale == 1:
                    guard let left = made.inputs[0], let right = made.inputs[1],
                        fits(right, scores, graph), graph.tensors[left].shape == graph.tensors[scores].shape
                    else { return false }
                    mask = right
                    scores = left
                case .binary(.multiply), .binary(.divide):
                    guard let left = made.inputs[0], let factor = try graph.scalar(made.inputs[1]), factor != 0 else {
                        return false
                    }
                    scale *= made.operation == .binary(.multiply) ? factor : 1 / factor
                    scores = left
                case .unary(.linear(let alpha, beta: 0)):
                    scale *= alpha
                    scores = made.inputs[0] ?? scores
                case .matmul(false, true):
                    guard let query = made.inputs[0], let key = made.inputs[1],
                        haveSameBatch([query, key, value], graph)
                    else { return false }
                    graph.steps[place].operation = .attention(scale: scale)
                    graph.steps[place].inputs = [query, key, value, mask]
                    if let mask { repeatMask(mask, of: place, to: graph.tensors[scores].shape, in: &graph) }
                    return true
                default: return false
                }
            }
            return false
        }
    }

    /// A mask for the scores' last two dimensions, or for the last one, leading ones of one element.
    private static func fits(_ mask: Int, _ scores: Int, _ graph: CoreMLGraph) -> Bool {
        let (mask, scores) = (graph.tensors[mask].shape, graph.tensors[scores].shape)
        return (2...max(2, scores.count)).contains(mask.count) && mask.last == scores.last
            && [1, scores[scores.count - 2]].contains(mask[mask.count - 2]) && mask.dropLast(2).allSatisfy { $0 == 1 }
    }

    /// Gives the attention a row of the mask for every query, where the file has one for all of them, as it has for padding.
    private static func repeatMask(_ mask: Int, of place: Int, to scores: [Int], in graph: inout CoreMLGraph) {
        var rows = graph.tensors[mask].shape
        guard rows[rows.count - 2] != scores[scores.count - 2] else { return }
        rows[rows.count - 2] = scores[scores.count - 2]
        let step = graph.steps[place]
        let repeated = graph.addTensor("\(step.place).mask", shape: rows, type: graph.tensors[mask].type)
        graph.steps[place].inputs[3] = repeated
        graph.steps.insert(
            GraphStep(place: step.place, operation: .tile, inputs: [mask], outputs: [repeated]), at: place)
    }

    private static func haveSameBatch(_ tensors: [Int], _ graph: CoreMLGraph) -> Bool {
        let leading = tensors.map { graph.tensors[$0].shape.dropLast(2) }
        return leading.allSatisfy { $0 == leading[0] }
    }
}
