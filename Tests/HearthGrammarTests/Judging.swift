import HearthGrammar
import Testing

/// Expects each text to be accepted, or refused.
func expect(
    _ grammar: Grammar, accepts: [String] = [], rejects: [String] = [], _ location: SourceLocation = #_sourceLocation
) throws {
    for text in accepts {
        #expect(try grammar.verdict(of: text.utf8) == .accepted, "\(text)", sourceLocation: location)
    }
    for text in rejects {
        #expect(try grammar.verdict(of: text.utf8) != .accepted, "\(text)", sourceLocation: location)
    }
}

func expectSchema(
    _ schema: String, accepts: [String] = [], rejects: [String] = [], _ location: SourceLocation = #_sourceLocation
) throws {
    try expect(try Grammar(jsonSchema: schema), accepts: accepts, rejects: rejects, location)
}

func expectUnsupported(_ schema: String, _ keywords: [String], _ location: SourceLocation = #_sourceLocation) {
    #expect(throws: GrammarError.unsupported(keywords), "\(schema)", sourceLocation: location) {
        _ = try Grammar(jsonSchema: schema)
    }
}

/// nil for a constraint that nothing satisfies, or that is not enforced.
func satisfiable(_ make: () throws(GrammarError) -> Grammar) throws -> Grammar? {
    do {
        return try make()
    } catch {
        switch error {
        case .allowsNothing, .unsupported: return nil
        default: throw error
        }
    }
}
