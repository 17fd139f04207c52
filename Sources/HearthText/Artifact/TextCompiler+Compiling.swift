internal import HearthDelivery
internal import HearthGGUF
package import HearthRuntime
internal import HearthSystem
import HearthTokenizer

/// The outcome of a compilation, for logs.
package struct TextCompilation: Sendable {
    /// The artifact to start from.
    package var artifact: TextArtifact
    /// Whether the artifact already existed.
    package var reused: Bool
    /// Profile fields that differ from the newest earlier artifact of the same model, if a new artifact was made.
    package var driftedFields: [String]
}

extension TextCompiler {
    /// Number of bytes that compiling reads, for progress reports.
    package func workload(_ path: String) -> Int { SourceIdentity(path: path)?.bytes ?? 0 }

    /// What is known of a model's digest before its bytes are read.
    package enum KnownDigest: Sendable, Equatable {
        /// The bytes were hashed as they were received, and are not read again to hash them.
        case verified(String)
        /// The digest that the file should have, according to a library or a publisher.
        case expected(String)
    }

    /// Finds the artifact, or makes it.
    ///
    /// Blocks, so call it on a separate thread. Nearly all of the time is spent on the model's digest, which cannot be computed
    /// in parallel. The model is streamed for it, so only the vocabulary stays in memory. Stopping at any point, even by
    /// killing the process, leaves nothing behind that would be used.
    ///
    /// - Parameters:
    ///   - digest: what is known of the model's digest; nil for nothing.
    ///   - isVerifying: first reads every byte of the model and of an existing artifact again. A damaged artifact is rebuilt, a
    ///     damaged model is an error.
    ///   - progress: called with the number of bytes done, up to `workload`.
    ///   - isCancelled: polled at least every few milliseconds.
    /// - Throws: `CancellationError`; `FileError` or `TextError` if the file is not a supported model or has changed;
    ///   `DeliveryError.storage`; what `progress` throws.
    package func compile(
        _ path: String, contextLength: Int? = nil, digest: KnownDigest? = nil, isVerifying: Bool = false,
        progress: (Int) throws -> Void = { _ in }, isCancelled: () -> Bool = { false }
    ) throws -> TextCompilation {
        func step(_ done: Int) throws {
            if isCancelled() { throw CancellationError() }
            try progress(done)
        }
        try step(0)
        cache.sweep()
        let (known, opened) = try identify(path, digest: digest, isVerifying: isVerifying, progress: step)
        if let contextLength, !(1...known.contextLength).contains(contextLength) {
            throw TextError.contextTooLong(wanted: contextLength, limit: known.contextLength)
        }
        let profile = profile(known, contextLength: contextLength)
        if isVerifying { _ = cache.verify(profile.digest) }
        if let found = open(profile, known.source) {
            return TextCompilation(artifact: found, reused: true, driftedFields: [])
        }
        let drift = drift(profile)
        if !isVerifying, let derived = try? derive(profile, known) {
            return TextCompilation(artifact: derived, reused: false, driftedFields: drift)
        }
        let gguf = try opened ?? GGUFFile(path: known.source.path)
        let (artifact, wasFaster) = try build(gguf, profile, known, step)
        return TextCompilation(artifact: artifact, reused: wasFaster, driftedFields: drift)
    }

    /// Names of the profile fields that differ for a file, if the memo knows it; does not read the file.
    package func drift(_ path: String, contextLength: Int? = nil) -> [String] {
        guard let source = SourceIdentity(path: path), let known = memo.entry(of: source) else { return [] }
        return drift(profile(known, contextLength: contextLength))
    }

    /// Names of the fields that differ between a profile and the most recently used artifact of the same model.
    package func drift(_ profile: RuntimeProfile) -> [String] {
        let fields = profile.fields
        let earlier = cache.list().first {
            $0.kind == TextArtifact.kind && $0.digest != profile.digest
                && ($0.profile["modelSHA256"] == profile.modelSHA256 || $0.profile["model"] == profile.model)
        }
        guard let earlier else { return [] }
        return fields.filter { earlier.profile[$0.name] != $0.value }.map(\.name)
    }

    /// - Returns: the artifact, and whether another process published it first.
    private func build(
        _ gguf: GGUFFile, _ profile: RuntimeProfile, _ known: SourceMemo.Entry, _ step: (Int) throws -> Void
    ) throws -> (artifact: TextArtifact, wasFaster: Bool) {
        let model = try TextModel(gguf: gguf)
        try step(known.source.bytes)
        let content = TextArtifact.Content(
            profile: profile, header: TextArtifact.headerDigest(gguf.file, dataOffset: gguf.dataOffset),
            dataOffset: gguf.dataOffset, configuration: model.configuration,
            chatFamily: model.chatTemplate?.family.rawValue, chatDifference: model.chatTemplate?.difference,
            samplingDefaults: model.samplingDefaults, name: model.name,
            languages: model.languages, storyFormat: model.storyFormat,
            tensors: gguf.tensors.map {
                TextArtifact.Tensor(
                    name: $0.name, format: $0.type.rawValue, shape: $0.shape, file: "", offset: $0.offset,
                    length: $0.byteCount)
            })
        let tokens = model.tokenizer.vocabulary.flatFile()
        // Publish only if the file that was read is still the file that was hashed.
        guard SourceIdentity(path: known.source.path) == known.source, gguf.byteCount == known.source.bytes else {
            throw TextError.staleArtifact(path: known.source.path, reason: "it was changed while it was compiled")
        }
        let result: (artifact: Artifact<TextArtifact.Content>, reused: Bool) = try cache.publish(
            profile.digest, kind: TextArtifact.kind, profile: Self.fields(profile), source: known.source
        ) { writer in
            try tokens.withUnsafeBytes { bytes in
                try writer.write(TextArtifact.tokensFile, bytes) { _ in try step(known.source.bytes) }
            }
            return content
        }
        return (TextArtifact(artifact: result.artifact, source: known.source), result.reused)
    }

    /// Makes an artifact with the vocabulary of an existing one of the same model that was made for another profile.
    func derive(_ profile: RuntimeProfile, _ known: SourceMemo.Entry) throws -> TextArtifact? {
        for other in cache.list() where other.digest != profile.digest && other.kind == TextArtifact.kind {
            guard other.profile["modelSHA256"] == profile.modelSHA256,
                other.profile["runtimeVersion"] == profile.runtimeVersion,
                let earlier = cache.open(other.digest, kind: TextArtifact.kind, TextArtifact.Content.self),
                let tokens = earlier.record.files.first(where: { $0.name == TextArtifact.tokensFile })
            else { continue }
            let result: (artifact: Artifact<TextArtifact.Content>, reused: Bool) = try cache.publish(
                profile.digest, kind: TextArtifact.kind, profile: Self.fields(profile), source: known.source
            ) { writer in
                try writer.adopt(tokens, from: earlier.path)
                var content = earlier.record.content
                content.profile = profile
                return content
            }
            return TextArtifact(artifact: result.artifact, source: known.source)
        }
        return nil
    }

    private static func fields(_ profile: RuntimeProfile) -> [String: String] {
        Dictionary(profile.fields.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
    }
}

// MARK: - Which model a file is

extension TextCompiler {
    /// The memo's entry for a file, or a new one from reading all of it; also the opened file, if it had to be opened.
    func identify(
        _ path: String, digest: KnownDigest? = nil, isVerifying: Bool = false, progress: (Int) throws -> Void
    ) throws -> (entry: SourceMemo.Entry, gguf: GGUFFile?) {
        let source = SourceIdentity(path: path)
        if let source, let known = memo.entry(of: source) {
            if isVerifying {
                try Self.check(try Self.sha256(path, progress: progress), .expected(known.sha256), path)
            }
            try Self.check(known.sha256, digest, path)
            return (known, nil)
        }
        let gguf = try GGUFFile(path: path)
        // Check first that the model is supported, before spending time on the digest.
        let configuration = try GemmaConfiguration(gguf: gguf)
        let sha256: String
        if case .verified(let verified) = digest, !isVerifying {
            sha256 = verified
        } else {
            sha256 = try Self.sha256(path, progress: progress)
            try Self.check(sha256, digest, path)
        }
        guard let source, SourceIdentity(path: path) == source, gguf.byteCount == source.bytes else {
            throw TextError.staleArtifact(path: path, reason: "it was changed while it was read")
        }
        let entry = SourceMemo.Entry(
            source: source, sha256: sha256, name: try gguf.metadata.string("general.name") ?? "",
            quantization: gguf.quantization, contextLength: configuration.contextLength)
        memo.remember(entry)
        return (entry, gguf)
    }

    /// SHA-256 of a single file, or over the names and digests of a sharded model's files.
    private static func sha256(_ path: String, progress: (Int) throws -> Void) throws -> String {
        let paths = FileShards.paths(of: path)
        if paths.count == 1 { return try FileDigest.sha256(path, progress: progress) }
        var done = 0
        var digests: [(name: String, sha256: String)] = []
        for path in paths {
            var size = 0
            let digest = try FileDigest.sha256(path) { bytes in
                size = bytes
                try progress(done + bytes)
            }
            done += size
            digests.append((path.split(separator: "/").last.map(String.init) ?? path, digest))
        }
        return ContentDigest.sha256(of: digests)
    }

    private static func check(_ actual: String, _ digest: KnownDigest?, _ path: String) throws(TextError) {
        switch digest {
        case .verified(let expected), .expected(let expected):
            if actual != expected { throw .damagedModel(path: path, expected: expected, actual: actual) }
        case nil: break
        }
    }
}

extension GGUFFile {
    /// Name of the storage format that holds the most bytes of weights.
    var quantization: String {
        var bytes: [String: Int] = [:]
        for tensor in tensors where tensor.shape.count > 1 { bytes[tensor.type.name, default: 0] += tensor.byteCount }
        return bytes.max { ($0.value, $1.key) < ($1.value, $0.key) }?.key ?? ""
    }
}
