/// How much an archive may be: an archive of some kilobytes must not fill a disk.
enum ArchiveLimits {
    /// Entries, those that are left out included.
    static let entries = 4096
    /// Files of one model.
    static let files = 256
    /// Bytes of one extended header of a tar file.
    static let extendedHeader = 1 << 20

    /// Most bytes that an archive may have unpacked. Weights shrink little when they are packed; hundreds of times their
    /// packed size is no model.
    static func unpackedBytes(archiveBytes: Int) -> Int { (64 << 20) + 200 * min(archiveBytes, 1 << 40) }
}
