import HearthCoreML
import HearthGraphProof
import HearthImages
import HearthTestSupport
import HearthVision
import Testing

@Suite("Boxes", .timeLimit(.minutes(20)))
struct BoxSuppressionTests {
    private func box(_ x: Double, _ y: Double, _ width: Double, _ height: Double) -> ImageBox {
        ImageBox(x: x, y: y, width: width, height: height)
    }

    @Test("Intersection over union")
    func overlap() {
        let unit = box(0, 0, 1, 1)
        #expect(unit.intersectionOverUnion(unit) == 1)
        #expect(unit.intersectionOverUnion(box(0, 0, 0.5, 1)) == 0.5)
        #expect(unit.intersectionOverUnion(box(0.5, 0.5, 1, 1)) == 0.25 / 1.75)
        #expect(unit.intersectionOverUnion(box(1, 0, 1, 1)) == 0, "edges that touch")
        #expect(unit.intersectionOverUnion(box(3, 3, 1, 1)) == 0)
        #expect(unit.intersectionOverUnion(box(0.2, 0.2, 0, 0)) == 0)
        #expect(unit.intersectionOverUnion(box(0.9, 0.9, -0.5, -0.5)) == 0)
    }

    @Test("Of boxes that overlap the best stays, within a label")
    func suppression() throws {
        let candidates = [
            Detection(label: "cat", confidence: 0.6, box: box(0.1, 0.1, 0.4, 0.4)),
            Detection(label: "cat", confidence: 0.9, box: box(0.12, 0.1, 0.4, 0.4)),
            Detection(label: "dog", confidence: 0.7, box: box(0.1, 0.1, 0.4, 0.4)),
            Detection(label: "cat", confidence: 0.5, box: box(0.6, 0.6, 0.3, 0.3)),
            Detection(label: "cat", confidence: 0.24, box: box(0, 0.8, 0.1, 0.1)),
        ]
        #expect(try BoxSuppression().apply(candidates) == [candidates[1], candidates[2], candidates[3]])
        #expect(try BoxSuppression(limit: 2).apply(candidates) == [candidates[1], candidates[2]])
        #expect(try BoxSuppression(threshold: 0.8).apply(candidates) == [candidates[1]])
        #expect(try BoxSuppression(intersectionOverUnion: 1).apply(candidates).count == 4)
    }

    @Test("Of equal boxes the first stays; a box without area never does")
    func ties() throws {
        let candidates = (0..<4).map {
            Detection(label: "a", confidence: 0.5, box: box(0, 0, 0.5, $0 == 0 ? 0 : 0.5 + Double($0) / 1000))
        }
        #expect(try BoxSuppression().apply(candidates) == [candidates[1]])
    }

    @Test("Numbers that are none are refused by their place")
    func notFinite() {
        let bad = [
            Detection(label: "a", confidence: .nan, box: box(0, 0, 1, 1)),
            Detection(label: "a", confidence: 1, box: box(0, .infinity, 1, 1)),
        ]
        for (candidate, name) in zip(bad, ["confidences", "boxes"]) {
            #expect(throws: CoreMLError.nonFiniteOutput(.init(file: "m.mlpackage", field: name), index: 1)) {
                try BoxSuppression().apply(
                    [Detection(label: "a", confidence: 1, box: box(0, 0, 1, 1)), candidate], file: "m.mlpackage")
            }
        }
    }

    @Test("A hundred thousand boxes are a bounded amount of work")
    func many() throws {
        var random = SeededNumbers(seed: 5)
        let candidates = (0..<100_000).map { _ in
            Detection(
                label: "a", confidence: Float(random.next() % 1000) / 1000,
                box: box(Double(random.next() % 900) / 1000, Double(random.next() % 900) / 1000, 0.001, 0.001))
        }
        let kept = try BoxSuppression(threshold: 0, limit: .max).apply(candidates)
        #expect(kept.count <= BoxSuppression.candidateLimit)
        #expect(kept.allSatisfy { $0.confidence > 0.9 }, "the best ones are compared")
    }

    @Test("From what the model sees to the whole picture, and cut to it")
    func mapping() {
        func mapped(_ box: ImageBox, _ crop: CropAndScale) -> ImageBox {
            let plan = crop.plan(width: 200, height: 100, to: ImageSize(width: 64, height: 64))
            return box.mapped(by: plan, width: 200, height: 100)
        }
        #expect(mapped(box(0, 0, 1, 1), .centerCrop) == box(0.25, 0, 0.5, 1), "the middle")
        #expect(mapped(box(0.5, 0.5, 0.5, 0.25), .centerCrop) == box(0.5, 0.5, 0.25, 0.25))
        #expect(mapped(box(0, 0.25, 1, 0.5), .scaleFit) == box(0, 0, 1, 1), "bars above and below")
        #expect(mapped(box(0, 0, 1, 1), .scaleFit) == box(0, -0.5, 1, 2))
        #expect(mapped(box(0.25, 0.5, 0.5, 0.25), .scaleFill) == box(0.25, 0.5, 0.5, 0.25))
        #expect(box(-0.5, 0.5, 1, 1).clippedToUnit == box(0, 0.5, 0.5, 0.5))
        #expect(box(1, 0.5, 1, 1).clippedToUnit == nil)
    }
}
