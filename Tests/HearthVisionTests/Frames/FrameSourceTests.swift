import Foundation
import HearthImages
import HearthSystem
import HearthTestSupport
import HearthVision
import Testing

@Suite("frames of folders and videos", .timeLimit(.minutes(20)))
struct FrameSourceTests {
    /// A folder that is gone when the test is over.
    private final class Folder {
        let path: String
        init() throws {
            path = "\(NSTemporaryDirectory())/hearth-frames-\(UInt64.random(in: 0...(.max)))"
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        }
        deinit { try? FileManager.default.removeItem(atPath: path) }

        func write(_ name: String, _ bytes: [UInt8]) throws {
            try Data(bytes).write(to: URL(fileURLWithPath: "\(path)/\(name)"))
        }
        /// A program of that name, in the shell's language.
        func program(_ name: String, _ text: String) throws {
            try ShellScript.write(text, to: "\(path)/\(name)")
        }
    }

    static let ffmpeg = ProgramPath.find("ffmpeg", in: ProgramPath.folders)

    /// A picture of Tests/Fixtures/pictures.
    private static func picture(_ name: String) throws -> [UInt8] {
        Array(try Data(contentsOf: TestFixtures.url("pictures/\(name)")))
    }

    @Test("names are in the order of their numbers")
    func order() {
        let names = [
            "a10.png", "a9.png", "a09.png", "b1.png", "a.png", "A1.png", "a9b10", "a9b9", "12", "9", "009", "a9",
        ]
        #expect(
            names.sorted(by: FolderFrames.precedes)
                == [
                    "009", "9", "12", "A1.png", "a.png", "a9", "a09.png", "a9.png", "a9b9", "a9b10", "a10.png",
                    "b1.png",
                ])
        for first in names {
            for second in names where first != second {
                #expect(FolderFrames.precedes(first, second) != FolderFrames.precedes(second, first))
            }
        }
    }

    @Test("a folder's pictures come in order; other files do not; one that cannot be read is an error in its place")
    func folder() async throws {
        let folder = try Folder()
        try folder.write("frame10", Self.picture("gray.jpg"))
        try folder.write("frame9.txt", Self.picture("rgb.png"))
        try folder.write("frame9b.png", Array(Self.picture("rgb.png").prefix(300)))
        try folder.write("frame11.gif", Self.picture("other.gif"))
        try folder.write("labels.csv", Array("a,b".utf8))
        try folder.write("labels.png", [])
        try folder.write(".hidden.png", Self.picture("rgb.png"))
        try FileManager.default.createDirectory(atPath: "\(folder.path)/below.png", withIntermediateDirectories: false)
        try FileManager.default.createSymbolicLink(atPath: "\(folder.path)/link.jpg", withDestinationPath: "below.png")
        try FileManager.default.createSymbolicLink(atPath: "\(folder.path)/gone.JPG", withDestinationPath: "nowhere")
        try FileManager.default.createSymbolicLink(atPath: "\(folder.path)/gone.csv", withDestinationPath: "nowhere")
        let frames = try FolderFrames(folder.path)
        #expect(
            frames.names == ["frame9.txt", "frame9b.png", "frame10", "frame11.gif", "gone.JPG", "labels.png"])
        #expect(frames.framesPerSecond == nil)
        let first = try #require(try await frames.next())
        #expect(first.number == 0 && first.name == "frame9.txt" && first.picture.width == 29)
        await #expect(throws: ImageError.truncated(file: "\(folder.path)/frame9b.png", part: "IDAT")) {
            try await frames.next()
        }
        #expect(try await frames.next()?.number == 2)
        await #expect(throws: ImageError.unsupportedFormat(file: "\(folder.path)/frame11.gif", format: "GIF")) {
            try await frames.next()
        }
        await #expect(
            throws: ImageError.unreadable(file: "\(folder.path)/gone.JPG", reason: "No such file or directory")
        ) {
            try await frames.next()
        }
        await #expect(throws: ImageError.notAPicture(file: "\(folder.path)/labels.png")) { try await frames.next() }
        #expect(try await frames.next() == nil)
    }

    @Test("a folder without pictures, and no folder, are refused by name; a stopped one ends")
    func folderRefused() async throws {
        let folder = try Folder()
        #expect(throws: ImageError.noPictures(folder: folder.path)) { try FolderFrames(folder.path) }
        #expect(throws: ImageError.unreadable(file: "/no/such", reason: "No such file or directory")) {
            try FolderFrames("/no/such")
        }
        try folder.write("a.png", Self.picture("rgb.png"))
        let frames = try FolderFrames(folder.path)
        frames.stop()
        #expect(try await frames.next() == nil)
    }

    @Test("headers of uncompressed pictures are read whole or not at all")
    func headers() {
        func header(_ text: String) -> PixmapHeader? { PixmapHeader(Array(text.utf8)) }
        let found = header("P6\n320 240\n255\nxyz")
        #expect(found?.width == 320 && found?.height == 240 && found?.length == 15 && found?.pixelBytes == 230_400)
        for bad in [
            "", "P", "P6", "P6\n320", "P6\n320 240\n255", "P5\n1 1\n255\n", "P6\n0 1\n255\n", "P6\n1 1\n65535\n",
            "P6\n-1 1\n255\n", "P6\n99999999999999999999 1\n255\n", "P6\n1048577 1\n255\n",
        ] {
            #expect(header(bad) == nil, "\(bad)")
        }
    }

    @Test("a video's frames come in order, whole, at the pace that was asked for", .enabled(if: ffmpeg != nil))
    func video() async throws {
        let folder = try Folder()
        let path = "\(folder.path)/-colours.mkv"
        let colors = "color=c=red:s=64x48:r=10:d=0.5[a];color=c=blue:s=64x48:r=10:d=0.5[b];[a][b]concat=n=2"
        let maker = try ChildProcess(
            try #require(Self.ffmpeg),
            ["-loglevel", "error", "-f", "lavfi", "-i", colors, "-c:v", "ffv1", "-pix_fmt", "bgr0", path],
            input: .file([]))
        #expect(await Self.end(maker) == 0)
        let frames = try VideoFrames(path, framesPerSecond: 20)
        #expect(frames.framesPerSecond == 20)
        var seen: [[UInt8]] = []
        while let frame = try await frames.next() {
            #expect(frame.number == seen.count && frame.picture.width == 64 && frame.picture.height == 48)
            let bytes = frame.picture.pixels.bytes
            #expect(bytes.count == 64 * 48 * 3)
            seen.append(Array(bytes.prefix(3)))
            let pixels: [[UInt8]] = stride(from: 0, to: bytes.count, by: 3).map { at in Array(bytes[at..<at + 3]) }
            #expect(Set(pixels).count == 1)
        }
        #expect(seen.count == 20)
        #expect(seen.prefix(10).allSatisfy { $0[0] > 240 && $0[2] < 16 })
        #expect(seen.suffix(10).allSatisfy { $0[0] < 16 && $0[2] > 240 })
        #expect(try await frames.next() == nil)
    }

    @Test("what is no video is refused in ffmpeg's words, and again when asked again", .enabled(if: ffmpeg != nil))
    func noVideo() async throws {
        let folder = try Folder()
        try folder.write("a.mp4", Array("not a video at all".utf8))
        let frames = try VideoFrames("\(folder.path)/a.mp4")
        for _ in 0..<2 {
            let error = await #expect(throws: ImageError.self) { try await frames.next() }
            guard case .videoFailed("\(folder.path)/a.mp4", let reason)? = error else {
                Issue.record("\(String(describing: error))")
                continue
            }
            #expect(!reason.isEmpty)
        }
    }

    @Test("no ffmpeg, no video: said by name before anything is started")
    func missing() throws {
        let folder = try Folder()
        try folder.write("a.mp4", [1])
        #expect(throws: ImageError.noVideoProgram) { try VideoFrames("\(folder.path)/a.mp4", programs: "/no/such") }
        try folder.program("ffmpeg", "exit 0")
        for programs in [folder.path, "/no/such"] {
            #expect(throws: ImageError.unreadable(file: "/no/such.mp4", reason: "No such file or directory")) {
                try VideoFrames("/no/such.mp4", programs: programs)
            }
        }
    }

    /// Endless black frames of 640 × 480, each noted in a file before it is written.
    private func endless(_ folder: Folder) throws -> String {
        try folder.program(
            "ffmpeg",
            """
            cd "\(folder.path)"
            while :; do echo frame >> written; printf 'P6\\n640 480\\n255\\n'; head -c 921600 /dev/zero || exit; done
            """)
        try folder.write("a.mp4", [1])
        return "\(folder.path)/a.mp4"
    }

    @Test("a slow reader is waited for: no frames pile up")
    func bounded() async throws {
        let folder = try Folder()
        let frames = try VideoFrames(try endless(folder), programs: folder.path)
        for number in 0..<5 { #expect(try await frames.next()?.number == number) }
        // However long it is, what is read ahead and what is on its way bounds what was written.
        try await Task.sleep(for: .milliseconds(200))
        let written = try String(contentsOfFile: "\(folder.path)/written", encoding: .utf8).split(separator: "\n").count
        #expect((5...8).contains(written), "\(written)")
        frames.stop()
    }

    @Test("stopping, cancelling and letting go end the program", arguments: ["stop", "cancel", "release"])
    func ends(way: String) async throws {
        let folder = try Folder()
        let path = try endless(folder)
        var frames: VideoFrames? = try VideoFrames(path, programs: folder.path)
        #expect(try await frames?.next() != nil)
        switch way {
        case "stop":
            frames?.stop()
            while try await frames?.next() != nil {}
        case "cancel":
            let reader = Task { [frames] in while try await frames?.next() != nil {} }
            reader.cancel()
            await #expect(throws: CancellationError.self) { try await reader.value }
        default: break
        }
        frames = nil
        // It writes no more: two counts that are the same, some time apart.
        func count() throws -> Int {
            try String(contentsOfFile: "\(folder.path)/written", encoding: .utf8).split(separator: "\n").count
        }
        var (before, now) = (-1, try count())
        while now != before {
            try await Task.sleep(for: .milliseconds(40))
            (before, now) = (now, try count())
        }
    }

    @Test("output that is no picture, and a program that breaks off inside one, are errors")
    func broken() async throws {
        for (text, reason) in [
            ("head -c 5000 /dev/zero", "its output is not understood"),
            ("printf 'P6\\n640 480\\n255\\nabc'", "it ended with status 0"),
            ("echo 'bad file: no' >&2; exit 3", "bad file: no"), ("kill -9 $$", "it ended with status 137"),
            ("printf 'P6\\n1048576 1048576\\n255\\nabc'", ""),
        ] {
            let folder = try Folder()
            try folder.program("ffmpeg", text)
            try folder.write("a.mp4", [1])
            let frames = try VideoFrames("\(folder.path)/a.mp4", programs: folder.path)
            let error = await #expect(throws: ImageError.self) { while try await frames.next() != nil {} }
            if reason.isEmpty {
                guard case .tooLarge = error else {
                    Issue.record("\(String(describing: error))")
                    continue
                }
            } else {
                #expect(error == .videoFailed(file: "\(folder.path)/a.mp4", reason: reason))
            }
        }
    }

    private static func end(_ process: ChildProcess) async -> Int32 {
        let status = try? await OwnThread.run { _ in process.exchange().status }
        return status ?? -1
    }
}
