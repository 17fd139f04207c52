import HearthSystem

/// Writes messages. What was read and not changed is copied; large pieces of it stay where they are until they go to
/// the file.
package struct WireWriter {
    private enum Piece {
        case bytes([UInt8])
        case range(ByteRange)
    }

    private var pieces: [Piece] = []
    private var tail: [UInt8] = []
    /// Bytes so far.
    package private(set) var count = 0

    package init() {}

    /// A whole message.
    package static func file(_ message: some WireMessage) -> WireWriter {
        var writer = WireWriter()
        writer.content(message)
        return writer
    }

    /// The fields of a message, without a tag around them.
    private mutating func content(_ message: some WireMessage) {
        if let source = message.origin.source {
            copy(source)
        } else {
            message.encode(into: &self)
            for range in message.origin.unknown { copy(range) }
        }
    }

    // MARK: - Fields

    /// A scalar; the default is not written.
    mutating func unsigned(_ number: Int, _ value: UInt64) {
        guard value != 0 else { return }
        tag(number, 0)
        append(varint: value)
    }

    mutating func integer(_ number: Int, _ value: Int) { unsigned(number, UInt64(bitPattern: Int64(value))) }

    mutating func bool(_ number: Int, _ value: Bool) { unsigned(number, value ? 1 : 0) }

    /// A text; an empty one is the default and not written, unless it is an item of a list or a choice.
    mutating func string(_ number: Int, _ value: String, always: Bool = false) {
        guard always || !value.isEmpty else { return }
        tag(number, 2)
        append(varint: UInt64(value.utf8.count))
        append(Array(value.utf8))
    }

    mutating func bytes(_ number: Int, _ range: ByteRange) {
        guard range.count > 0 else { return }
        tag(number, 2)
        append(varint: UInt64(range.count))
        copy(range)
    }

    mutating func message(_ number: Int, _ message: some WireMessage) {
        if let source = message.origin.source {
            tag(number, 2)
            append(varint: UInt64(source.count))
            copy(source)
        } else {
            nested(number) { $0.content(message) }
        }
    }

    mutating func messages(_ number: Int, _ messages: some Sequence<some WireMessage>) {
        for message in messages { self.message(number, message) }
    }

    /// A message that `body` writes; an empty one is written too, because it can select a choice.
    mutating func nested(_ number: Int, _ body: (inout WireWriter) -> Void) {
        var child = WireWriter()
        body(&child)
        append(number, child)
    }

    private mutating func append(_ number: Int, _ child: WireWriter) {
        tag(number, 2)
        append(varint: UInt64(child.count))
        for piece in child.pieces {
            switch piece {
            case .bytes(let bytes): append(bytes)
            case .range(let range): copy(range)
            }
        }
        append(child.tail)
    }

    /// Another content of a message that was read.
    struct Replacement {
        /// Where the old content is.
        let place: ByteRange
        let bytes: [UInt8]
    }

    /// The fields of a message as they were read, but for messages inside it, at any depth, that have another content.
    /// - Parameter replacements: in the order of their places.
    mutating func copy(_ input: WireInput, replacing replacements: ArraySlice<Replacement>) throws(WireFault) {
        var rest = replacements
        var reader = WireReader(input)
        while let field = try reader.next() {
            guard case .bytes(let range) = field.value, let next = rest.first,
                next.place.offset >= range.offset, next.place.offset < range.offset + range.count
            else {
                copy(field.whole)
                continue
            }
            if next.place.offset == range.offset, next.place.count == range.count {
                rest.removeFirst()
                tag(field.number, 2)
                append(varint: UInt64(next.bytes.count))
                append(next.bytes)
                continue
            }
            let inner = rest.prefix { $0.place.offset < range.offset + range.count }
            rest.removeFirst(inner.count)
            var child = WireWriter()
            try child.copy(try input.child(range), replacing: inner)
            append(field.number, child)
        }
    }

    /// Numbers, packed.
    package mutating func numbers(_ number: Int, _ numbers: WireNumbers) {
        let length = numbers.pieces.reduce(0) { $0 + $1.count }
        guard length > 0 else { return }
        tag(number, 2)
        append(varint: UInt64(length))
        for piece in numbers.pieces { copy(piece) }
    }

    // MARK: - Bytes

    private mutating func tag(_ number: Int, _ type: UInt64) { append(varint: UInt64(number) << 3 | type) }

    private mutating func append(varint value: UInt64) {
        let before = tail.count
        tail.append(varint: value)
        count += tail.count - before
    }

    private mutating func append(_ bytes: [UInt8]) {
        tail += bytes
        count += bytes.count
    }

    /// Bytes as they are: whole fields of a message.
    mutating func copy(_ range: ByteRange) {
        guard range.count > Self.copied else { return append(range.array) }
        if !tail.isEmpty { pieces.append(.bytes(tail)) }
        tail = []
        pieces.append(.range(range))
        count += range.count
    }

    /// Bytes up to which a piece is cheaper to copy than to remember.
    private static let copied = 4096

    /// Hands everything out, in order.
    func emit(_ sink: (UnsafeRawBufferPointer) throws -> Void) rethrows {
        for piece in pieces {
            switch piece {
            case .bytes(let bytes): try bytes.withUnsafeBytes(sink)
            case .range(let range): try range.withBytes(sink)
            }
        }
        try tail.withUnsafeBytes(sink)
    }

    /// Everything in memory; for small messages and tests.
    package var array: [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(count)
        emit { result.append(contentsOf: $0) }
        return result
    }
}

extension [UInt8] {
    /// An integer of one to ten bytes, seven bits each, lowest first.
    package mutating func append(varint value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        append(UInt8(rest))
    }
}
