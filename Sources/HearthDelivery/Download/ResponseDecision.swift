/// What a response means for the partial file that it was requested for.
package enum ResponseDecision: Sendable, Equatable {
    /// The body continues where the partial file has a gap.
    case append
    /// The body is the whole file: what arrived before is discarded.
    case replace
    /// Nothing is missing.
    case finished
    /// The partial file cannot be resumed: start again without it.
    case restart(reason: String)
    case redirect(to: String)
    /// The server is unavailable now; the seconds to wait, if it gave them.
    case later(status: Int, after: Double?)
    /// Asking again would not help.
    case refuse(DeliveryError)
}

/// What was requested, and what is known about the file.
package struct ResponseExpectation: Sendable, Equatable {
    /// The address, for messages.
    var url: String
    /// The requested bytes, to the end if the end is nil; nil for the whole file.
    var requested: (start: Int, end: Int?)?
    /// The validator of the bytes that have arrived.
    var validator: EntityValidator?
    /// The file's size as the request declared it.
    var declaredBytes: Int?
    /// The size according to an earlier response.
    var knownTotal: Int?
    /// Whether a digest will verify the whole file.
    var hasDigest: Bool

    package init(
        url: String, requested: (start: Int, end: Int?)? = nil, validator: EntityValidator? = nil,
        declaredBytes: Int? = nil, knownTotal: Int? = nil, hasDigest: Bool
    ) {
        self.url = url
        self.requested = requested
        self.validator = validator
        self.declaredBytes = declaredBytes
        self.knownTotal = knownTotal
        self.hasDigest = hasDigest
    }

    package static func == (left: Self, right: Self) -> Bool {
        left.url == right.url && left.requested?.start == right.requested?.start
            && left.requested?.end == right.requested?.end && left.validator == right.validator
            && left.declaredBytes == right.declaredBytes && left.knownTotal == right.knownTotal
            && left.hasDigest == right.hasDigest
    }

    /// Decides by the head of a response alone. ``BodyCheck`` checks the file's first bytes.
    package func decide(_ response: TransferResponse, now: Int) -> ResponseDecision {
        switch response.status {
        case 200: return decideWhole(response)
        case 206: return decidePart(response)
        case 416: return decideUnsatisfied(response)
        case 301, 302, 303, 307, 308:
            guard let location = response.location else {
                return .refuse(.redirectRefused(url: url, to: "nowhere", reason: "it names no address"))
            }
            return .redirect(to: location)
        case 408, 425, 429, 500, 502, 503, 504, 521...524:
            return .later(status: response.status, after: Self.retryAfter(response, now: now))
        default: return .refuse(.refusedByServer(url: url, status: response.status))
        }
    }

    private func decideWhole(_ response: TransferResponse) -> ResponseDecision {
        if let error = unusable(response) { return .refuse(error) }
        if let length = response.contentLength {
            if length == 0 { return .refuse(.notAModel(url: url, reason: "it is empty")) }
            if let declaredBytes, declaredBytes != length {
                return .refuse(.wrongSize(url: url, expected: declaredBytes, actual: length))
            }
        } else if !response.hasFraming, !hasDigest {
            return .refuse(.unknownLength(url: url))
        }
        return .replace
    }

    private func decidePart(_ response: TransferResponse) -> ResponseDecision {
        if let error = unusable(response) { return .refuse(error) }
        guard let requested else { return .restart(reason: "a part was sent although the whole file was requested") }
        guard let answer = response.contentRange, let range = answer.range else {
            return .restart(reason: "a part came without its place")
        }
        guard range.lowerBound == requested.start else { return .restart(reason: "another part came than asked for") }
        if let end = requested.end, range.upperBound > end {
            return .restart(reason: "a longer part came than asked for")
        }
        if let length = response.contentLength, length != range.count {
            return .restart(reason: "the part's place and length disagree")
        }
        // A partial response has to repeat the tag (RFC 9110, 15.3.7), but not the date.
        switch validator {
        case .tag: if EntityValidator(response) != validator { return .restart(reason: "the file has changed") }
        case .modified(let date):
            if response.headers["last-modified"] ?? date != date { return .restart(reason: "the file has changed") }
        case nil: break
        }
        if let total = answer.total {
            if let declaredBytes, total != declaredBytes {
                return .refuse(.wrongSize(url: url, expected: declaredBytes, actual: total))
            }
            if let knownTotal, total != knownTotal { return .restart(reason: "the file has changed its size") }
        }
        return .append
    }

    private func decideUnsatisfied(_ response: TransferResponse) -> ResponseDecision {
        guard let requested, requested.start > 0 else { return .refuse(.refusedByServer(url: url, status: 416)) }
        return response.contentRange?.total == requested.start
            ? .finished : .restart(reason: "the file has changed its size")
    }

    /// Bodies that are not the file, whatever the status says.
    private func unusable(_ response: TransferResponse) -> DeliveryError? {
        let encoding = response.headers["content-encoding"]?.lowercased() ?? "identity"
        guard encoding == "identity" || encoding.isEmpty else {
            return .notAModel(url: url, reason: "it is compressed with \(encoding.prefix(20)), which was not requested")
        }
        if response.contentType.hasPrefix("multipart/") {
            return .notAModel(url: url, reason: "it came in several parts")
        }
        if response.contentType == "text/html" || response.contentType == "application/xhtml+xml", !hasDigest {
            return .notAModel(url: url, reason: "it is a web page")
        }
        return nil
    }

    /// Seconds, or a date (RFC 9110, 10.2.3).
    package static func retryAfter(_ response: TransferResponse, now: Int) -> Double? {
        guard let text = response.headers["retry-after"] else { return nil }
        // Messages show it as a whole number, and not every Double can be converted to one.
        if let seconds = TransferResponse.natural(text) { return Double(min(seconds, 1 << 40)) }
        return HTTPDate.seconds(text).map { Double(max(0, $0 - now)) }
    }
}

/// What a file's first bytes reveal.
enum BodyCheck {
    /// How many bytes the check needs.
    static let bytes = 512

    static func objection(_ first: some Sequence<UInt8>) -> String? {
        var text = String(decoding: Array(first.prefix(bytes)), as: UTF8.self)[...]
        if text.hasPrefix("\u{FEFF}") { text = text.dropFirst() }
        let start = text.drop { $0.isWhitespace }.prefix(64).lowercased()
        let isPage = ["<!doctype html", "<html", "<head", "<body", "<script"].contains { start.hasPrefix($0) }
        return isPage ? "it is a web page" : nil
    }
}
