internal import Synchronization

/// Distributes the iterations of a loop: each thread gets a contiguous share, and steals from others when it is done.
///
/// A thread takes iterations from the front of its own share, so that its kernels' prefetching pays off, and steals from the
/// back of other shares. A preempted thread delays the others by at most the iteration it is running.
struct WorkShares: ~Copyable, @unchecked Sendable {
    // Sendable: shares are accessed only atomically.

    /// Number of threads.
    let threads: Int
    /// The remaining iterations of each thread: the end in the upper half of a word, the first one in the lower, so that front
    /// and back cannot be claimed twice. Only every `spacing`th word is used.
    private let shares: UnsafeMutablePointer<Atomic<UInt64>>

    /// Two cache lines, because processors fetch lines in pairs.
    private static let spacing = 128 / MemoryLayout<Atomic<UInt64>>.stride

    init(threads: Int) {
        self.threads = threads
        shares = .allocate(capacity: threads * Self.spacing)
        for word in 0..<threads * Self.spacing { (shares + word).initialize(to: Atomic(0)) }
    }

    deinit {
        shares.deinitialize(count: threads * Self.spacing)
        shares.deallocate()
    }

    /// Distributes `0 ..< count`. All earlier iterations must have been claimed.
    func deal(_ count: Int) {
        for thread in 0..<threads {
            let first = UInt64(count * thread / threads), end = UInt64(count * (thread + 1) / threads)
            shares[thread * Self.spacing].store(end << 32 | first, ordering: .releasing)
        }
    }

    /// Claims an iteration exclusively; nil if none is left. A late claim may return an iteration of the next loop, which is valid.
    func claim(by thread: Int) -> Int? {
        if let index = claim(from: thread, front: true) { return index }
        for distance in 1..<max(threads, 1) {
            let other = thread + distance
            if let index = claim(from: other < threads ? other : other - threads, front: false) { return index }
        }
        return nil
    }

    private func claim(from thread: Int, front: Bool) -> Int? {
        var current = shares[thread * Self.spacing].load(ordering: .acquiring)
        while true {
            let first = current & 0xFFFF_FFFF, end = current >> 32
            if first >= end { return nil }
            let rest = front ? current + 1 : current - 1 << 32
            let (exchanged, original) = shares[thread * Self.spacing].weakCompareExchange(
                expected: current, desired: rest, ordering: .acquiringAndReleasing)
            if exchanged { return Int(front ? first : end - 1) }
            current = original
        }
    }
}
