import HearthRuntime
import HearthVision

/// `hearth watch`: a live feed, as an app on a warm phone sees it.
struct WatchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Shows a live feed to a model, as far as heat and memory allow.",
        discussion: """
            Frames come at their pace, from a folder of pictures in the order of their names or from a video (by ffmpeg).
            What becomes of each frame is one of:

            run       the model looked at it
            drop      a newer frame came before the model was free; nothing queues
            reuse     the budget is reduced: one frame of --every runs, and its result stands for the others
            fallback  too hot, or the model is not in memory: main colour and brightness, without the model

            Heat, memory and power come from this device, or from a script with --simulate, whose time begins when the model
            is ready. The budget falls at once and recovers after ten calm seconds. A line of JSON has the frame's number
            from 0, the decision, the budget (full, reduced or suspended), what is seen, and the milliseconds that the frame
            was computed on; lines are in the order of the frames.
            """,
        examples: [
            ("watch --model Digits.mlpackage --frames pictures --fps 30", "A line for each frame."),
            (
                "watch --model Digits.mlpackage --video clip.mp4 --simulate thermal=serious@2s,thermal=critical@4s --json",
                "What heat would do, without any."
            ),
        ])

    @Option(valueName: "P", help: ".mlpackage, .mlmodel, compiled artifact, or the name of an installed model.")
    var model: String
    @Option(valueName: "DIR", help: "Folder of JPEG and PNG files, in the order of their names.")
    var frames: String?
    @Option(valueName: "FILE", help: "Video, read by ffmpeg.")
    var video: String?
    @Option(valueName: "N", help: "Frames a second.")
    var fps: Float = 30
    @Option(valueName: "N", help: "Under a reduced budget one frame of N runs.")
    var every: Int = FrameGate().interval
    @Option(help: "How a picture of another shape is made to fit: the centre, the whole with black bars, or stretched.")
    var crop: CropAndScale = .centerCrop
    @OptionGroup var simulation: DeviceScriptOptions
    @OptionGroup var options: VisionOptions
    @Flag(help: "Prints one JSON object a frame.")
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
    }

    mutating func run() async throws {
        let host = try VisionHost(model, options)
        let source = try source()
        defer { source.stop() }
        let printer = FramePrinter(json: json)
        let feed = try await FrameFeed(
            host: host, crop: crop, gate: FrameGate(interval: every), monitor: simulation.monitor(), printer: printer)
        try await feed.play(source, framesPerSecond: Double(fps))
        printer.end()
        await host.logStart()
        let unreadable = await feed.unreadable
        guard unreadable == 0 else {
            throw CommandFailure(
                .invalidInput, "\(unreadable) frame\(unreadable == 1 ? "" : "s") could not be read",
                at: frames ?? video,
                todo: "See the lines above; the others were shown.")
        }
    }

    private func source() throws -> any FrameSource {
        if let frames { return try FolderFrames(frames) }
        return try VideoFrames(video ?? "", framesPerSecond: Double(fps))
    }
}
