import HearthImages
import HearthTestSupport
import Testing

@Suite("drawing on pictures", .timeLimit(.minutes(20)))
struct DrawingTests {
    private static let grey = 100 as UInt8

    private func canvas(_ width: Int, _ height: Int, channels: Int = 3) throws -> ImageCanvas {
        ImageCanvas(
            try PixelImage(
                width: width, height: height, channels: channels,
                bytes: [UInt8](repeating: Self.grey, count: width * height * channels)))
    }

    /// The columns and rows that differ from the background.
    private func drawn(_ canvas: ImageCanvas) -> [(x: Int, y: Int)] {
        let bytes = canvas.image.bytes
        return (0..<canvas.width * canvas.height).filter { pixel in
            bytes[3 * pixel..<3 * pixel + 3].contains { $0 != Self.grey }
        }.map { ($0 % canvas.width, $0 / canvas.width) }
    }

    @Test("a rectangle covers its pixels and no others; what is outside of the picture is left out")
    func rectangles() throws {
        var canvas = try canvas(20, 10, channels: 1)
        canvas.fill(ImageBox(x: 3, y: 2, width: 4, height: 5), .white)
        #expect(
            drawn(canvas).count == 20 && drawn(canvas).allSatisfy { (3..<7).contains($0.x) && (2..<7).contains($0.y) })
        var random = SeededNumbers.fresh()
        for _ in 0..<300 {
            func number() -> Double {
                let edges = [Double.nan, .infinity, -.infinity, -1e300, 0, 20]
                return random.below(8) == 0 ? edges[random.below(6)] : Double(random.below(600)) / 10 - 20
            }
            let box = ImageBox(x: number(), y: number(), width: number(), height: number())
            canvas.fill(box, .black)
            canvas.outline(box, thickness: number(), .white)
            #expect(canvas.image.bytes.count == 20 * 10 * 3)
        }
    }

    @Test("every character of ASCII has a shape of its own, as wide as it says and within its line")
    func characters() throws {
        var shapes: [[Int]: Character] = [:]
        for code in UInt8(0x21)...0x7E {
            let character = Character(Unicode.Scalar(code))
            var canvas = try canvas(60, 60)
            canvas.text(String(character), x: 10, y: 10, size: 24, .white)
            let pixels = drawn(canvas)
            #expect(!pixels.isEmpty, "\(character)")
            let width = ImageCanvas.width(of: String(character), size: 24)
            let bottom = 10 + 24 + ImageCanvas.descent(size: 24)
            for pixel in pixels {
                #expect(
                    (8...Int(10 + width)).contains(pixel.x) && (8...Int(bottom) + 2).contains(pixel.y), "\(character)")
            }
            let shape = pixels.map { $0.y * 60 + $0.x }
            #expect(shapes[shape] == nil, "\(character) looks like \(shapes[shape] ?? " ")")
            shapes[shape] = character
        }
    }

    @Test("a label in another script is written in Latin letters; one in none has question marks")
    func scripts() throws {
        func shape(_ text: String) throws -> [UInt8] {
            var canvas = try canvas(300, 40)
            canvas.text(text, x: 5, y: 5, size: 20, .black)
            return canvas.image.bytes
        }
        #expect(try shape("Größe") == shape("Grosse"))
        #expect(try shape("niño") == shape("nino"))
        #expect(try shape("猫") == shape("mao"))
        #expect(try shape("🦊") == shape("?"))
    }

    @Test("text beyond the edges of the picture is left out")
    func edges() throws {
        var canvas = try canvas(30, 20)
        for (x, y, size) in [(-50.0, -50.0, 20.0), (25, 15, 30), (-8, -8, 60), (1e9, 5, 10), (5, 5, 1e-9)] {
            canvas.text("Wide text, 100%", x: x, y: y, size: size, .white)
        }
        #expect(canvas.image.bytes.count == 30 * 20 * 3)
    }

    @Test("a picture that was encoded is decoded as the same, but for the loss")
    func encoding() throws {
        for (name, limit) in [("scene.png", 16.0), ("scene-gray.png", 12)] {
            let image = try ImageDecoder().picture(at: PictureFixtures.path(name)).pixels
            let file = try ImageEncoder.jpeg(image, name: "out.jpg")
            let back = try ImageDecoder().picture(file, name: "out.jpg").pixels
            #expect(back.width == image.width && back.height == image.height && back.channels == image.channels)
            let sum = zip(back.bytes, image.bytes).reduce(0.0) { $0 + abs(Double($1.0) - Double($1.1)) }
            #expect(sum / Double(image.bytes.count) < limit, "\(name): \(sum / Double(image.bytes.count))")
        }
        let wide = try PixelImage(width: 70_000, height: 1, channels: 1, bytes: [UInt8](repeating: 0, count: 70_000))
        let error = #expect(throws: ImageError.self) { try ImageEncoder.jpeg(wide, name: "wide.jpg") }
        guard case .unwritable("wide.jpg", _) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test("an enlarged picture repeats each pixel")
    func enlarged() throws {
        let image = try PixelImage(width: 2, height: 1, channels: 3, bytes: [1, 2, 3, 4, 5, 6])
        let large = image.enlarged(by: 2)
        #expect(large.width == 4 && large.height == 2)
        #expect(large.bytes == Array(repeating: [1, 2, 3, 1, 2, 3, 4, 5, 6, 4, 5, 6], count: 2).flatMap { $0 })
        #expect(image.enlarged(by: 1) == image)
    }
}
