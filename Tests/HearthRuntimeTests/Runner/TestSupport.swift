import Foundation

/// Holds tasks back until it is opened; a cancelled task passes.
final class Gate: @unchecked Sendable {
    private let lock = NSLock()
    private var isOpen = false
    private var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
    private var next = 0

    func open() {
        let all = lock.withLock {
            isOpen = true
            defer { waiting = [:] }
            return waiting.values
        }
        for continuation in all { continuation.resume() }
    }

    func wait() async {
        let id = lock.withLock {
            next += 1
            return next
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let passes = lock.withLock {
                    if isOpen || Task.isCancelled { return true }
                    waiting[id] = continuation
                    return false
                }
                if passes { continuation.resume() }
            }
        } onCancel: {
            lock.withLock { waiting.removeValue(forKey: id) }?.resume()
        }
    }

    func waitOrThrow() async throws {
        await wait()
        try Task.checkCancellation()
    }
}

/// Numbers in the order in which they came, and how many tasks were inside at once.
final class Log: @unchecked Sendable {
    private let lock = NSLock()
    private var entries: [Int] = []
    private var inside = 0
    private var greatest = 0

    var numbers: [Int] { lock.withLock { entries } }
    var most: Int { lock.withLock { greatest } }
    func add(_ number: Int) { lock.withLock { entries.append(number) } }
    func leave() { lock.withLock { inside -= 1 } }
    func enter() {
        lock.withLock {
            inside += 1
            greatest = max(greatest, inside)
        }
    }
}
