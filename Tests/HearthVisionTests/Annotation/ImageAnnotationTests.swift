import HearthImages
import HearthTestSupport
import HearthVision
import Testing

@Suite("results drawn on pictures", .timeLimit(.minutes(20)))
struct ImageAnnotationTests {
    private func picture(_ width: Int, _ height: Int, _ orientation: ImageOrientation = .topLeft) throws
        -> OrientedImage
    {
        OrientedImage(
            try PixelImage(
                width: width, height: height, channels: 3, bytes: [UInt8](repeating: 90, count: width * height * 3)),
            orientation: orientation)
    }

    private func color(_ image: PixelImage, _ x: Int, _ y: Int) -> [UInt8] {
        Array(image.bytes[3 * (y * image.width + x)..<3 * (y * image.width + x) + 3])
    }

    @Test("a box is drawn where it is in the upright picture, in the color of its label")
    func boxes() throws {
        let box = ImageBox(x: 0.25, y: 0.5, width: 0.5, height: 0.25)
        for orientation in [ImageOrientation.topLeft, .rightTop] {
            let size = orientation == .topLeft ? (400, 800) : (800, 400)
            let image = ImageAnnotation.drawing(
                try picture(size.0, size.1, orientation), [Detection(label: "dog", confidence: 0.5, box: box)])
            #expect(image.width == 400 && image.height == 800)
            let edge = color(image, 101, 500)
            #expect(edge != [90, 90, 90])
            // All four edges, and nothing inside or outside.
            for (x, y) in [(200, 401), (200, 598), (298, 500)] { #expect(color(image, x, y) == edge) }
            for (x, y) in [(200, 500), (200, 602), (97, 500), (303, 500)] {
                #expect(color(image, x, y) == [90, 90, 90])
            }
            // The tag stands on the box.
            #expect(color(image, 101, 396) == edge)
        }
    }

    @Test("labels below a narrow picture have room, and the picture stays as it is")
    func narrow() throws {
        let image = ImageAnnotation.drawing(try picture(3, 400), [Classification(label: "fox", confidence: 1)])
        #expect(image.width == 160)
        for y in [0, 200, 399] {
            #expect(color(image, 2, y) == [90, 90, 90])
            #expect(color(image, 3, y) == [0, 0, 0])
        }
        // The bar of a confidence of 1 goes from edge to edge.
        #expect(color(image, 0, 402) == color(image, 159, 402) && color(image, 0, 402) != [0, 0, 0])
    }

    @Test("labels, boxes and confidences of every kind are drawn within the picture")
    func anything() throws {
        var random = SeededNumbers.fresh()
        let labels = ["", "a", "traffic light", "狐狸", String(repeating: "very long ", count: 40), "🦊\u{0}\n"]
        for _ in 0..<60 {
            let (width, height) = (1 + random.below(300), 1 + random.below(300))
            func number() -> Double { Double(random.below(400)) / 100 - 1.5 }
            let detections = (0..<random.below(4)).map { _ in
                Detection(
                    label: labels[random.below(labels.count)],
                    confidence: [0, 0.5, 1, 1.5, -.infinity][random.below(5)],
                    box: ImageBox(x: number(), y: number(), width: number(), height: number()))
            }
            let boxes = ImageAnnotation.drawing(try picture(width, height), detections)
            #expect(max(boxes.width, boxes.height) >= 300 && boxes.bytes.count == boxes.width * boxes.height * 3)
            let names = detections.map { Classification(label: $0.label, confidence: $0.confidence) }
            let lines = ImageAnnotation.drawing(try picture(width, height), names)
            #expect(lines.width == max(boxes.width, 160) && lines.height > boxes.height)
        }
    }

    @Test("below a classified picture each label has a bar as long as its confidence")
    func bars() throws {
        let image = ImageAnnotation.drawing(
            try picture(400, 300),
            [Classification(label: "fox", confidence: 0.75), Classification(label: "", confidence: 0.25)])
        let rows = (image.height - 300) / 2
        for (row, share) in [(0, 0.75), (1, 0.25)] {
            // At the lower edge, where no letter reaches.
            let y = 300 + row * rows + rows - 4
            let bar = (0..<400).filter { color(image, $0, y) != [0, 0, 0] }.count
            #expect(abs(Double(bar) - 400 * share) <= 1, "\(row): \(bar)")
        }
    }
}
