/// A request of the downloader: always GET.
struct TransferRequest: Sendable {
    var address: DownloadAddress
    var headers: [String: String]
    var rule: AddressRule
}

/// The head of a response.
package struct TransferResponse: Sendable {
    var status: Int
    /// Names in lower case; a repeated field is joined with commas.
    var headers: [String: String]
    /// Where a redirect leads, made absolute.
    var location: String?
    /// The address that the response came from; nil behind a proxy.
    var peer: RemoteAddress.Kind?

    package init(status: Int, headers: [String: String], location: String? = nil, peer: RemoteAddress.Kind? = nil) {
        self.status = status
        self.headers = headers
        self.location = location
        self.peer = peer
    }

    /// The body's declared length; nil if it is missing or not a number.
    var contentLength: Int? { headers["content-length"].flatMap(Self.natural) }
    var contentRange: ContentRange? { headers["content-range"].flatMap(ContentRange.init) }
    /// Without parameters, in lower case.
    var contentType: String {
        let type = headers["content-type"]?.prefix { $0 != ";" } ?? ""
        return type.lowercased().filter { !$0.isWhitespace }
    }
    /// Whether the end of the body can be distinguished from a broken connection.
    var hasFraming: Bool {
        contentLength != nil || headers["transfer-encoding"]?.lowercased().hasSuffix("chunked") == true
    }

    /// The digest of a redirect's target: hubs such as Hugging Face send it in `X-Linked-ETag` for large files.
    var linkedSHA256: String? {
        let digest = headers["x-linked-etag"]?.filter { $0 != "\"" }
        return digest.flatMap { ManifestFile.isDigest($0) ? $0 : nil }
    }

    /// Decimal digits and nothing else.
    static func natural(_ text: some StringProtocol) -> Int? {
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return Int(text)
    }
}

/// How an exchange ended.
enum TransferEnd: Sendable, Equatable {
    /// The whole body as framed by the server.
    case complete
    /// The receiver stopped it.
    case stopped
    /// The connection broke, or could not be made.
    case failed(reason: String)
    /// Trying again would not help: a TLS error, or a forbidden address.
    case refused(reason: String)
}

/// `Content-Range` (RFC 9110, 14.4): `bytes 0-99/1000`, `bytes 0-99/*`, `bytes */1000`.
package struct ContentRange: Sendable, Equatable {
    /// nil for an unsatisfied range.
    package var range: Range<Int>?
    /// nil for `*`.
    package var total: Int?

    package init?(_ text: String) {
        let words = text.split(separator: " ", maxSplits: 1)
        guard words.count == 2, words[0].lowercased() == "bytes" else { return nil }
        let halves = words[1].split(separator: "/", omittingEmptySubsequences: false)
        guard halves.count == 2 else { return nil }
        if halves[1] != "*" {
            guard let total = TransferResponse.natural(halves[1]) else { return nil }
            self.total = total
        }
        guard halves[0] != "*" else { return }
        let ends = halves[0].split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, let first = TransferResponse.natural(ends[0]),
            let last = TransferResponse.natural(ends[1]),
            first <= last, last < .max, last < total ?? .max
        else { return nil }
        range = first..<last + 1
    }
}
