internal import HearthSystem

/// Decodes images: JPEG with libjpeg-turbo, PNG with libpng, WebP with libwebp, HEIC and AVIF with libheif, each loaded for the
/// first image that needs it; on Apple systems all of them with ImageIO, and other formats that it supports. The format is
/// recognized by the content of the file, not by its name.
///
/// Supported: JPEG, baseline or progressive, gray, color, CMYK and YCCK; PNG of every kind, including interlaced and palette
/// images, with 1 to 16 bits per value, which are rounded to 8; WebP without animation; the main image of HEIC and AVIF files.
///
/// Colors with an ICC profile, such as the Display P3 of phones, are converted to sRGB with Little CMS (`liblcms2`), if it is
/// installed; otherwise, and for images without a profile, values are used as stored, as in the training of networks. Gamma
/// without a profile is ignored. Alpha is dropped, as in Pillow's `convert("RGB")`: pixels keep their stored color. CMYK without
/// a profile becomes (1 − C)(1 − K) and so on.
///
/// A truncated or damaged file is an error. Sizes are checked before memory is allocated. Decoding takes about 10 ms per
/// megapixel and cannot be interrupted, so run it on a thread that may block.
public struct ImageDecoder: Sendable {
    /// The maximum size of images.
    package var limits: ImageLimits

    /// Creates a decoder with the given limits.
    public init(limits: ImageLimits = .device) { self.limits = limits }

    /// Decodes an image file.
    /// - Parameters:
    ///   - path: path of an image file.
    ///   - target: the size that the image will be scaled to; a large JPEG is then decoded at a half, a quarter or an eighth of
    ///     its size, if that is still at least twice the target. nil decodes at full size.
    /// - Throws: ``ImageError``.
    public func picture(at path: String, for target: ImageTarget? = nil) throws(ImageError) -> OrientedImage {
        let bytes: [UInt8]
        do throws(FileFailure) {
            bytes = try WholeFile.read(path, limit: limits.fileBytes)
        } catch {
            throw .unreadable(file: path, reason: error.reason)
        }
        return try picture(bytes, name: path, for: target)
    }

    /// Decodes an image in memory.
    /// - Parameters:
    ///   - bytes: the contents of an image file.
    ///   - name: a name for messages.
    ///   - target: the size that the image will be scaled to; see ``picture(at:for:)``.
    /// - Throws: ``ImageError``.
    public func picture(
        _ bytes: [UInt8], name: String, for target: ImageTarget? = nil
    ) throws(ImageError) -> OrientedImage {
        switch ImageFormat(bytes) {
        case .jpeg: try jpeg(bytes, name, target)
        case .png: try png(bytes, name)
        case .webp: try webp(bytes, name)
        case .heif(let format): try heif(bytes, name, format)
        case .other(let format): try other(bytes, name, format)
        case nil: throw .notAPicture(file: name)
        }
    }

    private func jpeg(_ bytes: [UInt8], _ name: String, _ target: ImageTarget?) throws(ImageError) -> OrientedImage {
        let layout = try JPEGLayout(bytes, name, scanLimit: limits.scans)
        try limits.checkPixels(name, layout.width, layout.height)
        let upright = layout.uprightSize
        let reduction = target?.reduction(width: upright.width, height: upright.height) ?? 1
        let size = layout.reduced(by: reduction)
        // Progressive scans are accumulated in 16-bit coefficients at full size.
        let coefficients = layout.scans > 1 ? 2 * layout.components * layout.width * layout.height : 0
        let channels = layout.components == 4 ? 4 + 3 : layout.components
        try limits.checkMemory(name, coefficients + channels * size.width * size.height)
        #if canImport(ImageIO)
        let image = try ImageIODecoder.decode(
            bytes, size, isGray: layout.components == 1, convertsColors: layout.profile != nil, name)
        #else
        var pixels = try TurboJPEGLibrary.shared().decode(bytes, layout, reduction: reduction, name)
        if layout.components == 4 {
            let areInverted = layout.hasAdobeMarker
            pixels =
                Self.sRGB(pixels, .inks(areInverted: areInverted), layout.profile)
                ?? Self.colors(ofInks: pixels, areInverted: areInverted)
        } else {
            pixels = Self.sRGB(pixels, layout.components == 1 ? .gray : .rgb, layout.profile) ?? pixels
        }
        let image = PixelImage(
            unchecked: pixels, width: size.width, height: size.height, channels: min(layout.components, 3))
        #endif
        return OrientedImage(
            image, orientation: layout.orientation, reduction: reduction, storedWidth: layout.width,
            storedHeight: layout.height)
    }

    private func png(_ bytes: [UInt8], _ name: String) throws(ImageError) -> OrientedImage {
        let layout = try PNGLayout(bytes, name)
        try limits.checkPixels(name, layout.width, layout.height)
        try limits.checkMemory(name, layout.channels * layout.width * layout.height)
        #if canImport(ImageIO)
        let size = ImageSize(width: layout.width, height: layout.height)
        let hasProfile = layout.compressedProfile(bytes) != nil
        let image = try ImageIODecoder.decode(
            layout.pixelsOnly(bytes, withProfile: hasProfile), size, isGray: layout.isGray,
            convertsColors: hasProfile, name)
        #else
        let library = try PNGLibrary.shared()
        let pixels = try library.decode(layout.pixelsOnly(bytes), layout, name)
        let profile = layout.compressedProfile(bytes).flatMap(library.profile)
        let image = PixelImage(
            unchecked: Self.sRGB(pixels, layout.isGray ? .gray : .rgb, profile) ?? pixels, width: layout.width,
            height: layout.height, channels: layout.channels)
        #endif
        return OrientedImage(image, orientation: layout.orientation)
    }

    private func webp(_ bytes: [UInt8], _ name: String) throws(ImageError) -> OrientedImage {
        #if canImport(ImageIO)
        return try other(bytes, name, "WebP")
        #else
        let layout = try WebPLayout(bytes, name)
        try limits.checkPixels(name, layout.width, layout.height)
        // The library's rows of four bytes a pixel, and the result.
        try limits.checkMemory(name, (4 + 3) * layout.width * layout.height)
        let pixels = try WebPLibrary.shared().decode(bytes, layout, name)
        let image = PixelImage(
            unchecked: Self.sRGB(pixels, .rgb, layout.profile) ?? pixels, width: layout.width, height: layout.height,
            channels: 3)
        return OrientedImage(image, orientation: layout.orientation)
        #endif
    }

    private func heif(_ bytes: [UInt8], _ name: String, _ format: String) throws(ImageError) -> OrientedImage {
        #if canImport(ImageIO)
        return try other(bytes, name, format)
        #else
        try HEIFLayout.check(bytes, name)
        let (image, profile) = try HEIFLibrary.shared().decode(bytes, limits, format: format, name)
        guard let pixels = Self.sRGB(image.bytes, .rgb, profile) else { return OrientedImage(image) }
        return OrientedImage(PixelImage(unchecked: pixels, width: image.width, height: image.height, channels: 3))
        #endif
    }

    #if !canImport(ImageIO)
    /// Pixels in sRGB; nil if they are, or if that cannot be done.
    private static func sRGB(
        _ pixels: [UInt8], _ channels: ColorLibrary.Channels, _ profile: [UInt8]?
    ) -> [UInt8]? {
        guard let profile, let library = try? ColorLibrary.shared() else { return nil }
        return library.sRGB(pixels, channels, profile: profile)
    }
    #endif

    /// Decodes other formats, if the system supports them.
    private func other(_ bytes: [UInt8], _ name: String, _ format: String) throws(ImageError) -> OrientedImage {
        #if canImport(ImageIO)
        try ImageIODecoder.decodeAny(bytes, limits, format: format, name)
        #else
        throw .unsupportedFormat(file: name, format: format)
        #endif
    }

    /// Converts cyan, magenta, yellow, black to red, green, blue.
    private static func colors(ofInks inks: [UInt8], areInverted: Bool) -> [UInt8] {
        let flip: UInt8 = areInverted ? 0 : 255
        var result: [UInt8] = []
        result.reserveCapacity(inks.count / 4 * 3)
        for at in stride(from: 0, to: inks.count, by: 4) {
            let light = UInt32(inks[at + 3] ^ flip)
            for ink in inks[at..<at + 3] { result.append(UInt8((UInt32(ink ^ flip) * light + 127) / 255)) }
        }
        return result
    }
}
