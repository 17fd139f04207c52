/// The state of a model: all that a view needs to know.
///
/// `ready` is entered only after a real inference has succeeded, so it never means "ready, but the first answer takes another
/// four seconds".
public enum ModelState: Sendable, Equatable {
    /// The model cannot run on this device now; `reason` is one line.
    case unavailable(reason: String)
    /// Nothing is loaded.
    case cold
    /// The model is being compiled, loaded and warmed up; 0 to 1, never decreasing.
    case warming(progress: Double)
    /// An inference has succeeded; the next one has no startup cost.
    case ready
    /// Preparing failed, and is retried only on request.
    case failed(message: String)

    /// The name of the state without its associated value, as `--json` prints it.
    public var name: String {
        switch self {
        case .unavailable: "unavailable"
        case .cold: "cold"
        case .warming: "warming"
        case .ready: "ready"
        case .failed: "failed"
        }
    }
}
