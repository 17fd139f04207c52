public import Foundation
package import HearthSystem

/// An error in an image, or in a source of images.
public enum ImageError: Error, Equatable, Sendable {
    /// The file cannot be opened or read.
    case unreadable(file: String, reason: String)
    /// The file is not an image of a known format.
    case notAPicture(file: String)
    /// An image format that is not supported.
    case unsupportedFormat(file: String, format: String)
    /// A kind of a supported format that is not supported.
    case unsupported(file: String, what: String)
    /// The file is truncated.
    case truncated(file: String, part: String)
    /// A part of the file is damaged or violates its format.
    case damaged(file: String, part: String, problem: String)
    /// The image has more pixels, or needs more bytes of memory, than the limit.
    case tooLarge(file: String, what: String, claimed: Int, limit: Int)
    /// An image cannot be written: it is too large for the format, for example.
    case unwritable(file: String, reason: String)
    /// A library for decoding images is not installed.
    case libraryMissing(String, package: String)
    /// The number of bytes does not match the size.
    case invalidPixels(width: Int, height: Int, channels: Int, bytes: Int)
    /// A model's input size is above the limit.
    case targetTooLarge(width: Int, height: Int, limit: Int)
    /// The folder contains no images.
    case noPictures(folder: String)
    /// ffmpeg is not installed.
    case noVideoProgram
    /// ffmpeg failed.
    case videoFailed(file: String, reason: String)
}

extension ImageError: LocalizedError {
    /// Formatted as `WHAT (WHERE). WHAT TO DO.`
    public var errorDescription: String? {
        switch self {
        case .unreadable(let file, let reason):
            "cannot read the image: \(reason) (\(file)). Check the path and its permissions."
        case .notAPicture(let file):
            "not an image (\(file)). Pass a JPEG, PNG, WebP, HEIC or AVIF file."
        case .unsupportedFormat(let file, let format):
            "images in \(format) are not supported (\(file)). Convert it to PNG or JPEG, for example with "
                + "'ffmpeg -i IN OUT.png'."
        case .unsupported(let file, let what):
            "\(what) is not supported (\(file)). Save the image again as an 8-bit JPEG or as a PNG."
        case .truncated(let file, let part):
            "the image is truncated (\(file): \(part)). Copy or download it again."
        case .damaged(let file, let part, let problem):
            "the image is damaged: \(problem) (\(file): \(part)). Copy or download it again."
        case .tooLarge(let file, let what, let claimed, let limit):
            "the image is too large: \(claimed) \(what), over the limit of \(limit) (\(file)). "
                + "Scale it down, or raise the limit if there is enough memory."
        case .unwritable(let file, let reason):
            "the image cannot be written as JPEG: \(reason) (\(file)). JPEG has at most 65,500 pixels along each side."
        case .libraryMissing(let library, let package):
            "an image library is not installed (\(library)). Install it, for example with "
                + "'apt install \(package)'."
        case .invalidPixels(let width, let height, let channels, let bytes):
            "\(bytes) bytes are not \(width) × \(height) pixels of \(channels) channels (image). "
                + "Pass width · height · channels bytes, 1 or 3 channels."
        case .targetTooLarge(let width, let height, let limit):
            "the model takes images of \(width) × \(height) pixels, over the limit of \(limit) (image input). "
                + "Use a model for smaller images."
        case .noPictures(let folder):
            "no images in the folder (\(folder)). Pass a folder of images."
        case .noVideoProgram:
            "decoding videos needs ffmpeg, which was not found (ffmpeg). Install it, for example with "
                + "'apt install ffmpeg'."
        case .videoFailed(let file, let reason):
            "ffmpeg cannot read the video: \(reason) (\(file)). Check that it is a video that ffmpeg plays."
        }
    }
}

extension ImageError: HearthError {
    package var category: ErrorCategory {
        switch self {
        case .libraryMissing, .noVideoProgram: .unavailable
        case .unwritable: .failed
        case .unreadable, .notAPicture, .unsupportedFormat, .unsupported, .truncated, .damaged, .tooLarge,
            .invalidPixels, .targetTooLarge, .noPictures, .videoFailed:
            .invalidInput
        }
    }
}
