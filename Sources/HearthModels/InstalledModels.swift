internal import Foundation
package import HearthDelivery
package import HearthSystem
internal import Synchronization

/// The library of this process's folders, and the leases on what this process uses.
package enum InstalledModels {
    /// Leases end with the process; nobody removes what it has mapped.
    private static let leases = Mutex<[ModelLease]>([])

    /// The folders that the environment names.
    package static func folders() throws(ModelCatalogError) -> HearthFolders {
        guard let folders = HearthFolders(environment: ProcessInfo.processInfo.environment) else {
            throw ModelCatalogError.noFolder
        }
        return folders
    }

    /// - Throws: `ModelCatalogError.noFolder`; `ModelCatalogError.unusableFolder` for a file in the place of the folder, and for a folder
    ///   that may not be listed.
    package static func library() throws(ModelCatalogError) -> ModelLibrary {
        let folders = try folders()
        // Relative to the working folder of now, whatever it will be later.
        func absolute(_ path: String) -> String {
            path.hasPrefix("/") ? path : FileManager.default.currentDirectoryPath + "/" + path
        }
        // None at all is fine: it is made when something is installed.
        if let reason = FileAccess.obstacle(toListing: absolute(folders.data)) {
            throw .unusableFolder(absolute(folders.data), reason: reason)
        }
        return ModelLibrary(folders: HearthFolders(data: absolute(folders.data), cache: absolute(folders.cache)))
    }

    /// The file of an installed model's current version; nil where there is none.
    /// - Parameter leases: whether it is going to be used, and so may not go while this process lives.
    package static func path(of name: String, leases: Bool) -> String? {
        guard let library = try? library() else { return nil }
        guard leases else { return library.current(name)?.path }
        guard let found = library.useCurrent(name) else { return nil }
        if let lease = found.lease { Self.leases.withLock { $0.append(lease) } }
        return found.model.path
    }
}
