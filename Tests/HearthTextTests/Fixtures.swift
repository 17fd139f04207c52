import Foundation
import HearthFormats
import HearthText

/// The files under `Tests/Fixtures/gemma`; their README says how they were made.
enum Fixtures {
    static let tokenizers = ["tokenizer-llama", "tokenizer-gemma4"]

    static func path(_ name: String) -> String {
        URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("Fixtures/gemma/\(name)").path
    }

    static func tokenizer(_ name: String) throws -> TextTokenizer {
        TextTokenizer(try Vocabulary(gguf: try GGUFFile(path: path(name + ".gguf"))))
    }

    static func json<T: Decodable>(_ name: String, as type: T.Type) throws -> T {
        try JSONDecoder().decode(type, from: Data(contentsOf: URL(fileURLWithPath: path(name + ".json"))))
    }
}

/// The goldens of one tokenizer.
struct TokenizerGoldens: Decodable {
    struct Encode: Decodable {
        let text: String
        let utf8: String
        let ids: [TokenID]
        let ids_parse_special: [TokenID]
        let decoded_utf8: String
        let decoded_special_utf8: String
    }
    struct Decode: Decodable {
        let ids: [TokenID]
        let utf8: String
        let utf8_show_special: String
        let lossy: String
    }
    let encode: [Encode]
    let decode: [Decode]
}

func hex(_ bytes: [UInt8]) -> String {
    bytes.map { String(UInt32($0) + 0x100, radix: 16).dropFirst() }.joined()
}

func bytes(hex: String) -> [UInt8] {
    let digits = Array(hex)
    return stride(from: 0, to: digits.count - 1, by: 2).compactMap { UInt8(String(digits[$0...$0 + 1]), radix: 16) }
}
