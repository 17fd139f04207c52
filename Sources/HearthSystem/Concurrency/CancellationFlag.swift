internal import Synchronization

/// Set once by whoever no longer wants a result, from any thread.
package final class CancellationFlag: Sendable {
    private let value = Atomic<Bool>(false)

    package init() {}

    package var isSet: Bool { value.load(ordering: .acquiring) }
    package func set() { value.store(true, ordering: .releasing) }
}
