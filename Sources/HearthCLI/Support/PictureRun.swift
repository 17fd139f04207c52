import HearthImages
import HearthVision

/// Runs a model on images in sequence. An unreadable image is reported, and the others are still processed.
struct PictureRun {
    var images: [String]
    /// The model's image input.
    var input: SingleImageInput

    /// - Parameter body: processes one image.
    /// - Throws: errors of `body`; at the end, an error if images could not be read.
    func callAsFunction(_ body: (_ image: String, _ picture: OrientedImage) async throws -> Void) async throws {
        var failures: [(image: String, failure: CommandFailure)] = []
        for image in images {
            let picture: OrientedImage
            do {
                picture = try await input.read(image)
            } catch let error as ImageError {
                let failure = CommandFailure(error)
                // A missing library affects every image.
                guard failure.status == .invalidInput, images.count > 1 else { throw failure }
                Output.error.writeLine(failure.line)
                failures.append((image, failure))
                continue
            }
            try await body(image, picture)
        }
        guard let first = failures.first else { return }
        throw CommandFailure(
            first.failure.status, "\(failures.count) of \(images.count) images could not be read",
            at: failures.count == 1 ? first.image : "the first: \(first.image)",
            todo: "See the lines above" + (failures.count < images.count ? "; the others were processed." : "."))
    }

    /// Measures how long `work` takes, in milliseconds.
    static func timed<Result>(_ work: () async throws -> Result) async rethrows -> (Result, milliseconds: Double) {
        let start = ContinuousClock.now
        let result = try await work()
        return (result, (ContinuousClock.now - start) / .milliseconds(1))
    }
}

/// What was found on an image, as a line of JSON.
struct PictureLine<Row: Encodable>: Encodable {
    var image: String
    var results: [Row]
    var ms: Double
    /// The path of the annotated image.
    var annotated: String?
}
