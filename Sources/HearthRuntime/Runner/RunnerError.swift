public import Foundation
internal import HearthSystem

/// Why a runner could not provide its model.
public enum RunnerError: Error, Sendable {
    /// The model cannot run on this device now.
    case unavailable(reason: String)
    /// Preparing failed, now or earlier; it is retried only on request.
    case failed(message: String, cause: any Error)
    /// The model was released while the caller waited for it or used it.
    case released
    /// The model was not available within the time limit.
    case deadlineExceeded
}

extension RunnerError: LocalizedError {
    /// What happened and what to do.
    public var errorDescription: String? {
        switch self {
        case .unavailable(let reason): reason
        case .failed(let message, _): message
        case .released: "the model was released before the work was done. Ask again."
        case .deadlineExceeded: "the model was not ready in time. Ask again, or wait longer."
        }
    }
}

extension RunnerError: Equatable {
    /// Failures are equal if their messages are.
    public static func == (a: RunnerError, b: RunnerError) -> Bool {
        switch (a, b) {
        case (.unavailable(let a), .unavailable(let b)): a == b
        case (.failed(let a, _), .failed(let b, _)): a == b
        case (.released, .released), (.deadlineExceeded, .deadlineExceeded): true
        default: false
        }
    }
}

extension RunnerError: ChangedFileError {
    package var changedFile: String? { if case .failed(_, let cause) = self { cause.changedModelFile } else { nil } }
}
