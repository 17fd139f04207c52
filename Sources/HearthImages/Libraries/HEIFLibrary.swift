#if !canImport(ImageIO)
internal import CHEIF
internal import Foundation

/// libheif, loaded for the first HEIC or AVIF image.
package struct HEIFLibrary: @unchecked Sendable {
    // Sendable: immutable function pointers.
    private var functions = hearth_heif_library()

    /// The library's current names on Linux.
    static let names = ["libheif.so.1"]
    /// Debian's package.
    static let package = "libheif1"

    private static let loaded = Result { () throws(ImageError) in try HEIFLibrary(names: names) }

    static func shared() throws(ImageError) -> HEIFLibrary { try loaded.get() }

    /// Loads the library.
    /// - Throws: `ImageError.libraryMissing` if none of these is installed.
    package init(names: [String]) throws(ImageError) {
        let library = try LoadedLibrary(names: names, package: Self.package)
        if let missing = hearth_heif_load(library.handle, &functions) { throw library.lacks(String(cString: missing)) }
    }

    /// The version, such as `1.15.1`.
    var version: String {
        withUnsafePointer(to: functions) { hearth_heif_version($0).map { String(cString: $0) } ?? "unknown" }
    }

    /// Decodes the main image of a file: red, green, blue, upright, and its color profile.
    func decode(
        _ bytes: [UInt8], _ limits: ImageLimits, format: String, _ file: String
    ) throws(ImageError) -> (image: PixelImage, profile: [UInt8]?) {
        // Until the end, the library reads from these bytes.
        try bytes.withUnsafeBufferPointer { bytes throws(ImageError) in
            try decode(bytes, limits, format: format, file)
        }
    }

    private func decode(
        _ bytes: UnsafeBufferPointer<UInt8>, _ limits: ImageLimits, format: String, _ file: String
    ) throws(ImageError) -> (image: PixelImage, profile: [UInt8]?) {
        var functions = functions
        var picture = hearth_heif_picture()
        defer { hearth_heif_close(&functions, &picture) }
        var message: UnsafePointer<CChar>?
        func check(_ code: Int32, _ part: String) throws(ImageError) {
            guard code != 0 else { return }
            let problem = message.map { String(cString: $0) } ?? "unknown"
            switch Int(code) {
            case hearth_heif_unsupported_type, hearth_heif_unsupported_feature:
                throw .unsupported(file: file, what: "\(format) of this kind (\(problem))")
            default: throw .damaged(file: file, part: part, problem: problem)
            }
        }
        try check(hearth_heif_open(&functions, bytes.baseAddress, bytes.count, &picture, &message), "headers")
        let (width, height) = (Int(picture.width), Int(picture.height))
        guard width > 0, height > 0 else {
            throw .damaged(file: file, part: "headers", problem: "\(width) × \(height) pixels")
        }
        try limits.checkPixels(file, width, height)
        // The library's planes, its interleaved copy, and the result.
        try limits.checkMemory(file, 3 * 3 * width * height)
        var pixels = [UInt8](repeating: 0, count: 3 * width * height)
        try check(hearth_heif_decode(&functions, &picture, &pixels, &message), "pixels")
        var profile: [UInt8]?
        if (1...ColorProfile.mostBytes).contains(picture.profile_size) {
            var content = [UInt8](repeating: 0, count: picture.profile_size)
            if hearth_heif_profile(&functions, &picture, &content) { profile = content }
        }
        return (PixelImage(unchecked: pixels, width: width, height: height, channels: 3), profile)
    }
}
#endif
