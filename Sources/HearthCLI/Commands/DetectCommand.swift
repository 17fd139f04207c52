import HearthCoreML
import HearthImages
import HearthModels
import HearthRuntime
import HearthSystem
import HearthVision

/// `hearth detect`: detects objects in images.
struct DetectCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "detect",
        abstract: "Detects objects in images with a Core ML model.",
        discussion: """
            Runs a Core ML detector on each image, prepared as for 'hearth classify'. In JSON, boxes are
            fractions of the image's width and height, measured from its top left corner (Apple's Vision
            measures from the bottom left), after the EXIF orientation was applied; without --json they are
            pixels. Of boxes with the same label that overlap by more than --iou (intersection over union), only
            the most confident is kept.

            Supported detectors: pipelines that end in a nonMaximumSuppression, as Create ML and YOLO export
            them, with their own thresholds by default, and their labels; models with the outputs 'coordinates'
            and 'confidence'; models that end in non_maximum_suppression; and models that give all boxes and
            scores in one or two tensors. The boxes of the latter are centre, width and height, as fractions of
            the input or, if a number is above 2, in its pixels. Labels come from the model's metadata:
            'classes', 'names' or Xcode's preview parameters.
            """,
        examples: [
            ("detect --model Rectangles.mlpackage street.jpg", "Prints labels, confidences, and boxes in pixels."),
            ("detect --model Rectangles.mlpackage --threshold 0.5 --json *.jpg", "Prints one line of JSON per image."),
            (
                "detect --model Rectangles.mlpackage --annotate boxes *.jpg",
                "Writes boxes/NAME.jpg with the boxes drawn on it, for each image."
            ),
        ])

    @Option(valueName: "P", help: ".mlpackage, .mlmodel, compiled artifact, or the name of an installed model.")
    var model: String
    @Argument(valueName: "IMAGE", help: "JPEG, PNG, WebP, HEIC or AVIF.")
    var images: [String]
    @Option(valueName: "X", help: "Minimum confidence of a box (default: the model's, or 0.25).")
    var threshold: Float?
    @Option(valueName: "X", help: "Maximum overlap of two boxes with the same label (default: the model's, or 0.45).")
    var iou: Float?
    @Option(help: "How an image of another shape is fitted: centre crop, whole with black bars, or stretched.")
    var crop: CropAndScale = .scaleFill
    @Option(valueName: "DIR", help: "Folder for a copy of each image with its boxes and labels, as JPEG.")
    var annotate: String?
    @OptionGroup var options: VisionOptions
    @Flag(help: "Prints one JSON object per image.")
    var json = false

    func validate() throws {
        for case (let name, let value?) in [("threshold", threshold), ("iou", iou)] where !(0...1).contains(value) {
            throw UsageError("'--\(name) \(value)' is out of range: expected 0 to 1")
        }
    }

    mutating func run() async throws {
        let host = try options.host(model)
        var chosen = try ImageDetector(await host.preparedInterface(), file: model, crop: crop)
        if let threshold { chosen.suppression.threshold = threshold }
        if let iou { chosen.suppression.intersectionOverUnion = Double(iou) }
        let detector = chosen
        let terminal = Terminal(.standard)
        let folder = try annotate.map { [images, model] in
            try AnnotationFolder(
                $0, images: images, model: ModelLocator.using.path(of: model), command: "detect")
        }
        let run = PictureRun(images: images, input: detector.picture)
        try await run { [json] image, picture in
            let (results, milliseconds) = try await PictureRun.timed {
                try await host.runner.withSoundModel { try await detector.results(for: picture, by: $0) }
            }
            let annotated = try folder?.write(image) { ImageAnnotation.drawing($0, results) }
            if json {
                try Output.standard.writeJSON(
                    PictureLine(
                        image: image, results: results.map(DetectionRow.init), ms: milliseconds, annotated: annotated))
            } else {
                let lines = SeenText.lines(
                    image.withVisibleControls, results, width: picture.width, height: picture.height
                ) { terminal?.dim($0) ?? $0 }
                Output.standard.writeLine(lines.joined(separator: "\n"))
            }
        }
        await host.recordStart()
    }
}
