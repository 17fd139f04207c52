#if canImport(ImageIO)
internal import CoreGraphics
internal import Foundation
internal import ImageIO

/// Decodes with ImageIO, with the same sizes and errors as the libraries on other systems. The markers or chunks of JPEG and
/// PNG files have already been validated.
enum ImageIODecoder {
    /// Decodes an image at the requested size.
    /// - Parameters:
    ///   - size: the file's size, or a half, a quarter or an eighth of it.
    ///   - convertsColors: converts colors to sRGB by the file's color space, instead of using values as stored.
    static func decode(
        _ bytes: [UInt8], _ size: ImageSize, isGray: Bool, convertsColors: Bool, _ file: String
    ) throws(ImageError) -> PixelImage {
        guard let source = CGImageSourceCreateWithData(Data(bytes) as CFData, nil),
            CGImageSourceGetStatusAtIndex(source, 0) == .statusComplete,
            let image = CGImageSourceCreateImageAtIndex(source, 0, [kCGImageSourceShouldCache: false] as CFDictionary)
        else { throw damaged(file, "ImageIO does not decode it") }
        return try pixels(of: image, size, isGray: isGray, convertsColors: convertsColors, file)
    }

    /// Decodes an image in a format that only the system supports, such as HEIC.
    static func decodeAny(
        _ bytes: [UInt8], _ limits: ImageLimits, format: String, _ file: String
    ) throws(ImageError) -> OrientedImage {
        guard let source = CGImageSourceCreateWithData(Data(bytes) as CFData, nil),
            let facts = CGImageSourceCopyPropertiesAtIndex(source, 0, nil) as? [String: Any],
            let width = facts[kCGImagePropertyPixelWidth as String] as? Int,
            let height = facts[kCGImagePropertyPixelHeight as String] as? Int, width > 0, height > 0
        else { throw .unsupportedFormat(file: file, format: format) }
        try limits.checkPixels(file, width, height)
        try limits.checkMemory(file, 8 * width * height)
        let orientation = (facts[kCGImagePropertyOrientation as String] as? Int).flatMap(ImageOrientation.init)
        let image = try decode(
            bytes, ImageSize(width: width, height: height), isGray: false, convertsColors: true, file)
        return OrientedImage(image, orientation: orientation ?? .topLeft)
    }

    /// The values in sRGB, or as stored: the image is then assumed to be in the color space of the context, so that none is
    /// converted.
    static func pixels(
        of image: CGImage, _ size: ImageSize, isGray: Bool, convertsColors: Bool = false, _ file: String
    ) throws(ImageError) -> PixelImage {
        let device = isGray ? CGColorSpaceCreateDeviceGray() : CGColorSpaceCreateDeviceRGB()
        let name = isGray ? CGColorSpace.genericGrayGamma2_2 : CGColorSpace.sRGB
        let space = convertsColors ? CGColorSpace(name: name) ?? device : device
        let opaque = withoutAlpha(image)
        let isAssumed = !convertsColors && opaque.colorSpace?.model == space.model
        let plain = isAssumed ? opaque.copy(colorSpace: space) ?? opaque : opaque
        // A context premultiplies colors with alpha; if that cannot be avoided, it is undone.
        let hasAlpha = !isGray && [.premultipliedFirst, .premultipliedLast, .first, .last].contains(plain.alphaInfo)
        let perPixel = isGray ? 1 : 4
        let info: CGImageAlphaInfo = isGray ? .none : hasAlpha ? .premultipliedLast : .noneSkipLast
        guard
            let context = CGContext(
                data: nil, width: size.width, height: size.height, bitsPerComponent: 8,
                bytesPerRow: size.width * perPixel, space: space, bitmapInfo: info.rawValue)
        else { throw damaged(file, "there is not enough memory for it") }
        context.interpolationQuality = .medium
        context.setBlendMode(.copy)
        context.draw(plain, in: CGRect(x: 0, y: 0, width: size.width, height: size.height))
        guard let data = context.data else { throw damaged(file, "ImageIO does not decode it") }
        let drawn = Array(UnsafeRawBufferPointer(start: data, count: size.width * size.height * perPixel))
        if isGray { return PixelImage(unchecked: drawn, width: size.width, height: size.height, channels: 1) }
        var pixels: [UInt8] = []
        if hasAlpha {
            pixels = PixelConversion.rgb(premultiplied: drawn)
        } else {
            pixels.reserveCapacity(size.width * size.height * 3)
            for at in stride(from: 0, to: drawn.count, by: 4) { pixels += drawn[at..<at + 3] }
        }
        return PixelImage(unchecked: pixels, width: size.width, height: size.height, channels: 3)
    }

    /// The same bytes with the alpha channel ignored, so that pixels keep their stored color. Images with premultiplied colors
    /// are returned unchanged.
    private static func withoutAlpha(_ image: CGImage) -> CGImage {
        let skipped: CGImageAlphaInfo
        switch image.alphaInfo {
        case .last: skipped = .noneSkipLast
        case .first: skipped = .noneSkipFirst
        default: return image
        }
        guard let space = image.colorSpace, space.model == .rgb, let provider = image.dataProvider else { return image }
        let bits = image.bitmapInfo.rawValue & ~CGBitmapInfo.alphaInfoMask.rawValue | skipped.rawValue
        return CGImage(
            width: image.width, height: image.height, bitsPerComponent: image.bitsPerComponent,
            bitsPerPixel: image.bitsPerPixel, bytesPerRow: image.bytesPerRow, space: space,
            bitmapInfo: CGBitmapInfo(rawValue: bits), provider: provider, decode: nil, shouldInterpolate: false,
            intent: .defaultIntent) ?? image
    }

    private static func damaged(_ file: String, _ problem: String) -> ImageError {
        .damaged(file: file, part: "pixels", problem: problem)
    }
}
#endif
