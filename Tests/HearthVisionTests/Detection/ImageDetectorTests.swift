import Foundation
import HearthCoreML
import HearthImages
import HearthTestSupport
import HearthVision
import Testing

/// Detectors in three forms that were built by hand to find red, green and blue rectangles (Tests/Fixtures/coreml/
/// make_rectangles.py), and pictures of which is known what has to come out.
@Suite("Picture detectors", .timeLimit(.minutes(20)))
struct PictureDetectorTests {
    private struct Golden: Decodable {
        var background: Int
        /// x, y, width, height, colour; pixels.
        var rectangles: [[Int]]
        /// Centre x, centre y, width, height; shares.
        var boxes: [[Double]]
        var scores: [Double]
        var kept: [Int]
    }

    private static let folder = TestFixtures.url("coreml/rectangles").path
    private static let colors = ["red", "green", "blue"]

    private static func goldens() throws -> [Golden] {
        try JSONDecoder().decode([Golden].self, from: Data(contentsOf: URL(fileURLWithPath: "\(folder)/goldens.json")))
    }

    private static func model(_ form: String) throws -> CoreMLModel {
        try CoreMLModel(path: "\(folder)/\(form).mlpackage")
    }

    /// Rectangles on a background.
    private static func drawing(
        _ width: Int, _ height: Int, background: Int, _ rectangles: [[Int]]
    ) throws -> OrientedImage {
        var bytes = [UInt8](repeating: UInt8(background), count: width * height * 3)
        for rectangle in rectangles {
            for y in rectangle[1]..<rectangle[1] + rectangle[3] {
                for x in rectangle[0]..<rectangle[0] + rectangle[2] {
                    for channel in 0..<3 { bytes[(y * width + x) * 3 + channel] = channel == rectangle[4] ? 255 : 0 }
                }
            }
        }
        return OrientedImage(try PixelImage(width: width, height: height, channels: 3, bytes: bytes))
    }

    @Test("The network's boxes and scores are those of numpy")
    func network() throws {
        let model = try Self.model("boxes")
        let detector = try ImageDetector(model.interface)
        for golden in try Self.goldens() {
            let picture = try Self.drawing(64, 64, background: golden.background, golden.rectangles)
            let outputs = try model.predict(detector.inputs(for: picture))
            let boxes = try #require(outputs["coordinates"]?.values)
            for (found, expected) in zip(boxes, golden.boxes.flatMap(\.self)) {
                #expect(abs(Double(found) - expected) < 1e-5)
            }
            let scores = try #require(outputs["confidence"]?.values)
            for (row, expected) in golden.scores.enumerated() {
                #expect(abs(Double(scores[row * 3..<row * 3 + 3].max() ?? 0) - expected) < 1e-5)
            }
        }
    }

    @Test(
        "Whichever form the outputs have, the rectangles come out, and each once",
        arguments: ["boxes", "nms", "joined"])
    func forms(form: String) throws {
        let model = try Self.model(form)
        let detector = try ImageDetector(model.interface)
        #expect(detector.labels == Self.colors)
        for golden in try Self.goldens() {
            let picture = try Self.drawing(64, 64, background: golden.background, golden.rectangles)
            let found = try detector.results(of: model.predict(detector.inputs(for: picture)), in: picture)
            try Self.check(found, golden.rectangles, width: 64, height: 64, tolerance: 0.01)
            #expect(found.count == golden.kept.count)
        }
    }

    /// Pictures of other shapes and sizes, with a rectangle in each quarter of what every crop leaves.
    @Test(
        "Boxes lead back to the picture, to a pixel, after each crop", arguments: CropAndScale.allCases,
        [
            (64, 64), (128, 64), (64, 128), (200, 120), (97, 151), (40, 30), (150, 149),
        ])
    func crops(crop: CropAndScale, size: (width: Int, height: Int)) throws {
        let model = try Self.model("boxes")
        let detector = try ImageDetector(model.interface, crop: crop)
        let side = min(size.width, size.height)
        let (left, top) = ((size.width - side) / 2, (size.height - side) / 2)
        for background in [0, 128, 255] {
            let rectangles = [
                [left + side / 10, top + side / 8, side / 4, side / 5, 0],
                [left + side * 6 / 10, top + side / 7, side / 3, side / 4, 1],
                [left + side / 9, top + side * 6 / 10, side / 5, side / 3, 2],
                [left + side * 6 / 10, top + side * 6 / 10, side / 4, side / 4, 0],
            ]
            let picture = try Self.drawing(size.width, size.height, background: background, rectangles)
            let found = try detector.results(of: model.predict(detector.inputs(for: picture)), in: picture)
            try Self.check(found, rectangles, width: size.width, height: size.height, tolerance: 1)
        }
    }

    @Test(
        "A picture that lies on its side is turned first, and boxes are those of the upright one",
        arguments: ImageOrientation.allCases)
    func orientation(orientation: ImageOrientation) throws {
        let model = try Self.model("boxes")
        let detector = try ImageDetector(model.interface)
        let rectangles = [[10, 8, 30, 12, 0], [70, 10, 20, 16, 1], [12, 40, 20, 14, 2]]
        let upright = try Self.drawing(100, 64, background: 0, rectangles).pixels
        // As a file has it: orientations other than the two quarter turns undo themselves.
        let undoing: ImageOrientation =
            orientation == .rightTop ? .leftBottom : orientation == .leftBottom ? .rightTop : orientation
        let picture = OrientedImage(undoing.upright(upright), orientation: orientation)
        let found = try detector.results(of: model.predict(detector.inputs(for: picture)), in: picture)
        try Self.check(found, rectangles, width: 100, height: 64, tolerance: 1)
    }

    @Test("A rectangle that the crop cuts comes out cut; without one nothing does")
    func cut() throws {
        let model = try Self.model("boxes")
        let detector = try ImageDetector(model.interface, crop: .centerCrop)
        let wide = try Self.drawing(128, 64, background: 0, [[0, 10, 60, 12, 0]])
        let found = try detector.results(of: model.predict(detector.inputs(for: wide)), in: wide)
        // What is seen of it is columns 32 to 59.
        try Self.check(found, [[32, 10, 28, 12, 0]], width: 128, height: 64, tolerance: 1)
        let empty = try Self.drawing(128, 64, background: 200, [])
        #expect(try detector.results(of: model.predict(detector.inputs(for: empty)), in: empty).isEmpty)
    }

    @Test("What is no detector is refused with its outputs")
    func refusal() throws {
        let digits = try CoreMLModel(path: "\(Self.folder)/../digits/fp32.mlpackage")
        #expect {
            try ImageDetector(digits.interface)
        } throws: { error in
            if case CoreMLError.notADetector(_, let outputs)? = error as? CoreMLError {
                !outputs.isEmpty
            } else {
                false
            }
        }
    }

    private static func check(
        _ found: [Detection], _ rectangles: [[Int]], width: Int, height: Int, tolerance: Double
    ) throws {
        #expect(found.count == rectangles.count)
        for rectangle in rectangles {
            let label = colors[rectangle[4]]
            let edges = rectangle[..<4].map(Double.init)
            let distances = found.filter { $0.label == label }.map { detection in
                let box = detection.box
                let pixels = [
                    box.x * Double(width), box.y * Double(height), box.width * Double(width),
                    box.height * Double(height),
                ]
                return zip(pixels, edges).map { abs($0 - $1) }.max() ?? .infinity
            }
            #expect((distances.min() ?? .infinity) < tolerance, "\(label) \(edges)")
        }
    }
}
