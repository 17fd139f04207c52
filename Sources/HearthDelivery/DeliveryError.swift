internal import Foundation
package import HearthSystem

/// An error between a URL and an installed, compiled model.
///
/// URLs are shown without their query, so that no credentials get into a log.
public enum DeliveryError: Error, Equatable, Sendable {
    // MARK: Files

    /// A file cannot be read or written.
    case storage(path: String, reason: String)
    /// The disk or the user's quota is full; in bytes, if known beforehand.
    case diskFull(path: String, needed: Int?, available: Int?)

    // MARK: Manifest

    /// A manifest is not valid.
    case invalidManifest(field: String, reason: String)

    // MARK: Download

    /// A system library that downloads need is not installed, and the package that contains it.
    case libraryMissing(String, package: String)
    /// A URL that Hearth does not download from.
    case invalidAddress(url: String, reason: String)
    /// A redirect that Hearth does not follow.
    case redirectRefused(url: String, to: String, reason: String)
    /// The server answered with a status that a retry will not change.
    case refusedByServer(url: String, status: Int)
    /// The server asks to retry later than Hearth waits; in seconds.
    case serverBusy(url: String, status: Int, retryAfter: Double?)
    /// No connection, or one that failed too often.
    case unreachable(url: String, reason: String)
    /// Almost no progress for `seconds`, after `received` bytes.
    case stalled(url: String, received: Int, seconds: Double)
    /// The download is not a model: a web page, an empty or compressed file, or one with a damaged header.
    case notAModel(url: String, reason: String)
    /// An archive that is damaged, or has an entry that is never unpacked; the entry, if the error is about one.
    case invalidArchive(archive: String, entry: String?, reason: String)
    /// A hub that does not give a repository away, and the status that it said so with.
    case hubRefused(repository: String, status: Int, hasToken: Bool)
    /// A repository of a hub that does not have the requested file; what it has instead.
    case notInRepository(repository: String, reason: String, available: [String])
    /// A hub's answer that cannot be read.
    case invalidHubAnswer(repository: String, reason: String)
    /// The length of the file is not known, so truncation would go unnoticed.
    case unknownLength(url: String)
    /// The file does not have the declared size; in bytes.
    case wrongSize(url: String, expected: Int, actual: Int)
    /// The file does not have the declared SHA-256.
    case wrongDigest(url: String, expected: String, actual: String)

    // MARK: Library

    /// Another process has been changing the library for too long.
    case libraryBusy(path: String)
    /// Not a valid name for a model.
    case invalidName(String)
    /// No model name can be derived from the address.
    case noNameInAddress(String)
    /// Not a valid name for a version.
    case invalidVersion(name: String, version: String)
    /// The name differs from that of an installed model in case only.
    case nameTwin(name: String, installed: String)
    /// The model is installed in the other storage class.
    case otherStorage(name: String, storage: StorageClass)
    /// The manifest's list of files cannot be installed safely.
    case unsafeManifest(name: String, reason: String)
    /// A model for an engine that this program does not have.
    case noEngine(name: String, engine: String)
    /// An older version than one that was installed before, without a request to downgrade.
    case olderRevision(name: String, offered: String, newest: String)
    /// The model requires more memory than the device has; in bytes.
    case tooLittleMemory(name: String, needed: Int, available: Int)
    /// No such model or version is installed.
    case notInstalled(name: String, version: String?)
    /// Files of the version are missing.
    case incomplete(name: String, version: String, missing: [String])
    /// There is no earlier version to roll back to.
    case nothingBefore(name: String)
    /// A running process uses the model.
    case inUse(name: String, version: String)

    /// A failed file operation, told apart by what can be done about it.
    init(_ failure: FileFailure) {
        if [ENOSPC, EDQUOT].contains(failure.code) {
            self = .diskFull(path: failure.path, needed: nil, available: nil)
        } else {
            self = .storage(path: failure.path, reason: "\(failure.operation): \(failure.reason)")
        }
    }
}

extension DeliveryError: HearthError {
    package var category: ErrorCategory {
        switch self {
        case .invalidAddress, .invalidName, .invalidVersion, .noNameInAddress: .invalidOption
        case .invalidManifest, .unsafeManifest, .notAModel, .invalidArchive, .notInRepository, .notInstalled,
            .incomplete, .nameTwin, .otherStorage:
            .invalidInput
        case .diskFull, .libraryMissing, .libraryBusy, .inUse, .tooLittleMemory, .noEngine: .unavailable
        case .storage, .redirectRefused, .refusedByServer, .serverBusy, .unreachable, .stalled, .unknownLength,
            .wrongSize, .wrongDigest, .hubRefused, .invalidHubAnswer, .olderRevision, .nothingBefore:
            .failed
        }
    }
}
