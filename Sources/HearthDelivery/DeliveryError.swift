internal import Foundation
internal import HearthSystem

/// What can go wrong between a URL and an installed, compiled model.
///
/// URLs are shown without query, so that no key gets into a log.
public enum DeliveryError: Error, Equatable, Sendable {
    // MARK: Files

    /// A file cannot be read or written.
    case storage(path: String, reason: String)
    /// The disk, or the user's share of it, has no room; bytes, where they were known beforehand.
    case diskFull(path: String, needed: Int?, available: Int?)

    // MARK: Manifest

    /// A manifest breaks a rule.
    case invalidManifest(field: String, reason: String)

    // MARK: Download

    /// A library of the system that downloads need is not installed; which package has it.
    case libraryMissing(String, package: String)
    /// A URL that Hearth does not fetch from.
    case invalidAddress(url: String, reason: String)
    /// A redirect that is not followed.
    case redirectRefused(url: String, to: String, reason: String)
    /// The server answered with a status that trying again will not change.
    case refusedByServer(url: String, status: Int)
    /// The server asks to come back later than is waited for; seconds.
    case serverBusy(url: String, status: Int, retryAfter: Double?)
    /// No connection, or one that broke too often.
    case unreachable(url: String, reason: String)
    /// No progress, or next to none, for too long; seconds.
    case stalled(url: String, received: Int, seconds: Double)
    /// What came is no model: a web page, nothing, something packed, a damaged header.
    case notAModel(url: String, reason: String)
    /// Nothing says where the file ends, so a cut would not be noticed.
    case unknownLength(url: String)
    /// The file is longer or shorter than declared; bytes.
    case wrongSize(url: String, expected: Int, actual: Int)
    /// The bytes are not the declared ones.
    case wrongDigest(url: String, expected: String, actual: String)

    // MARK: Library

    /// Another process has been changing the library for a long time.
    case libraryBusy(path: String)
    /// What cannot be a model's name.
    case invalidName(String)
    /// An address whose end is nothing to make a name of.
    case noNameInAddress(String)
    /// What cannot be a version's name.
    case invalidVersion(name: String, version: String)
    /// The name differs from an installed one only in upper and lower case.
    case nameTwin(name: String, installed: String)
    /// The model lives in the other class.
    case otherStorage(name: String, storage: StorageClass)
    /// The list of files is not one to install.
    case unsafeManifest(name: String, reason: String)
    /// A rollback that nobody asked for.
    case olderRevision(name: String, offered: String, newest: String)
    /// The model asks for more memory than the device has; bytes.
    case tooLittleMemory(name: String, needed: Int, available: Int)
    /// There is no such model, or no such version of it.
    case notInstalled(name: String, version: String?)
    /// Files of a version have no bytes.
    case incomplete(name: String, version: String, missing: [String])
    /// There is no version to go back to.
    case nothingBefore(name: String)
    /// A living process uses it.
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
