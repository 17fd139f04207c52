package import HearthCoreML
package import HearthCoreMLFormat
package import HearthTestSupport

/// Builds small graphs by hand, with seeded weights.
package struct GraphMaker {
    package var graph = CoreMLGraph()
    package var random: SeededNumbers

    package init(seed: UInt64 = 1) { random = SeededNumbers(seed: seed) }

    package mutating func input(_ shape: [Int], _ name: String = "x", type: MILDataType = .float32) -> Int {
        graph.tensors.append(GraphTensor(name: name, shape: shape, type: type))
        graph.inputs.append(graph.tensors.count - 1)
        return graph.tensors.count - 1
    }

    package mutating func constant(_ shape: [Int], _ values: [Float]) -> Int {
        graph.tensors.append(GraphTensor(name: "c\(graph.tensors.count)", shape: shape, type: .float32))
        graph.constants[graph.tensors.count - 1] = .values(values)
        return graph.tensors.count - 1
    }

    package mutating func scalar(_ value: Float) -> Int { constant([], [value]) }

    package mutating func weights(_ shape: [Int], scale: Float = 0.5) -> Int {
        let values = (0..<shape.reduce(1, *)).map { _ in random.next(-scale, scale) }
        return constant(shape, values)
    }

    package mutating func step(
        _ operation: GraphOperation, _ inputs: [Int?], _ shape: [Int], type: MILDataType = .float32
    ) -> Int {
        steps(operation, inputs, [shape], type: type)[0]
    }

    package mutating func steps(
        _ operation: GraphOperation, _ inputs: [Int?], _ shapes: [[Int]], type: MILDataType = .float32
    ) -> [Int] {
        let outputs = shapes.map { shape in
            graph.tensors.append(GraphTensor(name: "t\(graph.tensors.count)", shape: shape, type: type))
            return graph.tensors.count - 1
        }
        graph.steps.append(
            GraphStep(place: "step \(graph.steps.count)", operation: operation, inputs: inputs, outputs: outputs))
        return outputs
    }

    /// x [N, C, H, W]
    package mutating func convolution(
        _ x: Int, _ outputs: Int, kernel: Int = 3, stride: Int = 1, pad: Int = 1, groups: Int = 1, bias: Bool = true
    ) -> Int {
        let shape = graph.tensors[x].shape
        let weight = weights([outputs, shape[1] / groups, kernel, kernel])
        let bias = bias ? weights([outputs]) : nil
        let size = { (length: Int) in (length + 2 * pad - kernel) / stride + 1 }
        return step(
            .convolution(
                GraphConvolution(
                    kernel: [kernel, kernel], strides: [stride, stride], dilations: [1, 1], before: [pad, pad],
                    after: [pad, pad], groups: groups)), [x, weight, bias],
            [shape[0], outputs, size(shape[2]), size(shape[3])])
    }

    package mutating func unary(_ function: GraphFunction, _ x: Int) -> Int {
        step(.unary(function), [x], graph.tensors[x].shape, type: graph.tensors[x].type)
    }

    package mutating func binary(_ function: GraphBinary, _ x: Int, _ y: Int) -> Int {
        let shapes = [graph.tensors[x].shape, graph.tensors[y].shape]
        let isConstant = graph.constants[x] != nil
        let type = graph.tensors[isConstant ? y : x].type
        return step(
            .binary(function), [x, y], GraphShape.broadcast(shapes[0], shapes[1]) ?? [], type: type)
    }

    /// The graph that makes these tensors.
    package mutating func finished(_ outputs: Int...) -> CoreMLGraph {
        graph.outputs = outputs
        return graph
    }
}

extension CoreMLGraph {
    /// Inputs that are the same for every graph of these inputs.
    package func sampleInputs(seed: UInt64 = 7, range: ClosedRange<Float> = -3...3) -> [CoreMLTensor] {
        var random = SeededNumbers(seed: seed)
        return inputs.map { id in
            CoreMLTensor(
                shape: tensors[id].shape,
                values: (0..<tensors[id].count).map { _ in random.next(range.lowerBound, range.upperBound) })
        }
    }

    package func referenceOutputs(_ samples: [CoreMLTensor]) throws -> [CoreMLTensor] {
        // An input that is handed on is no result of any step.
        try zip(outputs, ReferenceExecutor.stoppedByTask.run(self, samples)).map { id, result in
            guard let place = inputs.firstIndex(of: id) else { return result }
            return samples[place]
        }
    }

    /// Names of the operations, in order.
    package var operationNames: [String] {
        steps.map { step in String(String(describing: step.operation).prefix { $0 != "(" }) }
    }
}

extension SeededNumbers {
    package mutating func next(_ low: Float, _ high: Float) -> Float {
        low + (high - low) * Float(next() >> 40) / Float(1 << 24)
    }
}
