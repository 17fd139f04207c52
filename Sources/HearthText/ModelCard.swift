internal import HearthGGUF
package import HearthGrammar
internal import HearthSystem

/// Information from a model's file, read without loading the model.
package struct ModelCard: Sendable {
    /// `general.architecture`.
    package var architecture: String
    /// Number of parameters in its tensors.
    package var parameters: Int
    /// The format of most weights, such as `Q4_K`.
    package var quantization: String
    /// The context length it was trained for; nil if the file does not say.
    package var contextLength: Int?
    /// Total size of all its files.
    package var bytes: Int
    /// The same as `TextModel.identity`.
    package var identity: String
    /// Metadata in the order of the file; arrays are replaced by null.
    package var metadata: [(name: String, value: JSONDocument)]
    /// `tokenizer.chat_template`: a program, which Hearth never executes.
    package var chatTemplate: String
    /// `general.license`.
    package var license: String
    /// Whether it is an embedding model, which generates no text.
    package var givesEmbeddings: Bool
    /// Whether its vocabulary has turn markers.
    package var chats: Bool
    /// Whether it was trained to think before it answers.
    package var thinks: Bool

    /// - Parameter path: a GGUF file, or the folder of a compiled artifact.
    /// - Throws: `FileError`; `TextError` if a folder is not an artifact.
    package init(path: String) throws {
        var path = path
        if let there = try? SystemFiles().status(path), there.kind == .folder {
            path = try TextCompiler.open(folder: path).modelPath
        }
        let gguf = try GGUFFile(path: path)
        let fields = gguf.metadata
        architecture = try fields.string("general.architecture") ?? ""
        parameters = gguf.tensors.reduce(0) { $0 + $1.elementCount }
        quantization = gguf.quantization
        contextLength = try fields.integer("\(architecture).context_length")
        bytes = gguf.byteCount
        identity = TextModel.identity(
            of: gguf.file, headerBytes: gguf.tensors.map(\.offset).min() ?? gguf.file.count)
        metadata = fields.keys.map { key in (key, Self.value(fields[key])) }
        chatTemplate = try fields.string("tokenizer.chat_template") ?? ""
        license = try fields.string("general.license") ?? ""
        givesEmbeddings = architecture == GemmaArchitecture.embedding.rawValue
        let markers = try Self.markers(fields)
        thinks = markers.contains(ChatTemplate.Family.gemma4Small.turnOpen)
        chats = !givesEmbeddings && !markers.isEmpty
    }

    /// The turn-opening markers that the vocabulary has.
    private static func markers(_ fields: GGUFMetadata) throws -> Set<String> {
        let wanted = [ChatTemplate.Family.gemma4Small, .gemma3and3n].map(\.turnOpen)
        var found: Set<String> = []
        try fields.strings("tokenizer.ggml.tokens")?.forEach { _, bytes in
            for marker in wanted where bytes.count == marker.utf8.count && bytes.elementsEqual(marker.utf8) {
                found.insert(marker)
            }
        }
        return found
    }

    private static func value(_ value: GGUFValue?) -> JSONDocument {
        switch value {
        case .uint8(let number): .number("\(number)")
        case .int8(let number): .number("\(number)")
        case .uint16(let number): .number("\(number)")
        case .int16(let number): .number("\(number)")
        case .uint32(let number): .number("\(number)")
        case .int32(let number): .number("\(number)")
        case .uint64(let number): .number("\(number)")
        case .int64(let number): .number("\(number)")
        case .float32(let number): number.isFinite ? .number("\(number)") : .null
        case .float64(let number): number.isFinite ? .number("\(number)") : .null
        case .bool(let flag): .bool(flag)
        case .string(let text): .string(text)
        case .array, nil: .null
        }
    }
}
