public import Foundation

/// What can go wrong in finding a model by its name, or in reading what describes it.
public enum ModelCatalogError: Error, Equatable, Sendable {
    /// Neither an address nor the path of a file that exists.
    case noSuchFile(String)
    /// The manifest cannot be read.
    case unreadable(String, reason: String)
    /// A manifest of more bytes than any manifest has.
    case manifestTooLarge(String, limit: Int)
    /// The manifest's bytes do not have the SHA-256 that was given.
    case otherManifest(String)
    /// Nothing of that name is installed, and no folder of models has it.
    case unknownModel(String)
    /// The environment names no folder for models.
    case noFolder
}

extension ModelCatalogError: LocalizedError {
    /// `WHAT (WHERE). WHAT TO DO.`, in one line.
    public var errorDescription: String? {
        switch self {
        case .noSuchFile(let path):
            "there is no such file (\(path)). Pass the address or the path of a GGUF file or a manifest."
        case .unreadable(let path, let reason):
            "cannot read the file: \(reason) (\(path): MANIFEST). Check the path and its permissions."
        case .manifestTooLarge(let source, let limit):
            "the manifest is larger than \(limit >> 20) MiB (\(source)). Check the address; it must lead to a manifest."
        case .otherManifest(let source):
            "the manifest is not the one with that SHA-256 (\(source)). Check --sha256 with its publisher."
        case .unknownModel(let name):
            "no model of that name (\(name)). Install it first, or pass the path of a file."
        case .noFolder:
            "there is no folder for models (HOME). Set HEARTH_HOME to a folder."
        }
    }
}
