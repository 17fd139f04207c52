internal import Synchronization

/// The iterations of a loop, a share of neighbours for each thread.
///
/// A thread takes its own share from the front, so that what its kernels fetch ahead is what it does next, and then what others
/// have left from the back. A thread that the system preempts delays the others by the piece in its hands and no more.
struct WorkShares: ~Copyable, @unchecked Sendable {
    // Sendable: shares are only touched atomically.

    /// How many threads take part.
    let threads: Int
    /// Of each thread one past the last iteration left in the upper half, the first one left in the lower: one word, so that
    /// front and back are never claimed twice. Only every `spacing`th is used.
    private let shares: UnsafeMutablePointer<Atomic<UInt64>>

    /// Two cache lines, because processors fetch them in pairs.
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

    /// Offers `0 ..< count`. Whatever was offered before has been claimed.
    func deal(_ count: Int) {
        for thread in 0..<threads {
            let first = UInt64(count * thread / threads), end = UInt64(count * (thread + 1) / threads)
            shares[thread * Self.spacing].store(end << 32 | first, ordering: .releasing)
        }
    }

    /// An iteration that nobody else gets, or nil when none is left. One that is claimed late simply belongs to the newer loop.
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
