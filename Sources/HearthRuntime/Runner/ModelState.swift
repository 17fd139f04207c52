/// Where a model is between delivered and answering: the only thing that a view has to see.
///
/// `ready` is entered only after a real inference succeeded, so that it never means "ready, but the first answer takes
/// another four seconds".
public enum ModelState: Sendable, Equatable {
    /// It cannot run on this device now; `reason` says why in one line.
    case unavailable(reason: String)
    /// Nothing is loaded; preparing may begin at any time.
    case cold
    /// It is being compiled, loaded and tried out; 0 to 1, never going back while this lasts.
    case warming(progress: Double)
    /// An inference has succeeded; the next one pays for itself alone.
    case ready
    /// Preparing failed; tried again only on request.
    case failed(message: String)

    /// Its name without the payload, as `--json` prints it.
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
