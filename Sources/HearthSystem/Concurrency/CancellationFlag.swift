internal import Synchronization

/// Set once, from any thread, when the result is no longer wanted.
package final class CancellationFlag: Sendable {
    private let value = Atomic<Bool>(false)

    package init() {}

    package var isSet: Bool { value.load(ordering: .acquiring) }
    package func set() { value.store(true, ordering: .releasing) }
}
