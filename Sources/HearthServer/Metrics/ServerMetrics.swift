internal import Foundation
internal import HearthRuntime
internal import HearthStory
internal import HearthSystem
internal import Synchronization

/// Counters since the server started.
final class ServerMetrics: Sendable {
    private struct RequestKey: Hashable {
        var endpoint: String
        var code: Int
    }
    private struct State {
        var requests: [RequestKey: Int] = [:]
        var durations = Histogram([0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60])
        var firstTokens = Histogram([0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30])
        var generated = 0
        var late = 0
        var prompt = 0
        var generations: [Outcome: Int] = [:]
        var stories: [String: Int] = [:]
        var handovers: [String: Int] = [:]
    }
    /// How a text ended.
    enum Outcome: String, CaseIterable { case finished, cancelled, failed, refused }

    private let state = Mutex(State())
    private let started = Date()

    func request(_ endpoint: String, status: Int, seconds: Double) {
        state.withLock {
            $0.requests[RequestKey(endpoint: endpoint, code: status), default: 0] += 1
            $0.durations.add(seconds)
        }
    }
    func generated(tokens: Int) { state.withLock { $0.generated += tokens } }
    func lateToken() { state.withLock { $0.late += 1 } }
    func read(tokens: Int) { state.withLock { $0.prompt += tokens } }
    func firstToken(after duration: Duration) { state.withLock { $0.firstTokens.add(duration.seconds) } }
    func generation(_ outcome: Outcome) { state.withLock { $0.generations[outcome, default: 0] += 1 } }
    func story(from source: String) { state.withLock { $0.stories[source, default: 0] += 1 } }
    func handover(_ reason: String) { state.withLock { $0.handovers[reason, default: 0] += 1 } }

    /// Values that are sampled when metrics are requested.
    struct Now: Sendable {
        var model: StateReport
        /// Bytes of a model that this server fetches, or has fetched.
        var download: (bytes: Int, total: Int?)?
        var waiting: Int
        var running: Int
        var parallel: Int
        var startups: [StartupSample]
        var version: String
    }

    /// All metrics in Prometheus's format.
    func text(_ now: Now) -> String {
        var text = PrometheusText()
        counters(&text)
        gauges(&text, now)
        Self.startups(&text, now.startups)
        return text.text
    }

    /// Formats under the lock: a copy made for use outside would force a copy-on-write at the next update.
    private func counters(_ text: inout PrometheusText) { state.withLock { Self.counters(&text, $0) } }

    private static func counters(_ text: inout PrometheusText, _ state: State) {
        text.family("hearth_http_requests_total", .counter, "Requests that were answered, by endpoint and status.")
        for (key, count) in state.requests.sorted(by: {
            ($0.key.endpoint, $0.key.code) < ($1.key.endpoint, $1.key.code)
        }) {
            text.sample(
                "hearth_http_requests_total", [("endpoint", key.endpoint), ("code", String(key.code))], Double(count))
        }
        text.family("hearth_http_request_duration_seconds", .histogram, "From a request's head to its answer's end.")
        text.histogram("hearth_http_request_duration_seconds", [], state.durations)
        text.family("hearth_generations_total", .counter, "Texts that a model was asked for, by how they ended.")
        for outcome in Outcome.allCases {
            text.sample(
                "hearth_generations_total", [("outcome", outcome.rawValue)], Double(state.generations[outcome] ?? 0))
        }
        text.single("hearth_generated_tokens_total", .counter, "Tokens that models wrote.", Double(state.generated))
        text.single(
            "hearth_late_tokens_total", .counter,
            "Tokens that were finished when nobody wanted them any more; at most one a text.", Double(state.late))
        text.single("hearth_prompt_tokens_total", .counter, "Tokens that models were given.", Double(state.prompt))
        text.family("hearth_time_to_first_token_seconds", .histogram, "From a text's turn to its first token.")
        text.histogram("hearth_time_to_first_token_seconds", [], state.firstTokens)
        text.family("hearth_stories_total", .counter, "Stories that were told, by where they came from.")
        for source in ["model", "library"] {
            text.sample("hearth_stories_total", [("source", source)], Double(state.stories[source] ?? 0))
        }
        text.family(
            "hearth_story_handovers_total", .counter, "Stories that went from the model to the library, by why.")
        for reason in HandoverReason.allCases {
            text.sample(
                "hearth_story_handovers_total", [("reason", reason.rawValue)],
                Double(state.handovers[reason.rawValue] ?? 0))
        }
    }

    private func gauges(_ text: inout PrometheusText, _ now: Now) {
        text.family("hearth_build_info", .gauge, "Always 1; the version is a label.")
        text.sample("hearth_build_info", [("version", now.version)], 1)
        text.family("hearth_model_state", .gauge, "1 for the state that the model is in, 0 for the others.")
        for name in ["unavailable", "cold", "warming", "ready", "failed"] {
            text.sample(
                "hearth_model_state", [("model", now.model.model), ("state", name)], now.model.state == name ? 1 : 0)
        }
        text.single(
            "hearth_model_warming_ratio", .gauge, "How far the model is on its way to ready.",
            now.model.state == "ready" ? 1 : now.model.progress ?? 0)
        if let (bytes, total) = now.download {
            text.single(
                "hearth_model_download_bytes", .gauge, "Bytes of the model's file that have arrived.", Double(bytes))
            text.single(
                "hearth_model_download_size_bytes", .gauge, "Bytes of the whole file; 0 while it is not known.",
                Double(total ?? 0))
        }
        text.family("hearth_inference_budget", .gauge, "1 for the level that heat and power allow, 0 for the others.")
        for level in InferenceBudget.Level.allCases {
            text.sample(
                "hearth_inference_budget", [("level", level.rawValue)], level.rawValue == now.model.budget ? 1 : 0)
        }
        text.single("hearth_generations_waiting", .gauge, "Texts that wait for their turn.", Double(now.waiting))
        text.single("hearth_generations_running", .gauge, "Texts that are being written.", Double(now.running))
        text.single(
            "hearth_generations_parallel", .gauge, "Texts that may be written at the same time.",
            Double(now.parallel))
        if let memory = ProcessMemory.current() {
            text.single(
                "process_resident_memory_bytes", .gauge, "Pages in memory, mapped files included.",
                Double(memory.resident))
            text.single(
                "hearth_dirty_memory_bytes", .gauge, "Pages that the system cannot drop and read again.",
                Double(memory.dirty))
        }
        text.single(
            "process_start_time_seconds", .gauge, "When the server started, since 1970.", started.timeIntervalSince1970)
    }

    /// Startup times of all models in this machine's log, by model and kind: quantiles over the latest samples.
    private static func startups(_ text: inout PrometheusText, _ samples: [StartupSample]) {
        struct Key: Hashable, Comparable {
            var model: String
            var kind: StartupSample.Kind
            static func < (a: Key, b: Key) -> Bool { (a.model, a.kind) < (b.model, b.kind) }
        }
        let groups = Dictionary(grouping: samples) { Key(model: $0.profile.model, kind: $0.kind) }
        text.family(
            "hearth_startup_seconds", .summary,
            "What starts of a model cost, from the first step to a model that answers.")
        for (key, samples) in groups.sorted(by: { $0.key < $1.key }) {
            let labels = [("model", key.model), ("kind", key.kind.rawValue)]
            let seconds = samples.map { $0.totalMS / 1000 }.sorted()
            for quantile in [0.5, 0.9, 0.99] {
                text.sample(
                    "hearth_startup_seconds", labels + [("quantile", "\(quantile)")], nearestRank(seconds, quantile))
            }
            text.sample("hearth_startup_seconds_sum", labels, seconds.reduce(0, +))
            text.sample("hearth_startup_seconds_count", labels, Double(seconds.count))
        }
    }

    /// The nearest-rank quantile: the smallest value that at least this share of the values does not exceed.
    private static func nearestRank(_ sorted: [Double], _ share: Double) -> Double {
        guard !sorted.isEmpty else { return .nan }
        return sorted[min(sorted.count - 1, max(0, Int((share * Double(sorted.count)).rounded(.up)) - 1))]
    }
}

extension Duration {
    var seconds: Double { self / .seconds(1) }
}
