#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

/// The calling thread, as the system's own tools name it.
enum ThreadIdentity {
    static var process: Int { Int(getpid()) }

    /// The kernel's number of the thread.
    static var current: Int {
        #if canImport(Darwin)
        var id: UInt64 = 0
        pthread_threadid_np(nil, &id)
        return Int(id)
        #else
        // `PID/task/TID`: glibc's gettid is out of Swift's sight.
        var buffer = [UInt8](repeating: 0, count: 64)
        let count = buffer.withUnsafeMutableBytes { bytes in
            bytes.baseAddress.map { readlink("/proc/thread-self", $0, bytes.count) } ?? 0
        }
        let text = String(decoding: buffer.prefix(max(0, count)), as: UTF8.self)
        return text.split(separator: "/").last.flatMap { Int($0) } ?? process
        #endif
    }

    /// Its name; empty if it has none.
    static var name: String {
        var buffer = [UInt8](repeating: 0, count: 64)
        #if canImport(Darwin)
        let count = buffer.withUnsafeMutableBytes { bytes in
            bytes.withMemoryRebound(to: CChar.self) { text in
                text.baseAddress.map { pthread_getname_np(pthread_self(), $0, text.count) == 0 ? text.count : 0 } ?? 0
            }
        }
        #else
        let file = open("/proc/thread-self/comm", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return "" }
        let count = read(file, &buffer, buffer.count)
        _ = close(file)
        #endif
        return String(decoding: buffer.prefix(max(0, count)).prefix { $0 != 0 && $0 != 0x0A }, as: UTF8.self)
    }
}
