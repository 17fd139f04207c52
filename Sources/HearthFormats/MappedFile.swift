#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// A file as memory: mapped read-only, so that it costs address space and reclaimable pages, never heap.
///
/// The map lives as long as the object. Its size is the file's size at opening, and everything that reads it checks
/// against that size. What no reader can check is a file that **somebody shortens while it is mapped**: touching
/// the lost pages raises SIGBUS. Install files under a name of their own and replace them by renaming (as
/// `GGUFBuilder.write` does), which leaves open maps intact; `isIntact` tells whether the file still has its bytes.
///
/// `MappedFile(copying:path:)` is the twin in memory, for tests and for content that is not on disk yet.
public final class MappedFile: Sendable {
    /// The path as it was given.
    public let path: String
    /// Bytes in the file when it was opened.
    public let count: Int
    /// The first byte. Valid for as long as this object is alive, for `count` bytes.
    public var base: UnsafeRawPointer { UnsafeRawPointer(memory) }

    // Written by nobody after `init`, released by `deinit` alone.
    private nonisolated(unsafe) let memory: UnsafeMutableRawPointer
    private let descriptor: Int32?

    /// Maps the file at `path`.
    ///
    /// Throws `GGUFError.unreadable` when it cannot be opened, is not a regular file, or cannot be mapped.
    public convenience init(path: String) throws(GGUFError) {
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
            self.descriptor = nil
        } else {
            guard let map = mmap(nil, size, PROT_READ, MAP_PRIVATE, descriptor, 0), map != MAP_FAILED else {
                let error = system()
                close(descriptor)
                throw error
            }
            memory = map
            self.descriptor = descriptor
        }
        self.path = shown
        count = size
    }

    /// A copy of `bytes` on the heap that behaves like a file called `path`.
    public init(copying bytes: [UInt8], path: String = "memory") {
        self.path = path
        count = bytes.count
        // Exactly the size, so that the address sanitizer sees a read past the end.
        memory = .allocate(byteCount: max(bytes.count, 1), alignment: Self.alignment)
        descriptor = nil
        bytes.withUnsafeBytes { UnsafeMutableRawBufferPointer(start: memory, count: count).copyMemory(from: $0) }
    }

    /// Zeroed memory of `count` bytes, filled by `fill`, that behaves like a file.
    init(count: Int, fill: (UnsafeMutableRawBufferPointer) -> Void) {
        path = "memory"
        self.count = count
        memory = .allocate(byteCount: max(count, 1), alignment: Self.alignment)
        descriptor = nil
        let bytes = UnsafeMutableRawBufferPointer(start: memory, count: count)
        bytes.initializeMemory(as: UInt8.self, repeating: 0)
        fill(bytes)
    }

    deinit {
        if let descriptor {
            _ = munmap(memory, count)
            _ = close(descriptor)
        } else {
            memory.deallocate()
        }
    }

    private static let alignment = 64

    /// Calls `body` with all bytes; they must not be kept beyond the call.
    public func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
        try withExtendedLifetime(self) { try body(UnsafeRawBufferPointer(start: base, count: count)) }
    }

    /// Whether a file is behind it, and not a copy in memory.
    var isMapped: Bool { descriptor != nil }
    /// -1 for a copy in memory.
    var fileDescriptor: Int32 { descriptor ?? -1 }

    /// Whether the file still has at least the bytes that it had at opening. A check before long work, no guarantee
    /// for the time after it.
    public var isIntact: Bool {
        guard let descriptor else { return true }
        var status = stat()
        return fstat(descriptor, &status) == 0 && status.st_size >= count
    }
}
