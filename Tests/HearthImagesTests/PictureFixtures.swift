import Foundation
import HearthImages
import HearthTestSupport
import Testing

/// The pictures of Tests/Fixtures/pictures, and what has to come out of them.
enum PictureFixtures {
    struct Golden: Decodable, Sendable, CustomTestStringConvertible {
        var file: String
        var width: Int
        var height: Int
        var channels: Int
        var offset: Int
        var tolerance: Int
        var crop: String?

        var testDescription: String { crop.map { "\(file) \($0) \(width)×\(height)" } ?? file }
        /// The values, row by row.
        var bytes: ArraySlice<UInt8> { PictureFixtures.values[offset..<offset + width * height * channels] }
        var option: CropAndScale { crop.flatMap(CropAndScale.init) ?? .scaleFill }
    }

    static let folder = TestFixtures.url("pictures").path

    static let values = (try? Data(contentsOf: URL(fileURLWithPath: "\(folder)/pictures.bin"))).map(Array.init) ?? []

    static let goldens: [Golden] = {
        let data = try? Data(contentsOf: URL(fileURLWithPath: "\(folder)/pictures.json"))
        return data.flatMap { try? JSONDecoder().decode([Golden].self, from: $0) } ?? []
    }()

    static func path(_ name: String) -> String { "\(folder)/\(name)" }

    static func bytes(_ name: String) throws -> [UInt8] {
        Array(try Data(contentsOf: URL(fileURLWithPath: path(name))))
    }

    /// The largest and the mean difference of two images' values.
    static func difference(_ bytes: [UInt8], _ golden: Golden) -> (most: Int, mean: Double) {
        let differences = zip(bytes, golden.bytes).map { abs(Int($0) - Int($1)) }
        return (differences.max() ?? 0, Double(differences.reduce(0, +)) / Double(max(1, differences.count)))
    }
}
