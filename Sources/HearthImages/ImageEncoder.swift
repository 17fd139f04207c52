#if canImport(ImageIO)
internal import CoreGraphics
internal import Foundation
internal import ImageIO
#endif

/// Encodes images as JPEG: with libjpeg-turbo, on Apple systems with ImageIO.
package enum ImageEncoder {
    /// A quality at which no block is visible on photos.
    private static let quality = 90

    /// The contents of a JPEG file.
    /// - Parameter name: a name for messages.
    /// - Throws: `ImageError.libraryMissing`, `.unwritable`.
    package static func jpeg(_ image: PixelImage, name: String) throws(ImageError) -> [UInt8] {
        #if canImport(ImageIO)
        let data = NSMutableData()
        guard let provider = CGDataProvider(data: Data(image.bytes) as CFData),
            let pixels = CGImage(
                width: image.width, height: image.height, bitsPerComponent: 8, bitsPerPixel: 8 * image.channels,
                bytesPerRow: image.width * image.channels,
                space: image.channels == 1 ? CGColorSpaceCreateDeviceGray() : CGColorSpaceCreateDeviceRGB(),
                bitmapInfo: CGBitmapInfo(rawValue: CGImageAlphaInfo.none.rawValue), provider: provider, decode: nil,
                shouldInterpolate: false, intent: .defaultIntent),
            let target = CGImageDestinationCreateWithData(data, "public.jpeg" as CFString, 1, nil)
        else { throw .unwritable(file: name, reason: "ImageIO does not encode it") }
        let options = [kCGImageDestinationLossyCompressionQuality: Double(quality) / 100] as CFDictionary
        CGImageDestinationAddImage(target, pixels, options)
        guard CGImageDestinationFinalize(target) else {
            throw .unwritable(file: name, reason: "ImageIO does not encode it")
        }
        return Array(data as Data)
        #else
        return try TurboJPEGLibrary.shared().encode(image, quality: quality, name)
        #endif
    }
}
