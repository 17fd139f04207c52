import HearthCoreML
import HearthTestSupport
import Testing

@Suite("memory plan", .timeLimit(.minutes(20)))
struct MemoryPlanTests {
    @Test("tensors that are needed at the same time never share a place, and the bound is what one step needs")
    func property() {
        var random = SeededNumbers(seed: 3)
        for _ in 0..<200 {
            let steps = Int.random(in: 1...20, using: &random)
            let items = (0..<Int.random(in: 0...24, using: &random)).map { _ in
                let first = Int.random(in: 0..<steps, using: &random)
                return MemoryPlan.Item(
                    size: Int.random(in: 0...100, using: &random),
                    life: first...Int.random(in: first...steps, using: &random))
            }
            let plan = MemoryPlan(items)
            for (index, item) in items.enumerated() {
                #expect(plan.offsets[index] % MemoryPlan.alignment == 0)
                #expect(plan.offsets[index] + item.size <= plan.total)
                for (other, second) in items.enumerated() where other > index && item.life.overlaps(second.life) {
                    let (a, b) = (plan.offsets[index], plan.offsets[other])
                    #expect(a + item.size <= b || b + second.size <= a || item.size == 0 || second.size == 0)
                }
            }
            let needed = (0...steps).map { step in
                items.filter { $0.life.contains(step) }.reduce(0) { $0 + MemoryPlan.aligned($1.size) }
            }.max()
            #expect(plan.lowerBound == needed)
            #expect(plan.total >= plan.lowerBound)
        }
    }

    @Test("a chain takes two places, however long it is")
    func chain() {
        let items = (0..<10).map { MemoryPlan.Item(size: 64, life: $0...$0 + 1) }
        #expect(MemoryPlan(items).total == 128)
    }
}

@Suite("strided copies", .timeLimit(.minutes(20)))
struct StridedCopiesTests {
    /// Copies as the kernel makes them, one element after the other.
    private func run(_ copies: [PlanCopy], _ inputs: [CoreMLTensor], _ shapes: [[Int]]) -> [CoreMLTensor] {
        var results = shapes.map { CoreMLTensor(shape: $0, repeating: .nan) }
        for copy in copies {
            for index in 0..<copy.size.reduce(1, *) {
                var rest = index
                var (from, to) = (copy.start, copy.resultStart)
                for axis in copy.size.indices.reversed() {
                    from += rest % copy.size[axis] * copy.strides[axis]
                    to += rest % copy.size[axis] * copy.resultStrides[axis]
                    rest /= copy.size[axis]
                }
                results[copy.result].values[to] = inputs[copy.operand].values[from]
            }
        }
        return results
    }

    @Test("transposes, slices, joins and cuts are what the reference says")
    func movement() throws {
        let cases: [(GraphOperation, [[Int]], [[Int]])] = [
            (.transpose(permutation: [2, 0, 3, 1]), [[2, 3, 4, 5]], [[4, 2, 5, 3]]),
            (.slice(begin: [1, 3, 0], step: [1, -1, 2]), [[3, 4, 7]], [[2, 4, 4]]),
            (.concat(axis: 1, interleaved: false), [[2, 1, 3], [2, 4, 3], [2, 2, 3]], [[2, 7, 3]]),
            (.concat(axis: 1, interleaved: true), [[1, 3, 2], [1, 3, 2]], [[1, 6, 2]]),
            (.split(axis: 2), [[2, 3, 7]], [[2, 3, 2], [2, 3, 5]]),
        ]
        for (operation, inputs, outputs) in cases {
            let tensors = inputs.enumerated().map { place, shape in
                CoreMLTensor(shape: shape, values: (0..<shape.reduce(1, *)).map { Float($0 + 1000 * place) })
            }
            let copies = try #require(StridedCopies.of(operation, inputs: inputs, outputs: outputs))
            let expected = try ReferenceExecutor.stoppedByTask.run(operation, tensors, shapes: outputs)
            #expect(run(copies, tensors, outputs) == expected)
        }
    }

    @Test("dimensions that follow each other in both tensors are one")
    func merging() throws {
        let copies = try #require(
            StridedCopies.of(
                .transpose(permutation: [0, 3, 1, 2]), inputs: [[1, 14, 14, 64]], outputs: [[1, 64, 14, 14]]))
        #expect(copies[0].size == [64, 196])
    }
}
