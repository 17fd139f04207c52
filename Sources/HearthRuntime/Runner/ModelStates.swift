/// The states of a model as an asynchronous sequence: first the current one, and always the last one. Each iterator is
/// independent; a slow one may miss intermediate states.
///
///     for await state in runner.states { label.text = state.name }
public struct ModelStates: AsyncSequence, Sendable {
    let source: LatestValue<ModelState>

    /// A new iterator, which begins with the current state.
    public func makeAsyncIterator() -> Iterator { Iterator(source: source) }

    /// An independent observer.
    public struct Iterator: AsyncIteratorProtocol {
        let source: LatestValue<ModelState>
        private var seen: UInt64 = 0

        init(source: LatestValue<ModelState>) { self.source = source }

        /// The next state; nil when the runner is gone or the task was cancelled.
        public mutating func next(isolation actor: isolated (any Actor)? = #isolation) async -> ModelState? {
            guard let (state, version) = await source.next(after: seen, isolation: actor) else { return nil }
            seen = version
            return state
        }
    }
}
