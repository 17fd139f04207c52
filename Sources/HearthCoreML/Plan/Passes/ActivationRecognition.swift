/// Finds activation functions that a file spells out, such as x · sigmoid(x), x · min(max(x + 3, 0), 6) / 6 or
/// x / 2 · (1 + erf(x / √2)).
///
/// Not by their spelling, of which there are many: a handful of steps that makes one tensor of another, element by
/// element, is computed at thousands of places and compared with the functions that are known (`FunctionMatch`). What
/// differs by more than the rounding of its constants to float32 stays as it is written: an ε is never dropped.
enum ActivationRecognition: GraphPass {
    static let known: [GraphFunction] = [
        .relu, .relu6, .sigmoid, .tanh, .silu, .hardSwish, .hardSigmoid(alpha: 1 / 6, beta: 0.5),
        .hardSigmoid(alpha: 0.2, beta: 0.5), .gelu, .geluTanh, .geluSigmoid, .softplus, .softsign, .abs, .square,
    ]
    /// Steps that spell a function.
    static let longest = 12

    static func apply(to graph: inout CoreMLGraph) throws -> Bool {
        try graph.rewrite { graph, index, place in
            guard isSmooth(graph.steps[place].operation) else { return false }
            for source in sources(of: place, graph, index) {
                guard let steps = tree(place, source, graph, index), steps.count >= 2,
                    let spelled = try SpelledFunction(steps, source, graph),
                    let function = FunctionMatch.function(of: spelled, among: known)
                else { continue }
                graph.steps[place].operation = .unary(function)
                graph.steps[place].inputs = [source]
                return true
            }
            return false
        }
    }

    /// Whether a step computes each element by itself, and between a few corners follows a smooth curve: such a function
    /// cannot hide anything between the places at which it is looked at. Steps like rounding or comparing can.
    private static func isSmooth(_ operation: GraphOperation) -> Bool {
        switch operation {
        case .unary(let function):
            switch function {
            case .floor, .ceil, .round, .sign, .sin, .cos, .tan, .asin, .acos, .atanh, .not: false
            default: true
            }
        case .binary(let function):
            switch function {
            case .add, .subtract, .multiply, .divide, .maximum, .minimum, .power: true
            default: false
            }
        default: false
        }
    }

    /// Tensors of the same shape that the step's result may be a function of, the nearest first.
    private static func sources(of place: Int, _ graph: CoreMLGraph, _ index: GraphIndex) -> [CoreMLGraph.TensorID] {
        guard let output = graph.steps[place].outputs.first else { return [] }
        var found: [CoreMLGraph.TensorID] = []
        var wave = [place]
        for _ in 0..<longest where !wave.isEmpty && found.count < 2 * longest {
            var next: [Int] = []
            for step in wave {
                for case let input? in graph.steps[step].inputs
                where graph.constants[input] == nil && !found.contains(input)
                    && graph.tensors[input].shape == graph.tensors[output].shape
                {
                    found.append(input)
                    if let producer = index.producer(of: input), isSmooth(graph.steps[producer].operation) {
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
        _ place: Int, _ source: CoreMLGraph.TensorID, _ graph: CoreMLGraph, _ index: GraphIndex
    ) -> [Int]? {
        var steps: Set<Int> = [place]
        var open = [place]
        while let step = open.popLast() {
            for case let input? in graph.steps[step].inputs where input != source {
                if graph.constants[input] != nil {
                    guard graph.tensors[input].count == 1 else { return nil }
                    continue
                }
                guard let producer = index.producer(of: input), isSmooth(graph.steps[producer].operation),
                    graph.tensors[input].shape == graph.tensors[source].shape
                else { return nil }
                if steps.insert(producer).inserted { open.append(producer) }
                guard steps.count <= longest else { return nil }
            }
        }
        return steps.sorted()
    }
}
