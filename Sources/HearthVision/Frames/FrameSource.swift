public import HearthImages

/// A sequence of images: from a folder, or from a video.
///
/// A source returns the next frame on request, reads at most one ahead, and works on its own threads. It never drops frames; a
/// caller that only wants the newest frame drops the others itself.
public protocol FrameSource: Sendable {
    /// The frame rate in frames per second; nil if there is none.
    var framesPerSecond: Double? { get }

    /// Returns the next frame; nil at the end, and after ``stop()``. Call it from one task at a time.
    ///
    /// A frame that cannot be read throws, and the following call returns the next frame. An error of the source itself
    /// (``ImageError/videoFailed(file:reason:)``) is thrown by every further call.
    /// - Throws: ``ImageError``, `CancellationError`.
    func next() async throws -> Frame?

    /// Ends the source immediately. Can be called from any thread, more than once.
    func stop()
}

/// One image of a ``FrameSource``.
public struct Frame: Sendable, Equatable {
    /// Its index in the source, from 0.
    public var number: Int
    /// The file name, for display; nil for a frame of a video.
    public var name: String?
    /// The image.
    public var picture: OrientedImage

    /// Creates a frame.
    public init(number: Int, name: String? = nil, picture: OrientedImage) {
        (self.number, self.name, self.picture) = (number, name, picture)
    }
}
