internal import CHearthKernels
internal import Synchronization

extension Compute {
    /// Measures the peak floating-point operations per second of all threads together on registers, counting a multiply-add as
    /// two: the upper bound for every product. Takes some twenty milliseconds.
    package func measuredPeak() -> Double {
        let table = kernels.vision
        let operations = Atomic<Int>(0)
        let pieces = 4 * threads
        var best = 0.0
        for _ in 0..<5 {
            operations.store(0, ordering: .relaxed)
            let begin = ContinuousClock.now
            eachPart(pieces) { _ in
                var sink: Float = 0
                operations.add(Int(table.peak(1 << 15, &sink)), ordering: .relaxed)
            }
            let duration = (ContinuousClock.now - begin).components
            let seconds = Double(duration.seconds) + Double(duration.attoseconds) / 1e18
            best = max(best, Double(operations.load(ordering: .relaxed)) / max(seconds, 1e-9))
        }
        return best
    }
}
