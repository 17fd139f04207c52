internal import HearthSystem

/// The maximum size of images, checked before memory is allocated for their pixels.
public struct ImageLimits: Sendable, Equatable {
    /// The maximum number of pixels in a file.
    package var pixels = 1 << 28
    /// The maximum number of bytes of memory for decoding: the result and the library's working memory.
    package var memory: Int
    /// The maximum size of a file in bytes.
    package var fileBytes = 1 << 29
    /// The maximum number of scans in a progressive JPEG; files from cameras and programs have about ten.
    package var scans = 100

    /// Creates limits.
    /// - Parameter memory: the maximum number of bytes of memory for decoding.
    package init(memory: Int) { self.memory = memory }

    /// The limits for this device: a quarter of its memory, or of the memory limit of this process if that is less.
    public static let device = ImageLimits(memory: ProcessMemory.limit() / 4)

    package func checkPixels(_ file: String, _ width: Int, _ height: Int) throws(ImageError) {
        let (count, overflow) = width.multipliedReportingOverflow(by: height)
        guard !overflow, count <= pixels else {
            throw .tooLarge(file: file, what: "pixels", claimed: overflow ? .max : count, limit: pixels)
        }
    }

    package func checkMemory(_ file: String, _ bytes: Int) throws(ImageError) {
        guard bytes <= memory else {
            throw .tooLarge(file: file, what: "bytes of memory", claimed: bytes, limit: memory)
        }
    }
}
