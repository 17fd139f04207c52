internal import Foundation

/// A URL that Hearth may download from: https, file, or http on this machine.
package struct DownloadAddress: Sendable, Equatable {
    enum Scheme: String, Sendable {
        case https, http, file
    }

    let scheme: Scheme
    /// Lower case, no brackets; empty for files.
    let host: String
    let port: Int
    /// As it is sent, without the fragment.
    let text: String
    /// The absolute path of a `file:` URL.
    let filePath: String

    /// - Throws: `DeliveryError.invalidAddress`.
    package init(_ string: String) throws(DeliveryError) {
        func invalid(_ reason: String) -> DeliveryError {
            .invalidAddress(url: Self.withoutSecrets(string), reason: reason)
        }
        guard string.utf8.count <= 8192 else { throw invalid("it has more than 8192 bytes") }
        guard !string.unicodeScalars.contains(where: { $0.value <= 0x20 || $0.value == 0x7F || $0 == "\\" }),
            var parts = URLComponents(string: string), let name = parts.scheme?.lowercased()
        else { throw invalid("it is not a URL") }
        guard let scheme = Scheme(rawValue: name) else { throw invalid("\(name) is not fetched from") }
        parts.fragment = nil
        guard parts.user == nil, parts.password == nil else { throw invalid("it holds a login") }
        self.scheme = scheme
        if scheme == .file {
            let path = parts.path
            guard ["", "localhost"].contains(parts.host ?? ""), path.hasPrefix("/"), !path.contains("\0") else {
                throw invalid("a file URL holds an absolute path and no host")
            }
            (host, port, filePath) = ("", 0, path)
            text = string
            return
        }
        let encoded = (parts.percentEncodedHost ?? "").lowercased()
        host = encoded.trimmingCharacters(in: CharacterSet(charactersIn: "[]"))
        let allowed = CharacterSet(charactersIn: "abcdefghijklmnopqrstuvwxyz0123456789.-_:")
        guard !host.isEmpty, host.unicodeScalars.allSatisfy(allowed.contains) else {
            throw invalid("its host is not a name or an address")
        }
        port = parts.port ?? (scheme == .https ? 443 : 80)
        guard (1...65535).contains(port), let whole = parts.string else { throw invalid("its port is out of range") }
        text = whole
        filePath = ""
        guard scheme == .https || RemoteAddress.Kind(literal: host) == .loopback else {
            throw invalid("http reaches no further than this machine")
        }
    }

    /// Scheme, host and port.
    var origin: String { "\(scheme.rawValue)://\(host):\(port)" }
    /// For messages and files: without the query, which may contain a key.
    var shown: String { Self.withoutSecrets(text) }

    static func withoutSecrets(_ text: String) -> String {
        let short = text.prefix { $0 != "?" && $0 != "#" }.prefix(300)
        guard let scheme = short.range(of: "://") else { return String(short) }
        let rest = short[scheme.upperBound...]
        let authority = rest.prefix { $0 != "/" }
        guard let at = authority.lastIndex(of: "@") else { return String(short) }
        return String(short[..<scheme.upperBound] + rest[rest.index(after: at)...])
    }

    static func fileURL(_ path: String) -> String { URL(fileURLWithPath: path).absoluteString }
}
