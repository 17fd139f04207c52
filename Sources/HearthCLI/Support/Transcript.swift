import HearthText
import Synchronization

/// What a generation has made so far, where an interruption can read it at any moment.
final class Transcript: Sendable {
    struct State: Sendable {
        var text = ""
        var tokens: [TokenID] = []
        var promptTokens = 0
        var summary: GenerationSummary?
        var firstTokenMS: Double?
        var lastTokenMS: Double?
    }

    private let state: Mutex<State>
    private let begin = ContinuousClock.now

    init(promptTokens: Int) { state = Mutex(State(promptTokens: promptTokens)) }

    func append(_ token: TokenID, _ text: String) {
        let now = elapsedMS
        state.withLock { state in
            state.tokens.append(token)
            state.text += text
            if state.firstTokenMS == nil { state.firstTokenMS = now }
            state.lastTokenMS = now
        }
    }

    func finish(_ summary: GenerationSummary, _ text: String) {
        state.withLock { state in
            state.text += text
            state.summary = summary
        }
    }

    var snapshot: State { state.withLock { $0 } }

    /// Stop reason and times.
    struct Figures {
        var stop: StopReason
        var prefillMS: Double
        var decodeMS: Double
        var tokensPerSecond: Double
    }

    /// The generator's own figures, or, where it was cut short, those seen from here.
    func figures(of state: State) -> Figures {
        if let summary = state.summary {
            return Figures(
                stop: summary.stop, prefillMS: summary.prefillMS, decodeMS: summary.decodeMS,
                tokensPerSecond: summary.tokensPerSecond)
        }
        let first = state.firstTokenMS ?? elapsedMS
        let decode = (state.lastTokenMS ?? first) - first
        let rate = decode > 0 && state.tokens.count > 1 ? Double(state.tokens.count - 1) / decode * 1000 : 0
        return Figures(stop: .cancelled, prefillMS: first, decodeMS: decode, tokensPerSecond: rate)
    }

    private var elapsedMS: Double { (ContinuousClock.now - begin).milliseconds }
}

extension Duration {
    var milliseconds: Double { Double(components.seconds) * 1e3 + Double(components.attoseconds) / 1e15 }
}
