internal import HearthRuntime
internal import HearthStory

/// What a server says of its model: nothing that names a file.
struct StateReport: Encodable, Sendable, Equatable {
    var model: String
    var state: String
    /// 0 to 1 while it warms up.
    var progress: Double?
    /// Why less happens than usual, in one line; null where nothing stands in the way.
    var notice: String?
    var budget: String

    private enum CodingKeys: CodingKey { case model, state, progress, notice, budget }

    /// - Parameter language: of the notice.
    init(_ model: WarmModel, _ state: ModelState, in language: StoryLanguage) async {
        self.model = model.name
        self.state = state.name
        if case .warming(let fraction) = state { progress = fraction }
        let (level, conditions) = await (model.level, model.conditions)
        budget = level.rawValue
        notice = Self.notice(StoryPhrases(language), level, conditions)
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
        try container.encode(notice, forKey: .notice)
        try container.encode(budget, forKey: .budget)
    }
}
