/// Proves that two responses are parts of the same bytes (RFC 9110, 8.8).
package enum EntityValidator: Sendable, Equatable, Codable {
    /// A strong entity tag, with its quotes.
    case tag(String)
    /// A date that is strong because the response was generated at least a minute later.
    case modified(String)

    /// The value of `If-Range`.
    var text: String {
        switch self {
        case .tag(let text), .modified(let text): text
        }
    }

    /// - Returns: nil if the response has no strong validator, and therefore cannot be resumed.
    init?(_ response: TransferResponse) {
        if let tag = response.headers["etag"] {
            // A weak tag means that bytes may differ; a date is no better.
            guard tag.utf8.count >= 2, tag.utf8.count <= 512, tag.hasPrefix("\""), tag.hasSuffix("\""),
                tag.dropFirst().dropLast().utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\"") })
            else { return nil }
            self = .tag(tag)
            return
        }
        guard let modified = response.headers["last-modified"], let then = HTTPDate.seconds(modified),
            let now = response.headers["date"].flatMap(HTTPDate.seconds), now - then >= 60
        else { return nil }
        self = .modified(modified)
    }
}

/// `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110, 5.6.7), the one form that servers may send.
package enum HTTPDate {
    /// Seconds since 1970.
    package static func seconds(_ text: String) -> Int? {
        let words = text.split(separator: " ")
        guard words.count == 6, words[0].hasSuffix(","), words[5] == "GMT",
            let day = TransferResponse.natural(words[1]), (1...31).contains(day),
            let month = months.firstIndex(of: String(words[2])),
            let year = TransferResponse.natural(words[3]), (1970...9999).contains(year)
        else { return nil }
        let clock = words[4].split(separator: ":").compactMap { TransferResponse.natural($0) }
        guard clock.count == 3, clock[0] < 24, clock[1] < 60, clock[2] <= 60 else { return nil }
        // Days from the civil date: years begin in March, so that the leap day is the last of a year.
        let shifted = month < 2 ? year - 1 : year
        let monthFromMarch = (month + 10) % 12
        let days =
            365 * shifted + shifted / 4 - shifted / 100 + shifted / 400 + (153 * monthFromMarch + 2) / 5 + day - 1
        return (days - 719_468) * 86400 + clock[0] * 3600 + clock[1] * 60 + clock[2]
    }

    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
}
