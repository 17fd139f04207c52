import Foundation
import HearthTestSupport

extension GemmaFixtures {
    static func data(_ name: String) throws -> Data { try Data(contentsOf: URL(fileURLWithPath: path(name))) }

    /// Little-endian float32 values.
    static func floats(_ name: String) throws -> [Float] {
        let data = try data(name)
        return data.withUnsafeBytes { bytes in
            (0..<data.count / 4).map {
                Float(bitPattern: UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: $0 * 4, as: UInt32.self)))
            }
        }
    }
}
