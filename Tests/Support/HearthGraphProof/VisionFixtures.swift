package import Foundation
package import HearthCoreML
internal import HearthTestSupport

/// `Tests/Fixtures/coreml`: packages, and what other programs computed with them.
package enum VisionFixtures {
    package static let folder = TestFixtures.url("coreml")

    package static func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

    package static func data(_ name: String) throws -> Data {
        try Data(contentsOf: folder.appendingPathComponent(name))
    }

    package static func json<T: Decodable>(_ name: String, as type: T.Type = T.self) throws -> T {
        try JSONDecoder().decode(T.self, from: data(name))
    }

    package static func floats(_ name: String) throws -> [Float] { floats(try data(name)) }

    package static func floats(_ data: Data) -> [Float] {
        data.withUnsafeBytes { bytes in
            (0..<bytes.count / 4).map {
                Float(bitPattern: UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: $0 * 4, as: UInt32.self)))
            }
        }
    }

    /// A picture of the digits, planes in the order red, green, blue, or the other way round.
    package static func digit(_ index: Int, _ pictures: Data, isBGR: Bool) -> CoreMLTensor {
        let plane = 32 * 32
        let start = pictures.startIndex + index * plane * 3
        var values = [Float](repeating: 0, count: plane * 3)
        for pixel in 0..<plane {
            for channel in 0..<3 {
                let target = isBGR ? 2 - channel : channel
                values[target * plane + pixel] = Float(pictures[start + pixel * 3 + channel])
            }
        }
        return CoreMLTensor(shape: [1, 3, 32, 32], values: values)
    }

    /// The greatest difference; infinite where the counts differ or one is not a number.
    package static func difference(_ left: [Float], _ right: [Float]) -> Float {
        guard left.count == right.count else { return .infinity }
        return zip(left, right).reduce(0) { most, pair in
            let difference = pair.0 == pair.1 ? 0 : abs(pair.0 - pair.1)
            return difference.isNaN ? .infinity : max(most, difference)
        }
    }
}
