import Foundation
import HearthGGUF
package import HearthTokenizer

/// The files under `Tests/Fixtures/gemma`; their README says how they were made.
package enum GemmaFixtures {
    package static let tokenizers = ["tokenizer-llama", "tokenizer-gemma4"]

    /// The model that comes with the program.
    package static let bundled = TestFixtures.url("../../Models/hearth-nano.gguf").standardized.path

    /// A prompt of so many tokens: the one that begins a text, then others that vary.
    package static func prompt(_ count: Int) -> [TokenID] {
        [2] + (1..<count).map { (index: Int) -> TokenID in TokenID(4 + index * 37 % 500) }
    }

    package static func path(_ name: String) -> String { TestFixtures.url("gemma/\(name)").path }

    package static func tokenizer(_ name: String) throws -> TextTokenizer {
        TextTokenizer(try Vocabulary(gguf: try GGUFFile(path: path(name + ".gguf"))))
    }

    package static func json<T: Decodable>(_ name: String, as type: T.Type) throws -> T {
        try JSONDecoder().decode(type, from: Data(contentsOf: URL(fileURLWithPath: path(name + ".json"))))
    }
}

/// The goldens of one tokenizer.
package struct TokenizerGoldens: Decodable {
    package struct Encode: Decodable {
        package let text: String
        package let utf8: String
        package let ids: [TokenID]
        package let ids_parse_special: [TokenID]
        package let decoded_utf8: String
        package let decoded_special_utf8: String
    }
    package struct Decode: Decodable {
        package let ids: [TokenID]
        package let utf8: String
        package let utf8_show_special: String
        package let lossy: String
    }
    package let encode: [Encode]
    package let decode: [Decode]
}

package func hex(_ bytes: [UInt8]) -> String {
    bytes.map { String(UInt32($0) + 0x100, radix: 16).dropFirst() }.joined()
}

package func bytes(hex: String) -> [UInt8] {
    let digits = Array(hex)
    return stride(from: 0, to: digits.count - 1, by: 2).compactMap { UInt8(String(digits[$0...$0 + 1]), radix: 16) }
}
