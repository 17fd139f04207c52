/// Whether the system has a language model that an app may use (Apple Intelligence), and if not, why. A plain value.
public enum SystemModelAvailability: String, Sendable, Codable, CaseIterable {
    /// It can be used now.
    case available
    /// This system has none: it is older than iOS 26 and macOS 26, or not Apple's.
    case noFramework
    /// The device does not support it.
    case deviceNotEligible
    /// The user has not switched it on.
    case notEnabled
    /// It is being downloaded, or the system needs it elsewhere.
    case notReady
    /// It does not write the language.
    case languageNotSupported
    /// The system gave a reason that this version does not know.
    case unknown

    /// One sentence for the user.
    package var reason: String {
        switch self {
        case .available: "The system's own language model is available."
        case .noFramework: "This system has no language model of its own."
        case .deviceNotEligible: "This device is not made for the system's language model."
        case .notEnabled: "Apple Intelligence is not switched on."
        case .notReady: "The system's language model is not ready yet."
        case .languageNotSupported: "The system's language model does not write this language."
        case .unknown: "The system does not say why its language model is not available."
        }
    }
}
