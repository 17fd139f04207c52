internal import CZlib

/// Unpacks DEFLATE, piece by piece.
final class Inflater {
    enum Wrapping: Int32 {
        /// As zip has it.
        case none = -15
        /// With gzip's head and checksum.
        case gzip = 31
    }

    /// What a piece of input gave.
    struct Step {
        /// Bytes of the input that were used.
        var used: Int
        var output: ArraySlice<UInt8>
        /// The packed stream ends where `used` does.
        var isAtEnd: Bool
    }

    private let library: ZlibLibrary
    private let stream: UnsafeMutablePointer<z_stream>
    private var buffer = [UInt8](repeating: 0, count: 256 << 10)

    init(_ wrapping: Wrapping) throws(DeliveryError) {
        library = try .shared()
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        guard library.begin(stream, wrapping.rawValue, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else {
            // Everything is set, so `deinit` runs; it accepts a stream that never began.
            throw .libraryMissing("zlib \(ZLIB_VERSION)", package: "zlib1g")
        }
    }

    deinit {
        _ = library.end(stream)
        stream.deallocate()
    }

    /// Begins a further stream of the same kind.
    func restart() { _ = library.reset(stream) }

    /// Unpacks as much as fits into one buffer.
    /// - Returns: nil if the input is not what DEFLATE can be.
    func step(_ input: ArraySlice<UInt8>) -> Step? {
        input.withUnsafeBufferPointer { bytes in
            buffer.withUnsafeMutableBufferPointer { room -> (used: Int, made: Int, isAtEnd: Bool)? in
                stream.pointee.next_in = UnsafeMutablePointer(mutating: bytes.baseAddress)
                stream.pointee.avail_in = UInt32(bytes.count)
                stream.pointee.next_out = room.baseAddress
                stream.pointee.avail_out = UInt32(room.count)
                let code = library.inflate(stream, Z_NO_FLUSH)
                // No progress is an answer: there is no more input.
                guard code == Z_OK || code == Z_STREAM_END || code == Z_BUF_ERROR else { return nil }
                let used = bytes.count - Int(stream.pointee.avail_in)
                return (used, room.count - Int(stream.pointee.avail_out), code == Z_STREAM_END)
            }
        }.map { Step(used: $0.used, output: buffer[..<$0.made], isAtEnd: $0.isAtEnd) }
    }
}
