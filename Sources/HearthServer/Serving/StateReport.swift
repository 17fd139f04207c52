internal import HearthRuntime
internal import HearthStory

/// The state of a model as sent to clients, without file names or addresses.
struct StateReport: Encodable, Sendable, Equatable {
    var model: String
    var state: String
    /// Overall progress towards ready, 0 to 1; nil if it is not being prepared.
    var progress: Double?
    /// The current step of the preparation.
    var phase: ArrivalProgress.Phase?
    /// Bytes of the phase that are done.
    var bytes: Int?
    /// Bytes of the phase; nil if unknown.
    var total: Int?
    /// Why fetching failed, as a code.
    var trouble: ArrivalTrouble?
    /// The same as a sentence for adults.
    var reason: String?
    /// Why less is computed than usual, in one line; null if nothing is wrong.
    var notice: String?
    var budget: String
    /// Texts in progress.
    var running = 0

    private enum CodingKeys: CodingKey {
        case model, state, progress, phase, bytes, total, trouble, reason, notice, budget, running
    }

    /// A model that is installed.
    /// - Parameters:
    ///   - arrival: how it was fetched, if this server did.
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

    /// A model that is being fetched.
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

    /// The state of a model that is being fetched: unavailable while downloading; compiling counts as warming.
    static func state(of progress: ArrivalProgress) -> ModelState {
        progress.phase == .downloading
            ? .unavailable(reason: "The model is being fetched.") : .warming(progress: progress.fraction)
    }

    /// A line that children may hear.
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
