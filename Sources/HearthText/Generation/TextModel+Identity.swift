internal import HearthSystem

extension TextModel {
    /// Identifies the model, independently of the file's location and of how it was loaded: SHA-256 over the file's header and
    /// samples of its weights, so that two trainings of one architecture differ. 64 hexadecimal digits.
    ///
    /// Reads a hundred kilobytes. Guards against mix-ups, not against deliberate forgery.
    package var identity: String { Self.identity(of: file, headerBytes: headerBytes) }

    /// The same for a file whose model is not loaded.
    static func identity(of file: MappedFile, headerBytes: Int) -> String {
        let pieces = 16
        let size = 4 << 10
        var hash = SHA256()
        hash.update(TextArtifact.headerDigest(file, dataOffset: headerBytes).utf8)
        file.withUnsafeBytes { bytes in
            let start = min(headerBytes, bytes.count)
            let room = max(0, bytes.count - start - size)
            for piece in 0..<pieces {
                let first = start + room / (pieces - 1) * piece
                hash.update(UnsafeRawBufferPointer(rebasing: bytes[first..<min(first + size, bytes.count)]))
            }
        }
        return hash.finalize()
    }
}
