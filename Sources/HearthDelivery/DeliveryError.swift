public import Foundation

/// What can go wrong between a URL and an installed, compiled model.
///
/// URLs are shown without query, so that no key gets into a log.
public enum DeliveryError: Error, Equatable, Sendable {
    // MARK: Store

    /// A file of the store cannot be read or written.
    case storage(path: String, reason: String)
    /// The disk has no room for what is to come; bytes.
    case diskFull(path: String, needed: Int, available: Int)

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
    /// What came is no model: a web page, nothing, something packed.
    case notAModel(url: String, reason: String)
    /// Nothing says where the file ends, so a cut would not be noticed.
    case unknownLength(url: String)
    /// The file is longer or shorter than declared; bytes.
    case wrongSize(url: String, expected: Int, actual: Int)
    /// The bytes are not the declared ones.
    case wrongDigest(url: String, expected: String, actual: String)
}

extension DeliveryError: LocalizedError {
    /// What happened, to which file or address, and what to do.
    public var errorDescription: String? {
        switch self {
        case .storage(let path, let reason):
            "the file cannot be read or written: \(reason) (\(path)). Check the folder, its permissions and the free space."
        case .diskFull(let path, let needed, let available):
            """
            the disk is too full: \(needed) bytes are needed and \(available) are free (\(path)). \
            Make room, for example with `hearth prune`.
            """
        case .invalidManifest(let field, let reason):
            "the manifest is not valid: \(reason) (\(field)). Ask its publisher for a correct one."
        default: downloadDescription
        }
    }

    private var downloadDescription: String? {
        switch self {
        case .libraryMissing(let library, let package):
            "downloads need a library that is not installed (\(library)). Install it, for example with 'apt install \(package)'."
        case .invalidAddress(let url, let reason):
            "the address cannot be used: \(reason) (\(url)). Give an https or file URL; http only for this machine."
        case .redirectRefused(let url, let target, let reason):
            "the server redirects to \(target): \(reason) (\(url)). Give the final https address itself if you trust it."
        case .refusedByServer(let url, let status):
            "the server refused with status \(status) (\(url)). Check the address and whether it needs a login."
        case .serverBusy(let url, let status, let after):
            """
            the server is busy (status \(status)\(after.map { ", come back in \(Int($0.rounded(.up))) s" } ?? "")) (\(url)). \
            Try again later; what has arrived is kept.
            """
        case .unreachable(let url, let reason):
            "the download broke off: \(reason) (\(url)). Check the network and try again; what has arrived is kept."
        case .stalled(let url, let received, let seconds):
            """
            the download stands still: no progress in \(Int(seconds.rounded())) s after \(received) bytes (\(url)). \
            Try again later; what has arrived is kept.
            """
        case .notAModel(let url, let reason):
            "what the server sent is not a model: \(reason) (\(url)). Check the address, and whether a network login is in the way."
        case .unknownLength(let url):
            "the server does not say how long the file is, so a cut would go unnoticed (\(url)). Give its --sha256."
        case .wrongSize(let url, let expected, let actual):
            "the file has \(actual) bytes instead of \(expected) (\(url)). The publisher has changed it; get a new manifest."
        case .wrongDigest(let url, let expected, let actual):
            """
            the file is not the declared one: SHA-256 is \(actual) instead of \(expected) (\(url)). \
            It was deleted; check the digest with the publisher.
            """
        default: nil
        }
    }
}
