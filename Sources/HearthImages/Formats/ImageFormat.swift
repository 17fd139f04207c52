/// The format of a file, determined by its first bytes rather than its name.
package enum ImageFormat: Equatable {
    case jpeg
    case png
    case webp
    /// An image in an ISO base media file: HEIC or AVIF, by name.
    case heif(String)
    /// Another image format, by name.
    case other(String)

    /// The number of bytes needed to determine the format.
    package static let prefix = 16

    private static let endings: Set<String> = ["png", "jpg", "jpeg", "webp", "heic", "heif", "avif"]

    /// Whether the name of a file says that it is an image in a format that is decoded.
    package static func isNamed(by name: String) -> Bool {
        guard let dot = name.lastIndex(of: ".") else { return false }
        return endings.contains(name[dot...].dropFirst().lowercased())
    }

    /// Determines the format; nil if it is not a known image format.
    package init?(_ bytes: some Collection<UInt8>) {
        let start = Array(bytes.prefix(Self.prefix))
        func has(_ signature: [UInt8], at offset: Int = 0) -> Bool { start.dropFirst(offset).starts(with: signature) }
        if has([0xFF, 0xD8, 0xFF]) {
            self = .jpeg
        } else if has(PNGLayout.signature) {
            self = .png
        } else if has(Array("RIFF".utf8)), has(Array("WEBP".utf8), at: 8) {
            self = .webp
        } else if has(Array("GIF8".utf8)) {
            self = .other("GIF")
        } else if has(Array("BM".utf8)), has([0, 0, 0, 0], at: 6) {
            self = .other("BMP")
        } else if has([0x49, 0x49, 0x2A, 0]) || has([0x4D, 0x4D, 0, 0x2A]) {
            self = .other("TIFF")
        } else if has(Array("ftyp".utf8), at: 4), let name = Self.brand(start.dropFirst(8).prefix(4)) {
            self = .heif(name)
        } else if has([0, 0, 0, 12, 0x4A, 0x58, 0x4C, 0x20]) || has([0xFF, 0x0A]) {
            self = .other("JPEG XL")
        } else if has([0, 0, 0, 12, 0x6A, 0x50, 0x20, 0x20]) || has([0xFF, 0x4F, 0xFF, 0x51]) {
            self = .other("JPEG 2000")
        } else if has(Array("8BPS".utf8)) {
            self = .other("Photoshop's format")
        } else if has(Array("%PDF-".utf8)) {
            self = .other("PDF")
        } else {
            return nil
        }
    }

    /// The image formats that share a container with videos (ISO base media files), by brand.
    private static func brand(_ bytes: ArraySlice<UInt8>) -> String? {
        switch String(decoding: bytes, as: UTF8.self) {
        case "heic", "heix", "hevc", "hevx", "heim", "heis", "mif1", "msf1": "HEIC"
        case "avif", "avis": "AVIF"
        default: nil
        }
    }
}
