/// A model's states as they change: always the current one first, and never without the last one. Any number of observers
/// may look, each with an iterator of its own; one that is slow misses states that were overtaken.
///
///     for await state in runner.states { label.text = state.name }
public struct ModelStates: AsyncSequence, Sendable {
    let source: LatestValue<ModelState>

    /// An observer of its own; begins with the current state.
    public func makeAsyncIterator() -> Iterator { Iterator(source: source) }

    /// One observer.
    public struct Iterator: AsyncIteratorProtocol {
        let source: LatestValue<ModelState>
        private var seen: UInt64 = 0

        init(source: LatestValue<ModelState>) { self.source = source }

        /// The next state; nil where the runner is gone or the observer cancelled.
        public mutating func next(isolation actor: isolated (any Actor)? = #isolation) async -> ModelState? {
            guard let (state, version) = await source.next(after: seen, isolation: actor) else { return nil }
            seen = version
            return state
        }
    }
}
