#if !canImport(ImageIO)
internal import CPNG
internal import Foundation

/// libpng, loaded by the first PNG.
package struct PNGLibrary: @unchecked Sendable {
    // Sendable: addresses of functions, which nobody changes.
    private var functions = hearth_png_library()

    /// The current name of the library on Linux.
    static let names = ["libpng16.so.16", "libpng16.so"]
    /// Debian's package.
    static let package = "libpng16-16"

    private static let loaded = Result { () throws(ImageError) in try PNGLibrary(names: names) }

    static func shared() throws(ImageError) -> PNGLibrary { try loaded.get() }

    /// - Throws: `ImageError.libraryMissing` where none of these is installed.
    package init(names: [String]) throws(ImageError) {
        let library = try LoadedLibrary(names: names, package: Self.package)
        if let missing = hearth_png_load(library.handle, &functions) { throw library.lacks(String(cString: missing)) }
    }

    /// Such as `1.6.39`.
    var version: String {
        withUnsafePointer(to: functions) { hearth_png_version($0).map { String(cString: $0) } ?? "unknown" }
    }

    /// The pixels: a byte for gray or three for colours, without alpha.
    /// - Parameter bytes: the file without anything but its pixels (`PNGLayout.pixelsOnly`).
    func decode(_ bytes: [UInt8], _ layout: PNGLayout, _ file: String) throws(ImageError) -> [UInt8] {
        var pixels = [UInt8](repeating: 0, count: layout.width * layout.height * layout.channels)
        var message = [CChar](repeating: 0, count: 160)
        let isWhole = withUnsafePointer(to: functions) {
            hearth_png_decode(
                $0, bytes, bytes.count, layout.width, layout.height, layout.channels, &pixels, &message)
        }
        let problem = String(decoding: message.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        // A warning is about data that is damaged, or that is more than the pixels take.
        guard isWhole, problem.isEmpty || Self.harmless.contains(where: problem.contains) else {
            throw .damaged(file: file, part: "pixels", problem: problem.isEmpty ? "unknown" : problem)
        }
        return pixels
    }

    /// Warnings about pictures that every viewer shows whole: a colour that the palette does not have is black.
    private static let harmless = ["palette index exceeding num_palette"]
}
#endif
