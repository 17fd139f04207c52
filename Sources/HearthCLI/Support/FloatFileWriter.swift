import Foundation
import Synchronization

/// Writes little-endian float32 values to a file that appears only when it is complete: a temporary file beside it
/// is renamed at the end, and removed if anything fails or the user interrupts.
final class FloatFileWriter: Sendable {
    private let path: String
    private let temporary: String
    private let descriptor: Int32
    private let buffer = Mutex<[UInt8]>([])

    /// - Throws: `CommandFailure` where the folder cannot be written to.
    init(path: String) throws {
        self.path = path
        temporary = "\(path).\(getpid()).part"
        Interruption.shared.willWrite(temporary)
        descriptor = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw Self.failure(path) }
    }

    /// Adds values.
    func append(_ values: [Float]) throws {
        try buffer.withLock { bytes in
            for value in values { withUnsafeBytes(of: value.bitPattern.littleEndian) { bytes.append(contentsOf: $0) } }
            if bytes.count >= 1 << 20 { try flush(&bytes) }
        }
    }

    /// Completes the file.
    func finish() throws {
        try buffer.withLock { try flush(&$0) }
        guard close(descriptor) == 0, rename(temporary, path) == 0 else {
            let error = Self.failure(path)
            unlink(temporary)
            throw error
        }
        Interruption.shared.didWrite(temporary)
    }

    /// Gives the file up.
    func discard() {
        close(descriptor)
        unlink(temporary)
        Interruption.shared.didWrite(temporary)
    }

    private func flush(_ bytes: inout [UInt8]) throws {
        var done = 0
        while done < bytes.count {
            let count = bytes.withUnsafeBytes { buffer in
                buffer.baseAddress.map { write(descriptor, $0 + done, buffer.count - done) } ?? 0
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw Self.failure(path) }
            done += count
        }
        bytes.removeAll(keepingCapacity: true)
    }

    private static func failure(_ path: String) -> CommandFailure {
        CommandFailure(
            .failure, "cannot write the file: \(String(cString: strerror(errno)))", at: path,
            todo: "Check the folder, its permissions and the free space.")
    }
}
