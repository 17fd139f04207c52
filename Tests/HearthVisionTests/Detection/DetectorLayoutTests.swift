import HearthCoreML
import HearthImages
import HearthVision
import Testing

@Suite("Detectors' outputs", .timeLimit(.minutes(20)))
struct DetectorLayoutTests {
    typealias Output = DetectorLayout.Output

    static let known: [(outputs: [Output], labels: Int?, source: DetectorLayout.Source, boxes: Int, classes: Int)] = [
        (
            [Output(name: "confidence", shape: [36, 3]), Output(name: "coordinates", shape: [36, 4])], 3,
            .apart(boxes: "coordinates", scores: "confidence"), 36, 3
        ),
        // Four classes: only the names tell.
        (
            [Output(name: "confidence", shape: [9, 4]), Output(name: "coordinates", shape: [9, 4])], nil,
            .apart(boxes: "coordinates", scores: "confidence"), 9, 4
        ),
        (
            [Output(name: "raw_scores", shape: [1, 9, 4]), Output(name: "raw_boxes", shape: [1, 9, 4])], nil,
            .apart(boxes: "raw_boxes", scores: "raw_scores"), 9, 4
        ),
        (
            [
                Output(name: "nms_0", shape: [1, 12, 4]), Output(name: "nms_1", shape: [1, 12, 3]),
                Output(name: "nms_2", shape: [1, 12]), Output(name: "nms_3", shape: [1]),
            ], 3, .apart(boxes: "nms_0", scores: "nms_1"), 12, 3
        ),
        ([Output(name: "y", shape: [1, 84, 8400])], 80, .joined(output: "y", isTransposed: true), 8400, 80),
        ([Output(name: "y", shape: [1, 84, 8400])], nil, .joined(output: "y", isTransposed: true), 8400, 80),
        ([Output(name: "y", shape: [1, 8400, 84])], 80, .joined(output: "y", isTransposed: false), 8400, 80),
        // Fewer boxes than classes: the labels tell.
        ([Output(name: "y", shape: [1, 84, 20])], 80, .joined(output: "y", isTransposed: true), 20, 80),
        ([Output(name: "y", shape: [1, 5, 100])], nil, .joined(output: "y", isTransposed: true), 100, 1),
    ]

    @Test("Where boxes and scores are", arguments: known.indices)
    func layouts(row: Int) throws {
        let (outputs, labels, source, boxes, classes) = Self.known[row]
        let layout = try #require(DetectorLayout(outputs, labels: labels))
        #expect(layout.source == source && layout.boxes == boxes && layout.classes == classes)
    }

    @Test(
        "What is no detector",
        arguments: [
            [], [Output(name: "probabilities", shape: [1, 1000])], [Output(name: "boxes", shape: [36, 4])],
            [Output(name: "boxes", shape: [36, 4]), Output(name: "scores", shape: [35, 3])],
            [Output(name: "boxes", shape: [0, 4]), Output(name: "scores", shape: [0, 3])],
            [Output(name: "boxes", shape: [2, 36, 4]), Output(name: "scores", shape: [2, 36, 3])],
            [Output(name: "features", shape: [1, 4, 4])], [Output(name: "map", shape: [1, 3, 64, 64])],
            [Output(name: "boxes", shape: []), Output(name: "scores", shape: [])],
        ])
    func others(outputs: [Output]) {
        #expect(DetectorLayout(outputs, labels: nil) == nil)
    }

    @Test("Boxes from their centres, with the best class; pixels are made shares")
    func candidates() throws {
        let layout = try #require(
            DetectorLayout(
                [Output(name: "coordinates", shape: [2, 4]), Output(name: "confidence", shape: [2, 3])], labels: 3))
        let scores = CoreMLTensor(shape: [2, 3], values: [0.1, 0.7, 0.7, 0, 0, 0.25])
        let expected = [
            Detection(label: "green", confidence: 0.7, box: ImageBox(x: 0.25, y: 0.125, width: 0.5, height: 0.25)),
            Detection(label: "blue", confidence: 0.25, box: ImageBox(x: 0.75, y: 0.5, width: 0.25, height: 0.5)),
        ]
        let shares: [Float] = [0.5, 0.25, 0.5, 0.25, 0.875, 0.75, 0.25, 0.5]
        let pixels: [Float] = [32, 8, 32, 8, 56, 24, 16, 16]
        for boxes in [shares, pixels] {
            let found = try layout.candidates(
                ["coordinates": CoreMLTensor(shape: [2, 4], values: boxes), "confidence": scores],
                labels: ["red", "green", "blue"], width: 64, height: 32)
            #expect(found == expected)
        }
        let numbered = try layout.candidates(
            ["coordinates": CoreMLTensor(shape: [2, 4], values: shares), "confidence": scores], labels: [], width: 64,
            height: 32)
        #expect(numbered.map(\.label) == ["1", "2"])
    }

    @Test("The same numbers in one tensor, either way round")
    func joined() throws {
        let rows: [[Float]] = [[0.5, 0.25, 0.5, 0.25, 0.1, 0.9], [0.875, 0.75, 0.25, 0.5, 0.8, 0]]
        let expected = [
            Detection(label: "b", confidence: 0.9, box: ImageBox(x: 0.25, y: 0.125, width: 0.5, height: 0.25)),
            Detection(label: "a", confidence: 0.8, box: ImageBox(x: 0.75, y: 0.5, width: 0.25, height: 0.5)),
        ]
        let columns = (0..<6).flatMap { column in rows.map { $0[column] } }
        for (shape, values) in [([1, 2, 6], rows.flatMap(\.self)), ([1, 6, 2], columns)] {
            let layout = try #require(DetectorLayout([Output(name: "y", shape: shape)], labels: 2))
            let found = try layout.candidates(
                ["y": CoreMLTensor(shape: shape, values: values)], labels: ["a", "b"], width: 64, height: 64)
            #expect(found == expected)
        }
    }

    @Test("Outputs of the wrong size, labels of the wrong number, numbers that are none")
    func refusals() throws {
        let layout = try #require(
            DetectorLayout(
                [Output(name: "coordinates", shape: [1, 4]), Output(name: "confidence", shape: [1, 2])], labels: 2))
        let good = [
            "coordinates": CoreMLTensor(shape: [1, 4], values: [0, 0, 1, 1]),
            "confidence": CoreMLTensor(shape: [1, 2], values: [0, 1]),
        ]
        func candidates(_ outputs: [String: CoreMLTensor], _ labels: [String] = ["a", "b"]) throws {
            _ = try layout.candidates(outputs, labels: labels, width: 8, height: 8, file: "m.mlpackage")
        }
        try candidates(good)
        func place(_ field: String) -> CoreMLError.Place { .init(file: "m.mlpackage", field: field) }
        #expect(throws: CoreMLError.labelCount(place("labels"), labels: 1, results: 2)) { try candidates(good, ["a"]) }
        #expect(throws: CoreMLError.self) { try candidates([:]) }
        var bad = good
        bad["coordinates"]?.values = [0, 0, 1]
        #expect(throws: CoreMLError.self) { try candidates(bad) }
        bad["coordinates"]?.values = [0, 0, .nan, 1]
        #expect(throws: CoreMLError.nonFiniteOutput(place("coordinates"), index: 2)) { try candidates(bad) }
    }
}

@Suite("Detectors' labels", .timeLimit(.minutes(20)))
struct DetectorLabelsTests {
    static let table: [(key: String, value: String, labels: [String]?)] = [
        ("classes", "red,green,blue", ["red", "green", "blue"]),
        ("classes", " traffic light , cat", ["traffic light", "cat"]), ("classes", "", nil), ("classes", ",", nil),
        ("names", "{0: 'person', 1: 'stop sign'}", ["person", "stop sign"]),
        ("names", #"{0: "it's", 1: 'a\'b',}"#, ["it's", "a'b"]), ("names", "{1: 'person'}", nil),
        ("names", "{0: 'a', 0: 'b'}", nil), ("names", "{0: 'a' 1: 'b'}", nil), ("names", "{0 'a'}", nil),
        ("names", "{0: a}", nil), ("names", "{0:", nil), ("names", "{}", nil), ("names", "", nil),
        ("names", #"["a", "b"]"#, ["a", "b"]), ("names", "[1, 2]", nil), ("names", "[]", nil),
        ("com.apple.coreml.model.preview.params", #"{"labels": ["a", "b"], "colors": []}"#, ["a", "b"]),
        ("com.apple.coreml.model.preview.params", "[]", nil), ("com.apple.coreml.model.preview.params", "{", nil),
        ("author", "red,green", nil),
    ]

    @Test("From what people wrote", arguments: table.indices)
    func forms(row: Int) {
        let (key, value, labels) = Self.table[row]
        #expect(DetectorLabels.find([key: value]) == labels)
    }
}
