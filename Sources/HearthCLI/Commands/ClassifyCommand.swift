import HearthCoreML
import HearthImages
import HearthModels
import HearthRuntime
import HearthSystem
import HearthVision

/// `hearth classify`: classifies images.
struct ClassifyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "classify",
        abstract: "Classifies images with a Core ML model.",
        discussion: """
            Runs a Core ML classifier on each image. Images are JPEG, PNG, WebP, HEIC or AVIF; they are rotated by their EXIF
            orientation, fitted as --crop says (the names are those of Apple's Vision) and converted to the
            channel order that the model expects. Labels come from the model. ms counts crop, scale and
            inference, not reading the file. An image that cannot be read is reported, the others are still
            classified, and the exit status is 3.
            """,
        examples: [
            ("classify --model Digits.mlpackage seven.png", "Prints the most likely labels."),
            (
                "classify --model Digits.mlpackage --top 1 --threshold 0 --json *.png",
                "Prints one line of JSON per image."
            ),
        ])

    @Option(valueName: "P", help: ".mlpackage, .mlmodel, compiled artifact, or the name of an installed model.")
    var model: String
    @Argument(valueName: "IMAGE", help: "JPEG, PNG, WebP, HEIC or AVIF.")
    var images: [String]
    @Option(valueName: "N", help: "Maximum number of labels per image.")
    var top: Int = TopResults().limit
    @Option(valueName: "X", help: "Minimum confidence of a label.")
    var threshold: Float = TopResults().threshold
    @Option(help: "How an image of another shape is fitted: centre crop, whole with black bars, or stretched.")
    var crop: CropAndScale = .centerCrop
    @Option(valueName: "DIR", help: "Folder for a copy of each image with its labels, as JPEG.")
    var annotate: String?
    @OptionGroup var options: VisionOptions
    @Flag(help: "Prints one JSON object per image.")
    var json = false

    func validate() throws {
        try checkPositive("top", top)
        guard (0...1).contains(threshold) else {
            throw UsageError("'--threshold \(threshold)' is out of range: expected 0 to 1")
        }
    }

    mutating func run() async throws {
        let host = try options.host(model)
        let classifier = try ImageClassifier(
            await host.preparedInterface(), file: model, crop: crop, top: TopResults(limit: top, threshold: threshold))
        let terminal = Terminal(.standard)
        let folder = try annotate.map { [images, model] in
            try AnnotationFolder(
                $0, images: images, model: ModelLocator.using.path(of: model), command: "classify")
        }
        let run = PictureRun(images: images, input: classifier.picture)
        try await run { [json] image, picture in
            let (results, milliseconds) = try await PictureRun.timed {
                try await host.runner.withSoundModel { try await classifier.results(for: picture, by: $0) }
            }
            let annotated = try folder?.write(image) { ImageAnnotation.drawing($0, results) }
            if json {
                try Output.standard.writeJSON(
                    PictureLine(
                        image: image, results: results.map(ClassificationRow.init), ms: milliseconds,
                        annotated: annotated))
            } else {
                let lines = SeenText.lines(image.withVisibleControls, results, bars: terminal != nil) {
                    terminal?.dim($0) ?? $0
                }
                Output.standard.writeLine(lines.joined(separator: "\n"))
            }
        }
        await host.recordStart()
    }
}
