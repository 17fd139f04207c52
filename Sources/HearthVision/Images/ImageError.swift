public import Foundation

/// What can be wrong with a picture, or with a source of pictures.
public enum ImageError: Error, Equatable, Sendable {
    /// The file cannot be opened or read.
    case unreadable(file: String, reason: String)
    /// Not a picture at all.
    case notAPicture(file: String)
    /// A picture in a format that is not read.
    case unsupportedFormat(file: String, format: String)
    /// A JPEG or PNG of a kind that is not read.
    case unsupported(file: String, what: String)
    /// The file ends too early.
    case truncated(file: String, part: String)
    /// A part that is damaged or breaks the rules of the format.
    case damaged(file: String, part: String, problem: String)
    /// More than is decoded here: pixels, bytes of memory.
    case tooLarge(file: String, what: String, claimed: Int, limit: Int)
    /// A library that pictures are decoded with is not installed.
    case libraryMissing(String, package: String)
    /// Pixels that do not fit the size that was named.
    case invalidPixels(width: Int, height: Int, channels: Int, bytes: Int)
    /// A size that a model asks for and that is not made here.
    case targetTooLarge(width: Int, height: Int, limit: Int)
    /// A folder without a single picture.
    case noPictures(folder: String)
    /// ffmpeg is not installed.
    case noVideoProgram
    /// ffmpeg gave up.
    case videoFailed(file: String, reason: String)
}

extension ImageError: LocalizedError {
    /// `WHAT (WHERE). WHAT TO DO.`
    public var errorDescription: String? {
        switch self {
        case .unreadable(let file, let reason):
            "cannot read the picture: \(reason) (\(file)). Check the path and its permissions."
        case .notAPicture(let file):
            "neither a JPEG nor a PNG (\(file)). Pass a picture in one of these formats."
        case .unsupportedFormat(let file, let format):
            "pictures in \(format) are not read (\(file)). Convert it to PNG or JPEG, for example with "
                + "'ffmpeg -i IN OUT.png'."
        case .unsupported(let file, let what):
            "\(what) is not read (\(file)). Save the picture again as an 8-bit JPEG or as a PNG."
        case .truncated(let file, let part):
            "the picture ends too early (\(file): \(part)). Copy or download it again."
        case .damaged(let file, let part, let problem):
            "the picture is damaged: \(problem) (\(file): \(part)). Copy or download it again."
        case .tooLarge(let file, let what, let claimed, let limit):
            "the picture is too large: \(claimed) \(what), over the limit of \(limit) (\(file)). "
                + "Make it smaller, or raise the limit where there is memory for it."
        case .libraryMissing(let library, let package):
            "a library for pictures is not installed (\(library)). Install it, for example with "
                + "'apt install \(package)'."
        case .invalidPixels(let width, let height, let channels, let bytes):
            "\(bytes) bytes are not \(width) × \(height) pixels of \(channels) channels (image). "
                + "Give width · height · channels bytes, 1 or 3 channels."
        case .targetTooLarge(let width, let height, let limit):
            "the model takes pictures of \(width) × \(height) pixels, over the limit of \(limit) (image input). "
                + "Use a model for smaller pictures."
        case .noPictures(let folder):
            "no JPEG or PNG in the folder (\(folder)). Pass a folder of pictures."
        case .noVideoProgram:
            "videos are read with ffmpeg, which is not on the path (ffmpeg). Install it, for example with "
                + "'apt install ffmpeg'."
        case .videoFailed(let file, let reason):
            "ffmpeg cannot read the video: \(reason) (\(file)). Check that it is a video that ffmpeg plays."
        }
    }
}
