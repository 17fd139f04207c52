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
        notice = GentleNotice(language).state(level, conditions)
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
