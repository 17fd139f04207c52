/// The information in the markers of a JPEG (ITU-T T.81, annex B), validated before a library reads the file.
struct JPEGLayout: Equatable {
    var width = 0
    var height = 0
    /// 1, 3 or 4.
    var components = 0
    var isProgressive = false
    /// Whether there is an Adobe marker: four components are then stored inverted.
    var hasAdobeMarker = false
    var orientation = ImageOrientation.topLeft
    /// The number of scans.
    var scans = 0

    private var hasExif = false
    private var profileParts: [ColorProfile.JPEGPart] = []

    /// Parses the markers.
    /// - Throws: `ImageError` if the file is truncated, damaged, of an unsupported kind, or has more scans than `limit`.
    init(_ bytes: [UInt8], _ file: String, scanLimit limit: Int) throws(ImageError) {
        let data = BoundedBytes(bytes[...])
        var at = 2
        while true {
            let marker = try Self.marker(data, &at, file)
            if marker == 0xD9 { break }
            // Markers without a length: restarts outside a scan, TEM.
            if marker == 0x01 || (0xD0...0xD7).contains(marker) { continue }
            guard marker != 0xD8 else {
                throw .damaged(file: file, part: "markers", problem: "a second image begins inside the first")
            }
            let name = Self.name(marker)
            guard let length = data.half(at) else { throw .truncated(file: file, part: name) }
            guard length >= 2 else { throw .damaged(file: file, part: name, problem: "its length is \(length)") }
            guard let content = data.slice(at + 2, length - 2) else { throw .truncated(file: file, part: name) }
            at += length
            try take(marker, BoundedBytes(content), file)
            if marker == 0xDA {
                scans += 1
                guard scans <= limit else { throw .tooLarge(file: file, what: "scans", claimed: scans, limit: limit) }
                guard let next = Self.endOfScan(bytes, at) else { throw .truncated(file: file, part: "pixels") }
                at = next
            }
        }
        guard width > 0 else { throw .damaged(file: file, part: "markers", problem: "no frame header (SOF)") }
        guard scans > 0 else { throw .damaged(file: file, part: "markers", problem: "no pixels (SOS)") }
    }

    /// The ICC profile.
    var profile: [UInt8]? { ColorProfile.joined(profileParts) }

    /// The size after applying the orientation.
    var uprightSize: ImageSize {
        orientation.isTransposed ? ImageSize(width: height, height: width) : ImageSize(width: width, height: height)
    }

    /// The size when decoded at 1/`factor` of each side.
    func reduced(by factor: Int) -> ImageSize {
        ImageSize(width: (width + factor - 1) / factor, height: (height + factor - 1) / factor)
    }

    /// Returns the second byte of the next marker, and moves `at` past it.
    private static func marker(_ data: BoundedBytes, _ at: inout Int, _ file: String) throws(ImageError) -> Int {
        guard let first = data.byte(at) else { throw .truncated(file: file, part: "end of image (EOI)") }
        guard first == 0xFF else {
            throw .damaged(file: file, part: "byte \(at)", problem: "a marker was expected")
        }
        // Any number of fill bytes.
        while data.byte(at) == 0xFF { at += 1 }
        guard let marker = data.byte(at) else { throw .truncated(file: file, part: "end of image (EOI)") }
        at += 1
        return marker
    }

    /// The offset of the next marker that is not part of the entropy-coded data.
    private static func endOfScan(_ bytes: [UInt8], _ begin: Int) -> Int? {
        var at = begin
        while at + 1 < bytes.count {
            guard bytes[at] == 0xFF else {
                at += 1
                continue
            }
            switch bytes[at + 1] {
            case 0x00, 0xD0...0xD7: at += 2
            case 0xFF: at += 1
            default: return at
            }
        }
        return nil
    }

    private mutating func take(_ marker: Int, _ content: BoundedBytes, _ file: String) throws(ImageError) {
        switch marker {
        case 0xC0...0xC2, 0xC9, 0xCA: try takeFrame(marker, content, file)
        case 0xC3: throw .unsupported(file: file, what: "a lossless JPEG")
        case 0xC5...0xC7, 0xCD...0xCF: throw .unsupported(file: file, what: "a hierarchical JPEG")
        case 0xCB: throw .unsupported(file: file, what: "a lossless JPEG")
        case 0xE1 where !hasExif && content.starts(with: "Exif\0"):
            hasExif = true
            orientation = content.slice(6, content.count - 6).flatMap(ExifOrientation.find) ?? .topLeft
        case 0xE2: ColorProfile.JPEGPart(content).map { profileParts.append($0) }
        case 0xEE where content.starts(with: "Adobe") && content.count >= 12: hasAdobeMarker = true
        default: break
        }
    }

    private mutating func takeFrame(_ marker: Int, _ content: BoundedBytes, _ file: String) throws(ImageError) {
        func problem(_ text: String) -> ImageError { .damaged(file: file, part: "frame header (SOF)", problem: text) }
        guard width == 0 else { throw problem("it occurs twice") }
        guard let precision = content.byte(0), let high = content.half(1), let wide = content.half(3),
            let count = content.byte(5)
        else { throw .truncated(file: file, part: "frame header (SOF)") }
        guard precision == 8 else { throw .unsupported(file: file, what: "a JPEG with \(precision) bits per value") }
        guard wide > 0, high > 0 else { throw problem("\(wide) × \(high) pixels") }
        guard [1, 3, 4].contains(count) else { throw .unsupported(file: file, what: "a JPEG with \(count) components") }
        guard content.count >= 6 + 3 * count else { throw problem("it is too short") }
        (width, height, components) = (wide, high, count)
        isProgressive = marker == 0xC2 || marker == 0xCA
    }

    private static func name(_ marker: Int) -> String {
        switch marker {
        case 0xC0...0xC3, 0xC5...0xC7, 0xC9...0xCB, 0xCD...0xCF: "frame header (SOF)"
        case 0xC4: "Huffman tables (DHT)"
        case 0xDA: "scan header (SOS)"
        case 0xDB: "quantization tables (DQT)"
        case 0xE0...0xEF: "application data (APP\(marker - 0xE0))"
        case 0xFE: "comment"
        default: "segment FF\(String(marker, radix: 16, uppercase: true))"
        }
    }
}
