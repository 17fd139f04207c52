import HearthRuntime
import HearthVision

/// `hearth classify`: what pictures show.
struct ClassifyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "classify",
        abstract: "Says what pictures show.",
        discussion: """
            A Core ML classifier looks at each picture: JPEG or PNG, turned as its EXIF orientation says, made to fit as
            --crop says (the names are those of Apple's Vision), in the order of colours that the model asks for. Labels
            are the model's own. ms counts crop, scale and inference, and not the reading of the file.

            A picture that cannot be read is told about and the others are done; the exit status is 3 then.
            """,
        examples: [
            ("classify --model Digits.mlpackage seven.png", "The likeliest labels of a picture."),
            (
                "classify --model Digits.mlpackage --top 1 --threshold 0 --json *.png",
                "A line of JSON for each picture."
            ),
        ])

    @Option(valueName: "P", help: ".mlpackage, .mlmodel, compiled artifact, or the name of an installed model.")
    var model: String
    @Argument(valueName: "IMAGE", help: "JPEG or PNG.")
    var images: [String]
    @Option(valueName: "N", help: "Most labels of a picture.")
    var top: Int = TopResults().limit
    @Option(valueName: "X", help: "Least confidence of a label.")
    var threshold: Float = TopResults().threshold
    @Option(help: "How a picture of another shape is made to fit: the centre, the whole with black bars, or stretched.")
    var crop: CropAndScale = .centerCrop
    @OptionGroup var options: VisionOptions
    @Flag(help: "Prints one JSON object a picture.")
    var json = false

    func validate() throws {
        try checkPositive("top", top)
        guard (0...1).contains(threshold) else {
            throw UsageError("'--threshold \(threshold)' is out of range: expected 0 to 1")
        }
    }

    private struct Line: Encodable {
        var image: String
        var results: [ClassificationRow]
        var ms: Double
    }

    mutating func run() async throws {
        let host = try VisionHost(model, options)
        let classifier = try ImageClassifier(
            await host.interface(), file: model, crop: crop, top: TopResults(limit: top, threshold: threshold))
        let terminal = Terminal(.standard)
        let run = PictureRun(images: images, target: classifier.picture.image.target)
        try await run { [json] image, picture in
            let (results, milliseconds) = try await PictureRun.timed {
                try await host.runner.withSoundModel { session in
                    try await classifier.results(of: session.predict(classifier.inputs(for: picture)))
                }
            }
            if json {
                try Output.standard.writeJSON(
                    Line(image: image, results: results.map(ClassificationRow.init), ms: milliseconds))
            } else {
                let lines = SeenText.lines(image.withVisibleControls, results, bars: terminal != nil) {
                    terminal?.dim($0) ?? $0
                }
                Output.standard.writeLine(lines.joined(separator: "\n"))
            }
        }
        await host.logStart()
    }
}
