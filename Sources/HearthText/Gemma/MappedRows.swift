internal import Foundation
internal import HearthSystem

/// The file that cache rows are mapped from, kept open to detect modification.
final class MappedRows: Sendable {
    private let descriptor: Int32
    private let stamp: FileStamp

    /// - Parameter descriptor: is duplicated, so the caller may close it at any time.
    /// - Returns: nil if the system has no free descriptors.
    init?(_ descriptor: Int32) {
        let own = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        guard own >= 0 else { return nil }
        guard let stamp = FileStamp(descriptor: own) else {
            close(own)
            return nil
        }
        (self.descriptor, self.stamp) = (own, stamp)
    }

    deinit { close(descriptor) }

    /// Whether size and modification time are unchanged.
    var isIntact: Bool { FileStamp(descriptor: descriptor) == stamp }
}
