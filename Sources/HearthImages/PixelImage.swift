/// Pixels in memory: rows from the top, pixels from the left, one byte per channel, without row padding.
package struct PixelImage: Sendable, Equatable {
    /// The number of pixels in a row, at least 1.
    package let width: Int
    /// The number of rows, at least 1.
    package let height: Int
    /// 1 for gray, 3 for red, green, blue.
    package let channels: Int
    /// `width · height · channels` values from 0 to 255.
    package let bytes: [UInt8]

    /// Creates an image from pixels of another source, such as a camera, a video or a drawing.
    /// - Throws: `ImageError.invalidPixels` if the sizes are inconsistent.
    package init(width: Int, height: Int, channels: Int, bytes: [UInt8]) throws(ImageError) {
        let (pixels, overflow) = width.multipliedReportingOverflow(by: height)
        guard width > 0, height > 0, channels == 1 || channels == 3, !overflow, bytes.count % channels == 0,
            bytes.count / channels == pixels
        else {
            throw .invalidPixels(width: width, height: height, channels: channels, bytes: bytes.count)
        }
        self.init(unchecked: bytes, width: width, height: height, channels: channels)
    }

    /// Creates an image from pixels that are known to be consistent.
    init(unchecked bytes: [UInt8], width: Int, height: Int, channels: Int) {
        assert(bytes.count == width * height * channels)
        (self.width, self.height, self.channels, self.bytes) = (width, height, channels, bytes)
    }
}
