/// Holds heavy work back until the app's first stable frame is on the screen.
///
/// Work that competes with the first frame makes an app feel slow, so nothing is compiled or loaded before the gate opens. It
/// opens once and stays open.
public final class FirstFrameGate: Sendable {
    private let opened: LatestValue<Bool>

    /// - Parameter isOpen: true for a program without frames.
    public init(isOpen: Bool = false) { opened = LatestValue(isOpen) }

    /// Whether the first frame is on the screen.
    package var isOpen: Bool { opened.value }

    /// Opens the gate: the first stable frame is on the screen. Further calls have no effect.
    public func open() {
        opened.update { isOpen in
            defer { isOpen = true }
            return !isOpen
        }
    }

    /// Returns when the gate is open.
    /// - Throws: `CancellationError`.
    public func wait() async throws {
        var seen: UInt64 = 0
        while let (isOpen, version) = await opened.next(after: seen) {
            if isOpen { return }
            seen = version
        }
        throw CancellationError()
    }
}
