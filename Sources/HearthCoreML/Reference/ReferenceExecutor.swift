/// Computes graphs and single operations by plain loops with sums in double precision: the oracle that fast kernels are
/// compared with, what folds constants, and what runs where there is no fast kernel.
///
/// Shapes were checked when the graph was built. Long loops check for cancellation.
package struct ReferenceExecutor: Sendable {
    /// For work that belongs to the task that asks for it.
    package static let stoppedByTask = ReferenceExecutor { Task.isCancelled }

    /// What stops long loops: those of a session run on its queue, where there is no task that could be cancelled.
    package let isStopped: @Sendable () -> Bool
    package let layout: ReferenceLayout

    package init(isStopped: @escaping @Sendable () -> Bool) {
        self.isStopped = isStopped
        layout = ReferenceLayout(isStopped: isStopped)
    }

    package func checkCancellation() throws {
        if isStopped() { throw CancellationError() }
    }

    /// The outputs of a graph, in order, for its inputs in order.
    package func run(_ graph: CoreMLGraph, _ inputs: [CoreMLTensor]) throws -> [CoreMLTensor] {
        var values = Dictionary(zip(graph.inputs, inputs), uniquingKeysWith: { first, _ in first })
        let lastUse = Self.lastUses(graph)
        for id in graph.outputs where graph.constants[id] != nil { values[id] = try Self.constant(id, of: graph) }
        for (index, step) in graph.steps.enumerated() {
            try checkCancellation()
            var operands: [CoreMLTensor?] = []
            for id in step.inputs {
                guard let id else {
                    operands.append(nil)
                    continue
                }
                if let value = values[id] {
                    operands.append(value)
                } else {
                    operands.append(try Self.constant(id, of: graph))
                }
            }
            let results = try run(step.operation, operands, shapes: step.outputs.map { graph.tensors[$0].shape })
            for (id, result) in zip(step.outputs, results) { values[id] = result }
            for id in step.inputs.compactMap({ $0 }) + step.outputs where lastUse[id] ?? index <= index {
                values[id] = nil
            }
        }
        return graph.outputs.map { values[$0] ?? CoreMLTensor(shape: graph.tensors[$0].shape) }
    }

    /// The last step that uses each tensor; outputs are used after all steps.
    private static func lastUses(_ graph: CoreMLGraph) -> [CoreMLGraph.TensorID: Int] {
        var uses: [CoreMLGraph.TensorID: Int] = [:]
        for (index, step) in graph.steps.enumerated() {
            for id in step.inputs.compactMap({ $0 }) { uses[id] = index }
        }
        for id in graph.outputs { uses[id] = .max }
        return uses
    }

    private static func constant(_ id: CoreMLGraph.TensorID, of graph: CoreMLGraph) throws -> CoreMLTensor {
        CoreMLTensor(shape: graph.tensors[id].shape, values: try graph.constants[id]?.floats() ?? [])
    }

    /// The results of one operation; `shapes` are those of its results.
    package func run(_ operation: GraphOperation, _ inputs: [CoreMLTensor?], shapes: [[Int]]) throws -> [CoreMLTensor] {
        let operands = Operands(inputs)
        let shape = shapes[0]
        switch operation {
        case .convolution, .transposedConvolution, .pool:
            return [try windows(operation, operands, shape)]
        case .linear, .matmul, .attention:
            return [try products(operation, operands, shape)]
        case .batchNorm, .layerNorm, .instanceNorm, .l2Norm, .localResponseNorm, .softmax:
            return [try normalization(operation, operands)]
        case .reduce(let kind, let axes):
            return [try reduced(operands[0], kind, axes, shape)]
        case .unary, .prelu, .binary, .select, .cast:
            return [try elementwise(operation, operands, shape)]
        case .reshape, .transpose, .concat, .slice, .pad, .tile:
            return [try moved(operation, operands, shape)]
        case .split(let axis):
            return try split(operands[0], axis, shapes)
        case .gather, .gatherAlongAxis, .gatherND:
            return [try gathered(operation, operands, shape)]
        case .scatter(let scatter):
            return [try scattered(operands[0], operands[1], operands[2], scatter)]
        case .topK(let axis, let ascending):
            return try topK(operands[0], axis, ascending, shape)
        case .cumulativeSum(let axis, let exclusive, let reverse):
            return [try cumulativeSum(operands[0], axis, exclusive: exclusive, reverse: reverse)]
        case .resize(let resize):
            return [try resized(operands[0], resize, shape)]
        case .nonMaximumSuppression(let suppression):
            return try suppressed(operands[0], operands[1], suppression, count: shape[1])
        case .recurrent(let recurrence):
            return try recurred(recurrence, operands, shapes)
        case .sample(let sampling):
            return [try sampled(operands[0], operands[1], sampling, shape)]
        case .random(let random):
            return [try drawn(random, operands.optional(0), shape)]
        case .sliceUpdate(let step):
            return [try updated(operands[0], operands[1], operands[2], step)]
        }
    }

    /// The operands of an operation. A missing one is a single zero: graphs always have the required ones.
    package struct Operands {
        private let tensors: [CoreMLTensor?]

        init(_ tensors: [CoreMLTensor?]) { self.tensors = tensors }

        /// How many.
        var count: Int { tensors.count }

        subscript(_ index: Int) -> CoreMLTensor {
            optional(index) ?? CoreMLTensor(shape: [], values: [0])
        }

        /// An operand that may be left out.
        func optional(_ index: Int) -> CoreMLTensor? { index < tensors.count ? tensors[index] : nil }
    }
}
