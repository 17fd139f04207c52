internal import Foundation
internal import HearthSystem

/// Checks whether a folder is writable by writing a file and removing it.
package enum FolderProbe {
    /// Below this there is too little space for a model.
    static let leastFreeBytes = 1 << 30

    /// Checks a folder. A missing folder is not created; the check is then whether it could be.
    package static func check(_ name: String, _ folder: String) -> DoctorCheck {
        let exists = FileAccess.exists(folder)
        let place = exists ? folder : existingParent(of: folder)
        guard FileAccess.isFolder(place) else {
            return .missing(name, "\(place) is a file", todo: "Move it away, or set HEARTH_HOME to a folder.")
        }
        if let problem = exists ? write(into: folder) : FileAccess.obstacle(toWriting: place) {
            return .missing(
                name, "\(folder) cannot be written: \(problem)",
                todo: freeBytes(place) == 0
                    ? "Free some space, or set HEARTH_HOME to a folder on another disk."
                    : "Make \(place) writable, or set HEARTH_HOME to a folder that is.")
        }
        let state = exists ? folder : "\(folder), made when it is needed"
        if !synchronizes(place) {
            return .warning(
                name, "\(state); its file system does not write folders through",
                todo: "A power cut may lose what was stored last; keep Hearth's folder on a local disk.")
        }
        guard let free = freeBytes(place) else { return .ok(name, state) }
        let detail = "\(state); \(ByteSize.binary(free)) free"
        return free < leastFreeBytes
            ? .warning(name, detail, todo: "Free some space: models take from 300 MiB to several GiB.")
            : .ok(name, detail)
    }

    /// Writes, reads back and removes a small file; returns what went wrong.
    private static func write(into folder: String) -> String? {
        let path = folder + "/.probe-\(UUID().uuidString)"
        let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return lastError() }
        defer { close(descriptor) }
        // At once, so that an interrupted process leaves no file behind.
        unsafe unlink(path)
        let bytes = Array("hearth".utf8)
        guard unsafe Foundation.write(descriptor, bytes, bytes.count) == bytes.count, fsync(descriptor) == 0 else {
            return lastError()
        }
        var back = [UInt8](repeating: 0, count: bytes.count)
        guard unsafe pread(descriptor, &back, back.count, 0) == back.count, back == bytes else {
            return "what was written is not what is read"
        }
        return nil
    }

    /// Whether changes of a folder can be written to stable storage.
    private static func synchronizes(_ folder: String) -> Bool {
        let descriptor = unsafe open(folder, O_RDONLY | O_CLOEXEC)
        // A folder may be writable but not listable; then nothing is known, and no problem is reported.
        guard descriptor >= 0 else { return true }
        defer { close(descriptor) }
        return fsync(descriptor) == 0
    }

    private static func freeBytes(_ folder: String) -> Int? {
        let facts = try? FileManager.default.attributesOfFileSystem(forPath: folder)
        return (facts?[.systemFreeSize] as? NSNumber).map(\.intValue)
    }

    private static func existingParent(of folder: String) -> String {
        var parts = folder.split(separator: "/", omittingEmptySubsequences: true)
        while !parts.isEmpty {
            parts.removeLast()
            let path = (folder.hasPrefix("/") ? "/" : "") + parts.joined(separator: "/")
            if !path.isEmpty, FileAccess.exists(path) { return path }
        }
        return folder.hasPrefix("/") ? "/" : "."
    }

    private static func lastError() -> String { unsafe String(cString: strerror(errno)) }
}
