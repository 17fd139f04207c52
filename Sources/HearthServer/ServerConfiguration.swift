package import HearthCompute
public import HearthRuntime
package import HearthSpeech
public import HearthSystem
package import HearthText

/// A model that a server may run; it never opens others.
public struct ServedModel: Sendable, Equatable {
    /// Its name in requests.
    public var name: String
    /// Path of its file.
    public var path: String
    /// LoRA adapters that all its texts are generated with.
    package var adapters: [TextAdapter] = []

    /// A model with a name.
    public init(name: String, path: String) {
        self.name = name
        self.path = path
    }
}

/// What a server serves, where, and to whom.
public struct ServerConfiguration: Sendable {
    /// The models; requests without a model name use the first.
    public var models: [ServedModel]
    /// A model to install first; once installed, it becomes the first model. Until then, finished stories are told.
    package var awaited: AwaitedModel?
    /// Whether the first model was chosen by the user, so that prompts can ask for names and lengths; the bundled model
    /// supports neither.
    package var isModelChosen = false
    /// Whether all answers of the API pass the story filter, instead of only those whose requests ask for it.
    public var filtersTexts = false
    /// The numeric address to listen on, which requires a token; nil for this machine only, over 127.0.0.1 and ::1.
    public var host: String?
    /// The port, at most 65535; 0, the default, takes any free one.
    public var port = 0
    /// Listening sockets that another program has opened, such as systemd; `host` and `port` are not used then.
    package var sockets: [Int32] = []
    /// The token that clients must send as `Authorization: Bearer …`, at least 16 visible ASCII characters; nil admits every
    /// program on this machine.
    public var token: String?
    /// Folders for artifacts and the startup log; nil stores none.
    public var folders: HearthFolders?
    /// The monitor of device conditions.
    public var monitor: any DeviceMonitor
    /// Number of compute threads; nil for the processors of the performance cores.
    public var threads: Int?
    /// Number of texts generated concurrently, 1 to 64; nil for as many as fit in memory, up to eight.
    package var parallel: Int?
    /// Kernel set of text generation models; nil for the fastest one.
    package var kernels: KernelSet?
    /// Format of the KV cache.
    package var cacheFormat: KVCacheFormat
    /// The processor that runs text generation models.
    package var compute = TextCompute.cpu
    /// The pace of all texts; nil for one that follows the device's budget.
    package var pace: GenerationPace?
    /// A voice that speaks its language instead of espeak-ng.
    package var voice: PiperSynthesizer?
    /// Version of the program, for the startup log and the metrics.
    public var version: String
    /// Limits on connections, sizes and times.
    package var limits = ServerLimits()
    /// Whether the first model is loaded at startup.
    package var warmsUp = true
    /// Called with one-line messages for the operator, not for clients: they may contain file names.
    public var onNotice: (@Sendable (String) -> Void)?
    /// Called with a model that was loaded without a compiled artifact, and the number of bytes before its tensors; compiling
    /// it makes the next start faster.
    package var onUncompiledStart: (@Sendable (_ path: String, _ headerBytes: Int) -> Void)?

    /// A server for this machine only.
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
