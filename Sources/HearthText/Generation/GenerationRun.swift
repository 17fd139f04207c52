internal import Synchronization

/// The identity of one generation, and whether it is to stop.
final class GenerationRun: Sendable {
    enum Wish: UInt8, AtomicRepresentable { case goOn, suspended, cancelled }
    private let state = Atomic<Wish>(.goOn)
    var wish: Wish { state.load(ordering: .relaxed) }
    /// Asked for by whoever owns the model, or because nobody is listening any more.
    var isStopped: Bool { wish != .goOn || listener?.hasLeft == true }
    let listener: TextCancellation?
    private let left = Atomic<Bool>(false)
    /// Whether nobody waits for what becomes of it.
    var isLeft: Bool { left.load(ordering: .relaxed) || listener?.hasLeft == true }

    init(_ listener: TextCancellation?) { self.listener = listener }

    /// The first wish counts.
    func stop(_ wish: Wish) {
        if wish == .cancelled { left.store(true, ordering: .relaxed) }
        _ = state.compareExchange(expected: .goOn, desired: wish, ordering: .relaxed)
    }
}
