/// What to download, and everything that is known about it in advance.
package struct DownloadRequest: Sendable, Equatable {
    /// The addresses of the file, best first: https, file, or http on this machine.
    package var urls: [String]
    /// Lower-case hexadecimal; nil if it is unknown. Then the digest is computed and reported.
    package var sha256: String?
    /// The size in bytes, if it is known.
    package var bytes: Int?
    /// Digests of the file's parts: only a bad part is fetched again.
    package var rangeDigests: RangeDigests?
    /// Further header fields, such as `Authorization`. They are sent only to the origin of the first URL.
    package var headers: [String: String]
    /// Whether a server on this machine may redirect to another server on this machine over plain http.
    package var allowsLoopbackRedirects = false

    package init(
        urls: [String], sha256: String? = nil, bytes: Int? = nil, rangeDigests: RangeDigests? = nil,
        headers: [String: String] = [:]
    ) {
        self.urls = urls
        self.sha256 = sha256
        self.bytes = bytes
        self.rangeDigests = rangeDigests
        self.headers = headers
    }

    /// A file of a manifest.
    package init(_ file: ManifestFile) {
        self.init(urls: file.urls, sha256: file.sha256, bytes: file.bytes, rangeDigests: file.rangeDigests)
    }
}

/// A complete, verified file.
package struct DownloadedFile: Sendable, Equatable {
    /// Its path.
    package var path: String
    /// Bytes of the file.
    package var bytes: Int
    /// The digest of its bytes, computed while they arrived.
    package var sha256: String
    /// How many bytes an earlier download had left.
    package var resumedFrom: Int
    /// What kind of file it is, if that was determined.
    var content: ArrivedModel?

    package init(path: String, bytes: Int, sha256: String, resumedFrom: Int) {
        self.path = path
        self.bytes = bytes
        self.sha256 = sha256
        self.resumedFrom = resumedFrom
    }
}

/// The progress of a download. It never decreases, even if bytes have to be fetched again.
package struct DownloadProgress: Sendable, Equatable {
    /// Bytes of the file.
    package var bytes: Int
    /// nil while it is unknown.
    package var total: Int?
    /// The rate over the last seconds.
    package var bytesPerSecond: Double
    /// nil without a total or a rate.
    package var secondsLeft: Double?
    /// Whether another process is downloading the same file, and this one waits to share it.
    package var isWaiting: Bool

    package init(
        bytes: Int, total: Int?, bytesPerSecond: Double, secondsLeft: Double?, isWaiting: Bool = false
    ) {
        self.bytes = bytes
        self.total = total
        self.bytesPerSecond = bytesPerSecond
        self.secondsLeft = secondsLeft
        self.isWaiting = isWaiting
    }
}
