/// The bytes of a tar file in their order, unpacked where gzip packs them.
final class ArchiveStream {
    private static let block = 256 << 10

    private let source: ArchiveSource
    private let inflater: Inflater?
    private let limit: Int
    /// Packed bytes that were read and not used yet.
    private var input: ArraySlice<UInt8> = []
    private var position = 0
    /// Unpacked bytes that nobody has taken yet.
    private var ready: ArraySlice<UInt8> = []
    private var made = 0
    private var isAtEnd = false

    /// - Parameter limit: most bytes that it may have unpacked.
    init(_ source: ArchiveSource, isPacked: Bool, limit: Int) throws(DeliveryError) {
        self.source = source
        self.limit = limit
        inflater = isPacked ? try Inflater(.gzip) : nil
    }

    /// The next bytes: as many as were asked for, fewer at the end only.
    func take(_ count: Int, entry: String? = nil) throws -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(min(count, Self.block))
        while bytes.count < count, let more = try next(atMost: count - bytes.count, entry: entry) { bytes += more }
        return bytes
    }

    /// Some of the next bytes; nil at the end.
    func next(atMost count: Int, entry: String?) throws -> ArraySlice<UInt8>? {
        while ready.isEmpty {
            guard !isAtEnd else { return nil }
            try fill(entry)
        }
        let part = ready.prefix(count)
        ready = ready.dropFirst(part.count)
        return part
    }

    private func fill(_ entry: String?) throws {
        if input.isEmpty {
            let count = min(Self.block, source.size - position)
            input = try source.bytes(at: position, count: count, entry: entry)[...]
            position += count
        }
        guard let inflater else {
            (ready, input, isAtEnd) = (input, [], input.isEmpty)
            return
        }
        guard !input.isEmpty else { throw source.invalid(entry, "it ends too early") }
        guard let step = inflater.step(input) else { throw source.invalid(entry, "its packed bytes are damaged") }
        input = input.dropFirst(step.used)
        ready = step.output
        made += ready.count
        guard made <= limit else {
            throw source.invalid(
                entry, "it has more than \(limit) bytes unpacked, which is too much for a model of this size")
        }
        if step.isAtEnd { try endMember() }
    }

    /// A gzip file may consist of several streams, one after the other; after the last one zeros fill up.
    private func endMember() throws {
        let rest = input.count + source.size - position
        if input.count < min(rest, 2) {
            let count = min(Self.block, source.size - position)
            input = (input + (try source.bytes(at: position, count: count)))[...]
            position += count
        }
        if input.starts(with: [0x1F, 0x8B]) {
            inflater?.restart()
            return
        }
        while true {
            guard input.allSatisfy({ $0 == 0 }) else { throw source.invalid(nil, "something follows its end") }
            guard position < source.size else { break }
            let count = min(Self.block, source.size - position)
            input = try source.bytes(at: position, count: count)[...]
            position += count
        }
        input = []
        isAtEnd = true
    }
}
