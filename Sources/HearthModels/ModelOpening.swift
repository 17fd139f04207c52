internal import Foundation
package import HearthCompute
internal import HearthDelivery
internal import HearthGGUF
internal import HearthSystem
package import HearthText
package import HearthTokenizer

/// Opens a language model: from its compiled artifact where there is one, else from its file.
package struct ModelOpening {
    private let compiler: TextCompiler?
    private let onDrift: ([String]) -> Void

    /// - Parameters:
    ///   - environment: names the folders with artifacts.
    ///   - onDrift: receives why an earlier artifact of the same model would not do, as names of fields of its profile.
    package init(
        kernels: KernelSet, environment: [String: String] = ProcessInfo.processInfo.environment,
        onDrift: @escaping ([String]) -> Void = { _ in }
    ) {
        self.onDrift = onDrift
        compiler = HearthFolders(environment: environment).map { TextCompiler(folders: $0, kernels: kernels) }
    }

    /// - Parameters:
    ///   - path: a model's file, or the folder of a compiled artifact.
    ///   - context: what the artifact should be for.
    /// - Returns: also whether compiling it would be felt at the next start.
    package func model(_ path: String, context: Int?) throws -> (model: TextModel, wantsCompiling: Bool) {
        if Self.isFolder(path) { return (try TextModel(artifact: TextCompiler.open(folder: path)), false) }
        if let found = compiler?.find(path, contextLength: context) {
            if !found.driftedFields.isEmpty { onDrift(found.driftedFields) }
            // A model that changed a moment ago, or an artifact damaged where no start looks: the file itself decides.
            if let model = try? TextModel(artifact: found.artifact) { return (model, false) }
        }
        let model = try TextModel(path: path)
        return (model, compiler != nil && model.headerBytes >= Self.worthCompiling)
    }

    /// Text to tokens and back; a file needs no more than a vocabulary.
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

    /// Bytes in front of the tensors from which on reading them at each start is felt: a tenth of Gemma's vocabulary.
    package static let worthCompiling = 512 << 10

    package static func isFolder(_ path: String) -> Bool { FileAccess.isFolder(path) }
}
