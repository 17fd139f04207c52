#if !canImport(ImageIO)
internal import Foundation

/// Little CMS, loaded for the first image with a color profile.
package struct ColorLibrary: Sendable {
    typealias Handle = UnsafeMutableRawPointer
    typealias Describe =
        @convention(c) (
            Handle?, UInt32, UnsafePointer<CChar>?, UnsafePointer<CChar>?, UnsafeMutablePointer<CChar>?, UInt32
        ) -> UInt32

    /// The library's current names on Linux.
    static let names = ["liblcms2.so.2"]
    /// Debian's package.
    static let package = "liblcms2-2"

    private let libraryVersion: @convention(c) () -> Int32
    private let open: @convention(c) (UnsafeRawPointer?, UInt32) -> Handle?
    private let openSRGB: @convention(c) () -> Handle?
    private let close: @convention(c) (Handle?) -> Int32
    private let space: @convention(c) (Handle?) -> UInt32
    private let describe: Describe
    private let createTransform: @convention(c) (Handle?, UInt32, Handle?, UInt32, UInt32, UInt32) -> Handle?
    private let apply: @convention(c) (Handle?, UnsafeRawPointer?, UnsafeMutableRawPointer?, UInt32) -> Void
    private let deleteTransform: @convention(c) (Handle?) -> Void

    private static let loaded = Result { () throws(ImageError) in try ColorLibrary(names: names) }

    static func shared() throws(ImageError) -> ColorLibrary { try loaded.get() }

    /// Loads the library.
    /// - Throws: `ImageError.libraryMissing` if none of these is installed.
    package init(names: [String]) throws(ImageError) {
        let library = try LoadedLibrary(names: names, package: Self.package)
        libraryVersion = try library.function("cmsGetEncodedCMMversion")
        open = try library.function("cmsOpenProfileFromMem")
        openSRGB = try library.function("cmsCreate_sRGBProfile")
        close = try library.function("cmsCloseProfile")
        space = try library.function("cmsGetColorSpace")
        describe = try library.function("cmsGetProfileInfoASCII")
        createTransform = try library.function("cmsCreateTransform")
        apply = try library.function("cmsDoTransform")
        deleteTransform = try library.function("cmsDeleteTransform")
    }

    /// The version, such as `2.14`.
    var version: String { "\(libraryVersion() / 1000).\(libraryVersion() % 1000 / 10)" }

    /// The channels of pixels with one byte each.
    enum Channels {
        case gray
        case rgb
        /// Cyan, magenta, yellow, black: 255 is the most ink, or none if they are inverted.
        case inks(areInverted: Bool)

        /// The signature of the color space in a profile.
        fileprivate var signature: UInt32 {
            switch self {
            case .gray: 0x4752_4159
            case .rgb: 0x5247_4220
            case .inks: 0x434D_594B
            }
        }

        /// The library's number for a layout: color space, number of channels, bytes of each, and inversion (lcms2.h,
        /// `TYPE_GRAY_8` and so on).
        fileprivate var layout: UInt32 {
            switch self {
            case .gray: 3 << 16 | 1 << 3 | 1
            case .rgb: 4 << 16 | 3 << 3 | 1
            case .inks(let areInverted): (areInverted ? 1 << 13 : 0) | 6 << 16 | 4 << 3 | 1
            }
        }
    }

    /// Converts pixels to sRGB, with the profile's perceptual intent: gray to gray, others to red, green, blue.
    /// - Returns: nil if the profile is damaged or made for other channels, or is sRGB itself.
    func sRGB(_ pixels: [UInt8], _ channels: Channels, profile: [UInt8]) -> [UInt8]? {
        guard let source = open(profile, UInt32(profile.count)) else { return nil }
        defer { _ = close(source) }
        guard space(source) == channels.signature, !isSRGB(source), let target = openSRGB() else { return nil }
        defer { _ = close(target) }
        guard let transform = createTransform(source, channels.layout, target, Channels.rgb.layout, 0, 0) else {
            return nil
        }
        defer { deleteTransform(transform) }
        switch channels {
        case .gray:
            // A gray value becomes one: a table of them.
            var table = [UInt8](repeating: 0, count: 3 * 256)
            apply(transform, (0..<256).map { UInt8($0) }, &table, 256)
            return pixels.map { table[3 * Int($0)] }
        case .rgb:
            var result = pixels
            result.withUnsafeMutableBytes {
                apply(transform, UnsafeRawPointer($0.baseAddress), $0.baseAddress, UInt32($0.count / 3))
            }
            return result
        case .inks:
            var result = [UInt8](repeating: 0, count: pixels.count / 4 * 3)
            apply(transform, pixels, &result, UInt32(pixels.count / 4))
            return result
        }
    }

    /// Whether a profile describes itself as sRGB: most of them do, and a conversion would only round.
    private func isSRGB(_ profile: Handle) -> Bool {
        var text = [CChar](repeating: 0, count: 128)
        _ = describe(profile, 0, "en", "US", &text, UInt32(text.count - 1))
        return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self).contains("sRGB")
    }
}
#endif
