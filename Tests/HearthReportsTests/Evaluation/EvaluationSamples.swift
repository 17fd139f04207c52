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
}
