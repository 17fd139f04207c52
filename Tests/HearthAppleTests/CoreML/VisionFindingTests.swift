import Foundation
import HearthApple
import HearthCoreML
import HearthImages
import Testing

@Suite("Vision's results", .timeLimit(.minutes(20)))
struct VisionFindingTests {
    private let classifier = SystemFeatures(
        inputs: [.init("image", .image(width: 32, height: 32, format: SystemFeatures.bgra))],
        outputs: [.init("label", .string), .init("probabilities", .dictionary)], predictedFeature: "label",
        probabilities: "probabilities", labels: ["bear", "fox", "owl"])

    @Test("crop modes have the numbers of VNImageCropAndScaleOption")
    func crops() {
        #expect(CropAndScale.allCases.map(\.visionOption) == [0, 1, 2])
        #expect(CropAndScale.centerCrop.visionOption == 0 && CropAndScale.scaleFill.visionOption == 2)
    }

    @Test("classes become the probabilities in the order of the labels, and the best of them the label")
    func labels() throws {
        let values = try classifier.values(
            [.label("owl", confidence: 0.5), .label("bear", confidence: 0.375), .label("fox", confidence: 0.125)],
            file: "Cards.mlpackage")
        #expect(values["label"] == .string("owl"))
        let tensors = try classifier.tensors(values, file: "Cards.mlpackage")
        #expect(tensors["probabilities"] == CoreMLTensor(shape: [3], values: [0.375, 0.125, 0.5]))
        #expect(tensors["label"]?.values == [2])
    }

    @Test("classes that are numbers stay numbers")
    func numbers() throws {
        var features = classifier
        features.outputs = [.init("label", .integer), .init("probabilities", .dictionary)]
        features.labels = ["10", "20"]
        let values = try features.values([.label("20", confidence: 1), .label("10", confidence: 0)], file: "x")
        #expect(values["label"] == .integer(20))
    }

    @Test("a class that Vision left out is an error, not a zero")
    func incomplete() throws {
        let values = try classifier.values([.label("owl", confidence: 1)], file: "Cards.mlpackage")
        #expect(throws: CoreMLError.self) { try classifier.tensors(values, file: "Cards.mlpackage") }
    }

    @Test("outputs keep their names, and what is none is refused by its type")
    func outputs() throws {
        let tensor = CoreMLTensor(shape: [1, 2], values: [3, 4])
        let features = SystemFeatures(
            inputs: classifier.inputs, outputs: [.init("depth", .array(shape: [1, 2], isInteger: false))])
        let values = try features.values([.value(name: "depth", .array(tensor))], file: "x")
        #expect(try features.tensors(values, file: "x") == ["depth": tensor])
        let error = #expect(throws: CoreMLError.self) {
            try features.values([.other("VNRecognizedObjectObservation")], file: "x")
        }
        #expect(error?.localizedDescription.contains("VNRecognizedObjectObservation") == true)
    }
}
