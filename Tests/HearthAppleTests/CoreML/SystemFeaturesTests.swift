import HearthApple
import HearthCoreML
import HearthCoreMLFormat
import HearthVision
import Testing

@Suite("What Core ML says of a model, and what goes in and comes out")
struct SystemFeaturesTests {
    private let classifier = SystemFeatures(
        inputs: [.init("image", .image(width: 2, height: 1, format: SystemFeatures.bgra))],
        outputs: [.init("label", .string), .init("probs", .dictionary)],
        predictedFeature: "label", probabilities: "probs", labels: ["moon", "star", "sun"])

    @Test("A classifier's interface")
    func interface() throws {
        let interface = try classifier.interface(file: "M")
        #expect(interface.inputs.map(\.shape) == [[1, 3, 1, 2]] && interface.inputs[0].image?.colorSpace == .rgb)
        #expect(interface.outputs.map(\.kind) == [.label, .probabilities])
        #expect(try ImageClassifier(interface).labels == ["moon", "star", "sun"])
        for format in [SystemFeatures.gray, SystemFeatures.grayHalf] {
            let gray = SystemFeatures(
                inputs: [.init("x", .image(width: 2, height: 3, format: format))],
                outputs: [.init("y", .array(shape: [4], isInteger: false))])
            #expect(try gray.interface(file: "M").inputs[0].shape == [1, 1, 3, 2])
        }
    }

    @Test("Pixels in the order of CoreVideo: blue, green, red, opaque")
    func pixels() throws {
        let tensor = CoreMLTensor(shape: [1, 3, 1, 2], values: [10, 20, 30, 40, 50, 60.6])
        #expect(
            classifier.values(["image": tensor])
                == [
                    "image": .image(
                        .init(width: 2, height: 1, isGray: false, bytes: [50, 30, 10, 255, 61, 40, 20, 255]))
                ])
        #expect(SystemPixels(tensor, isBGR: true).bytes == [10, 30, 50, 255, 20, 40, 61, 255])
        let gray = CoreMLTensor(shape: [1, 1, 1, 3], values: [-5, 0.4, 300])
        #expect(SystemPixels(gray, isBGR: false) == .init(width: 3, height: 1, isGray: true, bytes: [0, 0, 255]))
    }

    @Test("Probabilities come in the order of the labels, the best class as its place")
    func outputs() throws {
        let results = try classifier.tensors(
            ["label": .string("sun"), "probs": .dictionary(["sun": 0.5, "moon": 0.3, "star": 0.2])], file: "M")
        #expect(results["probs"]?.values == [0.3, 0.2, 0.5] && results["label"]?.values == [2])
        let integers = SystemFeatures(
            inputs: [], outputs: [.init("n", .integer)], predictedFeature: "n", labels: ["7", "9"])
        #expect(try integers.tensors(["n": .integer(9)], file: "M")["n"]?.values == [9])
    }

    @Test("An answer that is missing, of another kind or not finite is an error that names the output")
    func malformed() {
        let answers: [[String: SystemValue]] = [
            ["label": .string("sun")],
            ["label": .string("comet"), "probs": .dictionary(["sun": 0.5, "moon": 0.3, "star": 0.2])],
            ["label": .string("sun"), "probs": .dictionary(["sun": 1])],
            ["label": .string("sun"), "probs": .dictionary(["sun": .nan, "moon": 0.3, "star": 0.2])],
            ["label": .image(.init(width: 1, height: 1, isGray: true, bytes: [0])), "probs": .dictionary([:])],
        ]
        for answer in answers {
            let error = #expect(throws: CoreMLError.self) { _ = try classifier.tensors(answer, file: "M") }
            #expect(error.map { "\($0)".contains("label") || "\($0)".contains("probs") } == true)
        }
        for output in [SystemFeatures.Feature("o", .other(9)), .init("o", .string), .init("o", .dictionary)] {
            let features = SystemFeatures(inputs: [], outputs: [output])
            #expect(throws: CoreMLError.self) { _ = try features.interface(file: "M") }
        }
        let sequence = SystemFeatures(inputs: [.init("i", .other(7))], outputs: [])
        #expect(throws: CoreMLError.self) { _ = try sequence.interface(file: "M") }
    }

    @Test("Units by the numbers of MLComputeUnits")
    func units() {
        #expect(SystemComputeUnits.allCases.map(\.rawValue) == [0, 1, 2, 3])
        #expect(ComputeUnits.allCases.map { SystemComputeUnits($0) } == [.all, .cpuOnly, .cpuOnly])
    }
}
