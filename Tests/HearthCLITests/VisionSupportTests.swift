import HearthCLI
import HearthImages
import HearthRuntime
import HearthSystem
import HearthTestSupport
import HearthVision
import Testing

@Suite("What vision commands share", .timeLimit(.minutes(20)))
struct VisionSupportTests {
    @Test(
        "Bars in eighths of a cell, always as wide",
        arguments: [
            (Float(0), ""), (1, "████"), (0.5, "██"), (0.25, "█"), (0.03125, "▏"), (0.96875, "███▉"), (-1, ""),
            (7, "████"),
        ])
    func bars(share: Float, text: String) {
        #expect(SeenText.bar(share, width: 4) == text.padded(to: 4))
    }

    @Test("Shares in percent, as wide as the largest")
    func percent() {
        #expect(SeenText.percent(1) == "100.0 %")
        #expect(SeenText.percent(0.99753) == " 99.8 %")
        #expect(SeenText.percent(0) == "  0.0 %")
        // Scores that are no probabilities.
        #expect(SeenText.percent(12.5) == "1250.0 %")
        #expect(SeenText.percent(1e30) == "1e+32 %")
        #expect(SeenText.percent(.greatestFiniteMagnitude) == "3.403e+40 %")
    }

    @Test("A picture's labels in columns; controls in names do not reach a terminal")
    func labels() {
        let results = [
            Classification(label: "seven", confidence: 0.95), Classification(label: "one\u{1B}[2J", confidence: 0.05),
        ]
        #expect(
            SeenText.lines("a.png", results, bars: true, dim: { $0 }) == [
                "a.png", "  seven          95.0 %  ███████████████████", "  one\\u{1b}[2J    5.0 %  █",
            ])
        #expect(
            SeenText.lines("a.png", results, bars: false, dim: { $0 })[1] == "  seven          95.0 %")
        #expect(
            SeenText.lines("a.png", [Classification](), bars: true, dim: { "<\($0)>" }) == [
                "a.png  <nothing above the threshold>"
            ])
    }

    @Test("A picture's boxes in pixels")
    func boxes() {
        let found = Detection(
            label: "red", confidence: 0.5, box: ImageBox(x: 0.25, y: 0.5, width: 0.125, height: 0.25))
        #expect(
            SeenText.lines("a.png", [found], width: 640, height: 480, dim: { $0 })
                == ["a.png", "  red   50.0 %  80 × 120 at 160, 240"])
    }

    @Test("A frame on a line, and all of them in one")
    func frames() {
        var record = FrameRecord<Seen>(
            frame: 12, decision: .run, budget: .full,
            output: .classifications([Classification(label: "seven", confidence: 0.998)]), milliseconds: 4.12,
            reason: "")
        #expect(
            FrameText.line(record, name: "a.png", dim: { "<\($0)>" })
                == "    12  run       full          4.1 ms  seven 99.8 %  <a.png>")
        record.decision = .drop
        record.output = nil
        record.milliseconds = 0
        #expect(FrameText.line(record, name: nil, dim: { $0 }).hasPrefix("    12  drop      full"))
        #expect(
            FrameText.summary([.run: 2, .drop: 3, .fallback: 1], runMS: [5, 4, 9])
                == "6 frames: 2 run, 3 dropped, 1 fell back; 5.0 ms in the median")
        #expect(FrameText.summary([:], runMS: []) == "0 frames")
    }

    @Test("Images that could not be read: how many of how many, and whether there were others")
    func unreadableImages() {
        let some = FrameText.unreadable(2, of: 30)
        #expect(some.what == "2 of 30 images could not be read")
        #expect(some.advice == "See the lines above; the others were processed.")
        #expect(FrameText.unreadable(1, of: 2).advice == "See the line above; the others were processed.")
        let none = FrameText.unreadable(3, of: 3)
        #expect(none.what == "none of the 3 images could be read" && none.advice == "See the lines above.")
        let only = FrameText.unreadable(1, of: 1)
        #expect(only.what == "the only image could not be read" && only.advice == "See the line above.")
    }
}
