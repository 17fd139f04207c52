internal import Synchronization

/// The lexicons of this build, each compiled when it is first needed and kept.
package final class LexiconLibrary: Sendable {
    package static let shared = LexiconLibrary(files: EmbeddedFile.bytes, tables: FoldingTables.embedded)

    private let files: @Sendable (String) -> [UInt8]?
    private let tables: Result<Void, LexiconError>
    private let compiled = Mutex<[String: CompiledLexicon]>([:])
    private let meaningModel = Mutex<Result<MeaningModel, LexiconError>?>(nil)

    /// - Parameter files: gives a file's bytes by its name, nil where there is none.
    package convenience init(files: @escaping @Sendable (String) -> [UInt8]?) {
        self.init(files: files, tables: FoldingTables.load(files).map { _ in })
    }

    private init(files: @escaping @Sendable (String) -> [UInt8]?, tables: Result<Void, LexiconError>) {
        self.files = files
        self.tables = tables
    }

    /// nil stands for an unknown language.
    /// - Throws: `LexiconError`, also where nothing is wrong with the lexicon but texts cannot be folded: a filter that
    ///   reads half of what it should has to say so.
    func lexicon(_ language: FilterLanguage?) throws(LexiconError) -> CompiledLexicon {
        let key = language?.rawValue ?? ""
        if let found = compiled.withLock({ $0[key] }) { return found }
        try tables.get()
        var sources: [Lexicon] = []
        for name in Self.files(for: language) { sources.append(try parse(name)) }
        let made = CompiledLexicon(language: language, sources: sources)
        // Two threads may both have made it; they made the same.
        return compiled.withLock { all in
            all[key] = all[key] ?? made
            return all[key] ?? made
        }
    }

    /// The classifier, read when it is first needed.
    /// - Throws: `LexiconError`, also where texts cannot be folded.
    func meaning() throws(LexiconError) -> MeaningModel {
        let result = meaningModel.withLock { found in
            if let found { return found }
            let made = Self.meaning(files, tables)
            found = made
            return made
        }
        return try result.get()
    }

    private static func meaning(
        _ files: (String) -> [UInt8]?, _ tables: Result<Void, LexiconError>
    ) -> Result<MeaningModel, LexiconError> {
        do throws(LexiconError) {
            try tables.get()
            return .success(try MeaningModel.load(files))
        } catch {
            return .failure(error)
        }
    }

    /// Lexicons that are read for a language, its own first.
    package static func files(for language: FilterLanguage?) -> [String] {
        guard let language else { return ["en", "zh-Hans", "zh-Hant", "ja", "ko", "ru", "ar", "emoji"] }
        var names = [language.rawValue]
        if language == .simplifiedChinese { names.append("zh-Hant") }
        if language == .traditionalChinese { names.append("zh-Hans") }
        if language.readsEnglish, language != .english { names.append("en") }
        return names + ["emoji"]
    }

    /// A whole lexicon, or none: all concepts of the policy are there, and the file's last line is.
    package func parse(_ name: String) throws(LexiconError) -> Lexicon {
        let file = "\(name).txt"
        guard let bytes = files(file) else { throw .missing(file: file) }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw .damaged(file: file, problem: "it is not UTF-8")
        }
        let lexicon = try LexiconParser.parse(text, file: file)
        guard lexicon.isComplete else { throw .damaged(file: file, problem: "its last line, '@end', is missing") }
        guard name != "emoji" else { return lexicon }
        guard !lexicon.ending.isEmpty else { throw .damaged(file: file, problem: "it has no '@ending'") }
        let concepts = Set(lexicon.entries.map(\.concept))
        if let missing = Lexicon.concepts.first(where: { !concepts.contains($0) }) {
            throw .damaged(file: file, problem: "it has no words for '\(missing)'")
        }
        return lexicon
    }
}
