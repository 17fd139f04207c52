import Foundation
import HearthCalibration
import HearthCompression
import HearthCompute
import HearthDelivery
import HearthFormats
import HearthModels
import HearthRuntime
import HearthStory
import HearthText
import HearthVision

/// How the process ends; a part of the contract with scripts.
package enum ExitStatus: Int32 {
    case success = 0
    /// The work was begun and failed.
    case failure = 1
    /// The command line cannot be understood.
    case usage = 2
    /// A file or a value in it is not valid.
    case invalidInput = 3
    /// Not available on this device, or with this model, now.
    case unavailable = 4
    /// SIGINT, or SIGTERM or SIGHUP where a command has no orderly end of its own.
    case interrupted = 130
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
        case let error as GGUFError:
            self.init(Self.status(of: error), message: error.localizedDescription)
        case let error as TextError:
            self.init(Self.status(of: error), message: error.localizedDescription)
        case let error as CoreMLError:
            self.init(Self.status(of: error), message: error.localizedDescription)
        case let error as ComputeError:
            self.init(Self.status(of: error), message: error.localizedDescription)
        case let error as ImageError:
            self.init(Self.status(of: error), message: error.localizedDescription)
        case let error as StoryError:
            self.init(error)
        case RunnerError.failed(_, let cause):
            self.init(cause)
        case RunnerError.unavailable(let reason):
            self.init(.unavailable, reason.trimmingFinalStop, todo: "Try again when that has passed.")
        case let error as StartupLogError:
            self.init(Self.status(of: error), message: error.localizedDescription)
        case let error as DeliveryError:
            self.init(Self.status(of: error), message: error.localizedDescription)
        case let error as ModelCatalogError:
            self.init(Self.status(of: error), message: error.localizedDescription)
        case let error as CalibrationError:
            self.init(Self.status(of: error), message: error.localizedDescription)
        case let error as CompressionError:
            self.init(Self.status(of: error), message: error.localizedDescription)
        default:
            self.init(.failure, message: error.localizedDescription)
        }
    }

    private static func status(of error: ModelCatalogError) -> ExitStatus {
        switch error {
        case .otherManifest: .failure
        case .noFolder: .unavailable
        case .noSuchFile, .unreadable, .manifestTooLarge, .unknownModel: .invalidInput
        }
    }

    private static func status(of error: CalibrationError) -> ExitStatus {
        switch error {
        case .budgetTooSmall, .dropTooLarge: .failure
        case .invalidSetting: .usage
        default: .invalidInput
        }
    }

    private static func status(of error: GGUFError) -> ExitStatus {
        if case .unwritable = error { .failure } else { .invalidInput }
    }

    private static func status(of error: StartupLogError) -> ExitStatus {
        switch error {
        case .newer, .busy: .unavailable
        case .unwritable, .failed, .notLoggable: .failure
        }
    }

    private static func status(of error: TextError) -> ExitStatus {
        if case .nonFiniteLogit = error { .failure } else { .invalidInput }
    }

    private static func status(of error: CoreMLError) -> ExitStatus {
        switch error {
        case .nonFiniteOutput, .nonFiniteStep: .failure
        default: .invalidInput
        }
    }

    private static func status(of error: ImageError) -> ExitStatus {
        switch error {
        case .libraryMissing, .noVideoProgram: .unavailable
        case .unreadable, .notAPicture, .unsupportedFormat, .unsupported, .truncated, .damaged, .tooLarge,
            .invalidPixels, .targetTooLarge, .noPictures, .videoFailed:
            .invalidInput
        }
    }

    private static func status(of error: DeliveryError) -> ExitStatus {
        switch error {
        case .invalidAddress, .invalidName, .invalidVersion, .noNameInAddress: .usage
        case .invalidManifest, .unsafeManifest, .notAModel, .notInstalled, .incomplete, .nameTwin, .otherStorage:
            .invalidInput
        case .diskFull, .libraryMissing, .libraryBusy, .inUse, .tooLittleMemory: .unavailable
        case .storage, .redirectRefused, .refusedByServer, .serverBusy, .unreachable, .stalled, .unknownLength,
            .wrongSize, .wrongDigest, .olderRevision, .nothingBefore:
            .failure
        }
    }

    private static func status(of error: CompressionError) -> ExitStatus {
        switch error {
        case .notFinite, .unsupportedModel, .cannotRaise, .malformedReport, .invalidMoments: .invalidInput
        case .malformedLabels, .malformedResults, .otherResults, .conflictingResults, .unusableResults: .invalidInput
        case .noSuchTensor, .invalidSetting, .ontoItself, .exists: .usage
        case .outOfMemory, .resultsInUse: .unavailable
        case .unwritableResults: .failure
        }
    }

    private static func status(of error: ComputeError) -> ExitStatus {
        switch error {
        case .unknownKernelSet: .usage
        case .shapeMismatch: .invalidInput
        case .outOfMemory, .threadsUnavailable: .unavailable
        }
    }

    /// The line for standard error. Control characters (a file's name may hold some) are shown, never sent to a
    /// terminal, and nothing breaks the line.
    package var line: String { "hearth: error: " + message.withVisibleControls }
}

extension String {
    /// A sentence as it goes into a line of its own punctuation.
    fileprivate var trimmingFinalStop: String { hasSuffix(".") ? String(dropLast()) : self }

    /// The text with control characters and line breaks written as `\u{…}`.
    var withVisibleControls: String {
        unicodeScalars.reduce(into: "") { result, scalar in
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator, .format:
                result += "\\u{\(String(scalar.value, radix: 16))}"
            default: result.unicodeScalars.append(scalar)
            }
        }
    }
}
