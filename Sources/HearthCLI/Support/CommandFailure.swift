import Foundation
import HearthModels
import HearthRuntime
import HearthStory
import HearthSystem

/// How the process ends; a part of the contract with scripts.
package enum ExitStatus: Int32 {
    case success = 0
    /// The work was started and failed.
    case failure = 1
    /// The command line cannot be understood.
    case usage = 2
    /// A file or a value in it is not valid.
    case invalidInput = 3
    /// Not available on this device, or with this model, now.
    case unavailable = 4
    /// SIGINT, or SIGTERM or SIGHUP where a command has no orderly end of its own.
    case interrupted = 130

    init(_ category: ErrorCategory) {
        switch category {
        case .invalidInput: self = .invalidInput
        case .invalidOption: self = .usage
        case .unavailable: self = .unavailable
        case .failed: self = .failure
        }
    }
}

/// An error as it is shown: one line, `WHAT (WHERE). WHAT TO DO.`, and an exit status.
package struct CommandFailure: Error {
    var status: ExitStatus
    var message: String

    package init(_ status: ExitStatus, _ what: String, at place: String? = nil, todo advice: String) {
        self.status = status
        message = what + (place.map { " (\($0))" } ?? "") + ". " + advice
    }

    /// What another process of this program has said already.
    init(_ status: ExitStatus, passedOn message: String) { self.init(status, message: message) }

    private init(_ status: ExitStatus, message: String) {
        self.status = status
        self.message = message
    }

    init(_ error: any HearthError) {
        self.init(ExitStatus(error.category), message: error.localizedDescription)
    }

    /// Any error, sorted into what the exit status tells a script.
    init(_ error: any Error) {
        switch error {
        case let failure as CommandFailure:
            self = failure
        case let usage as UsageError:
            let command = usage.command.map { "hearth \($0)" } ?? "hearth"
            let help = "See 'hearth help\(usage.command.map { " " + $0 } ?? "")'."
            let advice = (usage.suggestion.map { [$0] } ?? []) + [help]
            self.init(.usage, usage.what, at: command, todo: advice.joined(separator: " "))
        case let error as StoryError:
            self.init(error)
        case let error as any HearthError:
            self.init(error)
        case RunnerError.failed(_, let cause):
            self.init(cause)
        case RunnerError.unavailable(let reason):
            self.init(.unavailable, reason.trimmingFinalStop, todo: "Try again when that has passed.")
        default:
            self.init(.failure, message: error.localizedDescription)
        }
    }

    /// The line for standard error. Control characters (a file's name may hold some) are shown, never sent to a
    /// terminal, and nothing breaks the line.
    package var line: String { "hearth: error: " + message.withVisibleControls }
}

extension String {
    /// A sentence as it goes into a line of its own punctuation.
    fileprivate var trimmingFinalStop: String { hasSuffix(".") ? String(dropLast()) : self }
}
