internal import Foundation

/// What to install.
package struct PullRequest: Sendable {
    /// Where the model is described.
    package enum Origin: Sendable {
        /// One file.
        case url(String)
        /// Files that belong together, such as those of a hub's repository.
        case files(PullFiles)
        /// A publisher's manifest; `address` is that of the manifest.
        case manifest(ModelManifest, source: any ModelSource, address: String)
    }

    /// Its origin.
    package var origin: Origin
    /// The name to install it under; nil for the one in the manifest or the address.
    package var name: String?
    /// The digest of the file, if it is known from elsewhere.
    package var sha256: String?
    /// nil for the storage class of the installed model, or `kept`.
    package var storage: StorageClass?
    /// Whether the version stays current, whatever is installed later.
    package var pins: Bool
    /// Whether a version older than one that was current before is accepted.
    package var allowDowngrade: Bool
    /// Whether a model that needs more memory than the device has is accepted.
    package var allowLittleMemory = false

    /// A request; missing values are taken from the origin.
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

    /// The name to install it under.
    /// - Throws: `DeliveryError.noNameInAddress`.
    func modelName() throws(DeliveryError) -> String {
        if let name { return name }
        switch origin {
        case .manifest(let manifest, _, _): return manifest.name
        case .files(let files):
            guard let name = files.name else { throw .noNameInAddress(files.address) }
            return name
        case .url(let url):
            guard let name = Self.suggestedName(for: url) else { throw .noNameInAddress(url) }
            return name
        }
    }

    /// The engine, if it was specified.
    var engine: ModelEngineKind? {
        switch origin {
        case .url: nil
        case .files(let files): files.engine
        case .manifest(let manifest, _, _): ModelEngineKind(rawValue: manifest.engine)
        }
    }

    /// Files whose sizes and digests are known in advance.
    var declaredFiles: [ModelRecord.File] {
        switch origin {
        case .url: []
        case .files(let files):
            files.files.compactMap { file in
                guard let path = file.path, let bytes = file.request.bytes, let sha256 = file.request.sha256 else {
                    return nil
                }
                return .init(path: path, bytes: bytes, sha256: sha256)
            }
        case .manifest(let manifest, _, _):
            manifest.files.map { .init(path: $0.path, bytes: $0.bytes, sha256: $0.sha256) }
        }
    }

    var revision: ModelVersion? {
        guard case .manifest(let manifest, _, _) = origin else { return nil }
        return manifest.version
    }

    /// The origin as it is recorded.
    var recordedAddress: String {
        switch origin {
        case .url(let url): DownloadAddress.withoutSecrets(Self.fileAddress(url))
        case .files(let files): files.address
        case .manifest(_, _, let address): DownloadAddress.withoutSecrets(address)
        }
    }

    /// Corrects an address as people paste it: a hub's page for a file is not the file.
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

    /// An address as it is recorded for an installed model: without parts that may be secret.
    package static func recordedAddress(_ source: String) -> String {
        DownloadAddress.withoutSecrets(source.contains("://") ? fileAddress(source) : source)
    }

    /// The default name of a model from this address, if the address has one.
    package static func suggestedName(for source: String) -> String? {
        ModelName.suggested(forPath: source.contains("://") ? path(of: fileAddress(source)) : source)
    }

    /// Checks an address before anything is fetched from it.
    /// - Throws: `DeliveryError.invalidAddress`.
    package static func check(address: String) throws(DeliveryError) { _ = try DownloadAddress(fileAddress(address)) }

    /// The path of an address, for a name.
    package static func path(of url: String) -> String {
        let rest = url.range(of: "://").map { url[$0.upperBound...] } ?? url[...]
        return String(rest.prefix { $0 != "?" && $0 != "#" }.drop { $0 != "/" })
    }
}

/// The files of a model, wherever they were found.
package struct PullFiles: Sendable {
    /// The default name of the model.
    package var name: String?
    /// nil if the content of the single file decides.
    package var engine: ModelEngineKind?
    package var files: [WantedFile]
    /// The origin as it is recorded; contains no secrets.
    package var address: String
    /// The hub's repository that they are in, and whether a token was sent to the hub.
    package var hub: (repository: String, hasToken: Bool)?

    package init(name: String?, engine: ModelEngineKind?, files: [WantedFile], address: String) {
        (self.name, self.engine, self.files, self.address) = (name, engine, files, address)
    }
}

/// The result of a pull.
package struct PullResult: Sendable, Equatable {
    /// What was installed.
    package var record: ModelRecord
    /// Downloaded bytes: those of the archive, if there was one.
    package var downloadedBytes: Int
    /// The digest of the file that was downloaded; of several, that of the content.
    package var downloadedSHA256: String
    /// Bytes that an earlier pull had already downloaded.
    package var resumedFrom: Int
    /// Whether the model's name refers to this version now.
    package var isCurrent: Bool
    /// Why it is not current, or another one-line message for the user.
    package var notice: String?
    /// Whether it is not current because another version is pinned.
    package var isHeldByPin = false
}

/// The progress of a pull.
public struct PullProgress: Sendable, Equatable {
    /// The phase of a pull.
    public enum Phase: String, Sendable {
        /// Bytes arrive and are verified.
        case downloading
        /// The files are unpacked from an archive.
        case unpacking
        /// The verified files are moved into the library.
        case installing
        /// The model is compiled for this device.
        case compiling
        /// Another process is downloading the same file; this one waits for it.
        case waiting = "waiting for another pull"
    }

    /// The current phase.
    public var phase: Phase
    /// Bytes of this phase that are done.
    public var bytes: Int
    /// Bytes of this phase in all; nil while unknown.
    public var total: Int?
    /// Bytes per second; 0 if unknown.
    public var bytesPerSecond: Double
    /// Estimated seconds left in this phase; nil if unknown.
    public var secondsLeft: Double?

    package init(phase: Phase, bytes: Int, total: Int?, bytesPerSecond: Double, secondsLeft: Double?) {
        (self.phase, self.bytes, self.total) = (phase, bytes, total)
        (self.bytesPerSecond, self.secondsLeft) = (bytesPerSecond, secondsLeft)
    }

    init(_ progress: DownloadProgress) {
        self.init(
            phase: progress.isWaiting ? .waiting : .downloading, bytes: progress.bytes, total: progress.total,
            bytesPerSecond: progress.bytesPerSecond, secondsLeft: progress.secondsLeft)
    }
}
