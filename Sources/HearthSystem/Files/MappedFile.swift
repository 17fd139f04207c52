#if canImport(Darwin)
internal import Darwin
#elseif canImport(Musl)
internal import Musl
#else
internal import Glibc
#endif

/// A file as memory: mapped read-only, so that it costs address space and reclaimable pages, never heap.
///
/// The map lives as long as the object. Its size is the file's size at opening, and everything that reads it checks
/// against that size. A reader cannot notice that **somebody truncates or overwrites the file while it is mapped**.
/// Code that uses the bytes therefore calls `checkIntact()` afterwards, and discards its result if that throws. Install files
/// under a name of their own and replace them by renaming (as `GGUFBuilder.write` does), which leaves open maps intact.
///
/// Touching a page that the file no longer has raises SIGBUS. The first map of a process installs a handler for it: the bytes of such a
/// map become zeros, and `checkIntact()` throws. Faults elsewhere go on to the handler that was there before. A program that
/// handles SIGBUS itself installs its handler earlier, or calls `leaveFaultsToTheProgram()` first.
///
/// `MappedFile(copying:path:)` is the twin in memory, for tests and for content that is not on disk yet.
@usableFromInline package final class MappedFile: Sendable {
    /// The path as it was given.
    package let path: String
    /// Bytes in the file when it was opened; of several files, the bytes that they span in the map.
    package let count: Int
    /// Bytes in the file, or in all files together.
    package let byteCount: Int
    /// The first byte. Valid for as long as this object is alive, for `count` bytes.
    package var base: UnsafeRawPointer { UnsafeRawPointer(memory) }

    // Not modified after `init`, and released only by `deinit`.
    private nonisolated(unsafe) let memory: UnsafeMutableRawPointer
    /// One a file; none for a copy in memory.
    private let sources: [Source]

    /// The file behind a map.
    private struct Source: Sendable {
        let descriptor: Int32
        /// The file as it was mapped.
        let stamp: FileStamp
        let watch: WatchedMapping
    }

    /// Maps the file at `path`.
    ///
    /// Throws `FileError.unreadable` when it cannot be opened, is not a regular file, or cannot be mapped.
    package convenience init(path: String) throws(FileError) {
        try self.init(path: path, shownAs: path)
    }

    /// Maps the file at `path`; errors name `shown` (a file that is about to be renamed to it).
    package init(path: String, shownAs shown: String) throws(FileError) {
        func failure(_ reason: String) -> FileError { .unreadable(.init(file: shown, field: "file"), reason: reason) }
        func system() -> FileError { failure(String(cString: strerror(errno))) }

        // Not blocking: a named pipe must fail, not wait for a writer.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw system() }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
            let error = system()
            close(descriptor)
            throw error
        }
        guard status.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            throw failure("not a regular file")
        }
        guard let size = Int(exactly: status.st_size), size >= 0 else {
            close(descriptor)
            throw failure("its size does not fit")
        }
        if size == 0 {
            // An empty range cannot be mapped; one unused byte keeps `base` valid.
            close(descriptor)
            memory = .allocate(byteCount: 1, alignment: Self.alignment)
            sources = []
        } else {
            guard let map = mmap(nil, size, PROT_READ, MAP_PRIVATE, descriptor, 0), map != MAP_FAILED else {
                let error = system()
                close(descriptor)
                throw error
            }
            memory = map
            sources = [
                Source(descriptor: descriptor, stamp: FileStamp(status), watch: WatchedMapping(base: map, count: size))
            ]
        }
        self.path = shown
        count = size
        byteCount = size
    }

    /// Several files in one contiguous map; each begins on a page boundary after the previous one.
    ///
    /// It is called after the first. What is between two files is zero.
    /// - Returns: the map, and the offset of each file.
    package static func joined(_ parts: [MappedFile]) throws(FileError) -> (file: MappedFile, offsets: [Int]) {
        var offsets: [Int] = []
        var end = 0
        for part in parts {
            offsets.append((end + page - 1) / page * page)
            end = offsets[offsets.count - 1] + part.count
        }
        return (try MappedFile(parts, at: offsets, count: end), offsets)
    }

    private init(_ parts: [MappedFile], at offsets: [Int], count: Int) throws(FileError) {
        path = parts.first?.path ?? ""
        self.count = count
        byteCount = parts.reduce(0) { $0 + $1.count }
        func failure(_ part: MappedFile) -> FileError {
            .unreadable(.init(file: part.path, field: "file"), reason: String(cString: strerror(errno)))
        }
        guard parts.allSatisfy(\.isMapped) else {
            throw .unreadable(.init(file: path, field: "file"), reason: "a part of it is empty")
        }
        guard let map = mmap(nil, count, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), map != MAP_FAILED else {
            throw .unreadable(.init(file: path, field: "file"), reason: String(cString: strerror(errno)))
        }
        var sources: [Source] = []
        func discard() {
            for source in sources {
                source.watch.end()
                _ = close(source.descriptor)
            }
            _ = munmap(map, count)
        }
        for (part, offset) in zip(parts, offsets) {
            guard let source = part.sources.first else { continue }
            let place = map + offset
            let descriptor = fcntl(source.descriptor, F_DUPFD_CLOEXEC, 0)
            guard descriptor >= 0,
                mmap(place, part.count, PROT_READ, MAP_PRIVATE | MAP_FIXED, descriptor, 0) != MAP_FAILED
            else {
                let error = failure(part)
                if descriptor >= 0 { _ = close(descriptor) }
                discard()
                throw error
            }
            sources.append(
                Source(
                    descriptor: descriptor, stamp: source.stamp, watch: WatchedMapping(base: place, count: part.count)))
        }
        memory = map
        self.sources = sources
    }

    /// A copy of `bytes` on the heap that behaves like a file called `path`.
    package init(copying bytes: [UInt8], path: String = "memory") {
        self.path = path
        count = bytes.count
        byteCount = bytes.count
        // Exactly the size, so that the address sanitizer sees a read past the end.
        memory = .allocate(byteCount: max(bytes.count, 1), alignment: Self.alignment)
        sources = []
        bytes.withUnsafeBytes { UnsafeMutableRawBufferPointer(start: memory, count: count).copyMemory(from: $0) }
    }

    /// Zeroed memory of `count` bytes, filled by `fill`, that behaves like a file.
    package init(count: Int, fill: (UnsafeMutableRawBufferPointer) -> Void) {
        path = "memory"
        self.count = count
        byteCount = count
        memory = .allocate(byteCount: max(count, 1), alignment: Self.alignment)
        sources = []
        let bytes = UnsafeMutableRawBufferPointer(start: memory, count: count)
        bytes.initializeMemory(as: UInt8.self, repeating: 0)
        fill(bytes)
    }

    deinit {
        guard !sources.isEmpty else { return memory.deallocate() }
        // First of all: whatever is mapped there next must not be taken for this map.
        for source in sources { source.watch.end() }
        _ = munmap(memory, count)
        for source in sources { _ = close(source.descriptor) }
    }

    private static let alignment = 64

    /// Calls `body` with all bytes; they must not be kept beyond the call.
    package func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
        try withExtendedLifetime(self) { try body(UnsafeRawBufferPointer(start: base, count: count)) }
    }

    /// Whether it maps a file, rather than holding a copy in memory.
    package var isMapped: Bool { !sources.isEmpty }
    /// The number of mapped files; 1 for a copy in memory.
    package var partCount: Int { max(1, sources.count) }
    /// -1 for a copy in memory, and for several files.
    package var fileDescriptor: Int32 { sources.count == 1 ? sources[0].descriptor : -1 }

    /// Whether the file is unchanged since it was opened: no page that was read so far was missing, and size and modification time
    /// are the same. Costs less than a microsecond.
    package var isIntact: Bool {
        // Not by `allSatisfy`, for nothing may be allocated here.
        for index in sources.indices {
            let source = sources[index]
            if source.watch.isLost || FileStamp(descriptor: source.descriptor) != source.stamp { return false }
        }
        return true
    }

    /// To be called after reading bytes and before using the result.
    /// - Throws: `FileError.changed` if the file was written to or truncated since it was opened.
    package func checkIntact() throws(FileError) {
        guard !isIntact else { return }
        throw .changed(.init(file: path, field: "file"))
    }

    /// For programs that handle SIGBUS themselves: no handler is installed, from now on. A mapped file that is shortened then raises
    /// the signal; `checkIntact()` goes by size and time alone. To be called before the first model is opened.
    package static func leaveFaultsToTheProgram() { WatchedMapping.switchOff() }
}
