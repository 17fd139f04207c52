internal import HearthCompute
internal import HearthDelivery
internal import HearthGGUF
package import HearthRuntime
internal import HearthSystem
package import HearthTokenizer

/// A text model's compiled artifact, opened and validated: the results of the startup work that needs doing only once.
///
/// `tokens.bin` holds the vocabulary in its in-memory layout. Weights are not repacked: the kernels read GGUF blocks in place
/// at memory bandwidth, so the weights stay in the model's file and the artifact records the offset of each tensor.
package struct TextArtifact: Sendable {
    /// The engine-specific content of `artifact.json`.
    package struct Content: Codable, Sendable {
        var profile: RuntimeProfile
        /// SHA-256 over the parts of the model's file that `headerDigest` reads.
        var header: String
        var dataOffset: Int
        var configuration: GemmaConfiguration
        var chatFamily: String?
        /// How the template in the model's file differs from the known ones.
        var chatDifference: String?
        var samplingDefaults: SamplingOptions
        var name: String?
        var languages: [String]
        var storyFormat: Int?
        var tensors: [Tensor]
    }

    /// A row of the tensor table. In `artifact.json` it is a single string, `FORMAT SHAPE FILE OFFSET LENGTH NAME`: every start
    /// reads hundreds of them, and decoding JSON objects took ten times as long.
    package struct Tensor: Codable, Sendable {
        package var name: String
        /// GGUF's type number of the storage format.
        package var format: UInt32
        /// Fastest-varying dimension first.
        package var shape: [Int]
        /// The file that holds its data; empty for the model's own file.
        package var file: String
        package var offset: Int
        package var length: Int
    }

    static let kind = "text"
    package static let tokensFile = "tokens.bin"

    let artifact: Artifact<Content>
    /// The model's file: the one it was compiled from, or another with the same bytes.
    let source: SourceIdentity

    /// Digest of the profile, which is also the folder's name.
    package var digest: String { artifact.digest }
    /// Path of the artifact's folder.
    package var path: String { artifact.path }
    /// Path of the model's file.
    package var modelPath: String { source.path }
    /// Total size of the artifact's files in bytes.
    package var bytes: Int { artifact.bytes }
    /// The profile it was compiled for.
    package var profile: RuntimeProfile { artifact.record.content.profile }

    /// SHA-256 over the first 4 KiB of a model file, the last 32 KiB before its tensor data (where the tensor table is), and
    /// its size. Takes a tenth of a millisecond and is enough to tell two models apart.
    static func headerDigest(_ file: MappedFile, dataOffset: Int) -> String {
        var hash = SHA256()
        file.withUnsafeBytes { bytes in
            let end = min(max(dataOffset, 0), bytes.count)
            hash.update(UnsafeRawBufferPointer(rebasing: bytes[..<min(4 << 10, bytes.count)]))
            hash.update(UnsafeRawBufferPointer(rebasing: bytes[max(0, end - 32 << 10)..<end]))
        }
        hash.update("\(file.count)/\(dataOffset)".utf8)
        return hash.finalize()
    }
}

extension TextArtifact.Tensor {
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let words = try container.decode(String.self)
            .split(separator: " ", maxSplits: 5, omittingEmptySubsequences: false)
        guard words.count == 6, let format = UInt32(words[0]), let offset = Int(words[3]), let length = Int(words[4])
        else { throw DecodingError.dataCorruptedError(in: container, debugDescription: "not a row of a tensor table") }
        let shape = words[1].split(separator: "x").map { Int($0) }
        self.init(
            name: String(words[5]), format: format, shape: shape.compactMap(\.self),
            file: words[2] == "-" ? "" : String(words[2]), offset: offset, length: length)
        guard self.shape.count == shape.count else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "not a shape")
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        let shape = shape.map(String.init).joined(separator: "x")
        try container.encode("\(format) \(shape) \(file.isEmpty ? "-" : file) \(offset) \(length) \(name)")
    }
}

extension TextTokenizer {
    /// Creates the tokenizer of a compiled model. The model's file is not read, only checked to be unchanged.
    ///
    /// - Throws: ``TextError/staleArtifact(path:reason:)``, or `FileError` if the artifact is damaged.
    package init(artifact: TextArtifact) throws {
        guard SourceIdentity(path: artifact.modelPath) == artifact.source,
            let tokens = artifact.artifact.path(of: TextArtifact.tokensFile)
        else { throw TextError.staleArtifact(path: artifact.modelPath, reason: "it was changed or moved") }
        let file = try MappedFile(path: tokens)
        guard artifact.artifact.isAsChecked else { throw FileError.changed(.init(file: tokens, field: "file")) }
        self.init(try Vocabulary(flat: file))
    }
}

extension TextModel {
    /// Maps a compiled artifact and the weights it refers to. Nothing is built, and none of the model's metadata is read.
    ///
    /// - Throws: ``TextError/staleArtifact(path:reason:)`` if the model's file is no longer the one that was compiled;
    ///   `FileError` or `TextError` if the artifact or the file is damaged.
    package init(artifact: TextArtifact) throws {
        let content = artifact.artifact.record.content
        let path = artifact.modelPath
        func stale(_ reason: String) -> TextError { .staleArtifact(path: path, reason: reason) }

        func checkSource() throws(TextError) {
            guard SourceIdentity(path: path) == artifact.source else { throw stale("it was changed or moved") }
        }
        try checkSource()
        let file = try GGUFFile.map(path)
        // Checked again after mapping; the mapping itself detects later changes.
        try checkSource()
        guard file.byteCount == artifact.source.bytes,
            TextArtifact.headerDigest(file, dataOffset: content.dataOffset) == content.header
        else { throw stale("its header has changed") }
        let table = try content.tensors.map { tensor throws(TextError) in
            guard tensor.file.isEmpty, let type = GGUFTensorType(rawValue: tensor.format) else {
                throw stale("the artifact's tensor table is invalid")
            }
            return GGUFTensor(
                name: tensor.name, type: type, shape: tensor.shape, offset: tensor.offset, byteCount: tensor.length)
        }
        try content.configuration.check(file: path)
        guard let tokens = artifact.artifact.path(of: TextArtifact.tokensFile) else {
            throw stale("the artifact has no vocabulary")
        }
        let tokensFile = try MappedFile(path: tokens)
        guard artifact.artifact.isAsChecked else { throw stale("its artifact was changed") }
        let vocabulary = try Vocabulary(flat: tokensFile)
        try self.init(
            gguf: GGUFFile(file, table: table), configuration: content.configuration, vocabulary: vocabulary,
            chatTemplate: content.chatFamily.flatMap(ChatTemplate.Family.init(rawValue:)).map {
                var template = ChatTemplate(family: $0)
                template.difference = content.chatDifference
                template.file = path
                return template
            },
            samplingDefaults: content.samplingDefaults, name: content.name, languages: content.languages,
            storyFormat: content.storyFormat)
        try content.samplingDefaults.validate()
        try checkIntact()
        // Keeps the lease on the artifact for as long as the model lives.
        keeper = artifact.artifact
        artifactFolder = artifact.path
    }
}
