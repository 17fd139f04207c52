internal import Foundation

/// What to install.
package struct PullRequest: Sendable {
    /// Where the model is described.
    package enum Origin: Sendable {
        /// One file.
        case url(String)
        /// All that its publisher says, and where the files are; `address` is where the manifest was.
        case manifest(ModelManifest, source: any ModelSource, address: String)
    }

    /// Where it comes from.
    package var origin: Origin
    /// Under which name; nil for the one that the manifest or the address gives.
    package var name: String?
    /// Digest of the file, where it is known from elsewhere.
    package var sha256: String?
    /// nil for where the model lives already, or kept.
    package var storage: StorageClass?
    /// Whether the version is to stay current, whatever is installed later.
    package var pins: Bool
    /// Whether a version older than one that was current before is welcome.
    package var allowDowngrade: Bool
    /// Whether a model that asks for more memory than the device has is welcome.
    package var allowLittleMemory = false

    /// A request; what is left out is found out from the origin.
    package init(
        _ origin: Origin, name: String? = nil, sha256: String? = nil, storage: StorageClass? = nil, pins: Bool = false,
        allowDowngrade: Bool = false
    ) {
        self.origin = origin
        self.name = name
        self.sha256 = sha256
        self.storage = storage
        self.pins = pins
        self.allowDowngrade = allowDowngrade
    }

    /// An address as people paste it: a hub's page of a file is not the file.
    package static func fileAddress(_ url: String) -> String {
        for host in ["https://huggingface.co/", "https://hf.co/"] where url.hasPrefix(host) {
            var parts = url.dropFirst(host.count).split(separator: "/", omittingEmptySubsequences: false).map(
                String.init)
            // ORG/REPO/blob/REVISION/FILE
            if parts.count >= 5, parts[2] == "blob" { parts[2] = "resolve" }
            return "https://huggingface.co/" + parts.joined(separator: "/")
        }
        return url
    }

    /// An address as records of what was installed keep it: without what may be a secret.
    package static func recordedAddress(_ source: String) -> String {
        DownloadAddress.withoutSecrets(source.contains("://") ? fileAddress(source) : source)
    }

    /// What a model from there will be called unless somebody says otherwise, as far as the address tells.
    package static func suggestedName(for source: String) -> String? {
        ModelName.suggested(forPath: source.contains("://") ? path(of: fileAddress(source)) : source)
    }

    /// Looks at an address before anything is fetched from it.
    /// - Throws: `DeliveryError.invalidAddress`.
    package static func check(address: String) throws(DeliveryError) { _ = try DownloadAddress(fileAddress(address)) }

    /// The path of an address, for a name.
    package static func path(of url: String) -> String {
        let rest = url.range(of: "://").map { url[$0.upperBound...] } ?? url[...]
        return String(rest.prefix { $0 != "?" && $0 != "#" }.drop { $0 != "/" })
    }
}

/// What came of it.
public struct PullResult: Sendable, Equatable {
    /// What was installed.
    package var record: ModelRecord
    /// How many bytes were there already when the download began.
    public var resumedFrom: Int
    /// Whether the name stands for this version now.
    public var isCurrent: Bool
    /// Why it does not, or what else there is to know, in one line.
    public var notice: String?
}

/// How far it is.
public struct PullProgress: Sendable, Equatable {
    /// What a pull is doing.
    public enum Phase: String, Sendable {
        case downloading, installing, compiling
        /// Another process downloads the same file.
        case waiting = "waiting for another pull"
    }

    /// What is being done.
    public var phase: Phase
    /// Bytes of this phase that are done.
    public var bytes: Int
    /// nil while nobody has said.
    public var total: Int?
    /// 0 where it is not known.
    public var bytesPerSecond: Double
    /// nil where it is not known.
    public var secondsLeft: Double?

    /// Progress put together from its parts.
    package init(phase: Phase, bytes: Int, total: Int?, bytesPerSecond: Double, secondsLeft: Double?) {
        (self.phase, self.bytes, self.total) = (phase, bytes, total)
        (self.bytesPerSecond, self.secondsLeft) = (bytesPerSecond, secondsLeft)
    }
}
