import Foundation
import Testing

@testable import HearthFormats

/// Files that are right: every fixture opens and its contents are reachable.
@Suite struct GGUFFileTests {
    @Test("every fixture opens, and everything in it can be read", arguments: try Fixtures.models())
    func opens(path: String) throws {
        let file = try GGUFFile(path: path)
        #expect(file.version == 3)
        #expect(file.alignment == 32)
        #expect(try file.metadata.string("general.architecture")?.isEmpty == false)
        let tokens = try #require(try file.metadata.strings("tokenizer.ggml.tokens"))
        #expect(tokens.count > 256)
        #expect(try file.metadata.integers("tokenizer.ggml.token_type")?.count == tokens.count)
        #expect(try touchEverything(file) != 0)
    }
}
