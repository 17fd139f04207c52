import Foundation

/// The files in Tests/Fixtures/gemma.
enum Fixture {
    static func path(_ name: String, file: String = #filePath) -> String {
        URL(fileURLWithPath: file).deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("Fixtures/gemma/\(name)").path
    }

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
