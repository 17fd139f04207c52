import Foundation
import HearthCoreML
import HearthImages
import HearthTestSupport
import HearthVision
import Testing

@Suite("Picture classifiers", .timeLimit(.minutes(20)))
struct PictureClassifierTests {
    private static let folder = TestFixtures.url("coreml").path

    private static func model(_ name: String) throws -> CoreMLModel {
        try CoreMLModel(path: "\(folder)/digits/\(name)")
    }

    private static func picture(_ number: Int) throws -> OrientedImage {
        let name = String(repeating: "0", count: 4 - "\(number)".count) + "\(number)"
        return try ImageDecoder().picture(at: "\(folder)/digits/images/\(name).png")
    }

    private static let words: [String] = [
        "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine",
    ]

    @Test(
        "Labels of all kinds, colours in either order, both formats: the same digits",
        arguments: [
            ("fp32.mlpackage", false), ("fp16_bgr.mlpackage", false), ("fp16_ios17_intlabels.mlpackage", true),
            ("neuralnetwork_fp32.mlmodel", false), ("pal6.mlpackage", false), ("int8_sym.mlpackage", false),
        ])
    func variants(name: String, hasIntegers: Bool) throws {
        let model = try Self.model(name)
        let classifier = try ImageClassifier(model.interface)
        let labels: [String] = hasIntegers ? (0..<10).map { String($0) } : Self.words
        #expect(classifier.labels == labels)
        let rows = try String(contentsOfFile: "\(Self.folder)/digits/labels.csv", encoding: .utf8)
            .split(separator: "\n").dropFirst().map { $0.split(separator: ",") }
        for number in 0..<12 {
            let results = try classifier.results(of: model.predict(classifier.inputs(for: Self.picture(number))))
            #expect(results.first?.label == String(rows[number][hasIntegers ? 2 : 1]))
            #expect(results.count <= 3 && results.allSatisfy { $0.confidence >= 0.05 })
        }
    }

    @Test("Places are those of the labels, best first, as many as are wanted")
    func places() throws {
        let model = try Self.model("fp32.mlpackage")
        let classifier = try ImageClassifier(
            model.interface, file: "m.mlpackage", top: TopResults(limit: 5, threshold: -.greatestFiniteMagnitude))
        let outputs = try model.predict(classifier.inputs(for: Self.picture(1)))
        let places = try classifier.places(of: outputs)
        #expect(places.count == 5 && places.first == 8)
        #expect(try places.map { classifier.labels[$0] } == classifier.results(of: outputs).map(\.label))
        let place = CoreMLError.Place(file: "m.mlpackage", field: "labels")
        #expect(throws: CoreMLError.labelCount(place, labels: 10, results: 0)) { try classifier.places(of: [:]) }
    }

    @Test("What takes no picture, or has no labels, is refused")
    func refusals() throws {
        #expect {
            try ImageClassifier(CoreMLModel(path: "\(Self.folder)/rectangles/boxes.mlpackage").interface)
        } throws: { error in
            if case CoreMLError.notAClassifier? = error as? CoreMLError { true } else { false }
        }
        #expect {
            try SingleImageInput(
                CoreMLModel(path: "\(Self.folder)/ops/resnet_fp32_ios16.mlpackage").interface, crop: .scaleFill)
        } throws: { error in
            if case CoreMLError.takesNoPicture(_, let inputs)? = error as? CoreMLError {
                !inputs.isEmpty
            } else {
                false
            }
        }
    }
}
