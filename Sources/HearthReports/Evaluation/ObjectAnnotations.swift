internal import Foundation

/// Labelled boxes as in COCO's files of annotations (`instances_*.json`): images, annotations with `bbox` in pixels, and
/// categories. Everything else in the file is ignored.
package struct ObjectAnnotations: Sendable, Equatable {
    /// A picture and the objects in it.
    package struct LabelledPicture: Sendable, Equatable {
        /// The file, relative to the folder of the pictures.
        package var file: String
        /// The size to which the boxes refer; nil if the file does not say.
        package var size: Size?
        package var boxes: [LabelledBox]
    }

    /// A size in pixels.
    package struct Size: Sendable, Equatable {
        package var width: Int
        package var height: Int

        package init(width: Int, height: Int) { (self.width, self.height) = (width, height) }
    }

    /// The names of the categories, by number.
    package let classes: [String]
    /// By number, as pycocotools orders them.
    package let pictures: [LabelledPicture]
    /// The file's name, for errors.
    package let source: String

    private struct File: Decodable {
        struct Image: Decodable {
            var id: Int
            var file_name: String
            var width: Int?
            var height: Int?
        }
        struct Annotation: Decodable {
            var image_id: Int
            var category_id: Int
            var bbox: [Double]
            var iscrowd: Int?
        }
        struct Category: Decodable {
            var id: Int
            var name: String
        }
        var images: [Image]
        var annotations: [Annotation]
        var categories: [Category]
    }

    /// Whether a list of labels is such a file rather than CSV.
    package static func areIn(_ bytes: [UInt8]) -> Bool {
        let start = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        return bytes[start...].first { !" \t\r\n".utf8.contains($0) } == UInt8(ascii: "{")
    }

    /// Reads a file.
    /// - Parameter file: its name, for errors.
    /// - Throws: `ReportError.malformedAnnotations`.
    package init(_ bytes: [UInt8], file: String) throws(ReportError) {
        source = file
        func failure(_ problem: String) -> ReportError { .malformedAnnotations(file: file, problem: problem) }
        let content: File
        do {
            content = try JSONDecoder().decode(File.self, from: Data(bytes))
        } catch {
            throw failure(Self.problem(error))
        }
        let categories = content.categories.sorted { $0.id < $1.id }
        var labels: [Int: Int] = [:]
        for (label, category) in categories.enumerated() {
            if labels.updateValue(label, forKey: category.id) != nil {
                throw failure("two categories have the id \(category.id)")
            }
        }
        let names = categories.map(\.name)
        if let name = names.first(where: { name in names.count { $0 == name } > 1 }) {
            throw failure("two categories are named '\(name.prefix(120))'")
        }
        let images = content.images.sorted { $0.id < $1.id }
        guard !images.isEmpty else { throw failure("there are no images") }
        var pictures: [LabelledPicture] = []
        var places: [Int: Int] = [:]
        for (place, image) in images.enumerated() {
            if places.updateValue(place, forKey: image.id) != nil {
                throw failure("two images have the id \(image.id)")
            }
            if image.file_name.isEmpty || image.file_name.utf8.contains(0) {
                throw failure("the image \(image.id) names no file")
            }
            var size: Size?
            if let width = image.width, let height = image.height { size = Size(width: width, height: height) }
            pictures.append(LabelledPicture(file: image.file_name, size: size, boxes: []))
        }
        for (number, annotation) in content.annotations.enumerated() {
            let box = annotation.bbox
            guard let place = places[annotation.image_id] else {
                throw failure("annotations[\(number)] is of the image \(annotation.image_id), which there is not")
            }
            guard let label = labels[annotation.category_id] else {
                throw failure("annotations[\(number)] is of the category \(annotation.category_id), which there is not")
            }
            guard box.count == 4, box.allSatisfy({ abs($0) < 1e9 }), box[2] >= 0, box[3] >= 0 else {
                throw failure("the bbox of annotations[\(number)] is not [x, y, width, height] in pixels")
            }
            pictures[place].boxes.append(
                LabelledBox(
                    label: label, isCrowd: annotation.iscrowd ?? 0 != 0, x: box[0], y: box[1], width: box[2],
                    height: box[3]))
        }
        guard pictures.contains(where: { $0.boxes.contains { !$0.isCrowd } }) else {
            throw failure("no image has a box")
        }
        (self.pictures, classes) = (pictures, names)
    }

    /// The names of the classes that a model has to know: those of boxes.
    package var labelledClasses: [String] {
        let labels = Set(pictures.flatMap { $0.boxes.map(\.label) })
        return classes.indices.filter(labels.contains).map { classes[$0] }
    }

    private static func problem(_ error: any Error) -> String {
        func place(_ path: [any CodingKey]) -> String {
            path.reduce("") { text, key in
                key.intValue.map { "\(text)[\($0)]" } ?? (text.isEmpty ? key.stringValue : "\(text).\(key.stringValue)")
            }
        }
        switch error {
        case DecodingError.keyNotFound(let key, let context): return "there is no \(place(context.codingPath + [key]))"
        case DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context):
            return "\(place(context.codingPath)) is of another type than COCO's"
        // Foundation does not tell the two apart.
        default: return "the file is not valid JSON, or an id or a size is not a whole number"
        }
    }
}
