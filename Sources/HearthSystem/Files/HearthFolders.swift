/// The folders in which Hearth stores models and compiled artifacts.
///
/// `HEARTH_HOME` moves everything. Otherwise the platform's data and cache folders are used (XDG on Linux, `~/Library` on Apple
/// systems). A pure function of the environment; creates no folder.
public struct HearthFolders: Sendable, Equatable {
    /// Absolute path of the folder for data: models and the startup log.
    public var data: String
    /// Absolute path of the folder for caches, which may be deleted at any time: compiled artifacts, purgeable models, partial
    /// downloads.
    public var cache: String

    /// The given folders; absolute paths.
    public init(data: String, cache: String) {
        self.data = data
        self.cache = cache
    }

    /// The folders that the environment names: `HEARTH_HOME`, or those of the user. nil if it names neither.
    public init?(environment: [String: String]) {
        func absolute(_ name: String) -> String? { environment[name].flatMap { $0.hasPrefix("/") ? $0 : nil } }
        if let home = environment["HEARTH_HOME"], !home.isEmpty {
            self.init(data: home, cache: home)
            return
        }
        let home = absolute("HOME")
        #if canImport(Darwin)
        guard let home else { return nil }
        self.init(data: home + "/Library/Application Support/Hearth", cache: home + "/Library/Caches/Hearth")
        #else
        guard let data = absolute("XDG_DATA_HOME") ?? home.map({ $0 + "/.local/share" }),
            let cache = absolute("XDG_CACHE_HOME") ?? home.map({ $0 + "/.cache" })
        else { return nil }
        self.init(data: data + "/hearth", cache: cache + "/hearth")
        #endif
    }

    /// Models that stay until they are removed.
    public var models: String { data + "/Models" }
    /// Models that may be removed when space is needed.
    package var purgeableModels: String { cache + "/PurgeableModels" }
    /// Compiled artifacts, one folder each.
    public var artifacts: String { cache + "/Artifacts" }
    /// The database of startup times (`StartupLog`).
    package var startupLog: String { data + "/startup.sqlite" }
}
