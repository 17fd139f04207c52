/// The boxes of a HEIC or AVIF file (ISO/IEC 14496-12).
enum HEIFLayout {
    /// Checks that the file is not truncated: the library may decode the part that is there.
    /// - Throws: `ImageError.truncated`, `.damaged`.
    static func check(_ bytes: [UInt8], _ file: String) throws(ImageError) {
        let data = BoundedBytes(bytes[...])
        var at = 0
        while at < bytes.count {
            guard let short = data.word(at), let type = data.slice(at + 4, 4) else {
                throw .truncated(file: file, part: "header of a box")
            }
            let name = type.allSatisfy { (0x20..<0x7F).contains($0) } ? String(decoding: type, as: UTF8.self) : "box"
            var size = short
            if short == 0 {
                // Up to the end.
                return
            } else if short == 1 {
                guard let high = data.word(at + 8), let low = data.word(at + 12) else {
                    throw .truncated(file: file, part: name)
                }
                guard high < 1 << 31 else { throw .damaged(file: file, part: name, problem: "its size is impossible") }
                size = high << 32 | low
            }
            guard size >= (short == 1 ? 16 : 8) else {
                throw .damaged(file: file, part: name, problem: "its size is \(size)")
            }
            guard size <= bytes.count - at else { throw .truncated(file: file, part: name) }
            at += size
        }
    }
}
