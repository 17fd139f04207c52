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

    /// - Parameters:
    ///   - images: all that will be written, in this order.
    ///   - model: the path of the model.
    /// - Throws: `FileError.noFolder`; `UsageError` where the model or an image would be written to.
    init(_ path: String, images: [String], model: String, command: String) throws {
        try OutputPlace.check(path, option: "--annotate", command: command, apartFrom: [model])
        let read = Set(images.compactMap(RealPath.of))
        var names: Set<String> = []
        for image in images {
            let copy = "\(path)/\(Self.name(image, &names))"
            guard let real = RealPath.of(copy), read.contains(real) else { continue }
            throw UsageError(
                "'--annotate \(path)' would replace the image '\(copy)'", command: command,
                suggestion: "Choose another folder.")
        }
        (self.path, folder) = (path, try OutputFolder(path, unfinished: Interruption.shared.unfinished))
    }

    /// `<name>.jpg`, or `<name>-2.jpg` if that is another image's.
    private static func name(_ image: String, _ names: inout Set<String>) -> String {
        var stem = ((image as NSString).lastPathComponent as NSString).deletingPathExtension
        while stem.utf8.count > longestStem { stem.removeLast() }
        var name = "\(stem).jpg", number = 2
        while !names.insert(name).inserted {
            name = "\(stem)-\(number).jpg"
            number += 1
        }
        return name
    }

    /// Draws on the image in full resolution, and writes it as `<name>.jpg`, or `<name>-2.jpg` if that was another's.
    /// - Returns: the path of the file.
    /// - Throws: `ImageError`, `FileError`.
    func write(_ image: String, _ draw: (OrientedImage) -> PixelImage) throws -> String {
        let drawing = draw(try ImageDecoder().picture(at: image))
        let name = Self.name(image, &names)
        try folder.write(contents: try ImageEncoder.jpeg(drawing, name: "\(path)/\(name)"), name: name)
        return "\(path)/\(name)"
    }
}
