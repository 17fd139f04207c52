internal import Foundation
package import HearthImages
internal import HearthSystem

/// The frames of a video, decoded by ffmpeg in a separate process.
///
/// ffmpeg writes upright, uncompressed RGB images to a pipe at a constant frame rate. It blocks while the pipe is not read, so
/// little more than one frame is in memory. It only reads local files, even if a playlist refers to others.
package actor VideoFrames: FrameSource {
    /// The requested frame rate.
    package nonisolated let framesPerSecond: Double?
    private nonisolated let process: ChildProcess
    private let stream: PixmapStream
    private let file: String
    private var ahead: Task<PixelImage?, any Error>?
    private var count = 0

    /// Starts ffmpeg.
    /// - Parameters:
    ///   - path: the path of the video.
    ///   - framesPerSecond: the frame rate of the result; frames are repeated or dropped if the video has a different one. From
    ///     0.001 to 1000.
    ///   - programs: folders to search for ffmpeg, separated by colons; nil for those of the environment.
    /// - Throws: `ImageError.noVideoProgram`, `.unreadable`, `.videoFailed`.
    package init(
        _ path: String, framesPerSecond: Double = 30, limits: ImageLimits = .device, programs: String? = nil
    ) throws(ImageError) {
        // ffmpeg's own message for a missing file does not contain its name, and without ffmpeg it is missing all the same.
        do throws(FileFailure) {
            try WholeFile.check(path)
        } catch {
            throw .unreadable(file: path, reason: error.reason)
        }
        guard let program = ProgramPath.find("ffmpeg", in: programs ?? ProgramPath.folders) else {
            throw .noVideoProgram
        }
        let rate = min(max(framesPerSecond, 0.001), 1000)
        do {
            process = try ChildProcess(program, Self.arguments(path, rate), input: .file([]))
        } catch {
            throw .videoFailed(file: path, reason: error.localizedDescription)
        }
        self.framesPerSecond = rate
        file = path
        stream = PixmapStream(process, path, limits)
    }

    static func arguments(_ path: String, _ rate: Double) -> [String] {
        [
            "-nostdin", "-hide_banner", "-loglevel", "error", "-protocol_whitelist", "file", "-i", "file:\(path)",
            "-map", "0:v:0", "-an", "-sn", "-dn", "-vf", "fps=\(rate)", "-f", "image2pipe", "-c:v", "ppm", "-pix_fmt",
            "rgb24", "pipe:1",
        ]
    }

    deinit {
        ahead?.cancel()
        process.kill()
    }

    /// Terminates ffmpeg.
    package nonisolated func stop() { process.kill() }

    /// Returns the next frame, which is usually decoded already.
    /// - Throws: ``ImageError``, again at every further call; `CancellationError`, after which there are no more frames.
    package func next() async throws -> Frame? {
        let current = ahead ?? read()
        // The next frame is decoded while the caller processes this one.
        ahead = current
        let image = try await withTaskCancellationHandler {
            try await current.value
        } onCancel: {
            stop()
        }
        try Task.checkCancellation()
        guard let image else { return nil }
        ahead = read()
        defer { count += 1 }
        return Frame(number: count, picture: OrientedImage(image))
    }

    private func read() -> Task<PixelImage?, any Error> {
        let stream = stream
        return Task { try await OwnThread.run(priority: .userInitiated) { _ in try stream.next() } }
    }
}

/// Reads images in Netpbm's binary format (P6) from a program's output, one after another.
private final class PixmapStream: @unchecked Sendable {
    // Sendable: `VideoFrames` requests the next image only after the previous one has arrived.
    private let process: ChildProcess
    private let file: String
    private let limits: ImageLimits
    private var rest: [UInt8] = []
    private var failure: ImageError?
    private var isAtEnd = false

    init(_ process: ChildProcess, _ file: String, _ limits: ImageLimits) {
        (self.process, self.file, self.limits) = (process, file, limits)
    }

    /// Returns the next image; nil at the end.
    func next() throws(ImageError) -> PixelImage? {
        if let failure { throw failure }
        if isAtEnd { return nil }
        do throws(ImageError) {
            return try read()
        } catch {
            process.kill()
            failure = error
            throw error
        }
    }

    private func read() throws(ImageError) -> PixelImage? {
        var header = PixmapHeader(rest)
        while header == nil, rest.count < PixmapHeader.longest {
            guard try fill(rest.count + 1) else { return nil }
            header = PixmapHeader(rest)
        }
        guard let header else { throw .videoFailed(file: file, reason: "its output is not understood") }
        try limits.checkPixels(file, header.width, header.height)
        try limits.checkMemory(file, 2 * header.pixelBytes)
        let count = header.length + header.pixelBytes
        guard try fill(count) else { return nil }
        let pixels = Array(rest[header.length..<count])
        rest.removeFirst(count)
        return try PixelImage(width: header.width, height: header.height, channels: 3, bytes: pixels)
    }

    /// Reads until `rest` has `count` bytes; false if the output ends before that. It may only end between images, with a
    /// successful exit status.
    private func fill(_ count: Int) throws(ImageError) -> Bool {
        var have = rest.count
        guard have < count else { return true }
        // Reads more than needed, which is the start of the next image.
        rest += [UInt8](repeating: 0, count: count - have + (1 << 16))
        defer { rest.removeLast(rest.count - have) }
        while have < count {
            let got = process.read(into: &rest, from: have)
            if got == 0 {
                try end(isInside: have > 0)
                return false
            }
            have += got
        }
        return true
    }

    private func end(isInside: Bool) throws(ImageError) {
        isAtEnd = true
        if process.wasKilled { return }
        let outcome = process.finish()
        if process.wasKilled { return }
        let line = String(decoding: outcome.message.prefix(300), as: UTF8.self).split(separator: "\n").first
        guard outcome.status == 0, !isInside else {
            throw .videoFailed(file: file, reason: line.map(String.init) ?? "it ended with status \(outcome.status)")
        }
    }
}

/// The header of an image in Netpbm's binary format: `P6`, width, height, 255, separated by white space.
package struct PixmapHeader: Equatable {
    package var width: Int
    package var height: Int
    /// The length of the header in bytes.
    package var length: Int

    /// An upper bound of the header's length.
    static let longest = 64

    package var pixelBytes: Int { 3 * width * height }

    /// Parses a header; nil if it is incomplete or invalid.
    package init?(_ bytes: [UInt8]) {
        let start = bytes.prefix(Self.longest)
        guard start.starts(with: [0x50, 0x36]) else { return nil }
        var at = 2
        var numbers: [Int] = []
        while numbers.count < 3 {
            while at < start.count, [0x20, 0x0A, 0x0D, 0x09].contains(start[at]) { at += 1 }
            var number: Int?
            while at < start.count, (0x30...0x39).contains(start[at]), number ?? 0 < 1 << 20 {
                number = (number ?? 0) * 10 + Int(start[at] - 0x30)
                at += 1
            }
            // One byte of white space follows each number, including the last one.
            guard let number, at < start.count, [0x20, 0x0A, 0x0D, 0x09].contains(start[at]) else { return nil }
            numbers.append(number)
        }
        guard (1...1 << 20).contains(numbers[0]), (1...1 << 20).contains(numbers[1]), numbers[2] == 255 else {
            return nil
        }
        (width, height, length) = (numbers[0], numbers[1], at + 1)
    }
}
