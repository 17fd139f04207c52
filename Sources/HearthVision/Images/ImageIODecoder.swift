#if canImport(ImageIO)
internal import CoreGraphics
internal import Foundation
internal import ImageIO

/// ImageIO behind the same sizes and errors as the libraries elsewhere. Files come here when their markers or chunks were
/// read and found whole.
enum ImageIODecoder {
    /// - Parameter size: what is wanted: the file's size, or a half, a quarter or an eighth of it.
    static func decode(
        _ bytes: [UInt8], _ size: ImageSize, isGray: Bool, _ file: String
    ) throws(ImageError) -> PixelImage {
        func damaged(_ problem: String) -> ImageError { .damaged(file: file, part: "pixels", problem: problem) }
        guard let source = CGImageSourceCreateWithData(Data(bytes) as CFData, nil),
            CGImageSourceGetStatusAtIndex(source, 0) == .statusComplete,
            let image = CGImageSourceCreateImageAtIndex(source, 0, [kCGImageSourceShouldCache: false] as CFDictionary)
        else { throw damaged("ImageIO does not decode it") }
        // Values as they are stored: the picture is taken to be in the space that it is drawn into.
        let space = isGray ? CGColorSpaceCreateDeviceGray() : CGColorSpaceCreateDeviceRGB()
        let plain = image.colorSpace?.model == space.model ? image.copy(colorSpace: space) ?? image : image
        let perPixel = isGray ? 1 : 4
        let info = isGray ? CGImageAlphaInfo.none : .noneSkipLast
        guard
            let context = CGContext(
                data: nil, width: size.width, height: size.height, bitsPerComponent: 8,
                bytesPerRow: size.width * perPixel, space: space, bitmapInfo: info.rawValue)
        else { throw damaged("there is no memory for it") }
        context.interpolationQuality = .medium
        context.setBlendMode(.copy)
        context.draw(plain, in: CGRect(x: 0, y: 0, width: size.width, height: size.height))
        guard let data = context.data else { throw damaged("ImageIO does not decode it") }
        let drawn = UnsafeRawBufferPointer(start: data, count: size.width * size.height * perPixel)
        if isGray { return PixelImage(unchecked: Array(drawn), width: size.width, height: size.height, channels: 1) }
        var pixels: [UInt8] = []
        pixels.reserveCapacity(size.width * size.height * 3)
        for at in stride(from: 0, to: drawn.count, by: 4) { pixels += drawn[at..<at + 3] }
        return PixelImage(unchecked: pixels, width: size.width, height: size.height, channels: 3)
    }
}
#endif
