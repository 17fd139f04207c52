internal import CHearthLexicon

/// Access to the files of `Sources/CHearthLexicon/Files`, which are embedded in the program.
package enum EmbeddedFile {
    /// A copy of the file's bytes; nil if this build has no file with that name.
    package static func bytes(_ name: String) -> [UInt8]? {
        let file = hl_file(name)
        guard let start = file.start else { return nil }
        return [UInt8](UnsafeBufferPointer(start: start, count: file.count))
    }

    /// The file as text.
    package static func text(_ name: String) -> String? { bytes(name).map { String(decoding: $0, as: UTF8.self) } }
}
