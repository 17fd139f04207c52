internal import HearthGGUF
package import HearthGrammar
internal import HearthSystem

/// What a model's file says of itself; the model is not loaded for it.
package struct ModelCard: Sendable {
    /// `general.architecture`.
    package var architecture: String
    /// Numbers that its tensors hold.
    package var parameters: Int
    /// The format of most of its weights, such as `Q4_K`.
    package var quantization: String
    /// Most tokens that it was trained for; nil where the file does not say.
    package var contextLength: Int?
    /// Of all its files.
    package var bytes: Int
    /// As `TextModel.identity`.
    package var identity: String
    /// Metadata with lists left out (null), as they stand in the file.
    package var metadata: [(name: String, value: JSONDocument)]
    /// `tokenizer.chat_template`: a program that is not executed here.
    package var chatTemplate: String
    /// `general.license`.
    package var license: String
    /// Whether it gives embeddings and writes no text.
    package var givesEmbeddings: Bool
    /// Whether its vocabulary has the markers of turns.
    package var chats: Bool
    /// Whether it was trained to think before it answers.
    package var thinks: Bool

    /// - Parameter path: a GGUF file, or the folder of a compiled artifact.
    /// - Throws: `FileError`; `TextError` for a folder that is no artifact.
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

    /// Those of the beginnings of turns that the vocabulary has.
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
