internal import Foundation
package import HearthCompute
internal import HearthDelivery
internal import HearthGGUF
internal import HearthSystem
package import HearthText
package import HearthTokenizer

/// Opens a language model: from its compiled artifact if there is one, otherwise from its file.
package struct ModelOpening {
    private let compiler: TextCompiler?
    private let onDrift: ([String]) -> Void

    /// - Parameters:
    ///   - environment: specifies the artifact folders.
    ///   - onDrift: receives the profile fields that keep an existing artifact of the model from being used.
    package init(
        kernels: KernelSet, environment: [String: String] = ProcessInfo.processInfo.environment,
        onDrift: @escaping ([String]) -> Void = { _ in }
    ) {
        self.onDrift = onDrift
        compiler = HearthFolders(environment: environment).map { TextCompiler(folders: $0, kernels: kernels) }
    }

    /// Opens a model.
    /// - Parameters:
    ///   - path: a model file, or the folder of a compiled artifact.
    ///   - context: the context length that the artifact should be for.
    /// - Returns: the model, and whether compiling it would make the next start noticeably faster.
    package func model(_ path: String, context: Int?) throws -> (model: TextModel, wantsCompiling: Bool) {
        if Self.isFolder(path) { return (try TextModel(artifact: TextCompiler.open(folder: path)), false) }
        if let found = compiler?.find(path, contextLength: context) {
            if !found.driftedFields.isEmpty { onDrift(found.driftedFields) }
            // Falls back to the file if the model has just changed, or the artifact is damaged where `find` does not
            // check.
            if let model = try? TextModel(artifact: found.artifact) { return (model, false) }
        }
        let model = try TextModel(path: path)
        return (model, compiler != nil && model.headerBytes >= Self.worthCompiling)
    }

    /// Opens the tokenizer; from a file it needs only the vocabulary.
    package func tokenizer(_ path: String) throws -> TextTokenizer {
        if Self.isFolder(path) { return try TextTokenizer(artifact: TextCompiler.open(folder: path)) }
        if let found = compiler?.find(path), let tokenizer = try? TextTokenizer(artifact: found.artifact) {
            return tokenizer
        }
        let gguf = try GGUFFile(path: path)
        let vocabulary = try Vocabulary(gguf: gguf)
        try gguf.file.checkIntact()
        return TextTokenizer(vocabulary)
    }

    /// Size of the data before the tensors above which reading it at each start is noticeable: a tenth of Gemma's
    /// vocabulary.
    package static let worthCompiling = 512 << 10

    package static func isFolder(_ path: String) -> Bool { FileAccess.isFolder(path) }
}
