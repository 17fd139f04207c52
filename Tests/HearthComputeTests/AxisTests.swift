import HearthCompute
import HearthTestSupport
import Testing

/// Operations along an axis by themselves: tensors that are cut into parts, tensors without elements, memory that is too small.
@Suite("Operations along an axis", .timeLimit(.minutes(20)))
struct AxisTests {
    /// Large enough for several parts of every kind: many short rows, a few long ones, one block of many neighbours.
    static let shapes = [(40_000, 3, 1), (2, 50_000, 1), (1, 21, 9000), (50, 30, 40), (3, 2000, 70)]

    @Test("Parts of large tensors meet without a gap", arguments: VisionMachine.all)
    func parts(machine: VisionMachine) throws {
        let compute = try machine.compute()
        var random = SeededNumbers(31)
        for (outer, count, stride) in Self.shapes {
            let axis = try AxisShape(outer: outer, count: count, stride: stride)
            // Few different numbers: the first of equal ones is asked for.
            let x = random.floats(outer * count * stride).map { ($0 * 20).rounded() }
            let input = try FloatRegion(x)
            let places = try FloatRegion(count: outer * stride)
            let sums = try FloatRegion(count: x.count)
            let order = try AxisOrder(axis, kept: 2, isAscending: true)
            let values = try FloatRegion(count: outer * 2 * stride)
            let ranks = try FloatRegion(count: outer * 2 * stride)
            try compute.findExtremes(least: true, axis, input, into: places)
            try compute.sumUp(axis, isExclusive: false, isReversed: false, input, into: sums)
            try compute.order(
                order, input, scratch: FloatRegion(count: order.scratchCount), values: values, places: ranks)
            let (found, summed, ranked, first) = (places.values, sums.values, ranks.values, values.values)
            var wrong = 0
            for block in 0..<outer {
                for column in 0..<stride {
                    let start = block * count * stride + column
                    var (best, second, sum) = (0, -1, 0.0)
                    for index in 0..<count {
                        let value = x[start + index * stride]
                        if index > 0, value < x[start + best * stride] {
                            (best, second) = (index, best)
                        } else if index > 0, second < 0 || value < x[start + second * stride] {
                            second = index
                        }
                        sum += Double(value)
                        if summed[start + index * stride] != Float(sum) { wrong += 1 }
                    }
                    let target = block * 2 * stride + column
                    if found[block * stride + column] != Float(best) { wrong += 1 }
                    if ranked[target] != Float(best) || ranked[target + stride] != Float(second) { wrong += 1 }
                    if first[target + stride] != x[start + second * stride] { wrong += 1 }
                }
            }
            #expect(wrong == 0, "\(outer), \(count), \(stride)")
        }
    }

    @Test("Tensors without elements make none", arguments: VisionMachine.all)
    func empty(machine: VisionMachine) throws {
        let compute = try machine.compute()
        let none = try FloatRegion(count: 0)
        for (outer, stride) in [(0, 1), (0, 20), (3, 0), (0, 0)] {
            let axis = try AxisShape(outer: outer, count: 5, stride: stride)
            let order = try AxisOrder(axis, kept: 5, isAscending: false)
            #expect(order.scratchCount == 0)
            try compute.findExtremes(least: false, axis, none, into: none)
            try compute.sumUp(axis, isExclusive: true, isReversed: true, none, into: none)
            try compute.order(order, none, scratch: none, values: none, places: none)
        }
    }

    @Test("Sizes that cannot be, and memory that is too small, are refused")
    func refused() throws {
        for (outer, count, stride) in [(-1, 1, 1), (1, 0, 1), (1, 1, -1), (1 << 31, 1, 1), (1 << 30, 1 << 30, 1 << 30)]
        {
            #expect(throws: ComputeError.self) { try AxisShape(outer: outer, count: count, stride: stride) }
        }
        #expect(throws: ComputeError.self) { try AxisShape([2, 3], axis: 2) }
        let axis = try AxisShape([2, 3, 4], axis: 1)
        for kept in [0, 4] {
            #expect(throws: ComputeError.self) { try AxisOrder(axis, kept: kept, isAscending: true) }
        }
        let order = try AxisOrder(axis, kept: 3, isAscending: true)
        let compute = try Compute(kernels: KernelSet.selected(by: nil), threads: 1)
        func region(_ count: Int) throws -> FloatRegion { try FloatRegion(count: count) }
        let (few, all, scratch) = (try region(7), try region(24), try region(order.scratchCount))
        let little = try region(order.scratchCount - 1)
        #expect(throws: ComputeError.self) { try compute.findExtremes(least: true, axis, few, into: all) }
        #expect(throws: ComputeError.self) { try compute.findExtremes(least: true, axis, all, into: few) }
        #expect(throws: ComputeError.self) {
            try compute.sumUp(axis, isExclusive: false, isReversed: false, all, into: few)
        }
        #expect(throws: ComputeError.self) {
            try compute.order(order, all, scratch: little, values: all, places: all)
        }
        #expect(throws: ComputeError.self) {
            try compute.order(order, all, scratch: scratch, values: few, places: all)
        }
    }

    @Test("Nothing is computed once it is cancelled", arguments: VisionMachine.all)
    func cancelled(machine: VisionMachine) throws {
        let compute = try machine.compute()
        let axis = try AxisShape(outer: 2, count: 100)
        let order = try AxisOrder(axis, kept: 3, isAscending: false)
        let input = try FloatRegion((0..<200).map { Float($0) })
        let outputs = try (0..<4).map { _ in try FloatRegion([Float](repeating: -1, count: 200)) }
        let scratch = try FloatRegion(count: order.scratchCount)
        func run() throws {
            try compute.findExtremes(least: false, axis, input, into: outputs[0])
            try compute.sumUp(axis, isExclusive: false, isReversed: false, input, into: outputs[1])
            try compute.order(order, input, scratch: scratch, values: outputs[2], places: outputs[3])
        }
        compute.cancel()
        try run()
        for output in outputs { #expect(output.values.allSatisfy { $0 == -1 }) }
        compute.resume()
        try run()
        #expect(outputs[0].values.prefix(2) == [99, 99])
        #expect(outputs[1].values[99] == 4950)
        #expect(outputs[2].values.prefix(6) == [99, 98, 97, 199, 198, 197])
        #expect(outputs[3].values.prefix(6) == [99, 98, 97, 99, 98, 97])
    }
}
