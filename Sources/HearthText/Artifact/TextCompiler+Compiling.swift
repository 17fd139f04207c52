internal import HearthDelivery
internal import HearthGGUF
package import HearthRuntime
internal import HearthSystem
import HearthTokenizer

/// What compiling did, for whoever keeps a log.
package struct TextCompilation: Sendable {
    /// What a start uses.
    package var artifact: TextArtifact
    /// Whether it was there already.
    package var reused: Bool
    /// Fields of the profile that differ from the newest earlier artifact of the same model, when a new one was made.
    package var driftedFields: [String]
}

extension TextCompiler {
    /// How many bytes compiling touches, for progress: the model's once, and the vocabulary's.
    package func workload(_ path: String) -> Int { SourceIdentity(path: path)?.bytes ?? 0 }

    /// What is known of a model's bytes before they are read.
    package enum KnownDigest: Sendable, Equatable {
        /// These bytes were hashed on their way here, and are not read again for it.
        case verified(String)
        /// The file is to have this digest, as a library or a publisher says.
        case expected(String)
    }

    /// Makes the artifact, or finds it.
    ///
    /// Blocks: call it on a thread of its own. Nearly all of the time goes into the model's digest, which cannot be split
    /// between processors; the model streams through for it, so that what stays in memory is the vocabulary. Stopping
    /// at any point, the hard way too, leaves nothing that would be used.
    ///
    /// - Parameters:
    ///   - digest: what is known of the model's bytes; nil where nobody has said.
    ///   - isVerifying: first reads every byte again, of the model and of an artifact that is there. A damaged artifact is
    ///     rebuilt, a damaged model is an error.
    ///   - progress: called with bytes done, up to `workload`.
    ///   - isCancelled: asked at least every few milliseconds.
    /// - Throws: `CancellationError`; `FileError`, `TextError` for a file that is not a model that runs, or not the one
    ///   that it was; `DeliveryError.storage`; what `progress` throws.
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

    /// The same for a file, as far as that is known without reading all of it.
    package func drift(_ path: String, contextLength: Int? = nil) -> [String] {
        guard let source = SourceIdentity(path: path), let known = memo.entry(of: source) else { return [] }
        return drift(profile(known, contextLength: contextLength))
    }

    /// Names of the fields that differ between a profile and the artifact of the same model that was used last.
    package func drift(_ profile: RuntimeProfile) -> [String] {
        let fields = profile.fields
        let earlier = cache.list().first {
            $0.kind == TextArtifact.kind && $0.digest != profile.digest
                && ($0.profile["modelSHA256"] == profile.modelSHA256 || $0.profile["model"] == profile.model)
        }
        guard let earlier else { return [] }
        return fields.filter { earlier.profile[$0.name] != $0.value }.map(\.name)
    }

    /// - Returns: also whether another process was faster, whose artifact this then is.
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
            languages: model.languages,
            tensors: gguf.tensors.map {
                TextArtifact.Tensor(
                    name: $0.name, format: $0.type.rawValue, shape: $0.shape, file: "", offset: $0.offset,
                    length: $0.byteCount)
            })
        let tokens = model.tokenizer.vocabulary.flatFile()
        // What was read is what was hashed, or nothing is published.
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

    /// Takes over the vocabulary of an artifact of the same model that was made for another profile.
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
    /// What the memo knows of a file, or what reading all of it tells; and the file, where it had to be opened.
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
        // First whether it runs at all: nobody waits for the digest of a file that is then refused.
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

    /// SHA-256 of the one file, or over names and digests of a model's several files.
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
    /// The storage format that holds most bytes of weights, by name.
    var quantization: String {
        var bytes: [String: Int] = [:]
        for tensor in tensors where tensor.shape.count > 1 { bytes[tensor.type.name, default: 0] += tensor.byteCount }
        return bytes.max { ($0.value, $1.key) < ($1.value, $0.key) }?.key ?? ""
    }
}
