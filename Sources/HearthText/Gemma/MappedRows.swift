internal import Foundation
internal import HearthSystem

/// The file that rows of a cache are mapped from, kept open to see whether somebody writes to it.
final class MappedRows: Sendable {
    private let descriptor: Int32
    private let stamp: FileStamp

    /// - Parameter descriptor: may be closed by the caller at any time.
    /// - Returns: nil where the system has no more descriptors.
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

    /// Whether size and time of modification are as they were.
    var isIntact: Bool { FileStamp(descriptor: descriptor) == stamp }
}
