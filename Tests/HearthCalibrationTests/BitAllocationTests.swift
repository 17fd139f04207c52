import HearthCalibration
import Testing

/// Bits within a number of bytes, beside all combinations tried.
struct BitAllocationTests {
    @Test(arguments: 0..<8) func stepsAreOptimalWhereTheyEnd(_ seed: Int) throws {
        var state = UInt64(seed + 1)
        func random(_ limit: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % limit
        }
        let choices = (0..<4).map { _ in
            (1...4).map { bits in
                BitAllocation.Choice(
                    bits: bits, bytes: bits * (20 + random(40)), loss: Double(random(1000)) / Double(bits))
            }
        }
        let allocation = BitAllocation(choices)
        var all: [(bytes: Int, loss: Double)] = [(0, 0)]
        for weight in choices { all = all.flatMap { sum in weight.map { (sum.bytes + $0.bytes, sum.loss + $0.loss) } } }
        var last = -1
        for steps in 0...allocation.steps {
            let bytes = allocation.bytes(after: steps)
            #expect(bytes > last)
            last = bytes
            let loss = allocation.choices(after: steps).reduce(0) { $0 + $1.loss }
            let best = all.filter { $0.bytes <= bytes }.map(\.loss).min() ?? .infinity
            #expect(loss <= best + 1e-9)
            #expect(allocation.steps(within: bytes) == steps)
            #expect(!allocation.reason(0, after: steps).isEmpty)
        }
        #expect(allocation.steps(within: allocation.bytes(after: 0) - 1) == nil)
    }
}
