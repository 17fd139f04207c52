internal import HearthSystem

/// The labelled pictures of an evaluation, with labels as indices, boxes or numbers.
package struct EvaluationList: Sendable, Equatable {
    /// What the models are for.
    package let task: EvaluationTask
    /// The names of a detector's classes, or of a regressor's numbers.
    package let names: [String]
    /// The pictures, without answers; at least one.
    package let pictures: [PictureAnswers]
    /// The line of each picture in the list; nil for annotations, which have no lines.
    package let lines: [Int]?

    /// Pictures with classes.
    /// - Parameter names: the names of the models' classes.
    package init(_ list: LabelList, classes names: [String]) throws(ReportError) {
        let classes = try list.classes(names)
        self.init(.classification, names, list) {
            PictureAnswers(place: $0, picture: list.rows[$0].file, label: classes[$0], answers: [])
        }
    }

    /// Pictures with numbers.
    /// - Parameter outputs: names of the models' outputs, and how many numbers each has.
    package init(_ list: LabelList, numbers outputs: [(name: String, count: Int)]) throws(ReportError) {
        let (names, values) = try list.numbers(outputs)
        self.init(.regression, names, list) {
            PictureAnswers(place: $0, picture: list.rows[$0].file, values: values[$0], answers: [])
        }
    }

    /// Pictures with boxes.
    package init(_ annotations: ObjectAnnotations) {
        (task, names, lines) = (.detection, annotations.classes, nil)
        pictures = annotations.pictures.enumerated().map { place, picture in
            PictureAnswers(place: place, picture: picture.file, boxes: picture.boxes, answers: [])
        }
    }

    private init(
        _ task: EvaluationTask, _ names: [String], _ list: LabelList, _ picture: (_ place: Int) -> PictureAnswers
    ) {
        (self.task, self.names) = (task, names)
        pictures = list.rows.indices.map(picture)
        lines = list.rows.map(\.line)
    }

    /// SHA-256 over files and labels in order: lists that are equivalent have the same digest.
    package var sha256: String {
        var hash = SHA256()
        for picture in pictures {
            let label = picture.label.map { String($0) } ?? picture.values.map { "\($0)" } ?? "\(picture.boxes ?? [])"
            hash.update("\(picture.picture.utf8.count):\(picture.picture)=\(label)\n".utf8)
        }
        return hash.finalize()
    }
}
