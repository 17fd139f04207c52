public import HearthImages

/// A sequence of images: from a folder, or from a video.
///
/// A source returns the next frame on request, reads ahead by at most one, and works on its own threads. It never drops frames;
/// a caller that wants the newest frame only drops the others.
public protocol FrameSource: Sendable {
    /// The frame rate in frames per second; nil if there is none.
    var framesPerSecond: Double? { get }

    /// The next frame; nil at the end, and after ``stop()``. To be called by one task at a time.
    ///
    /// A frame that cannot be read throws, and the following call returns the next frame. An error of the source itself
    /// (``ImageError/videoFailed(file:reason:)``) is thrown by every further call.
    /// - Throws: ``ImageError``, `CancellationError`.
    func next() async throws -> Frame?

    /// Ends the source at once. May be called from any thread, more than once.
    func stop()
}

/// One image of a ``FrameSource``.
public struct Frame: Sendable, Equatable {
    /// Its index in the source, from 0.
    public var number: Int
    /// A name for people: the file name; nil for a frame of a video.
    public var name: String?
    /// The image.
    public var picture: OrientedImage

    /// A frame.
    public init(number: Int, name: String? = nil, picture: OrientedImage) {
        (self.number, self.name, self.picture) = (number, name, picture)
    }
}
