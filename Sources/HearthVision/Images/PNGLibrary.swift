#if !canImport(ImageIO)
internal import CPNG
internal import Foundation

/// libpng's simplified functions, loaded by the first PNG.
struct PNGLibrary: Sendable {
    typealias Begin = @convention(c) (UnsafeMutablePointer<png_image>?, UnsafeRawPointer?, Int) -> Int32
    typealias Finish =
        @convention(c) (
            UnsafeMutablePointer<png_image>?, UnsafeRawPointer?, UnsafeMutableRawPointer?, Int32,
            UnsafeMutableRawPointer?
        ) -> Int32

    /// The current name of the library on Linux.
    static let names = ["libpng16.so.16", "libpng16.so"]
    /// Debian's package.
    static let package = "libpng16-16"

    private let begin: Begin
    private let finish: Finish
    private let free: @convention(c) (UnsafeMutablePointer<png_image>?) -> Void
    private let versionText: @convention(c) (OpaquePointer?) -> UnsafePointer<CChar>?

    private static let loaded = Result { () throws(PictureError) in try PNGLibrary(names: names) }

    static func shared() throws(PictureError) -> PNGLibrary { try loaded.get() }

    /// - Throws: `PictureError.libraryMissing` where none of these is installed.
    init(names: [String]) throws(PictureError) {
        let library = try LoadedLibrary(names: names, package: Self.package)
        begin = try library.function("png_image_begin_read_from_memory")
        finish = try library.function("png_image_finish_read")
        free = try library.function("png_image_free")
        versionText = try library.function("png_get_libpng_ver")
    }

    /// Such as `1.6.39`.
    var version: String { versionText(nil).map { String(cString: $0) } ?? "unknown" }

    /// The pixels, a byte a value: gray or three colours, then alpha where the file has it.
    /// - Parameter bytes: the file without anything but its pixels (`PNGLayout.pixelsOnly`).
    func decode(_ bytes: [UInt8], _ layout: PNGLayout, _ file: String) throws(PictureError) -> [UInt8] {
        var image = png_image()
        image.version = UInt32(PNG_IMAGE_VERSION)
        defer { free(&image) }
        guard begin(&image, bytes, bytes.count) != 0 else { throw Self.damaged(image, file) }
        guard image.width == UInt32(layout.width), image.height == UInt32(layout.height) else {
            throw .damaged(file: file, part: "IHDR", problem: "its headers disagree about its size")
        }
        // Values of 16 bits are read like those of 8, not as linear light.
        image.flags |= UInt32(PNG_IMAGE_FLAG_16BIT_sRGB)
        image.format =
            (layout.isGray ? 0 : UInt32(PNG_FORMAT_FLAG_COLOR)) | (layout.hasAlpha ? UInt32(PNG_FORMAT_FLAG_ALPHA) : 0)
        let stride = layout.width * layout.storedChannels
        var pixels = [UInt8](repeating: 0, count: stride * layout.height)
        // A warning is about data that is damaged, or about more data than there are pixels, which is not read.
        guard finish(&image, nil, &pixels, Int32(stride), nil) != 0, image.warning_or_error & 3 == 0 else {
            throw Self.damaged(image, file)
        }
        return pixels
    }

    private static func damaged(_ image: png_image, _ file: String) -> PictureError {
        let text = withUnsafeBytes(of: image.message) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        return .damaged(file: file, part: "pixels", problem: text.isEmpty ? "unknown" : text)
    }
}
#endif
