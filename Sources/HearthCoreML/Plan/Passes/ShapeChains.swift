/// Chains of steps that only move elements: a reshape of a reshape is one, transposes compose and cancel, and a
/// transpose that moves nothing but dimensions of one element is a reshape.
enum ShapeChains: GraphPass {
    static func apply(to graph: inout CoreMLGraph) throws -> Bool {
        graph.rewrite { graph, index, place in
            let step = graph.steps[place]
            guard let input = step.inputs.first ?? nil else { return false }
            let earlier = index.producer(of: input).map { graph.steps[$0] }
            switch (step.operation, earlier?.operation) {
            case (.reshape, .reshape):
                graph.steps[place].inputs[0] = earlier?.inputs[0]
                return true
            case (.transpose(let second), .transpose(let first)) where first.count == second.count:
                graph.steps[place].operation = .transpose(permutation: second.map { first[$0] })
                graph.steps[place].inputs[0] = earlier?.inputs[0]
                return true
            case (.transpose(let permutation), _):
                // The order of the dimensions that have more than one element decides.
                let moved = permutation.filter { graph.tensors[input].shape[$0] != 1 }
                guard moved == moved.sorted() else { return false }
                graph.steps[place].operation = .reshape
                return true
            default: return false
            }
        }
    }
}

/// A transpose of the last two axes in front of a product of matrices is a flag of the product; a product with a constant
/// matrix is a linear layer.
enum MatrixForms: GraphPass {
    static func apply(to graph: inout CoreMLGraph) throws -> Bool {
        try graph.rewrite { graph, index, place in
            guard case .matmul(var transposeX, var transposeY) = graph.steps[place].operation else { return false }
            for (operand, isX) in [(0, true), (1, false)] {
                guard let maker = index.producer(of: graph.steps[place].inputs[operand]),
                    case .transpose(let permutation) = graph.steps[maker].operation, swapsLast(permutation)
                else { continue }
                graph.steps[place].inputs[operand] = graph.steps[maker].inputs[0]
                if isX { transposeX.toggle() } else { transposeY.toggle() }
                graph.steps[place].operation = .matmul(transposeX: transposeX, transposeY: transposeY)
                return true
            }
            return try linear(&graph, place, transposeX, transposeY)
        }
    }

    private static func swapsLast(_ permutation: [Int]) -> Bool {
        let rank = permutation.count
        guard rank >= 2 else { return false }
        return permutation == Array(0..<rank - 2) + [rank - 1, rank - 2]
    }

    private static func linear(
        _ graph: inout CoreMLGraph, _ place: Int, _ transposeX: Bool, _ transposeY: Bool
    ) throws -> Bool {
        let step = graph.steps[place]
        guard !transposeX, step.inputs.count == 2, let x = step.inputs[0], let y = step.inputs[1],
            graph.constants[x] == nil, graph.tensors[x].shape.count >= 2, graph.constants[y] != nil
        else { return false }
        let shape = graph.tensors[y].shape
        guard shape.count >= 2, shape.dropLast(2).allSatisfy({ $0 == 1 }),
            // A leading dimension of one adds no dimension to the result.
            shape.count <= graph.tensors[x].shape.count, let values = try graph.values(of: y)
        else { return false }
        let (rows, columns) = (shape[shape.count - 2], shape[shape.count - 1])
        let weight: [Float]
        if transposeY {
            weight = values
        } else {
            weight = (0..<columns).flatMap { column in (0..<rows).map { values[$0 * columns + column] } }
        }
        let (outputs, inputs) = transposeY ? (rows, columns) : (columns, rows)
        let id = graph.addConstant(graph.tensors[y].name, shape: [outputs, inputs], weight)
        graph.steps[place].operation = .linear
        graph.steps[place].inputs = [x, id, nil]
        return true
    }
}
