/// Where Hearth keeps what it stores.
///
/// `HEARTH_HOME` moves everything; otherwise the platform's folders for data and for what can be made again (XDG on Linux,
/// `~/Library` on Apple systems). A pure function of the environment; makes no folder.
public struct HearthFolders: Sendable, Equatable {
    /// Kept: models, the log of starts.
    public var data: String
    /// May be deleted at any time: compiled artifacts, purgeable models, partial downloads.
    public var cache: String

    /// Folders as they are given.
    public init(data: String, cache: String) {
        self.data = data
        self.cache = cache
    }

    /// - Returns: nil where the environment names neither Hearth's folder nor a home.
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

    /// Models that are kept.
    public var models: String { data + "/Models" }
    /// Models that may be removed when space is needed.
    public var purgeableModels: String { cache + "/PurgeableModels" }
    /// Compiled artifacts, a folder each.
    public var artifacts: String { cache + "/Artifacts" }
    /// What each start cost.
    public var startupLog: String { data + "/startup.sqlite" }
}
