#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

/// Reads information of the system: small files and short lists in procfs, sysfs or a copy of them.
///
/// The size of such files is not known in advance, and a given path may hold anything, so everything is bounded: nothing
/// waits, no allocation depends on what a file claims, and only regular files are read.
package enum SmallFile {
    /// The first `limit` bytes; nil if it cannot be read.
    package static func bytes(_ path: String, limit: Int = 1 << 16) -> [UInt8]? {
        // Without O_NONBLOCK, opening a pipe would wait for a writer.
        let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        var result: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: min(max(limit, 1), 4096))
        while result.count < limit {
            let wanted = min(buffer.count, limit - result.count)
            let count = buffer.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, wanted) }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { return nil }
            if count == 0 { break }
            result += buffer[..<count]
        }
        return result
    }

    /// The same as text, broken UTF-8 repaired, white space and NUL at both ends removed.
    package static func text(_ path: String, limit: Int = 1 << 16) -> String? {
        guard let bytes = bytes(path, limit: limit) else { return nil }
        func isBlank(_ byte: UInt8) -> Bool { byte <= 0x20 }
        guard let first = bytes.firstIndex(where: { !isBlank($0) }), let last = bytes.lastIndex(where: { !isBlank($0) })
        else { return "" }
        return String(decoding: bytes[first...last], as: UTF8.self)
    }

    /// Names in a folder without those that begin with a dot, sorted; at most `limit`, and none if there is no folder.
    package static func names(in folder: String, limit: Int = 1024) -> [String] {
        guard let stream = opendir(folder) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while names.count < limit, let entry = readdir(stream) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if !name.hasPrefix(".") { names.append(name) }
        }
        return names.sorted()
    }
}
