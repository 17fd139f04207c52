/// Holds heavy work back until the app says that its first stable frame is on the screen.
///
/// Whatever competes with the first frame is what the user feels as a slow app, so nothing is compiled or loaded ahead of use
/// before the gate opens. It opens once and stays open.
public final class FirstFrameGate: Sendable {
    private let opened: LatestValue<Bool>

    /// - Parameter isOpen: true for a program that shows no frames.
    public init(isOpen: Bool = false) { opened = LatestValue(isOpen) }

    /// Whether the first frame is up.
    public var isOpen: Bool { opened.value }

    /// The first stable frame is up. Calling it again changes nothing.
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
