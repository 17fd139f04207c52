import HearthRuntime
import HearthVision

/// `hearth detect`: where things are in pictures.
struct DetectCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "detect",
        abstract: "Finds things in pictures and says where they are.",
        discussion: """
            A Core ML detector looks at each picture, as with 'hearth classify'. Boxes in JSON are shares of the picture's
            width and height, from its top left corner (Apple's Vision counts from the bottom left), after its EXIF
            orientation was applied; without --json they are pixels. Of boxes of one label that overlap by more than --iou
            (intersection over union), the most confident stays.

            Detectors are pipelines that end in a nonMaximumSuppression, as Create ML and YOLO export them: their own
            thresholds count where none are given, and their labels. Others are models with the outputs 'coordinates'
            and 'confidence', models that end in non_maximum_suppression, and those that give all boxes and scores in
            two tensors or one. Their boxes are centre, width and height, in shares of the input or, where a number is
            above 2, in its pixels. Labels come from the model's metadata: 'classes', 'names' or Xcode's preview
            parameters.
            """,
        examples: [
            ("detect --model Rectangles.mlpackage street.jpg", "What was found, how sure, and where in pixels."),
            ("detect --model Rectangles.mlpackage --threshold 0.5 --json *.jpg", "A line of JSON for each picture."),
        ])

    @Option(valueName: "P", help: ".mlpackage, .mlmodel, compiled artifact, or the name of an installed model.")
    var model: String
    @Argument(valueName: "IMAGE", help: "JPEG or PNG.")
    var images: [String]
    @Option(valueName: "X", help: "Least confidence of a box (default: the model's, or 0.25).")
    var threshold: Float?
    @Option(valueName: "X", help: "Most overlap of two boxes of one label (default: the model's, or 0.45).")
    var iou: Float?
    @Option(help: "How a picture of another shape is made to fit: the centre, the whole with black bars, or stretched.")
    var crop: CropAndScale = .scaleFill
    @OptionGroup var options: VisionOptions
    @Flag(help: "Prints one JSON object a picture.")
    var json = false

    func validate() throws {
        for case (let name, let value?) in [("threshold", threshold), ("iou", iou)] where !(0...1).contains(value) {
            throw UsageError("'--\(name) \(value)' is out of range: expected 0 to 1")
        }
    }

    private struct Line: Encodable {
        var image: String
        var results: [DetectionRow]
        var ms: Double
    }

    mutating func run() async throws {
        let host = try VisionHost(model, options)
        var chosen = try ImageDetector(await host.interface(), file: model, crop: crop)
        if let threshold { chosen.suppression.threshold = threshold }
        if let iou { chosen.suppression.intersectionOverUnion = Double(iou) }
        let detector = chosen
        let terminal = Terminal(.standard)
        let run = PictureRun(images: images, target: detector.picture.image.target)
        try await run { [json] image, picture in
            let (results, milliseconds) = try await PictureRun.timed {
                try await host.runner.withSoundModel { session in
                    try await detector.results(of: session.predict(detector.inputs(for: picture)), in: picture)
                }
            }
            if json {
                try Output.standard.writeJSON(
                    Line(image: image, results: results.map(DetectionRow.init), ms: milliseconds))
            } else {
                let lines = SeenText.lines(
                    image.withVisibleControls, results, width: picture.width, height: picture.height
                ) { terminal?.dim($0) ?? $0 }
                Output.standard.writeLine(lines.joined(separator: "\n"))
            }
        }
        await host.logStart()
    }
}
