internal import Foundation
internal import HearthSystem

/// Finds the file for `--model`: a path, or the name of an installed or bundled model.
package struct ModelLocator {
    /// The model that comes with Hearth.
    package static let bundled = "hearth-nano"

    /// Extensions of model files and packages.
    package static let endings = [".gguf", ".mlpackage", ".mlmodel"]

    /// The folders that are searched for a name with one of these extensions, in order.
    package var folders: [String]
    private let exists: (String) -> Bool
    /// The file of an installed model's current version.
    private let installed: (String) -> String?

    package init(
        folders: [String], exists: @escaping (String) -> Bool = FileAccess.exists,
        installed: @escaping (String) -> String? = { _ in nil }
    ) {
        self.folders = folders
        self.exists = exists
        self.installed = installed
    }

    /// The folders of this process.
    package static var current: ModelLocator { make(leases: false) }

    /// The same for a model that will be run: it is leased, so that it cannot be removed while this process lives.
    package static var using: ModelLocator { make(leases: true) }

    private static func make(leases: Bool) -> ModelLocator {
        let environment = ProcessInfo.processInfo.environment
        return ModelLocator(
            folders: folders(environment: environment, executable: executablePath()),
            installed: { InstalledModels.path(of: $0, leases: leases) })
    }

    /// The folder of installed models first, then folders next to and above the program: in a checkout
    /// (`.build/release/hearth`) the models are several levels up, in an installation in `../share/hearth`.
    package static func folders(environment: [String: String], executable: String?) -> [String] {
        var folders: [String] = []
        if let home = environment["HEARTH_HOME"], !home.isEmpty {
            folders.append(home + "/Models")
        } else if let data = environment["XDG_DATA_HOME"], data.hasPrefix("/") {
            folders.append(data + "/hearth/Models")
        } else if let home = environment["HOME"], !home.isEmpty {
            folders.append(home + "/.local/share/hearth/Models")
        }
        guard let executable else { return folders }
        var folder = parent(of: executable)
        folders.append(parent(of: folder) + "/share/hearth/Models")
        for _ in 0..<6 {
            folders.append((folder == "/" ? "" : folder) + "/Models")
            guard folder != "/" else { break }
            folder = parent(of: folder)
        }
        return folders
    }

    /// The path of a model.
    /// - Throws: `ModelCatalogError.invalidName`, `ModelCatalogError.unknownModel`.
    package func path(of model: String) throws(ModelCatalogError) -> String {
        if model.contains("/") || Self.endings.contains(where: model.hasSuffix) || exists(model) && !isName(model) {
            return model
        }
        guard isName(model) else { throw .invalidName(model) }
        if let path = installed(model) { return path }
        if let path = Self.file(model, in: folders, endings: Self.endings, exists: exists) { return path }
        // A file without an extension in the working directory; an installed model of that name takes precedence.
        if exists(model) { return model }
        throw .unknownModel(model)
    }

    /// The first existing file with the name and one of the extensions, folder by folder.
    static func file(
        _ name: String, in folders: [String], endings: [String], exists: (String) -> Bool
    ) -> String? {
        for folder in folders {
            for ending in endings where exists("\(folder)/\(name)\(ending)") { return "\(folder)/\(name)\(ending)" }
        }
        return nil
    }

    private func isName(_ model: String) -> Bool {
        !model.isEmpty && !model.hasPrefix(".") && model.utf8.count <= 128
            && model.unicodeScalars.allSatisfy {
                $0.properties.isAlphabetic || ("0"..."9").contains($0) || "._-".unicodeScalars.contains($0)
            }
    }

    private static func parent(of path: String) -> String {
        let parts = path.split(separator: "/").dropLast()
        return "/" + parts.joined(separator: "/")
    }

    /// The path of this program with symbolic links resolved.
    private static func executablePath() -> String? {
        #if os(Linux)
        let path = "/proc/self/exe"
        #else
        guard let path = Bundle.main.executablePath else { return nil }
        #endif
        return RealPath.of(path)
    }
}
