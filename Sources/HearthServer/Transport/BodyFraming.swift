/// How a request's body is delimited (RFC 9112, section 6). Ambiguous framing is refused and the connection closed,
/// since the start of the next request would be unknown.
package enum BodyFraming: Equatable {
    case none
    case length(Int)
    case chunked

    /// - Throws: `HTTPFailure`, 400.
    package init(_ head: RequestHead) throws(HTTPFailure) {
        let lengths = head.values("content-length")
        let codings = head.values("transfer-encoding")
        guard lengths.count + codings.count <= 1 else {
            throw HTTPFailure(400, "bad_length", "The body's length is given more than once. Send one Content-Length.")
        }
        if let coding = codings.first {
            guard coding.lowercased() == "chunked", head.minorVersion > 0 else {
                throw HTTPFailure(400, "bad_transfer", "This transfer coding is not supported. Send a Content-Length.")
            }
            self = .chunked
            return
        }
        guard let text = lengths.first else {
            self = .none
            return
        }
        guard !text.isEmpty, text.utf8.count <= 19, text.utf8.allSatisfy({ (48...57).contains($0) }),
            let length = Int(text)
        else { throw HTTPFailure(400, "bad_length", "Content-Length is not a length. Send the number of bytes.") }
        self = length == 0 ? .none : .length(length)
    }
}

/// Decodes a chunked body (RFC 9112, section 7.1) strictly: sizes are hexadecimal digits only, lines end in CR LF.
/// Extensions and trailers are ignored.
package struct ChunkedBody {
    package init() {}

    private enum Place { case size, data(Int), dataEnd, trailer }
    private var place = Place.size
    private var line: [UInt8] = []
    private var lineBytes = 0

    /// Maximum number of bytes for size lines and the trailer beyond what the data justify: one-byte chunks are
    /// allowed, a flood of extensions is not.
    package static let mostOverhead = 16 << 10
    private static let mostDigits = 15

    /// Consumes bytes.
    /// - Parameters:
    ///   - bytes: received bytes; those consumed are removed from the front.
    ///   - data: receives the body's bytes.
    /// - Returns: whether the body is complete.
    /// - Throws: `HTTPFailure`, 400.
    package mutating func take(_ bytes: inout ArraySlice<UInt8>, _ data: (ArraySlice<UInt8>) -> Void)
        throws(HTTPFailure)
        -> Bool
    {
        while !bytes.isEmpty {
            switch place {
            case .data(let left):
                let piece = bytes.prefix(left)
                data(piece)
                bytes = bytes.dropFirst(piece.count)
                lineBytes = max(0, lineBytes - 8 * piece.count)
                place = piece.count == left ? .dataEnd : .data(left - piece.count)
            case .size, .dataEnd, .trailer:
                guard let line = try nextLine(&bytes) else { return false }
                switch place {
                case .dataEnd:
                    guard line.isEmpty else { throw Self.malformed("A chunk is longer than its size says.") }
                    place = .size
                case .size:
                    let size = try Self.size(line)
                    place = size == 0 ? .trailer : .data(size)
                default:
                    if line.isEmpty { return true }
                    _ = try HTTPHeadParser.header(line[...])
                }
            }
        }
        return false
    }

    /// The next line without its terminator; nil if it is not complete.
    private mutating func nextLine(_ bytes: inout ArraySlice<UInt8>) throws(HTTPFailure) -> [UInt8]? {
        while let byte = bytes.popFirst() {
            lineBytes += 1
            guard lineBytes <= Self.mostOverhead else { throw Self.malformed("The chunk sizes take too many bytes.") }
            if byte == 0x0A {
                guard line.last == 0x0D else { throw Self.malformed("A line ends in LF alone.") }
                defer { line = [] }
                return line.dropLast()
            }
            guard line.last != 0x0D else { throw Self.malformed("A line ends in CR alone.") }
            guard byte == 0x0D || byte == 0x09 || byte >= 0x20 && byte != 0x7F else {
                throw Self.malformed("A line holds a control character.")
            }
            line.append(byte)
        }
        return nil
    }

    private static func size(_ line: [UInt8]) throws(HTTPFailure) -> Int {
        let digits = line.prefix { Character(UnicodeScalar($0)).isHexDigit && $0 < 0x80 }
        let rest = line.dropFirst(digits.count)
        guard (1...mostDigits).contains(digits.count), rest.isEmpty || rest.first == UInt8(ascii: ";"),
            let size = Int(String(decoding: digits, as: UTF8.self), radix: 16)
        else { throw malformed("A chunk size is invalid.") }
        return size
    }

    private static func malformed(_ what: String) -> HTTPFailure {
        HTTPFailure(400, "bad_chunk", "The chunked body is malformed. \(what) Send it as RFC 9112 has it.")
    }
}
