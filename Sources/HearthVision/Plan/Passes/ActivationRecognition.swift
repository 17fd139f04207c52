internal import HearthFormats

/// Finds activation functions that a file spells out, such as x · sigmoid(x), x · min(max(x + 3, 0), 6) / 6 or
/// x / 2 · (1 + erf(x / √2)).
///
/// Not by their spelling, of which there are many: a handful of steps that makes one tensor of another, element by
/// element, is computed at some hundred places and compared with the functions that are known. In a program of half
/// precision the constants are rounded to it, so that much is allowed.
enum ActivationRecognition: GraphPass {
    static let known: [GraphFunction] = [
        .relu, .relu6, .sigmoid, .tanh, .silu, .hardSwish, .hardSigmoid(alpha: 1 / 6, beta: 0.5),
        .hardSigmoid(alpha: 0.2, beta: 0.5), .gelu, .geluTanh, .geluSigmoid, .softplus, .softsign, .abs, .square,
    ]
    /// Steps that spell a function.
    static let longest = 12

    static func apply(to graph: inout VisionGraph) throws -> Bool {
        let samples = Self.samples
        let references = try known.map { function in
            try run(.unary(function), [VisionTensor(shape: [samples.count], values: samples)], samples.count)
        }
        return try graph.rewrite { graph, index, place in
            guard isElementwise(graph.steps[place].operation) else { return false }
            for source in sources(of: place, graph, index) {
                guard let steps = tree(place, source, graph, index), steps.count >= 2,
                    let values = try evaluate(steps, source, samples, graph)
                else { continue }
                let isHalf = steps.contains { step in
                    graph.steps[step].outputs.contains { graph.tensors[$0].type == .float16 }
                }
                guard let function = match(values, references, tolerance: isHalf ? 6e-4 : 1e-5) else { continue }
                graph.steps[place].operation = .unary(function)
                graph.steps[place].inputs = [source]
                return true
            }
            return false
        }
    }

    /// Denser than any function bends, on both sides of each corner.
    private static let samples: [Float] =
        stride(from: Float(-12), through: 12, by: 0.0625).map { $0 + 0.01 }
        + [
            -40, -20, -3.001, -2.999, -2.501, -2.499, -0.001, 0, 0.001, 2.499, 2.501, 2.999, 3.001, 5.999, 6.001, 20,
            40,
        ]

    private static func match(_ values: [Float], _ references: [[Float]], tolerance: Float) -> GraphFunction? {
        var best: (function: GraphFunction, error: Float)?
        for (function, reference) in zip(known, references) {
            var worst: Float = 0
            for (value, expected) in zip(values, reference) {
                let error = abs(value - expected) / max(1, abs(expected))
                worst = error.isFinite ? max(worst, error) : .infinity
            }
            if worst <= tolerance, worst < best?.error ?? .infinity { best = (function, worst) }
        }
        return best?.function
    }

    private static func isElementwise(_ operation: GraphOperation) -> Bool {
        switch operation {
        case .unary, .binary: true
        default: false
        }
    }

    /// Tensors of the same shape that the step's result may be a function of, the nearest first.
    private static func sources(of place: Int, _ graph: VisionGraph, _ index: GraphIndex) -> [VisionGraph.TensorID] {
        guard let output = graph.steps[place].outputs.first else { return [] }
        var found: [VisionGraph.TensorID] = []
        var wave = [place]
        for _ in 0..<longest where !wave.isEmpty && found.count < 2 * longest {
            var next: [Int] = []
            for step in wave {
                for case let input? in graph.steps[step].inputs
                where graph.constants[input] == nil && !found.contains(input)
                    && graph.tensors[input].shape == graph.tensors[output].shape
                {
                    found.append(input)
                    if let producer = index.producer(of: input), isElementwise(graph.steps[producer].operation) {
                        next.append(producer)
                    }
                }
            }
            wave = next
        }
        return found
    }

    /// The steps between source and result in their order; nil where there are other inputs, or too many steps.
    private static func tree(
        _ place: Int, _ source: VisionGraph.TensorID, _ graph: VisionGraph, _ index: GraphIndex
    ) -> [Int]? {
        var steps: Set<Int> = [place]
        var open = [place]
        while let step = open.popLast() {
            for case let input? in graph.steps[step].inputs where input != source {
                if graph.constants[input] != nil {
                    guard graph.tensors[input].count == 1 else { return nil }
                    continue
                }
                guard let producer = index.producer(of: input), isElementwise(graph.steps[producer].operation),
                    graph.tensors[input].shape == graph.tensors[source].shape
                else { return nil }
                if steps.insert(producer).inserted { open.append(producer) }
                guard steps.count <= longest else { return nil }
            }
        }
        return steps.sorted()
    }

    private static func evaluate(
        _ steps: [Int], _ source: VisionGraph.TensorID, _ samples: [Float], _ graph: VisionGraph
    ) throws -> [Float]? {
        var values = [source: VisionTensor(shape: [samples.count], values: samples)]
        for step in steps {
            let step = graph.steps[step]
            var inputs: [VisionTensor] = []
            for case let input? in step.inputs {
                if let value = values[input] {
                    inputs.append(value)
                } else if let scalar = try graph.scalar(input) {
                    inputs.append(VisionTensor(shape: [1], values: [scalar]))
                } else {
                    return nil
                }
            }
            guard let output = step.outputs.first else { return nil }
            values[output] = VisionTensor(
                shape: [samples.count], values: try run(step.operation, inputs, samples.count))
        }
        return steps.last.flatMap { graph.steps[$0].outputs.first }.flatMap { values[$0]?.values }
    }

    private static func run(_ operation: GraphOperation, _ inputs: [VisionTensor], _ count: Int) throws -> [Float] {
        try ReferenceExecutor.stoppedByTask.run(operation, inputs, shapes: [[count]]).first?.values ?? []
    }
}
