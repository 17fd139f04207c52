internal import Synchronization

/// The lexicons of this build, each loaded on first use and cached.
package final class LexiconLibrary: Sendable {
    package static let shared = LexiconLibrary(files: EmbeddedFile.bytes, tables: FoldingTables.embedded)

    private let files: @Sendable (String) -> [UInt8]?
    private let tables: Result<Void, LexiconError>
    private let compiled = Mutex<[String: CompiledLexicon]>([:])
    private let meaningModel = Mutex<Result<MeaningModel, LexiconError>?>(nil)

    /// Creates a library.
    /// - Parameter files: returns a file's bytes by name; nil if there is none.
    package convenience init(files: @escaping @Sendable (String) -> [UInt8]?) {
        self.init(files: files, tables: FoldingTables.load(files).map { _ in })
    }

    private init(files: @escaping @Sendable (String) -> [UInt8]?, tables: Result<Void, LexiconError>) {
        self.files = files
        self.tables = tables
    }

    /// Returns the compiled lexicon of a language; nil means an unknown language.
    /// - Throws: `LexiconError`, also if the folding tables are damaged: the filter must not silently miss words.
    func lexicon(_ language: FilterLanguage?) throws(LexiconError) -> CompiledLexicon {
        let key = language?.rawValue ?? ""
        if let found = compiled.withLock({ $0[key] }) { return found }
        try tables.get()
        let made = try load(language)
        // Two threads may load it concurrently; the results are equal.
        return compiled.withLock { all in
            all[key] = all[key] ?? made
            return all[key] ?? made
        }
    }

    private func load(_ language: FilterLanguage?) throws(LexiconError) -> CompiledLexicon {
        var sources: [CompiledSource] = []
        for name in Self.files(for: language) {
            if let compiled = compiled(name, for: language) {
                sources.append(compiled)
            } else {
                let text = try parse(name)
                let folder = TextFolder(language: language, ownLetters: sources.first?.ownLetters ?? text.ownLetters)
                sources.append(CompiledSource(text, for: language, folder))
            }
        }
        let folder = TextFolder(language: language, ownLetters: sources.first?.ownLetters ?? "")
        return CompiledLexicon(language: language, folder: folder, sources: sources)
    }

    /// The file that `scripts/make-lexicons` made of a lexicon; nil if it is missing, damaged or made of another text.
    package func compiled(_ name: String, for language: FilterLanguage?) -> CompiledSource? {
        var sources: [[UInt8]] = []
        for file in ["\(name).txt"] + FoldingTables.files {
            guard let bytes = files(file) else { return nil }
            sources.append(bytes)
        }
        // Outside their own language some words are folded in another way.
        for file in language == nil ? ["\(name)-any.lexicon", "\(name).lexicon"] : ["\(name).lexicon"] {
            guard let bytes = files(file) else { continue }
            if let found = CompiledSource(bytes, of: sources, isForUnknown: language == nil) { return found }
        }
        return nil
    }

    /// Returns the classifier, loaded on first use.
    /// - Throws: `LexiconError`, also if the folding tables are damaged.
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

    /// The lexicons used for a language, its own first.
    package static func files(for language: FilterLanguage?) -> [String] {
        guard let language else { return ["en", "zh-Hans", "zh-Hant", "ja", "ko", "ru", "ar", "emoji"] }
        var names = [language.rawValue]
        if language == .simplifiedChinese { names.append("zh-Hant") }
        if language == .traditionalChinese { names.append("zh-Hans") }
        if language.readsEnglish, language != .english { names.append("en") }
        return names + ["emoji"]
    }

    /// Parses a lexicon, and checks that it is complete: it has all concepts of the policy and the file's last line.
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
