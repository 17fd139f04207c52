internal import Foundation
package import HearthDelivery
package import HearthSystem
internal import Synchronization

/// The model library in this process's folders, and the leases on the models that it uses.
package enum InstalledModels {
    /// Leases last as long as the process, so that no model is removed while it is mapped.
    private static let leases = Mutex<[ModelLease]>([])

    /// The folders given by the environment.
    package static func folders() throws(ModelCatalogError) -> HearthFolders {
        guard let folders = HearthFolders(environment: ProcessInfo.processInfo.environment) else {
            throw ModelCatalogError.noFolder
        }
        return folders
    }

    /// The model library.
    /// - Throws: `ModelCatalogError.noFolder`; `ModelCatalogError.unusableFolder` if the folder is a file or cannot be
    ///   listed.
    package static func library() throws(ModelCatalogError) -> ModelLibrary {
        let folders = try folders()
        // Relative to the current working directory, even if that changes later.
        func absolute(_ path: String) -> String {
            path.hasPrefix("/") ? path : FileManager.default.currentDirectoryPath + "/" + path
        }
        // A missing folder is no error: it is created by the first installation.
        if let reason = FileAccess.obstacle(toListing: absolute(folders.data)) {
            throw .unusableFolder(absolute(folders.data), reason: reason)
        }
        return ModelLibrary(folders: HearthFolders(data: absolute(folders.data), cache: absolute(folders.cache)))
    }

    /// The file of an installed model's current version; nil if it is not installed.
    /// - Parameter leases: whether to keep it from being removed while this process lives.
    package static func path(of name: String, leases: Bool) -> String? {
        guard let library = try? library() else { return nil }
        guard leases else { return library.current(name)?.path }
        guard let found = library.useCurrent(name) else { return nil }
        if let lease = found.lease { Self.leases.withLock { $0.append(lease) } }
        return found.model.path
    }
}
