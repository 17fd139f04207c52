public import Foundation

/// Why a runner did not do what was asked.
public enum RunnerError: Error, Equatable, Sendable {
    /// The model cannot run on this device now.
    case unavailable(reason: String)
    /// Preparing failed, now or before; it is tried again only on request.
    case failed(message: String)
    /// The model was released while the caller waited for it or used it.
    case released
    /// The model was not free in time.
    case deadlineExceeded
}

extension RunnerError: LocalizedError {
    public var errorDescription: String? {
        switch self {
        case .unavailable(let reason): reason
        case .failed(let message): message
        case .released: "the model was released before the work was done. Ask again."
        case .deadlineExceeded: "the model was not ready in time. Ask again, or wait longer."
        }
    }
}
