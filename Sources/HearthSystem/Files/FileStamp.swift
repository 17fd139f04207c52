#if canImport(Darwin)
package import Darwin
#elseif canImport(Musl)
package import Musl
#else
package import Glibc
#endif

/// Identity, size and modification time of an open file: every change of its content changes one of them. Two stamps show
/// whether the file was written to in between.
package struct FileStamp: Equatable, Sendable {
    /// Bytes.
    package let size: Int
    private let inode: UInt64
    private let seconds: Int
    private let nanoseconds: Int

    /// - Returns: nil if the system does not say. Less than a microsecond.
    package init?(descriptor: Int32) {
        var info = stat()
        guard fstat(descriptor, &info) == 0 else { return nil }
        self.init(info)
    }

    /// From a result of `fstat`.
    package init(_ info: stat) {
        #if canImport(Darwin)
        let time = info.st_mtimespec
        #else
        let time = info.st_mtim
        #endif
        size = Int(clamping: info.st_size)
        inode = UInt64(info.st_ino)
        seconds = Int(time.tv_sec)
        nanoseconds = Int(time.tv_nsec)
    }
}
