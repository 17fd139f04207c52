/// The information in the chunks of a WebP (RFC 9649), validated before a library reads the file.
struct WebPLayout: Equatable {
    var width = 0
    var height = 0
    var orientation = ImageOrientation.topLeft
    /// The ICC profile.
    var profile: [UInt8]?

    private static let header = 12

    /// Parses the chunks.
    /// - Throws: `ImageError` if the file is truncated, damaged, or of an unsupported kind.
    init(_ bytes: [UInt8], _ file: String) throws(ImageError) {
        var data = BoundedBytes(bytes[...])
        data.isLittleEndian = true
        guard let size = data.word(4), size + 8 <= bytes.count else {
            throw .truncated(file: file, part: "file of the size in its header (RIFF)")
        }
        let end = size + 8
        var at = Self.header
        var hasPixels = false
        while at + 8 <= end {
            guard let name = data.slice(at, 4), let length = data.word(at + 4) else { break }
            guard length <= end - at - 8, let slice = data.slice(at + 8, length) else {
                throw .truncated(file: file, part: Self.name(name))
            }
            var content = BoundedBytes(slice)
            content.isLittleEndian = true
            switch String(decoding: name, as: UTF8.self) {
            case "VP8X": try takeExtended(content, file)
            case "VP8 ":
                hasPixels = true
                try take(content, file, start: [0x9D, 0x01, 0x2A], at: 3) { content in
                    content.half(6).flatMap { wide in content.half(8).map { (wide & 0x3FFF, $0 & 0x3FFF) } }
                }
            case "VP8L":
                hasPixels = true
                try take(content, file, start: [0x2F], at: 0) { content in
                    content.word(1).map { (($0 & 0x3FFF) + 1, ($0 >> 14 & 0x3FFF) + 1) }
                }
            case "ICCP" where profile == nil && slice.count <= ColorProfile.mostBytes: profile = Array(slice)
            case "EXIF":
                let begins = content.starts(with: "Exif\0\0") ? 6 : 0
                orientation = content.slice(begins, content.count - begins).flatMap(ExifOrientation.find) ?? .topLeft
            default: break
            }
            // Chunks are padded to an even length.
            at += 8 + length + length % 2
        }
        guard hasPixels else { throw .damaged(file: file, part: "chunks", problem: "no pixels (VP8, VP8L)") }
        guard width > 0, height > 0 else {
            throw .damaged(file: file, part: "header of the pixels", problem: "\(width) × \(height) pixels")
        }
    }

    /// The header of a file with more than pixels; its size is that of the pixels, unless they are animated.
    private func takeExtended(_ content: BoundedBytes, _ file: String) throws(ImageError) {
        guard content.count >= 10, let flags = content.byte(0) else {
            throw .damaged(file: file, part: "VP8X", problem: "it is too short")
        }
        guard flags & 0x02 == 0 else { throw .unsupported(file: file, what: "an animated WebP") }
    }

    private mutating func take(
        _ content: BoundedBytes, _ file: String, start: [UInt8], at offset: Int, size: (BoundedBytes) -> (Int, Int)?
    ) throws(ImageError) {
        guard width == 0 else { throw .damaged(file: file, part: "chunks", problem: "it has pixels twice") }
        guard let found = content.slice(offset, start.count), found.elementsEqual(start),
            let (wide, high) = size(content)
        else { throw .damaged(file: file, part: "header of the pixels", problem: "its signature is missing") }
        (width, height) = (wide, high)
    }

    private static func name(_ bytes: ArraySlice<UInt8>) -> String {
        bytes.allSatisfy { (0x20..<0x7F).contains($0) } ? String(decoding: bytes, as: UTF8.self) : "chunk"
    }
}
