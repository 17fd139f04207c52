internal import HearthSystem

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
/// against that size. What no reader can see while it reads is a file that **somebody shortens or overwrites while it is mapped**.
/// Whoever makes something of the bytes therefore calls `checkIntact()` afterwards, and gives out nothing where it throws. Install files
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
    /// Bytes in the file when it was opened.
    package let count: Int
    /// The first byte. Valid for as long as this object is alive, for `count` bytes.
    package var base: UnsafeRawPointer { UnsafeRawPointer(memory) }

    // Written by nobody after `init`, released by `deinit` alone.
    private nonisolated(unsafe) let memory: UnsafeMutableRawPointer
    private let source: Source?

    /// The file behind a map.
    private struct Source: Sendable {
        let descriptor: Int32
        /// The file as it was mapped.
        let stamp: FileStamp
        let watch: WatchedMapping
    }

    /// Maps the file at `path`.
    ///
    /// Throws `GGUFError.unreadable` when it cannot be opened, is not a regular file, or cannot be mapped.
    package convenience init(path: String) throws(GGUFError) {
        try self.init(path: path, shownAs: path)
    }

    /// Maps the file at `path`; errors name `shown` (a file that is about to be renamed to it).
    init(path: String, shownAs shown: String) throws(GGUFError) {
        func failure(_ reason: String) -> GGUFError { .unreadable(.init(file: shown, field: "file"), reason: reason) }
        func system() -> GGUFError { failure(String(cString: strerror(errno))) }

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
            source = nil
        } else {
            guard let map = mmap(nil, size, PROT_READ, MAP_PRIVATE, descriptor, 0), map != MAP_FAILED else {
                let error = system()
                close(descriptor)
                throw error
            }
            memory = map
            source = Source(
                descriptor: descriptor, stamp: FileStamp(status), watch: WatchedMapping(base: map, count: size))
        }
        self.path = shown
        count = size
    }

    /// A copy of `bytes` on the heap that behaves like a file called `path`.
    package init(copying bytes: [UInt8], path: String = "memory") {
        self.path = path
        count = bytes.count
        // Exactly the size, so that the address sanitizer sees a read past the end.
        memory = .allocate(byteCount: max(bytes.count, 1), alignment: Self.alignment)
        source = nil
        bytes.withUnsafeBytes { UnsafeMutableRawBufferPointer(start: memory, count: count).copyMemory(from: $0) }
    }

    /// Zeroed memory of `count` bytes, filled by `fill`, that behaves like a file.
    init(count: Int, fill: (UnsafeMutableRawBufferPointer) -> Void) {
        path = "memory"
        self.count = count
        memory = .allocate(byteCount: max(count, 1), alignment: Self.alignment)
        source = nil
        let bytes = UnsafeMutableRawBufferPointer(start: memory, count: count)
        bytes.initializeMemory(as: UInt8.self, repeating: 0)
        fill(bytes)
    }

    deinit {
        guard let source else { return memory.deallocate() }
        // First of all: nobody may take what comes to lie there for this map.
        source.watch.end()
        _ = munmap(memory, count)
        _ = close(source.descriptor)
    }

    private static let alignment = 64

    /// Calls `body` with all bytes; they must not be kept beyond the call.
    package func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
        try withExtendedLifetime(self) { try body(UnsafeRawBufferPointer(start: base, count: count)) }
    }

    /// Whether a file is behind it, and not a copy in memory.
    var isMapped: Bool { source != nil }
    /// -1 for a copy in memory.
    var fileDescriptor: Int32 { source?.descriptor ?? -1 }

    /// Whether the file still is what it was at opening: nothing that was read of the map so far was missing, and its size and time of
    /// modification are the same. Costs less than a microsecond.
    package var isIntact: Bool {
        guard let source else { return true }
        return !source.watch.isLost && FileStamp(descriptor: source.descriptor) == source.stamp
    }

    /// For whoever has read bytes and is about to use what they gave.
    /// - Throws: `GGUFError.changed` where somebody wrote to the file, or shortened it, since it was opened.
    package func checkIntact() throws(GGUFError) {
        guard !isIntact else { return }
        throw .changed(.init(file: path, field: "file"))
    }

    /// For programs that handle SIGBUS themselves: no handler is installed, from now on. A mapped file that is shortened then raises
    /// the signal; `checkIntact()` goes by size and time alone. To be called before the first model is opened.
    package static func leaveFaultsToTheProgram() { WatchedMapping.switchOff() }
}
