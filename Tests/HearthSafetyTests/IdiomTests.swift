import Foundation
import HearthSafety
import Testing

/// Idioms, compounds and names that contain a listed word in an innocent sense; see `Fixtures/idioms/README.md`.
@Suite("Innocent idioms", .timeLimit(.minutes(20)))
struct IdiomTests {
    @Test("At least 9 in 10 pass unchanged", arguments: FilterLanguage.allCases)
    func pass(_ language: FilterLanguage) throws {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("Fixtures/idioms/\(language.rawValue).txt")
        let sentences = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map(String.init)
        #expect(sentences.count >= 80)
        let filter = OutputFilter()
        let changed = sentences.filter { filter.judge($0, in: language).action != .pass }
        #expect(changed.count * 10 <= sentences.count, "\(changed)")
    }
}
