public import Foundation
package import HearthSystem

/// An error in finding a model by its name, or in reading its manifest.
public enum ModelCatalogError: Error, Equatable, Sendable {
    /// Neither an address nor an existing path.
    case noSuchFile(String)
    /// The manifest cannot be read.
    case unreadable(String, reason: String)
    /// The manifest is larger than the limit, in bytes.
    case manifestTooLarge(String, limit: Int)
    /// The manifest does not have the given SHA-256.
    case otherManifest(String)
    /// No model of that name is installed or in the model folders.
    case unknownModel(String)
    /// Neither a path nor a name that a model can have.
    case invalidName(String)
    /// A function of a compiled model was requested, which has only one, without a name.
    case compiledFunction(String, function: String)
    /// The environment does not name a folder for models.
    case noFolder
    /// The folder for models cannot be read.
    case unusableFolder(String, reason: String)
}

extension ModelCatalogError: LocalizedError {
    /// The problem, its location and what to do, in one line.
    public var errorDescription: String? {
        switch self {
        case .noSuchFile(let path):
            "there is no such file (\(path)). Pass the address or the path of a model or a manifest, or ORG/REPO of the hub."
        case .unreadable(let path, let reason):
            "cannot read the file: \(reason) (\(path)). Check the path and its permissions."
        case .manifestTooLarge(let source, let limit):
            "the manifest is larger than \(limit >> 20) MiB (\(source)). Check the address; it must point to a manifest."
        case .otherManifest(let source):
            "the manifest does not have the expected SHA-256 (\(source)). Check the digest with its publisher."
        case .unknownModel(let name):
            "no model of that name (\(name)). Install it, or pass the path of a file."
        case .invalidName(let name):
            "no such model (\(name)). Pass a file, or a name of letters, digits, '.', '-' and '_'."
        case .compiledFunction(let path, let function):
            "a compiled model has one function, and none named '\(function)' (\(path)). Pass its package."
        case .noFolder:
            "there is no folder for models (HOME). Set HEARTH_HOME to a folder."
        case .unusableFolder(let path, let reason):
            "Hearth's folder cannot be used: \(reason) (\(path)). Set HEARTH_HOME to a folder that you can read and write."
        }
    }
}

extension ModelCatalogError: HearthError {
    package var category: ErrorCategory {
        switch self {
        case .otherManifest: .failed
        case .noFolder: .unavailable
        case .noSuchFile, .unreadable, .manifestTooLarge, .unknownModel, .invalidName, .compiledFunction,
            .unusableFolder:
            .invalidInput
        }
    }
}
