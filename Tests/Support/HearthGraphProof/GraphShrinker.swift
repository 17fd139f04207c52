import HearthCoreML

/// Makes a graph that fails as small as it gets, and readable.
struct GraphShrinker {
    var graph: CoreMLGraph
    var inputs: [CoreMLTensor]
    private let fails: (CoreMLGraph, [CoreMLTensor]) -> Bool

    /// - Parameter fails: whether a graph still shows what is looked for.
    init(_ graph: CoreMLGraph, _ inputs: [CoreMLTensor], fails: @escaping (CoreMLGraph, [CoreMLTensor]) -> Bool) {
        (self.graph, self.inputs, self.fails) = (graph, inputs, fails)
        while shrinkOnce() {}
    }

    /// Takes the first smaller graph that still fails.
    private mutating func shrinkOnce() -> Bool {
        for (candidate, values) in candidates() where fails(candidate, values) {
            (graph, inputs) = (candidate, values)
            return true
        }
        return false
    }

    private func candidates() -> [(CoreMLGraph, [CoreMLTensor])] {
        var found: [(CoreMLGraph, [CoreMLTensor])] = []
        func add(_ change: (inout CoreMLGraph, inout [CoreMLTensor]) -> Void) {
            var (candidate, values) = (graph, inputs)
            change(&candidate, &values)
            candidate.removeDeadSteps()
            guard !candidate.outputs.isEmpty else { return }
            found.append((candidate, values))
        }
        // One output.
        if graph.outputs.count > 1 {
            for output in graph.outputs { add { graph, _ in graph.outputs = [output] } }
        }
        // An earlier tensor as the output.
        for step in graph.steps.dropLast() {
            for output in step.outputs where !graph.outputs.contains(output) {
                add { graph, _ in graph.outputs = [output] }
            }
        }
        // A tensor's values as an input.
        for step in graph.steps {
            guard let output = step.outputs.first, step.outputs.count == 1, !graph.outputs.contains(output) else {
                continue
            }
            var whole = graph
            whole.outputs = [output]
            guard let value = try? ReferenceExecutor.stoppedByTask.run(whole, inputs).first,
                value.values.allSatisfy(\.isFinite)
            else { continue }
            add { graph, inputs in
                graph.steps.removeAll { $0.outputs == [output] }
                graph.inputs.append(output)
                inputs.append(value)
            }
        }
        // A step's operand in the place of its result.
        for step in graph.steps where step.outputs.count == 1 {
            for case let input? in step.inputs
            where graph.constants[input] == nil && graph.tensors[input].shape == graph.tensors[step.outputs[0]].shape
                && !graph.inputs.contains(input)
            {
                add { graph, _ in graph.replaceUses(of: step.outputs[0], with: input) }
            }
        }
        // Inputs that nobody needs.
        for (place, input) in graph.inputs.enumerated()
        where !graph.outputs.contains(input) && !graph.steps.contains(where: { $0.inputs.contains(input) }) {
            add { graph, inputs in
                graph.inputs.remove(at: place)
                inputs.remove(at: place)
            }
        }
        // Simpler numbers: anyway, or most of them zero.
        for (place, input) in inputs.enumerated() where Set(input.values).count > 1 {
            for value in Set(input.values).sorted(by: { abs($0) < abs($1) }).prefix(24) {
                add { _, inputs in inputs[place].values = input.values.map { _ in value } }
            }
        }
        for (id, constant) in graph.constants.sorted(by: { $0.key < $1.key }) {
            guard let values = try? constant.floats(), Set(values).count > 1 else { continue }
            for value in Set([0, 1, values[0]]) {
                add { graph, _ in graph.constants[id] = .values(values.map { _ in value }) }
            }
        }
        return found
    }

    /// The graph as a program, with the numbers that go in.
    var description: String {
        var lines: [String] = []
        func name(_ id: Int?) -> String {
            guard let id else { return "–" }
            guard let constant = graph.constants[id], let values = try? constant.floats() else { return "%\(id)" }
            return "\(Self.shown(values))\(graph.tensors[id].shape.isEmpty ? "" : " \(graph.tensors[id].shape)")"
        }
        for (id, value) in zip(graph.inputs, inputs) {
            lines.append("%\(id) = input \(value.shape) \(Self.shown(value.values))")
        }
        for step in graph.steps {
            let results = step.outputs.map { "%\($0) \(graph.tensors[$0].shape)" }.joined(separator: ", ")
            let operands = step.inputs.map(name).joined(separator: ", ")
            lines.append("\(results) = \(step.operation)(\(operands))")
        }
        lines.append("return \(graph.outputs.map { "%\($0)" }.joined(separator: ", "))")
        return lines.map { "    \($0)" }.joined(separator: "\n")
    }

    private static func shown(_ values: [Float]) -> String {
        if let first = values.first, values.allSatisfy({ $0 == first }) { return "\(first)" }
        let list = values.prefix(16).map { "\($0)" }.joined(separator: " ")
        return "[\(list)\(values.count > 16 ? " … \(values.count) in all" : "")]"
    }
}
