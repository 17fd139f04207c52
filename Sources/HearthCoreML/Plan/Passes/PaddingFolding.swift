/// Zeros put around a picture by a step of their own become padding of the convolution that reads it.
enum PaddingFolding: GraphPass {
    static func apply(to graph: inout CoreMLGraph) throws -> Bool {
        graph.rewrite { graph, index, place in
            guard case .pad(let before, let after, .constant(0)) = graph.steps[place].operation,
                let x = graph.steps[place].inputs[0], let output = graph.steps[place].outputs.first,
                let next = index.soleUser(of: output), graph.steps[next].inputs.first == output,
                case .convolution(var geometry) = graph.steps[next].operation,
                before.count == geometry.kernel.count + 2, before.prefix(2).allSatisfy({ $0 == 0 }),
                after.prefix(2).allSatisfy({ $0 == 0 }), (before + after).allSatisfy({ $0 >= 0 })
            else { return false }
            geometry.before = zip(geometry.before, before.dropFirst(2)).map { $0 + $1 }
            geometry.after = zip(geometry.after, after.dropFirst(2)).map { $0 + $1 }
            graph.steps[next].operation = .convolution(geometry)
            graph.steps[next].inputs[0] = x
            return true
        }
    }
}
