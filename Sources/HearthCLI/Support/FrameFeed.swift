import HearthCoreML
import HearthImages
import HearthModels
import HearthRuntime
import HearthSystem
import HearthVision

/// The feed of one command: submits frames at their rate, keeps or releases the model as device conditions demand, and
/// prints each frame's result in order.
@MainActor
final class FrameFeed {
    typealias Frames = FrameClassifier<CoreMLEngine, OrientedImage, Seen>

    private let frames: Frames
    /// Adapts the model to the device's conditions as long as it exists.
    private let host: ModelHost<CoreMLEngine>
    private let printer: FramePrinter
    private let page: FeedPage?

    /// The number of frames that were read.
    private(set) var played = 0
    /// The number of images of a folder that could not be read.
    private(set) var unreadable = 0

    /// Prepares the model first, so that the feed does not begin with fallbacks.
    init(
        host: ModelHost<CoreMLEngine>, crop: CropAndScale?, gate: FrameGate, monitor: any DeviceMonitor,
        printer: FramePrinter, page: FeedPage? = nil
    ) async throws {
        (self.printer, self.page) = (printer, page)
        let viewer = try FrameViewer(await host.preparedInterface(), file: host.runner.engine.path, crop: crop)
        try await host.runner.prepare()
        let frames = Frames(
            runner: host.runner, gate: gate, fallback: { viewer.guess($0) },
            infer: { [runner = host.runner] session, picture in
                do {
                    return try await viewer.look(at: picture, with: session)
                } catch FileError.changed(let location) {
                    // This frame uses the fallback; the artifact is renewed for later frames.
                    Task {
                        await runner.renewArtifact(location.file)
                        try? await runner.prepare(retryingFailure: true)
                    }
                    throw RunnerError.released
                }
            },
            onRecord: { record in
                printer.take(record)
                page?.take(record)
            })
        host.watch(monitor, .printed) { frames.level = $0.level }
        self.host = host
        self.frames = frames
    }

    /// Plays all frames of a source and returns when the last one is done. An image of a folder that cannot be read is
    /// reported and skipped.
    /// - Throws: the first error of the source itself, or of an inference.
    func play(_ source: any FrameSource, framesPerSecond: Double) async throws {
        let begin = ContinuousClock.now
        var pacer = FramePacer(framesPerSecond: framesPerSecond)
        while let frame = try await readable(source) {
            let due = pacer.next(at: ContinuousClock.now - begin)
            try await Task.sleep(until: begin + due, tolerance: .zero, clock: .continuous)
            played += 1
            printer.name(frame.name)
            page?.submit(frame)
            frames.submit(frame.picture)
            if let failure = printer.failure { throw failure }
        }
        while frames.pending > 0 { try await Task.sleep(for: .milliseconds(1)) }
        if let failure = printer.failure { throw failure }
    }

    private func readable(_ source: any FrameSource) async throws -> Frame? {
        while true {
            do {
                return try await source.next()
            } catch let error as ImageError where source is FolderFrames && error.isOfOneImage {
                // A video is over at its first error, which it would throw forever.
                Output.error.writeLine(CommandFailure(error).line)
                unreadable += 1
            }
        }
    }
}

extension ImageError {
    /// Whether other images may still be readable.
    fileprivate var isOfOneImage: Bool {
        switch self {
        case .unreadable, .notAPicture, .unsupportedFormat, .unsupported, .truncated, .damaged, .tooLarge: true
        case .libraryMissing, .unwritable, .invalidPixels, .targetTooLarge, .noPictures, .noVideoProgram, .videoFailed:
            false
        }
    }
}
