internal import HearthRuntime
internal import HearthStory

/// Lines about the device for a child's ears, in the story's language.
struct GentleNotice {
    let language: StoryLanguage

    init(_ language: StoryLanguage) { self.language = language }

    /// Why a finished story is told; nil where nobody wonders.
    func prepared(_ conditions: DeviceConditions) -> String? {
        guard let cause = cause(conditions) else { return nil }
        return switch language {
        case .english: "\(cause); here is a story prepared earlier."
        case .spanish: "\(cause); aquí tienes un cuento preparado antes."
        case .simplifiedChinese: "\(cause)，先来听一个早就准备好的故事吧。"
        }
    }

    /// Why less happens than usual.
    func state(_ level: InferenceBudget.Level, _ conditions: DeviceConditions) -> String? {
        guard level != .full || conditions.memoryPressure != .normal, let cause = cause(conditions) else { return nil }
        return switch language {
        case .english: cause + "."
        case .spanish: cause + "."
        case .simplifiedChinese: cause + "。"
        }
    }

    private func cause(_ conditions: DeviceConditions) -> String? {
        switch (conditions.thermal, conditions.memoryPressure, conditions.isLowPower) {
        case (.serious, _, _), (.critical, _, _), (.unknown, _, _):
            switch language {
            case .english: "The device is a little warm"
            case .spanish: "El dispositivo está un poco caliente"
            case .simplifiedChinese: "设备有点热"
            }
        case (_, .warning, _), (_, .critical, _):
            switch language {
            case .english: "The device is busy with other things"
            case .spanish: "El dispositivo está ocupado con otras cosas"
            case .simplifiedChinese: "设备正在忙别的事情"
            }
        case (_, _, true):
            switch language {
            case .english: "The device is saving power"
            case .spanish: "El dispositivo está ahorrando energía"
            case .simplifiedChinese: "设备正在省电"
            }
        default: nil
        }
    }
}
