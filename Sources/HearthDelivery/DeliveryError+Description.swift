public import Foundation
internal import HearthSystem

extension DeliveryError: LocalizedError {
    /// `WHAT (WHERE). WHAT TO DO.`, in one line.
    public var errorDescription: String? {
        fileDescription ?? downloadDescription ?? hubDescription ?? libraryDescription
    }

    private var fileDescription: String? {
        switch self {
        case .storage(let path, let reason):
            "the file cannot be read or written: \(reason.asClause) (\(path)). Check the folder, its permissions and the free space."
        case .diskFull(let path, let needed?, let available?):
            """
            the disk is too full: \(needed) bytes are needed and \(available) are free (\(path)). \
            Make room, for example by removing models.
            """
        case .diskFull(let path, _, _):
            "the disk is full (\(path)). Free some space, for example by removing models."
        case .invalidManifest(let field, let reason):
            "the manifest is not valid: \(reason.asClause) (\(field)). Ask its publisher for a correct one."
        default: nil
        }
    }

    private var downloadDescription: String? {
        switch self {
        case .libraryMissing(let library, let package):
            "a library that this needs is not installed (\(library)). Install it, for example with 'apt install \(package)'."
        case .invalidAddress(let url, let reason):
            "the address cannot be used: \(reason.asClause) (\(url)). Pass an https or file URL; http only for this machine."
        case .redirectRefused(let url, let target, let reason):
            "the server redirects to \(target): \(reason.asClause) (\(url)). Pass the final https address itself if you trust it."
        case .refusedByServer(let url, let status):
            "the server refused with status \(status) (\(url)). Check the address and whether it needs a login."
        case .serverBusy(let url, let status, let after):
            """
            the server cannot answer now: status \(status)\(after.map { ", retry in \(Int($0.rounded(.up))) s" } ?? "") (\(url)). \
            Try again later; what has arrived is kept.
            """
        case .unreachable(let url, let reason):
            "the download failed: \(reason.asClause) (\(url)). Check the network and try again; what has arrived is kept."
        case .stalled(let url, let received, let seconds):
            """
            the download stalled: no progress in \(Int(seconds.rounded())) s after \(received) bytes (\(url)). \
            Try again later; what has arrived is kept.
            """
        case .notAModel(let url, let reason):
            """
            this is not a model that Hearth can install: \(reason.asClause) (\(url)). \
            Check that the address leads to a model, and whether a network login is in the way.
            """
        case .invalidArchive(let archive, let entry, let reason):
            "the archive cannot be installed: \(reason.asClause) (\(archive)\(entry.map { ": \($0)" } ?? "")). "
                + "Ask its publisher for a zip or tar file of one .mlpackage."
        case .unknownLength(let url):
            "the server does not say how long the file is, so truncation would go unnoticed (\(url)). Pass the file's SHA-256."
        case .wrongSize(let url, let expected, let actual):
            "the file has \(actual) bytes instead of \(expected) (\(url)). The publisher has changed it; get a new manifest."
        case .wrongDigest(let url, let expected, let actual):
            """
            the file is not the declared one: SHA-256 is \(actual) instead of \(expected) (\(url)). \
            Nothing was installed; check the digest with the publisher.
            """
        default: nil
        }
    }

    private var hubDescription: String? {
        switch self {
        case .hubRefused(let repository, let status, let hasToken):
            switch status {
            case 401 where !hasToken:
                "the hub does not show this repository without a token: it is private, gated, or not there "
                    + "(\(repository)). Check its name; set HF_TOKEN to a token that may read it."
            case 401:
                "the hub does not accept the token (\(repository): HF_TOKEN). Set HF_TOKEN to one that is valid, or unset it."
            case 403:
                "the repository is gated, and this token's owner may not read it (\(repository)). "
                    + "Ask for access on the repository's page\(hasToken ? "" : ", and set HF_TOKEN")."
            default:
                "the hub has no such repository, revision or file (\(repository)). Check ORG/REPO, and @REVISION where given."
            }
        case .notInRepository(let repository, let reason, let available):
            "\(reason.asClause) (\(repository)). "
                + (available.isEmpty
                    ? "Choose a repository of GGUF files or Core ML packages."
                    : "Choose one with ORG/REPO:NAME: \(available.joined(separator: ", ")).")
        case .invalidHubAnswer(let repository, let reason):
            "the hub's answer cannot be read: \(reason.asClause) (\(repository)). Check HF_ENDPOINT, and whether a network login is in the way."
        default: nil
        }
    }

    private var libraryDescription: String? {
        switch self {
        case .noEngine(let name, let engine):
            "this program does not have the engine that the model needs (\(name): \(engine)). Use a program that has it."
        case .libraryBusy(let path):
            "another process is changing the library (\(path)). Wait for it to end, and try again."
        case .invalidName(let name):
            "this cannot be a model's name ('\(name.prefix(80))'). Use up to \(ModelName.nameLimit) ASCII letters, "
                + "digits, '.', '-' and '_', beginning with a letter, a digit or '_'."
        case .noNameInAddress(let url):
            "the address gives no name for the model (\(DownloadAddress.withoutSecrets(url))). Give it a name."
        case .invalidVersion(let name, let version):
            "this cannot be a version ('\(version.prefix(80))' of \(name)). Use up to \(ModelName.versionLimit) ASCII "
                + "letters, digits, '.', '-', '_' and '+'."
        case .nameTwin(let name, let installed):
            "a model's name may not differ from another's in case only ('\(name)' and '\(installed)'). "
                + "Install it as '\(installed)', or choose another name."
        case .otherStorage(let name, let storage):
            "the model is installed as \(storage.rawValue) (\(name)). Remove it first, or keep it as it is."
        case .unsafeManifest(let name, let reason):
            "the manifest cannot be installed: \(reason.asClause) (\(name)). Ask its publisher for a valid one."
        case .olderRevision(let name, let offered, let newest):
            "the manifest is older than the one installed before: \(offered) after \(newest) (\(name)). "
                + "Allow a downgrade if that is what you want."
        case .tooLittleMemory(let name, let needed, let available):
            "the model needs \(needed) bytes of memory, but this device has \(available) (\(name): leastMemory). "
                + "Choose a smaller model, or allow that it is installed anyway."
        case .notInstalled(let name, let version):
            "no such model is installed (\(name)\(version.map { " " + $0 } ?? "")). Install it, or use another one."
        case .incomplete(let name, let version, let missing):
            "files of the model are missing: \(missing.joined(separator: ", ")) (\(name) \(version)). Pull it again."
        case .nothingBefore(let name):
            "there is no version to go back to (\(name)). Keep the one that is installed, or install another one."
        case .inUse(let name, let version):
            "the model is in use (\(name) \(version)). End the program that uses it, and try again."
        default: nil
        }
    }
}

extension String {
    /// What another message says, `WHAT (WHERE). WHAT TO DO.`, as a part of this one's sentence: without its advice,
    /// which this one has at its own end, and without a full stop.
    fileprivate var asClause: String {
        if let end = range(of: "). ") { return String(self[..<end.lowerBound]) + ")" }
        return hasSuffix(".") ? String(dropLast()) : self
    }
}
