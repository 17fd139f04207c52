/// Pixels in memory: rows from the top, pixels from the left, one byte a channel, nothing between rows.
package struct PixelImage: Sendable, Equatable {
    /// Pixels in a row, at least 1.
    package let width: Int
    /// Rows, at least 1.
    package let height: Int
    /// 1 for gray, 3 for red, green, blue.
    package let channels: Int
    /// `width · height · channels` values from 0 to 255.
    package let bytes: [UInt8]

    /// Pixels that somebody else made: a camera, a video, a drawing.
    /// - Throws: `ImageError.invalidPixels` where the numbers do not fit together.
    package init(width: Int, height: Int, channels: Int, bytes: [UInt8]) throws(ImageError) {
        let (pixels, overflow) = width.multipliedReportingOverflow(by: height)
        guard width > 0, height > 0, channels == 1 || channels == 3, !overflow, bytes.count % channels == 0,
            bytes.count / channels == pixels
        else {
            throw .invalidPixels(width: width, height: height, channels: channels, bytes: bytes.count)
        }
        self.init(unchecked: bytes, width: width, height: height, channels: channels)
    }

    /// What was computed from a valid image.
    init(unchecked bytes: [UInt8], width: Int, height: Int, channels: Int) {
        assert(bytes.count == width * height * channels)
        (self.width, self.height, self.channels, self.bytes) = (width, height, channels, bytes)
    }
}
