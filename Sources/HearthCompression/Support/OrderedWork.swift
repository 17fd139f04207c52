internal import Foundation

/// Work on items by several threads, whose results one thread takes in the items' order.
///
/// Results wait for their turn in memory: where they exceed a limit, threads begin nothing new until some were taken.
enum OrderedWork {
    /// - Parameters:
    ///   - limit: bytes of results that may wait, by `size`.
    ///   - work: runs on threads of its own, several at once.
    ///   - consume: runs on the calling thread, in order.
    /// - Throws: the first error of `work` or `consume`, in order; `CancellationError`.
    static func run<Item: Sendable, Result: Sendable>(
        _ items: [Item], threads: Int, limit: Int, size: @escaping @Sendable (Result) -> Int,
        isCancelled: @escaping @Sendable () -> Bool,
        work: @escaping @Sendable (Item, @escaping @Sendable () -> Bool) throws -> Result,
        consume: (Int, Result) throws -> Void
    ) throws {
        guard !items.isEmpty else { return }
        let board = Board<Item, Result>(items, limit: limit, size: size)
        let stops: @Sendable () -> Bool = { board.isStopped || isCancelled() }
        for _ in 0..<min(max(threads, 1), items.count) {
            let thread = Thread {
                while let (index, item) = board.claim() { board.put(index, Swift.Result { try work(item, stops) }) }
                board.leave()
            }
            thread.stackSize = 4 << 20
            board.enter()
            thread.start()
        }
        defer { board.stop() }
        for index in items.indices {
            try consume(index, try board.take(index, isCancelled).get())
        }
    }

    /// What the threads share.
    private final class Board<Item: Sendable, Result: Sendable>: @unchecked Sendable {
        // Sendable: everything that changes is behind the condition's lock.
        private let condition = NSCondition()
        private let items: [Item]
        private let limit: Int
        private let size: @Sendable (Result) -> Int
        private var next = 0
        private var taken = 0
        private var waiting = 0
        private var results: [Int: Swift.Result<Result, any Error>] = [:]
        private var stopped = false
        private var running = 0

        init(_ items: [Item], limit: Int, size: @escaping @Sendable (Result) -> Int) {
            self.items = items
            self.limit = limit
            self.size = size
        }

        var isStopped: Bool { condition.withLock { stopped } }

        func enter() { condition.withLock { running += 1 } }

        func leave() {
            condition.withLock {
                running -= 1
                condition.broadcast()
            }
        }

        /// The next item, when there is room for its result; nil at the end.
        func claim() -> (Int, Item)? {
            condition.withLock {
                // The item whose turn it is must always get through.
                while !stopped, next < items.count, waiting > limit, next > taken { condition.wait() }
                guard !stopped, next < items.count else { return nil }
                defer { next += 1 }
                return (next, items[next])
            }
        }

        func put(_ index: Int, _ result: Swift.Result<Result, any Error>) {
            condition.withLock {
                results[index] = result
                if case .success(let value) = result { waiting += size(value) }
                condition.broadcast()
            }
        }

        func take(
            _ index: Int, _ isCancelled: @Sendable () -> Bool
        ) throws -> Swift.Result<Result, any Error> {
            try condition.withLock {
                while true {
                    if let result = results.removeValue(forKey: index) {
                        if case .success(let value) = result { waiting -= size(value) }
                        taken = index + 1
                        condition.broadcast()
                        return result
                    }
                    if isCancelled() { throw CancellationError() }
                    _ = condition.wait(until: Date(timeIntervalSinceNow: 0.02))
                }
            }
        }

        /// Ends the threads, and returns when they have ended: nothing works on after its owner is gone.
        func stop() {
            condition.withLock {
                stopped = true
                condition.broadcast()
                while running > 0 { condition.wait() }
            }
        }
    }
}
