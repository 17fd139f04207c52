internal import HearthRuntime
internal import HearthStory

/// What a server says of its model: nothing that names a file or an address.
struct StateReport: Encodable, Sendable, Equatable {
    var model: String
    var state: String
    /// 0 to 1 on its way to ready, over all that is left to do: nil where it is not on its way.
    var progress: Double?
    /// What is being done on the way.
    var phase: ArrivalProgress.Phase?
    /// Of the phase.
    var bytes: Int?
    /// Of the phase; nil while nobody has said.
    var total: Int?
    /// What keeps it from arriving, as a word for programs…
    var trouble: ArrivalTrouble?
    /// …and as a sentence for grown-ups.
    var reason: String?
    /// Why less happens than usual, in one line; null where nothing stands in the way.
    var notice: String?
    var budget: String
    /// Texts that are being written.
    var running = 0

    private enum CodingKeys: CodingKey {
        case model, state, progress, phase, bytes, total, trouble, reason, notice, budget, running
    }

    /// A model that is installed.
    /// - Parameters:
    ///   - arrival: how it came, where this server has fetched it.
    ///   - language: of the notice.
    init(_ model: WarmModel, _ state: ModelState, after arrival: ModelArrival?, in language: StoryLanguage) async {
        self.model = model.name
        self.state = state.name
        switch state {
        case .warming(let part):
            phase = .warming
            bytes = Int(part * Double(model.bytes))
            total = model.bytes
            progress = arrival == nil ? part : ArrivalProgress.fraction(.warming, part)
        case .cold where arrival != nil: (phase, progress) = (.warming, ArrivalProgress.fraction(.warming, 0))
        default: break
        }
        let (level, conditions) = await (model.level, model.conditions)
        budget = level.rawValue
        notice = Self.notice(StoryPhrases(language), level, conditions)
    }

    /// A model that is on its way.
    init(_ arrival: ModelArrival, _ conditions: DeviceConditions) {
        let status = arrival.status
        model = arrival.name
        state = Self.state(of: status.progress).name
        (progress, phase) = (status.progress.fraction, status.progress.phase)
        (bytes, total) = (status.progress.bytes, status.progress.total)
        (trouble, reason) = (status.trouble, status.trouble?.sentence)
        if case .unavailable(let text) = Self.state(of: status.progress), reason == nil { reason = text }
        budget = InferenceBudget().level(thermal: conditions.thermal, isLowPower: conditions.isLowPower).rawValue
    }

    /// The state of a model that is on its way: it cannot run before it is here, and compiling is part of warming up.
    static func state(of progress: ArrivalProgress) -> ModelState {
        progress.phase == .downloading
            ? .unavailable(reason: "The model is being fetched.") : .warming(progress: progress.fraction)
    }

    /// A line for a child's ears.
    static func notice(
        _ phrases: StoryPhrases, _ level: InferenceBudget.Level, _ conditions: DeviceConditions
    ) -> String? {
        if level == .suspended { return phrases.pause(HandoverReason(conditions) ?? .heat) }
        if let obstacle = HandoverPolicy().obstacle(conditions, needs: nil, isLoaded: true) {
            return phrases.pause(obstacle)
        }
        return level == .reduced ? phrases.slower(isLowPower: conditions.isLowPower) : nil
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(model, forKey: .model)
        try container.encode(state, forKey: .state)
        try container.encode(progress, forKey: .progress)
        try container.encode(phase?.rawValue, forKey: .phase)
        try container.encode(bytes, forKey: .bytes)
        try container.encode(total, forKey: .total)
        try container.encode(trouble?.rawValue, forKey: .trouble)
        try container.encode(reason, forKey: .reason)
        try container.encode(notice, forKey: .notice)
        try container.encode(budget, forKey: .budget)
        try container.encode(running, forKey: .running)
    }
}
