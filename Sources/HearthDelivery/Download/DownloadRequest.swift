/// What to download, and all that is known about it beforehand.
package struct DownloadRequest: Sendable, Equatable {
    /// Where the file can be had, best first: https, file, or http on this machine.
    package var urls: [String]
    /// Lower-case hexadecimal; nil if it is unknown. Then the digest is computed and reported.
    package var sha256: String?
    /// The size in bytes, where it is known.
    package var bytes: Int?
    /// Digests of the file's parts: a bad part is fetched again alone.
    package var rangeDigests: RangeDigests?
    /// Further header fields, such as `Authorization`. They are sent to the origin of the first URL and to nobody else.
    package var headers: [String: String]
    /// Whether a server of this machine may send the download to another one of this machine, by plain http.
    package var allowsLoopbackRedirects = false

    /// A request, a file or a state put together from its parts.
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

/// A whole, verified file.
package struct DownloadedFile: Sendable, Equatable {
    /// Where it lies.
    package var path: String
    /// Bytes of the file.
    package var bytes: Int
    /// The digest of its bytes, computed while they arrived.
    package var sha256: String
    /// How many bytes were there already when the download began.
    package var resumedFrom: Int
    /// What kind of file it is, if that was determined.
    var content: ArrivedModel?

    /// A request, a file or a state put together from its parts.
    package init(path: String, bytes: Int, sha256: String, resumedFrom: Int) {
        self.path = path
        self.bytes = bytes
        self.sha256 = sha256
        self.resumedFrom = resumedFrom
    }
}

/// How far a download is. Never goes back, whatever has to be fetched twice.
package struct DownloadProgress: Sendable, Equatable {
    /// Bytes of the file.
    package var bytes: Int
    /// nil while it is unknown.
    package var total: Int?
    /// The rate of the last seconds.
    package var bytesPerSecond: Double
    /// nil without a total or a rate.
    package var secondsLeft: Double?
    /// Another process is fetching the same file, and this one waits to share it.
    package var isWaiting: Bool

    /// A request, a file or a state put together from its parts.
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
