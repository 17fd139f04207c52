/// Pictures that come one after the other: a folder's, a video's.
///
/// A source gives the next frame when it is asked, reads ahead by one at most, and works on threads of its own. Who wants the
/// newest frame and no queue drops what it cannot use; a source never does.
public protocol FrameSource: Sendable {
    /// At how many frames a second it is to be shown; nil where it has no pace of its own.
    var framesPerSecond: Double? { get }

    /// The next frame; nil at the end, and after `stop()`. To be asked by one task at a time.
    ///
    /// A frame that cannot be read is an error, and the frame after it may be asked for; an error of the source itself
    /// (`ImageError.videoFailed`) is repeated for ever.
    /// - Throws: `ImageError`, `CancellationError`.
    func next() async throws -> Frame?

    /// Gives up at once: ends what was started. May be called from anywhere, more than once.
    func stop()
}

/// One picture of a ``FrameSource``.
public struct Frame: Sendable, Equatable {
    /// Its place in the source, from 0.
    public var number: Int
    /// What people call it: a file's name; nil for a frame of a video.
    public var name: String?
    /// Its pixels.
    public var picture: OrientedImage

    /// A frame put together from its parts.
    public init(number: Int, name: String? = nil, picture: OrientedImage) {
        (self.number, self.name, self.picture) = (number, name, picture)
    }
}
