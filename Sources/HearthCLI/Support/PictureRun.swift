import HearthImages
import HearthVision

/// Shows pictures to a model, one after the other. One that cannot be read is reported and the others are done anyway.
struct PictureRun {
    var images: [String]
    /// What the model takes.
    var input: SingleImageInput

    /// - Parameter body: what is done with each picture.
    /// - Throws: what `body` throws; where pictures could not be read, that they could not, at the end.
    func callAsFunction(_ body: (_ image: String, _ picture: OrientedImage) async throws -> Void) async throws {
        var failures: [(image: String, failure: CommandFailure)] = []
        for image in images {
            let picture: OrientedImage
            do {
                picture = try await input.read(image)
            } catch let error as ImageError {
                let failure = CommandFailure(error)
                // A missing library affects every picture.
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
            todo: "See the lines above; the others were processed.")
    }

    /// How long `work` took, in milliseconds.
    static func timed<Result>(_ work: () async throws -> Result) async rethrows -> (Result, milliseconds: Double) {
        let start = ContinuousClock.now
        let result = try await work()
        return (result, (ContinuousClock.now - start) / .milliseconds(1))
    }
}
