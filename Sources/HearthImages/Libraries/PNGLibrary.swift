#if !canImport(ImageIO)
internal import CPNG
internal import Foundation

/// libpng, loaded for the first PNG.
package struct PNGLibrary: @unchecked Sendable {
    // Sendable: immutable function pointers.
    private var functions = hearth_png_library()
    /// zlib's `uncompress`, which libpng brings along.
    private let uncompress: Uncompress

    typealias Uncompress =
        @convention(c) (UnsafeMutablePointer<UInt8>?, UnsafeMutablePointer<UInt>?, UnsafePointer<UInt8>?, UInt) -> Int32

    /// The library's current names on Linux.
    static let names = ["libpng16.so.16", "libpng16.so"]
    /// Debian's package.
    static let package = "libpng16-16"

    private static let loaded = Result { () throws(ImageError) in try PNGLibrary(names: names) }

    static func shared() throws(ImageError) -> PNGLibrary { try loaded.get() }

    /// Loads the library.
    /// - Throws: `ImageError.libraryMissing` if none of these is installed.
    package init(names: [String]) throws(ImageError) {
        let library = try LoadedLibrary(names: names, package: Self.package)
        if let missing = hearth_png_load(library.handle, &functions) { throw library.lacks(String(cString: missing)) }
        uncompress = try library.function("uncompress")
    }

    /// The version, such as `1.6.39`.
    var version: String {
        withUnsafePointer(to: functions) { hearth_png_version($0).map { String(cString: $0) } ?? "unknown" }
    }

    /// Decodes the pixels: one byte for gray or three for color, without alpha.
    /// - Parameter bytes: the file with only its pixels (`PNGLayout.pixelsOnly`).
    func decode(_ bytes: [UInt8], _ layout: PNGLayout, _ file: String) throws(ImageError) -> [UInt8] {
        var pixels = [UInt8](repeating: 0, count: layout.width * layout.height * layout.channels)
        var message = [CChar](repeating: 0, count: 160)
        let isWhole = withUnsafePointer(to: functions) {
            hearth_png_decode(
                $0, bytes, bytes.count, layout.width, layout.height, layout.channels, &pixels, &message)
        }
        let problem = String(decoding: message.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        // A warning indicates damaged data, or more data than the pixels need.
        guard isWhole, problem.isEmpty || Self.harmless.contains(where: problem.contains) else {
            throw .damaged(file: file, part: "pixels", problem: problem.isEmpty ? "unknown" : problem)
        }
        return pixels
    }

    /// Decompresses an ICC profile; nil if it is damaged or has more than `ColorProfile.mostBytes`.
    func profile(compressed: ArraySlice<UInt8>) -> [UInt8]? {
        var count = UInt(ColorProfile.mostBytes)
        let profile = compressed.withUnsafeBufferPointer { source in
            [UInt8](unsafeUninitializedCapacity: ColorProfile.mostBytes) { target, used in
                let status = uncompress(target.baseAddress, &count, source.baseAddress, UInt(source.count))
                used = status == 0 ? Int(count) : 0
            }
        }
        return profile.isEmpty ? nil : profile
    }

    /// Warnings about images that every viewer displays: an undefined palette index is black.
    private static let harmless = ["palette index exceeding num_palette"]
}
#endif
