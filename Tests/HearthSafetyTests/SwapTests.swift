import Foundation
import HearthSafety
import Testing

/// Sentences of tales in which words are replaced, each result read by its author: grammatical, true, and no harm in a soft word. Idioms
/// and surnames among them pass.
@Suite("Replaced words", .timeLimit(.minutes(20)))
struct SwapTests {
    struct Case: Decodable {
        var lang: String
        var text: String
        var action: String
        /// nil for a sentence that passes or is stopped.
        var result: String?
    }

    @Test("Each sentence has the result that was read")
    func reviewed() throws {
        let all: [Case] = try cases("swaps.jsonl")
        #expect(Set(all.map(\.lang)) == Set(FilterLanguage.allCases.map(\.rawValue)))
        #expect(all.count > 500)
        for one in all {
            let verdict = OutputFilter().judge(one.text, in: FilterLanguage(tag: one.lang))
            #expect(verdict.action.rawValue == one.action, "\(one.text) → \(verdict.text)")
            if let result = one.result { #expect(verdict.text == result, "\(one.text)") }
        }
    }

    @Test("What was said instead passes by itself")
    func resultsPass() throws {
        let all: [Case] = try cases("swaps.jsonl")
        let swapped = all.compactMap { one in one.result.map { (one.lang, $0) } }
        #expect(swapped.count > 400)
        for (language, result) in swapped {
            #expect(OutputFilter().judge(result, in: FilterLanguage(tag: language)).action == .pass, "\(result)")
        }
    }

    @Test("French words are elided before a vowel, and only there")
    func elision() {
        func softened(_ text: String) -> String { OutputFilter().judge(text, in: .french).text }
        #expect(softened("Le chasseur ne tue aucun animal.") == "Le chasseur n'attrape aucun animal.")
        #expect(softened("Il veut le tuer.") == "Il veut l'attraper.")
        #expect(softened("Il tue le rat.") == "Il attrape le rat.")
    }
}
