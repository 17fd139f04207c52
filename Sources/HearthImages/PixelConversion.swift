/// Converts pixels of cameras and drawings to packed RGB. Pure arithmetic, for use by framework adapters.
package enum PixelConversion {
    /// Converts blue, green, red, alpha, the layout of `kCVPixelFormatType_32BGRA`.
    /// - Parameter bytesPerRow: at least `4 · width`; rows may be padded.
    package static func rgb(bgra: [UInt8], width: Int, height: Int, bytesPerRow: Int) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(3 * width * height)
        for y in 0..<height {
            for at in stride(from: y * bytesPerRow, to: y * bytesPerRow + 4 * width, by: 4) {
                result.append(bgra[at + 2])
                result.append(bgra[at + 1])
                result.append(bgra[at])
            }
        }
        return result
    }

    /// Converts red, green, blue, alpha with premultiplied colors, by dividing by alpha. Fully transparent pixels have no color
    /// and become black.
    package static func rgb(premultiplied rgba: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(rgba.count / 4 * 3)
        for at in stride(from: 0, to: rgba.count - 3, by: 4) {
            let alpha = Int(rgba[at + 3])
            for channel in 0..<3 {
                let value = Int(rgba[at + channel])
                result.append(alpha == 0 ? 0 : UInt8(min(255, (value * 255 + alpha / 2) / alpha)))
            }
        }
        return result
    }

    /// The conversion from luma and chroma to RGB (ITU-R BT.601, BT.709).
    package struct VideoColors: Sendable, Equatable {
        /// The luma weights of red and blue.
        package var red: Double
        package var blue: Double
        /// Whether values range from 0 to 255; otherwise luma ranges from 16 to 235, and chroma from 16 to 240.
        package var isFullRange: Bool

        package static func bt601(isFullRange: Bool) -> Self { Self(red: 0.299, blue: 0.114, isFullRange: isFullRange) }
        package static func bt709(isFullRange: Bool) -> Self {
            Self(red: 0.2126, blue: 0.0722, isFullRange: isFullRange)
        }
    }

    /// Converts a plane of luma, and a plane of chroma (blue, red) with one sample for two by two pixels, the layout of
    /// `kCVPixelFormatType_420YpCbCr8BiPlanar…`.
    package static func rgb(
        brightness: (bytes: [UInt8], bytesPerRow: Int), colors: (bytes: [UInt8], bytesPerRow: Int), width: Int,
        height: Int, as video: VideoColors
    ) -> [UInt8] {
        let (offset, scale, colorScale) = video.isFullRange ? (0.0, 1.0, 1.0) : (16.0, 255.0 / 219, 255.0 / 224)
        let green = 1 - video.red - video.blue
        let (toRed, toBlue) = (2 * (1 - video.red) * colorScale, 2 * (1 - video.blue) * colorScale)
        func byte(_ value: Double) -> UInt8 { UInt8(min(max(value.rounded(), 0), 255)) }
        var result: [UInt8] = []
        result.reserveCapacity(3 * width * height)
        for y in 0..<height {
            for x in 0..<width {
                let color = y / 2 * colors.bytesPerRow + x / 2 * 2
                let light = (Double(brightness.bytes[y * brightness.bytesPerRow + x]) - offset) * scale
                let blue = (Double(colors.bytes[color]) - 128) * toBlue
                let red = (Double(colors.bytes[color + 1]) - 128) * toRed
                result.append(byte(light + red))
                result.append(byte(light - (red * video.red + blue * video.blue) / green))
                result.append(byte(light + blue))
            }
        }
        return result
    }
}
