internal import Synchronization

/// A queue between two concurrent stages: the producer waits while it is full, the consumer waits while it is empty. First in, first out.
package final class BoundedChannel<Element: Sendable>: Sendable {
    private enum Side { case senders, receivers }
    private struct Waiter {
        var id: UInt64
        var continuation: CheckedContinuation<Void, Never>
    }
    private struct State {
        var elements: [Element] = []
        var isFinished = false
        var senders: [Waiter] = []
        var receivers: [Waiter] = []
        var nextID: UInt64 = 0
        var cancelled: Set<UInt64> = []

        subscript(side: Side) -> [Waiter] {
            get { side == .senders ? senders : receivers }
            set { if side == .senders { senders = newValue } else { receivers = newValue } }
        }
    }
    private let state = Mutex(State())
    private let capacity: Int

    /// - Parameter capacity: elements that may wait, at least 1.
    package init(capacity: Int) { self.capacity = max(1, capacity) }

    /// Puts an element in, waiting for room.
    /// - Returns: false if the channel was finished; the element is dropped then.
    /// - Throws: `CancellationError`.
    @discardableResult
    package func send(_ element: Element) async throws -> Bool {
        while true {
            try Task.checkCancellation()
            let done = state.withLock { state -> Bool? in
                if state.isFinished { return false }
                guard state.elements.count < capacity else { return nil }
                state.elements.append(element)
                return true
            }
            if let done {
                if done { wakeOne(.receivers) }
                return done
            }
            await wait(.senders) { $0.elements.count >= self.capacity && !$0.isFinished }
        }
    }

    /// The next element, waiting for one; nil when the channel is finished and empty.
    /// - Throws: `CancellationError`.
    package func next() async throws -> Element? {
        while true {
            try Task.checkCancellation()
            let (element, isFinished) = state.withLock { state -> (Element?, Bool) in
                (state.elements.isEmpty ? nil : state.elements.removeFirst(), state.isFinished)
            }
            if let element {
                wakeOne(.senders)
                return element
            }
            if isFinished { return nil }
            await wait(.receivers) { $0.elements.isEmpty && !$0.isFinished }
        }
    }

    /// No further elements; those inside may still be taken out.
    package func finish() { end(dropping: false) }

    /// No further elements, and those inside are dropped.
    package func cancel() { end(dropping: true) }

    private func end(dropping: Bool) {
        let waiting = state.withLock { state in
            state.isFinished = true
            if dropping { state.elements.removeAll() }
            defer {
                state.senders.removeAll()
                state.receivers.removeAll()
            }
            return state.senders + state.receivers
        }
        for waiter in waiting { waiter.continuation.resume() }
    }

    private func wakeOne(_ side: Side) {
        let first = state.withLock { $0[side].isEmpty ? nil : $0[side].removeFirst() }
        first?.continuation.resume()
    }

    /// Suspends while `condition` holds; also returns when cancelled, so that callers look again.
    private func wait(_ side: Side, while condition: (borrowing State) -> Bool) async {
        let id = state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let mustWait = state.withLock { state in
                    guard state.cancelled.remove(id) == nil, condition(state) else { return false }
                    state[side].append(Waiter(id: id, continuation: continuation))
                    return true
                }
                if !mustWait { continuation.resume() }
            }
        } onCancel: {
            let waiter = state.withLock { state -> CheckedContinuation<Void, Never>? in
                guard let index = state[side].firstIndex(where: { $0.id == id }) else {
                    state.cancelled.insert(id)
                    return nil
                }
                return state[side].remove(at: index).continuation
            }
            waiter?.resume()
        }
        state.withLock { _ = $0.cancelled.remove(id) }
    }
}
