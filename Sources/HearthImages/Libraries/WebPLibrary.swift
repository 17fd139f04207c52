#if !canImport(ImageIO)
internal import Foundation

/// libwebp, loaded for the first WebP image.
package struct WebPLibrary: Sendable {
    typealias Decode =
        @convention(c) (UnsafePointer<UInt8>?, Int, UnsafeMutablePointer<UInt8>?, Int, Int32) -> UnsafeMutablePointer<
            UInt8
        >?

    /// The library's current names on Linux.
    static let names = ["libwebp.so.7"]
    /// Debian's package.
    static let package = "libwebp7"

    /// `WebPDecodeRGBInto`: colors as stored, without alpha.
    private let decodeRGB: Decode
    private let decoderVersion: @convention(c) () -> Int32

    private static let loaded = Result { () throws(ImageError) in try WebPLibrary(names: names) }

    static func shared() throws(ImageError) -> WebPLibrary { try loaded.get() }

    /// Loads the library.
    /// - Throws: `ImageError.libraryMissing` if none of these is installed.
    package init(names: [String]) throws(ImageError) {
        let library = try LoadedLibrary(names: names, package: Self.package)
        decodeRGB = try library.function("WebPDecodeRGBInto")
        decoderVersion = try library.function("WebPGetDecoderVersion")
    }

    /// The version, such as `1.2.4`.
    var version: String {
        let number = decoderVersion()
        return "\(number >> 16).\(number >> 8 & 0xFF).\(number & 0xFF)"
    }

    /// Decodes the pixels: red, green, blue.
    func decode(_ bytes: [UInt8], _ layout: WebPLayout, _ file: String) throws(ImageError) -> [UInt8] {
        var pixels = [UInt8](repeating: 0, count: layout.width * layout.height * 3)
        guard decodeRGB(bytes, bytes.count, &pixels, pixels.count, Int32(layout.width * 3)) != nil else {
            throw .damaged(file: file, part: "pixels", problem: "libwebp cannot decode them")
        }
        return pixels
    }
}
#endif
