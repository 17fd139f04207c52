package import HearthCompute
public import HearthRuntime
public import HearthSystem
internal import HearthText

/// A model that a server may run: the only ones that it ever opens.
public struct ServedModel: Sendable, Equatable {
    /// As requests name it.
    public var name: String
    /// Its file.
    public var path: String

    /// A model under a name.
    public init(name: String, path: String) {
        self.name = name
        self.path = path
    }
}

/// What a server serves, where, and to whom.
public struct ServerConfiguration: Sendable {
    /// Models by name; the first is used where a request names none.
    public var models: [ServedModel]
    /// A model that has to be fetched first; from its arrival on it is the first of all. Until then finished stories are told.
    public var awaited: AwaitedModel?
    /// Whether answers under OpenAI's interface pass the filter of stories, and not only those that ask for it.
    public var filtersTexts = false
    /// nil: this machine alone, over 127.0.0.1 and ::1. Else an address in numbers, and a token is needed.
    public var host: String?
    /// 0 for any that is free.
    public var port = 0
    /// What a client has to show as `Authorization: Bearer …`; nil on a machine's own addresses lets everyone on it in.
    public var token: String?
    /// Where artifacts and the log of starts are; nil keeps none.
    public var folders: HearthFolders?
    /// Watches the device.
    public var monitor: any DeviceMonitor
    /// Threads that compute; nil takes one for each processor.
    public var threads: Int?
    /// How keys and values are kept.
    package var cacheFormat: KVCacheFormat
    /// Of the program, for the log of starts and the metrics.
    public var version: String
    /// How much is given.
    package var limits = ServerLimits()
    /// Loads the first model at once, so that the first answer finds it warm.
    public var warmsUp = true
    /// Told in one line what whoever runs the server should know, and clients should not: it may name files.
    public var onNotice: (@Sendable (String) -> Void)?
    /// Told of a model that was loaded from its file, and of how many bytes stand in front of its tensors there: the next
    /// start is shorter where somebody compiles it.
    public var onUncompiledStart: (@Sendable (_ path: String, _ headerBytes: Int) -> Void)?

    /// A server for this machine alone.
    public init(
        models: [ServedModel], folders: HearthFolders? = nil, monitor: any DeviceMonitor = SystemMonitor.make(),
        version: String = "0"
    ) {
        self.models = models
        self.folders = folders
        self.monitor = monitor
        self.version = version
        cacheFormat = TextGenerator.defaultCacheFormat
    }
}
