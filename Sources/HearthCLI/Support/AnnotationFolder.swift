import Foundation
import HearthImages
import HearthSystem
import HearthVision

/// The folder of `--annotate`: each image with its results drawn on it.
final class AnnotationFolder {
    private let folder: OutputFolder
    private let path: String
    /// The names in use: images of different folders may have the same.
    private var names: Set<String> = []

    /// In bytes, so that the name of a temporary file is not too long either.
    private static let longestStem = 180

    /// - Throws: `FileError.noFolder`.
    init(_ path: String) throws {
        (self.path, folder) = (path, try OutputFolder(path, unfinished: Interruption.shared.unfinished))
    }

    /// Draws on the image in full resolution, and writes it as `<name>.jpg`, or `<name>-2.jpg` if that was another's.
    /// - Returns: the path of the file.
    /// - Throws: `ImageError`, `FileError`.
    func write(_ image: String, _ draw: (OrientedImage) -> PixelImage) throws -> String {
        let drawing = draw(try ImageDecoder().picture(at: image))
        var stem = ((image as NSString).lastPathComponent as NSString).deletingPathExtension
        while stem.utf8.count > Self.longestStem { stem.removeLast() }
        var name = "\(stem).jpg", number = 2
        while !names.insert(name).inserted {
            name = "\(stem)-\(number).jpg"
            number += 1
        }
        try folder.write(contents: try ImageEncoder.jpeg(drawing, name: "\(path)/\(name)"), name: name)
        return "\(path)/\(name)"
    }
}
