import Foundation
import HearthImages
import HearthRuntime
import HearthVision

/// `hearth watch`: classifies a live feed, as an app on a warm phone would.
struct WatchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Classifies a live feed, as far as heat and memory allow.",
        discussion: """
            Frames arrive at their own pace, from a folder of images in the order of their names or from a video
            (decoded by ffmpeg). Each frame is handled in one of four ways:

            run       the model looked at it
            drop      a newer frame arrived before the model was free; nothing queues
            reuse     the budget is reduced: one frame in --every runs, and its result is reused for the others
            fallback  too hot, or the model is not in memory: main colour and brightness, without the model

            Heat, memory and power come from this device, or from a script with --simulate, whose time begins
            when the model is ready. The budget drops at once and recovers after ten calm seconds. A line of
            JSON has the frame's number from 0, the decision, the budget (full, reduced or suspended), the
            result, and the milliseconds spent on the frame; lines are in frame order.

            An image of the folder that cannot be read is named on standard error and is no frame; the others are
            processed. At the end such images are counted, and the exit status is 3.

            --page shows the feed in a browser: the last frame with its results, decisions and heat. The address is
            printed on standard error; it answers this machine only. Started at a terminal, the page stays when the
            feed has ended, until Ctrl-C.
            """,
        examples: [
            ("watch --model Digits.mlpackage --frames pictures --fps 30", "Prints one line per frame."),
            (
                "watch --model Digits.mlpackage --video clip.mp4 --simulate thermal=serious@2s,thermal=critical@4s --json",
                "Shows the effect of heat on a cool device."
            ),
            ("watch --model Detector.mlpackage --video clip.mp4 --page", "Shows boxes on the video in a browser."),
        ])

    @Option(valueName: "P", help: ".mlpackage, .mlmodel, compiled artifact, or the name of an installed model.")
    var model: String
    @Option(valueName: "DIR", help: "Folder of images, in the order of their names.")
    var frames: String?
    @Option(valueName: "FILE", help: "Video, read by ffmpeg.")
    var video: String?
    @Option(valueName: "N", help: "Frames per second.")
    var fps: Float = 30
    @Option(valueName: "N", help: "Under a reduced budget, one frame in N runs.")
    var every: Int = FrameGate().interval
    @Option(
        help:
            "How an image of another shape is fitted: centre crop (default for a classifier), whole with black bars, or stretched (for a detector)."
    )
    var crop: CropAndScale?
    @Flag(help: "Shows the feed on a page in the browser; its address is printed.")
    var page = false
    @Option(valueName: "N", help: "Port of the page; 0 for any free one.")
    var port: Int = 0
    @OptionGroup var simulation: DeviceScriptOptions
    @OptionGroup var options: VisionOptions
    @Flag(help: "Prints one JSON object per frame.")
    var json = false

    func validate() throws {
        guard (frames == nil) != (video == nil) else {
            throw UsageError(
                frames == nil ? "nothing to watch" : "more than one feed", command: "watch",
                suggestion: "Pass exactly one of --frames and --video.")
        }
        guard (0.01...1000).contains(fps) else {
            throw UsageError("'--fps \(fps)' is out of range: expected 0.01 to 1000")
        }
        try checkPositive("every", every)
        guard (0...65535).contains(port) else {
            throw UsageError("'--port \(port)' is out of range: expected 0 to 65535")
        }
        guard page || port == 0 else { throw UsageError("'--port' is the port of the page: it needs '--page'") }
    }

    mutating func run() async throws {
        let host = try options.host(model)
        let source = try source()
        defer { source.stop() }
        let printer = FramePrinter(json: json)
        let monitor = try simulation.monitor()
        let page = page ? try FeedPage(port: port, model: modelName, monitor: monitor) : nil
        if let page { Output.error.writeLine("hearth: the feed is shown at \(page.url)") }
        let feed = try await FrameFeed(
            host: host, crop: crop, gate: FrameGate(interval: every), monitor: monitor, printer: printer, page: page)
        try await feed.play(source, framesPerSecond: Double(fps))
        let (played, unreadable) = await (feed.played, feed.unreadable)
        if played > 0 || unreadable == 0 { printer.end() }
        if let page {
            if played > 0, isatty(STDIN_FILENO) == 1, Output.error.isTerminal {
                Output.error.writeLine("hearth: the feed has ended; the page stays until Ctrl-C")
                try await Task.sleep(for: .seconds(86400))
            }
            await page.stop()
        }
        await host.recordStart()
        guard unreadable == 0 else {
            let (what, advice) = FrameText.unreadable(unreadable, of: played + unreadable)
            throw CommandFailure(.invalidInput, what, at: frames, todo: advice)
        }
    }

    /// The model's name, for the page.
    private var modelName: String { ((model as NSString).lastPathComponent as NSString).deletingPathExtension }

    private func source() throws -> any FrameSource {
        if let frames { return try FolderFrames(frames) }
        return try VideoFrames(video ?? "", framesPerSecond: Double(fps))
    }
}
