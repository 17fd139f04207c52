public import Foundation
internal import HearthSystem

/// What the library of models refuses, and what keeps it from working.
public enum LibraryError: Error, Equatable, Sendable {
    /// A file of the library cannot be read or written.
    case storage(path: String, reason: String)
    /// The disk, or the user's share of it, is full.
    case diskFull(path: String)
    /// Another process has changed the library for a long time.
    case libraryBusy(path: String)
    case invalidName(String)
    /// An address whose end is nothing to make a name of.
    case noNameInAddress(String)
    case invalidVersion(name: String, version: String)
    /// The name differs from an installed one only in upper and lower case.
    case nameTwin(name: String, installed: String)
    /// The model lives in the other class.
    case otherStorage(name: String, storage: StorageClass)
    /// The list of files is not one to install.
    case unsafeManifest(name: String, reason: String)
    /// A rollback that nobody asked for.
    case olderRevision(name: String, offered: String, newest: String)
    case notInstalled(name: String, version: String?)
    case incomplete(name: String, version: String, missing: [String])
    /// There is no version to go back to.
    case nothingBefore(name: String)
    /// A living process uses it.
    case inUse(name: String, version: String)
    /// The downloaded bytes are no model; `reason` names the file and the field.
    case notAModel(reason: String)

    /// A failed file operation, told apart by what can be done about it.
    init(_ failure: FileFailure) {
        if [ENOSPC, EDQUOT].contains(failure.code) {
            self = .diskFull(path: failure.path)
        } else {
            self = .storage(path: failure.path, reason: failure.reason)
        }
    }
}

extension LibraryError: LocalizedError {
    /// What happened, to what, and what to do.
    public var errorDescription: String? {
        switch self {
        case .storage(let path, let reason):
            "the library cannot be read or written: \(reason) (\(path)). Check the folder and its permissions."
        case .diskFull(let path):
            "the disk is full (\(path)). Make room; 'hearth prune --to 2GB' removes models that were not used for long."
        case .libraryBusy(let path):
            "another process is changing the library (\(path)). Wait for it to end, and try again."
        case .invalidName(let name):
            "this cannot be a model's name ('\(name.prefix(80))'). Use up to \(ModelName.nameLimit) ASCII letters, "
                + "digits, '.', '-' and '_', beginning with a letter, a digit or '_'."
        case .noNameInAddress(let url):
            "the address gives no name for the model (\(WebAddress.withoutSecrets(url))). Pass --name."
        case .invalidVersion(let name, let version):
            "this cannot be a version ('\(version.prefix(80))' of \(name)). Use up to \(ModelName.versionLimit) ASCII "
                + "letters, digits, '.', '-', '_' and '+'."
        case .nameTwin(let name, let installed):
            "a model's name may not differ from another's in case only ('\(name)' and '\(installed)'). "
                + "Install it as '\(installed)', or choose another name."
        case .otherStorage(let name, let storage):
            "the model is installed as \(storage.rawValue) (\(name)). Remove it first, or keep it as it is."
        case .unsafeManifest(let name, let reason):
            "the manifest cannot be installed: \(reason) (\(name)). Ask its publisher for a sound one."
        case .olderRevision(let name, let offered, let newest):
            "the manifest is older than the one installed before: \(offered) after \(newest) (\(name)). "
                + "Pass --allow-downgrade if that is what you want."
        case .notInstalled(let name, let version):
            "no such model is installed (\(name)\(version.map { " " + $0 } ?? "")). 'hearth models' lists what is."
        case .incomplete(let name, let version, let missing):
            "files of the model are missing: \(missing.joined(separator: ", ")) (\(name) \(version)). Pull it again."
        case .nothingBefore(let name):
            "there is no version to go back to (\(name)). 'hearth models' lists what is installed."
        case .inUse(let name, let version):
            "the model is in use (\(name) \(version)). End the program that uses it, and try again."
        case .notAModel(let reason):
            "this is not a model that Hearth can install: \(reason). Check the address; it must lead to a GGUF file."
        }
    }
}
