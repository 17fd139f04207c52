import Foundation
import HearthModels
import HearthRuntime
import HearthServer
import HearthStory
import HearthSystem

/// Exit statuses, which scripts rely on.
package enum ExitStatus: Int32 {
    case success = 0
    /// The work was started and failed.
    case failure = 1
    /// The command line is invalid.
    case usage = 2
    /// A file or a value in it is invalid.
    case invalidInput = 3
    /// Currently unavailable on this device, or with this model.
    case unavailable = 4
    /// SIGINT; also SIGTERM or SIGHUP if the command does not handle them.
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

/// An error as shown to the user: the problem, its location and what to do in one line, and an exit status.
package struct CommandFailure: Error {
    var status: ExitStatus
    var message: String

    package init(_ status: ExitStatus, _ what: String, at place: String? = nil, todo advice: String) {
        self.status = status
        message = what + (place.map { " (\($0))" } ?? "") + ". " + advice
    }

    /// A message that is already complete, such as one from another process of this program.
    init(_ status: ExitStatus, passedOn message: String) { self.init(status, message: message) }

    private init(_ status: ExitStatus, message: String) {
        self.status = status
        self.message = message
    }

    init(_ error: any HearthError) {
        let advice = CommandAdvice.after(error).map { " " + $0 } ?? ""
        self.init(ExitStatus(error.category), message: error.localizedDescription + advice)
    }

    /// Maps any error to its exit status.
    package init(_ error: any Error) {
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
        case let error as ServerError:
            self.init(error)
        case let error as any HearthError:
            self.init(error)
        case let failure as FileFailure:
            self.init(
                .failure, "the file cannot be used: \(failure.reason)", at: failure.path,
                todo: "Check the path, its permissions and the free space.")
        case RunnerError.failed(_, let cause):
            self.init(cause)
        case RunnerError.unavailable(let reason):
            self.init(.unavailable, reason.trimmingFinalStop, todo: "Try again when that has passed.")
        default:
            self.init(.failure, message: error.localizedDescription)
        }
    }

    /// The line for standard error. Control characters, for example in file names, are made visible, and the text never
    /// spans several lines.
    package var line: String { "hearth: error: " + message.withVisibleControls }
}

extension String {
    /// A sentence to which other punctuation is appended.
    fileprivate var trimmingFinalStop: String { hasSuffix(".") ? String(dropLast()) : self }
}
