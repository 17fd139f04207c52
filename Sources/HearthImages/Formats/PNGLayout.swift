/// The information in the chunks of a PNG (ISO/IEC 15948), validated before a library reads the file.
struct PNGLayout: Equatable {
    static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

    var width = 0
    var height = 0
    /// Bits per value.
    var depth = 0
    /// The color type as numbered by the format: gray or color, with or without palette and alpha.
    var colorType = 0
    var orientation = ImageOrientation.topLeft
    /// The chunks that define the pixels: header, palette, data, end.
    private(set) var pixelChunks: [Range<Int>] = []
    /// The chunk with the ICC profile.
    private(set) var profileChunk: Range<Int>?

    var isGray: Bool { colorType == 0 || colorType == 4 }
    /// The number of values per pixel without alpha.
    var channels: Int { isGray ? 1 : 3 }

    /// Parses the chunks.
    /// - Throws: `ImageError` if the file is truncated, damaged, or of an unsupported kind.
    init(_ bytes: [UInt8], _ file: String) throws(ImageError) {
        let data = BoundedBytes(bytes[...])
        var at = Self.signature.count
        var hasData = false
        while true {
            guard let length = data.word(at), let type = data.slice(at + 4, 4) else {
                throw .truncated(file: file, part: "end of image (IEND)")
            }
            let name = Self.name(type)
            guard length < 1 << 31 else { throw .damaged(file: file, part: name, problem: "its length is \(length)") }
            guard let content = data.slice(at + 8, length), data.word(at + 8 + length) != nil else {
                throw .truncated(file: file, part: name)
            }
            guard (name == "IHDR") == (at == Self.signature.count) else {
                throw .damaged(file: file, part: name, problem: "the header (IHDR) is not at the beginning")
            }
            let end = at + 12 + length
            switch name {
            case "IHDR": try takeHeader(BoundedBytes(content), file)
            case "eXIf": orientation = ExifOrientation.find(in: content) ?? orientation
            case "IDAT": hasData = true
            case "iCCP" where !hasData && length <= ColorProfile.mostBytes:
                profileChunk = profileChunk ?? at..<at + 12 + length
            default: break
            }
            if ["IHDR", "PLTE", "IDAT", "IEND"].contains(name) {
                pixelChunks.append(at..<end)
            } else if type.first.map({ $0 & 0x20 == 0 }) ?? false {
                throw .unsupported(file: file, what: "a PNG with a critical chunk '\(name)'")
            }
            at = end
            if name == "IEND" { break }
        }
        guard hasData else { throw .damaged(file: file, part: "chunks", problem: "no pixels (IDAT)") }
    }

    private mutating func takeHeader(_ content: BoundedBytes, _ file: String) throws(ImageError) {
        guard content.count == 13, let wide = content.word(0), let high = content.word(4), let bits = content.byte(8),
            let type = content.byte(9)
        else { throw .damaged(file: file, part: "IHDR", problem: "it is not 13 bytes long") }
        guard (1..<1 << 31).contains(wide), (1..<1 << 31).contains(high) else {
            throw .damaged(file: file, part: "IHDR", problem: "\(wide) × \(high) pixels")
        }
        let depths: [Int: [Int]] = [0: [1, 2, 4, 8, 16], 2: [8, 16], 3: [1, 2, 4, 8], 4: [8, 16], 6: [8, 16]]
        guard depths[type]?.contains(bits) ?? false else {
            throw .damaged(file: file, part: "IHDR", problem: "color type \(type) with \(bits) bits")
        }
        (width, height, depth, colorType) = (wide, high, bits, type)
    }

    /// The file with only the chunks that define its pixels.
    ///
    /// Without color information, values are decoded as stored; and texts and profiles, which may decompress to unbounded size,
    /// never reach the library.
    /// - Parameter withProfile: adds the ICC profile, for a library that converts colors.
    func pixelsOnly(_ bytes: [UInt8], withProfile: Bool = false) -> [UInt8] {
        var result = Self.signature
        result.reserveCapacity(pixelChunks.reduce(result.count) { $0 + $1.count })
        for chunk in pixelChunks {
            result += bytes[chunk]
            // Its place is behind the header.
            if withProfile, chunk == pixelChunks.first, let profileChunk { result += bytes[profileChunk] }
        }
        return result
    }

    /// The compressed ICC profile (zlib); nil if there is none.
    func compressedProfile(_ bytes: [UInt8]) -> ArraySlice<UInt8>? {
        guard let content = profileChunk.map({ bytes[$0.lowerBound + 8..<$0.upperBound - 4] }) else { return nil }
        // A name, a zero, and the method of compression, zero too.
        guard let end = content.firstIndex(of: 0), end + 2 <= content.endIndex, content[end + 1] == 0 else {
            return nil
        }
        return content[(end + 2)...]
    }

    /// A chunk name with all characters but letters replaced, for messages.
    private static func name(_ type: ArraySlice<UInt8>) -> String {
        String(
            String.UnicodeScalarView(
                type.map { byte in
                    let scalar = Unicode.Scalar(byte)
                    return scalar.properties.isAlphabetic && scalar.isASCII ? scalar : "?"
                }))
    }
}
