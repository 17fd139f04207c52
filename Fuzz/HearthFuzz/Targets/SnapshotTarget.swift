import Foundation
import HearthCompute
import HearthSystem
import HearthText
import HearthTokenizer

extension FuzzTarget {
    /// A file of the prefix cache. The input is the file's head, with a byte in front that says how the rest is made: rows of a
    /// sound file, digests that are made right or not, bytes too few or too many. A file that is not sound is never used, one
    /// whose digests are right holds no more than the text does.
    static let snapshot = FuzzTarget(name: "snapshot", longestInput: 1 << 10) {
        let place = try SnapshotPlace()
        return { place.check($0) }
    } seeds: {
        let place = try SnapshotPlace()
        let flags = [0, 1, 2, 3, 4, 8, 16 + 3, 32 + 3] as [UInt8]
        return Dictionary(uniqueKeysWithValues: flags.map { ("flags-\($0)", [$0] + place.head) })
    }
}

/// A small model, a text, and a sound file of its beginning.
private final class SnapshotPlace {
    let model: TextModel
    /// As the sound file has it, digest included.
    let head: [UInt8]
    private let sound: [UInt8]
    private let text: [TokenID] = [2] + (1..<12).map { TokenID(4 + $0 * 37 % 500) }
    private let held = 8
    private let session: GemmaSession
    private let snapshot: KVCacheSnapshot

    init() throws {
        model = try TextModel(path: "\(Fixture.folder)/gemma/gemma3-q4_0.gguf")
        session = try Self.session(model)
        let folder = ProcessInfo.processInfo.environment["TMPDIR"] ?? "/tmp"
        snapshot = KVCacheSnapshot(path: "\(folder)/hearth-fuzz-\(ProcessInfo.processInfo.processIdentifier).kv")
        let source = try Self.session(model)
        try source.prefill(text[..<held])
        try snapshot.save(source, of: model) { false }
        sound = try Array(Data(contentsOf: URL(fileURLWithPath: snapshot.path)))
        snapshot.remove()
        let layout = KVCacheSnapshotLayout(source, model, tokens: source.held.count, written: source.written)
        head = Array(sound[..<(layout.head.count + 4 * held + KVCacheSnapshot.digestBytes)])
    }

    private static func session(_ model: TextModel) throws -> GemmaSession {
        try GemmaSession(
            configuration: model.configuration, weights: model.weights, kernels: KernelSet.selected(by: nil),
            threads: 1,
            context: 16, cacheFormat: .float16, maximumStep: 8)
    }

    func check(_ input: [UInt8]) {
        var input = FuzzInput(input)
        let flags = input.byte()
        let bytes = file(input.bytes, flags)
        session.reset()
        do {
            try Data(bytes).write(to: URL(fileURLWithPath: snapshot.path))
            defer { snapshot.remove() }
            let manner: KVCacheSnapshot.Manner = flags & 8 == 0 ? .read : .map(isTrusted: false)
            let tokens = try snapshot.restore(text, into: session, of: model, manner) { false }
            require(session.held.count <= text.count && text.starts(with: session.held), "another text")
            require(tokens == session.held.count, "\(tokens) tokens, \(session.held.count) held")
            require(bytes == sound || flags & 3 == 3, "a file that is not sound was used")
            require(bytes != sound || tokens == held, "a sound file holds \(tokens) tokens")
            // What it holds can be gone on with.
            let known = session.keep(of: text)
            _ = try session.logits(after: text[known...])
        } catch {
            require(error is KVCacheSnapshot.Problem, "an error of another kind: \(error)")
            require(bytes != sound, "a sound file was refused: \(error)")
            require(session.held.isEmpty, "a file that was refused left \(session.held.count) tokens")
        }
    }

    /// The sound file with another head, its digests made right where bits 0 and 1 say so, cut or lengthened by bits 4 and 5.
    private func file(_ head: [UInt8], _ flags: Int) -> [UInt8] {
        var bytes = sound
        let count = min(head.count, KVCacheSnapshot.pageBytes)
        bytes.replaceSubrange(..<count, with: head[..<count])
        if flags & 1 != 0 {
            // Where the digest stands follows from the counts, as in the reader.
            let tokens = (0..<4).reduce(0) { $0 | Int(bytes[112 + $1]) << (8 * $1) }
            let caches = (0..<4).reduce(0) { $0 | Int(bytes[12 + $1]) << (8 * $1) }
            let end = KVCacheSnapshot.fixedBytes + 20 * min(caches, 1 << 10) + 4 * min(tokens, 1 << 10)
            if end + KVCacheSnapshot.digestBytes <= KVCacheSnapshot.pageBytes {
                bytes.replaceSubrange(
                    end..<end + KVCacheSnapshot.digestBytes, with: SHA256.digest(of: bytes[..<end]).utf8)
            }
        }
        if flags & 2 != 0 {
            let end = bytes.count - KVCacheSnapshot.digestBytes
            bytes.replaceSubrange(end..., with: SHA256.digest(of: bytes[..<end]).utf8)
        }
        if flags & 16 != 0 { bytes.removeLast(64) }
        if flags & 32 != 0 { bytes += [UInt8](repeating: 0, count: 64) }
        return bytes
    }
}
