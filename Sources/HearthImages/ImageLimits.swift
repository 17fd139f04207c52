internal import HearthSystem

/// The maximum size of images, checked before memory is allocated for their pixels.
public struct ImageLimits: Sendable, Equatable {
    /// Pixels that a file may have.
    package var pixels = 1 << 28
    /// Bytes of memory that decoding may take: what comes out, and what the library works with.
    package var memory: Int
    /// Bytes that a file may have.
    package var fileBytes = 1 << 29
    /// Passes over the pixels that a progressive JPEG may ask for; files that cameras and programs write have some ten.
    package var scans = 100

    /// - Parameter memory: bytes of memory that decoding may take.
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
