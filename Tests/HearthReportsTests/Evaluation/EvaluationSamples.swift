import HearthReports

/// Evaluations that were made up: how often models are right and how they differ is chosen, the rest follows.
enum EvaluationSamples {
    static let classes = 10

    /// - Parameter sizes: bytes of each model.
    static func header(
        sizes: [Int], pictures: Int, shard: EvaluationShard = .whole, digest: String = "d"
    ) -> EvaluationHeader {
        EvaluationHeader(
            models: sizes.enumerated().map { place, bytes in
                EvaluationHeader.Model(
                    name: "m/model\(place).mlpackage", sha256: "\(digest)\(place)", bytes: bytes,
                    downloadBytes: bytes / 2)
            }, reference: 0, classes: classes, pictures: pictures, labelsSHA256: "labels", crop: "centerCrop",
            shard: shard)
    }

    /// - Parameter wrong: for each model the pictures on which it is wrong.
    static func answers(pictures: Int, wrong: [Set<Int>], shard: EvaluationShard = .whole) -> [PictureAnswers] {
        (0..<pictures).filter(shard.contains).map { place in
            let label = place % classes
            return PictureAnswers(
                place: place, picture: "\(place).png", label: label,
                answers: wrong.enumerated().map { model, places in
                    let first = places.contains(place) ? (label + 1) % classes : label
                    let rest = (0..<classes).filter { $0 != first }.prefix(4)
                    return PictureAnswers.Answer(top: [first] + rest, ms: Double(model + 1) + Double(place % 10) / 10)
                })
        }
    }

    static func evaluation(
        sizes: [Int], pictures: Int, wrong: [Set<Int>], maxDrop: Double, reference: Int? = nil
    ) throws -> Evaluation {
        guard
            let evaluation = Evaluation(
                header(sizes: sizes, pictures: pictures), answers(pictures: pictures, wrong: wrong),
                reference: reference,
                maxDrop: maxDrop)
        else { throw CancellationError() }
        return evaluation
    }

    /// Models that return a number, with an error for each picture; all labels are the picture's place.
    static func regression(_ errors: [[Double]], maxDrop: Double) -> Evaluation? {
        let pictures = errors.first?.count ?? 0
        let header = EvaluationHeader(
            models: header(sizes: errors.indices.map { 1000 - $0 }, pictures: pictures).models, reference: 0,
            task: .regression, classes: 1, names: ["age"], pictures: pictures, labelsSHA256: "", crop: "",
            shard: .whole)
        let answers = (0..<pictures).map { place in
            PictureAnswers(
                place: place, picture: "\(place).png", values: [Double(place)],
                answers: errors.map { PictureAnswers.Answer(values: [Double(place) + $0[place]], ms: 1) })
        }
        return Evaluation(header, answers, maxDrop: maxDrop)
    }

    /// Detectors of one object in each picture, whose boxes are each moved to the right by a share of their width.
    static func detection(_ shifts: [[Double]], maxDrop: Double) -> Evaluation? {
        Evaluation(
            detectionHeader(models: shifts.count, pictures: shifts.first?.count ?? 0), detected(shifts),
            maxDrop: maxDrop)
    }

    static func detectionHeader(models: Int, pictures: Int, threshold: Float = 0.25) -> EvaluationHeader {
        EvaluationHeader(
            models: header(sizes: (0..<models).map { 1000 - $0 }, pictures: pictures).models, reference: 0,
            task: .detection, classes: 2, names: ["cat", "dog"], threshold: threshold, pictures: pictures,
            labelsSHA256: "", crop: "", shard: .whole)
    }

    static func detected(_ shifts: [[Double]]) -> [PictureAnswers] {
        (shifts.first ?? []).indices.map { place in
            PictureAnswers(
                place: place, picture: "\(place).png",
                boxes: [LabelledBox(label: 1, x: 10, y: 20, width: 100, height: 50.5)],
                answers: shifts.map { model in
                    let box = FoundBox(
                        label: 1, confidence: 1 / Double(place + 2), x: 10 + 100 * model[place], y: 20, width: 100,
                        height: 50.5)
                    return PictureAnswers.Answer(boxes: [box], ms: 1)
                })
        }
    }
}
