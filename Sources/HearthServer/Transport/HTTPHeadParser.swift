/// Parses a request's head from bytes in any pieces, strictly by RFC 9112: a proxy that parses a message differently
/// from this server enables request smuggling. Anything inexact is refused, and the connection closed.
package struct HTTPHeadParser {
    /// Maximum size of the request line and all header lines.
    package let limit: Int
    /// Maximum number of header lines.
    package static let mostHeaders = 100
    /// Maximum number of empty lines that are skipped before a request (RFC 9112, section 2.2).
    package static let mostEmptyLines = 2

    private var lineStart = 0
    private var at = 0
    private var emptyLines = 0
    private var lines: [Range<Int>] = []

    package init(limit: Int) { self.limit = limit }

    /// Parses what has arrived since the last call.
    /// - Parameter bytes: all bytes of the head so far.
    /// - Returns: the head and its length in bytes; nil if it is not complete.
    /// - Throws: `HTTPFailure`: 400, 431 or 505. Nothing after it on this connection can be parsed.
    package mutating func parse(_ bytes: [UInt8]) throws(HTTPFailure) -> (head: RequestHead, count: Int)? {
        while at < bytes.count {
            let byte = bytes[at]
            switch byte {
            case 0x0D:
                guard at + 1 < bytes.count else { return nil }
                guard bytes[at + 1] == 0x0A else { throw Self.malformed("A line ends in CR alone.") }
                let line = lineStart..<at
                at += 2
                lineStart = at
                if !line.isEmpty {
                    lines.append(line)
                    guard lines.count <= Self.mostHeaders + 1 else {
                        throw RequestRules.headersTooLarge("at most \(Self.mostHeaders) headers")
                    }
                } else if lines.isEmpty {
                    emptyLines += 1
                    guard emptyLines <= Self.mostEmptyLines else {
                        throw Self.malformed("There are empty lines where a request should begin.")
                    }
                } else {
                    return (try head(bytes), at)
                }
                continue
            case 0x0A: throw Self.malformed("A line ends in LF alone.")
            case 0x09, 0x20...0x7E, 0x80...0xFF: break
            default: throw Self.malformed("The head holds a control character.")
            }
            at += 1
            guard at <= limit else { throw RequestRules.headersTooLarge("at most \(limit) bytes of them") }
        }
        return nil
    }

    private static func malformed(_ what: String) -> HTTPFailure {
        HTTPFailure(400, "bad_request", "The request is malformed. \(what) Send it as RFC 9112 has it.")
    }

    // MARK: - Lines

    private func head(_ bytes: [UInt8]) throws(HTTPFailure) -> RequestHead {
        let words = bytes[lines[0]].split(separator: 0x20, omittingEmptySubsequences: false)
        guard words.count == 3, Self.isToken(words[0]), !words[1].isEmpty,
            words[1].allSatisfy({ (0x21...0x7E).contains($0) })
        else { throw Self.malformed("Its first line is not a method, a target and a version.") }
        let minor = try Self.minorVersion(words[2])
        let target = try RequestTarget(String(decoding: words[1], as: UTF8.self))
        var headers: [(name: String, value: String)] = []
        for line in lines.dropFirst() { headers.append(try Self.header(bytes[line])) }
        return RequestHead(
            method: String(decoding: words[0], as: UTF8.self), path: target.path, query: target.query,
            authority: target.authority, headers: headers, headerBytes: at - lines[0].lowerBound, minorVersion: minor)
    }

    /// Parses one header line, also of a chunked body's trailer.
    package static func header(_ line: ArraySlice<UInt8>) throws(HTTPFailure) -> (name: String, value: String) {
        if line.first == 0x20 || line.first == 0x09 { throw malformed("A header continues on a second line.") }
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { throw malformed("A header has no colon.") }
        let name = line[..<colon]
        guard isToken(name) else {
            throw malformed(
                name.last == 0x20 || name.last == 0x09
                    ? "There is a blank before a header's colon." : "A header's name is invalid.")
        }
        var value = line[(colon + 1)...]
        while let first = value.first, first == 0x20 || first == 0x09 { value = value.dropFirst() }
        while let last = value.last, last == 0x20 || last == 0x09 { value = value.dropLast() }
        return (String(decoding: name, as: UTF8.self).lowercased(), String(decoding: value, as: UTF8.self))
    }

    private static func minorVersion(_ word: ArraySlice<UInt8>) throws(HTTPFailure) -> Int {
        let digits = Array(word)
        func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
        guard digits.count == 8, digits.starts(with: Array("HTTP/".utf8)), isDigit(digits[5]),
            digits[6] == UInt8(ascii: "."), isDigit(digits[7])
        else { throw malformed("Its first line is not a method, a target and a version.") }
        guard digits[5] == UInt8(ascii: "1") else {
            throw HTTPFailure(505, "bad_version", "This version of HTTP is not supported. Use version 1.1.")
        }
        // A later 1.x is read as 1.1 (RFC 9110, section 6.2).
        return digits[7] == UInt8(ascii: "0") ? 0 : 1
    }

    private static func isToken(_ bytes: ArraySlice<UInt8>) -> Bool {
        !bytes.isEmpty
            && bytes.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                    || "!#$%&'*+-.^_`|~".utf8.contains(byte)
            }
    }
}

/// The target in a request line: a path, or an absolute address (RFC 9112, section 3.2). Escapes in the path are kept.
package struct RequestTarget: Equatable {
    package var path: String
    package var query: [(name: String, value: String)] = []
    /// The host of an absolute target, which takes the place of `Host`.
    package var authority: String?

    package static func == (a: Self, b: Self) -> Bool {
        (a.path, a.authority) == (b.path, b.authority) && a.query.elementsEqual(b.query, by: ==)
    }

    /// - Throws: `HTTPFailure`, 400.
    package init(_ text: String) throws(HTTPFailure) {
        var rest = Substring(text)
        if text.lowercased().hasPrefix("http://") {
            rest = rest.dropFirst(7)
            let end = rest.firstIndex { $0 == "/" || $0 == "?" || $0 == "#" } ?? rest.endIndex
            authority = String(rest[..<end])
            rest = rest[end...]
            if !rest.hasPrefix("/") { rest = "/" + rest }
        }
        guard rest.hasPrefix("/") || rest == "*", !rest.contains("#") else {
            throw HTTPFailure(
                400, "bad_target",
                "The request's target is neither a path nor an http address. Send a path, such as /health.")
        }
        let parts = rest.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        path = String(parts[0])
        guard parts.count == 2 else { return }
        query = parts[1].split(separator: "&").map { field in
            let halves = field.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return (Self.unescaped(halves[0]), halves.count == 2 ? Self.unescaped(halves[1]) : "")
        }
    }

    /// Decodes form encoding: `+` for a space, `%41` for a byte. Invalid escapes are kept.
    private static func unescaped(_ text: Substring) -> String {
        let bytes = Array(text.utf8)
        func digit(_ index: Int) -> UInt8? {
            guard bytes.indices.contains(index) else { return nil }
            return Character(UnicodeScalar(bytes[index])).hexDigitValue.map(UInt8.init)
        }
        var result: [UInt8] = []
        var at = 0
        while at < bytes.count {
            if bytes[at] == UInt8(ascii: "%"), let high = digit(at + 1), let low = digit(at + 2) {
                result.append(high << 4 | low)
                at += 3
            } else {
                result.append(bytes[at] == UInt8(ascii: "+") ? 0x20 : bytes[at])
                at += 1
            }
        }
        return String(decoding: result, as: UTF8.self)
    }
}
