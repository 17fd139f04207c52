internal import HearthCoreMLFormat

/// Makes log(softmax(x)) again what PyTorch's `log_softmax` was before coremltools wrote these two steps for it:
/// x − max(x) − log Σ exp(x − max(x)). Shares too small for a float32 keep their logarithm this way.
enum LogSoftmaxRecognition: GraphPass {
    static func apply(to graph: inout CoreMLGraph) throws -> Bool {
        graph.rewrite { graph, index, place in
            let step = graph.steps[place]
            // An ε below all normal numbers, MIL's default, only says that a share of 0 has a logarithm too; a larger one
            // is part of the network.
            guard case .unary(.log(let epsilon)) = step.operation, (0..<Float.leastNormalMagnitude).contains(epsilon),
                let shares = step.inputs[0], index.soleUser(of: shares) == place,
                let softmax = index.producer(of: shares), case .softmax(let axis) = graph.steps[softmax].operation,
                let x = graph.steps[softmax].inputs[0]
            else { return false }
            let shape = graph.tensors[x].shape
            var single = shape
            single[axis] = 1
            var steps: [GraphStep] = []
            func add(_ name: String, _ operation: GraphOperation, _ inputs: [Int], _ shape: [Int]) -> Int {
                let result = graph.addTensor("\(step.place).\(name)", shape: shape, type: .float32)
                steps.append(GraphStep(place: step.place, operation: operation, inputs: inputs, outputs: [result]))
                return result
            }
            let largest = add("largest", .reduce(.max, axes: [axis]), [x], single)
            let below = add("below", .binary(.subtract), [x, largest], shape)
            let powers = add("powers", .unary(.exp), [below], shape)
            let sum = add("sum", .reduce(.sum, axes: [axis]), [powers], single)
            let logarithm = add("log", .unary(.log(epsilon: 0)), [sum], single)
            var result = add("result", .binary(.subtract), [below, logarithm], shape)
            // What −∞ masks stays finite where ε made it so: share · log(share) is 0 there.
            if epsilon > 0 {
                result = add("finite", .unary(.clip(low: -.greatestFiniteMagnitude, high: 0)), [result], shape)
            }
            steps[steps.count - 1].outputs = step.outputs
            graph.steps.replaceSubrange(place...place, with: steps)
            return true
        }
    }
}
