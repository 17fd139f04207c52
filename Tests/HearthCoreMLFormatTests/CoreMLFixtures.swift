import Foundation
import HearthTestSupport

/// `Tests/Fixtures/coreml`, and what another reader found in it (`make_goldens.py`).
enum CoreMLFixtures {
    static let folder = TestFixtures.url("coreml")

    struct Goldens: Decodable {
        var programs: [String: Program]
        var networks: [String: Network]
    }

    struct Program: Decodable {
        struct Weight: Decodable, Equatable {
            var name: String
            var shape: [Int]
            var digest: String
        }

        struct Input: Decodable {
            var name: String
            var type: String
        }

        var specificationVersion: Int
        var opset: String
        var operations: [String: Int]
        var inputs: [Input]
        var outputs: [String]
        var weights: [Weight]
        var rest: String
    }

    struct Network: Decodable {
        struct Layer: Decodable {
            var name: String
            var number: Int
            var inputs: [String]
            var outputs: [String]
            var weights: [String]
        }

        var specificationVersion: Int
        var layers: [Layer]
        var labels: [String]
    }

    static func goldens() throws -> Goldens {
        try JSONDecoder().decode(Goldens.self, from: Data(contentsOf: folder.appendingPathComponent("goldens.json")))
    }

    static func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

    static func bytes(_ name: String) throws -> [UInt8] {
        try Array(Data(contentsOf: folder.appendingPathComponent(name)))
    }

    /// Paths of the packages in a folder of the fixtures.
    static func packages(_ name: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: path(name)).filter { $0.hasSuffix(".mlpackage") }.sorted()
            .map { "\(name)/\($0)" }
    }

    /// The two files of a package.
    static func parts(_ package: String) throws -> (model: [UInt8], weights: [UInt8]?) {
        let data = "\(package)/Data/com.apple.CoreML"
        return (try bytes("\(data)/model.mlmodel"), try? bytes("\(data)/weights/weight.bin"))
    }
}
