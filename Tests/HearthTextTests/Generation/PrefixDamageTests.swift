import Dispatch
import Foundation
import HearthCompute
import HearthSystem
import HearthText
import HearthTokenizer
import Testing

/// Files of the prefix cache that are truncated, changed, exchanged or written by many at once: never used, never in the way, and
/// soon whole again.
@Suite("Damaged beginnings", .timeLimit(.minutes(20))) struct PrefixDamageTests {
    private let place: ArtifactFolder

    init() throws { place = try ArtifactFolder() }

    /// Begins `whole` with what the store has of `prefix`, and keeps what it has not; says how many tokens were found.
    private func begin(
        _ whole: [TokenID], _ prefix: ArraySlice<TokenID>, _ store: PrefixCache, _ model: TextModel
    ) throws -> (found: Int, logits: [Float]) {
        let session = try place.session(model)
        store.bringBack(prefix, into: session, of: model, mustStop: { false })
        let found = session.held.count
        if found < prefix.count {
            try session.prefill(prefix[session.keep(of: Array(prefix))...])
            place.keep(store, session, model)
        }
        let known = session.keep(of: whole)
        return (found, try session.logits(after: whole[known...]).row(0))
    }

    /// What became of a sound file.
    private func damage(_ sound: [UInt8], others: [[UInt8]], _ random: inout Xoshiro256) -> (String, [UInt8]) {
        var bytes = sound
        switch Int.random(in: 0..<9, using: &random) {
        case 0:
            let count = Int.random(in: 0..<sound.count, using: &random)
            return ("cut to \(count) bytes", Array(sound[..<count]))
        case 1:
            bytes += (0...Int.random(in: 0..<40_000, using: &random)).map { _ in 0 }
            return ("\(bytes.count - sound.count) bytes too many", bytes)
        case 2:
            let at = Int.random(in: 0..<sound.count, using: &random), bit = Int.random(in: 0..<8, using: &random)
            bytes[at] ^= 1 << bit
            return ("bit \(bit) of byte \(at)", bytes)
        case 3:
            // A field of the header that says anything.
            let at = 4 * Int.random(in: 0..<KVCacheSnapshot.fixedBytes / 4, using: &random)
            let numbers: [UInt32] = [0, 1, 2, 0x7FFF_FFFF, 0xFFFF_FFFF, .random(in: .min ... .max, using: &random)]
            let number = numbers[Int.random(in: 0..<numbers.count, using: &random)]
            bytes.replaceSubrange(at..<at + 4, with: littleEndian(number))
            return ("\(number) at \(at)", bytes)
        case 4:
            bytes.replaceSubrange(8..<12, with: littleEndian(KVCacheSnapshot.version - 1))
            return ("an older version", bytes)
        case 5: return ("another one's", others[Int.random(in: 0..<others.count, using: &random)])
        case 6:
            let first = Int.random(in: 0..<sound.count, using: &random)
            for index in first..<min(first + 4096, bytes.count) { bytes[index] = 0 }
            return ("zeros from \(first) on", bytes)
        case 7: return ("noise", (0..<5000).map { _ in UInt8.random(in: .min ... .max, using: &random) })
        default:
            // The right digests around other rows: only who counts every byte sees it.
            bytes.swapAt(sound.count / 2, sound.count / 2 + Int.random(in: 1..<500, using: &random))
            return ("two bytes of rows exchanged", bytes)
        }
    }

    @Test("Whatever a file has become, the text is the same, and the file is whole again")
    func fuzz() throws {
        let model = try place.model()
        let store = PrefixCache(folder: try #require(model.artifactFolder))
        let whole = place.text(120), prefix = whole[..<100]
        let expected = try place.session(model).logits(after: whole[...]).row(0)
        #expect(try begin(whole, prefix, store, model).found == 0)
        let path = store.path(of: prefix, try place.session(model))
        func content() throws -> [UInt8] { [UInt8](try Data(contentsOf: URL(fileURLWithPath: path))) }
        let sound = try content()

        // Files of another text, and of another format of the cache.
        var others: [[UInt8]] = []
        for (seed, format) in [(11, KVCacheFormat.float16), (37, .int8), (37, .float32)] {
            let other = try place.session(model, format), text = place.text(100, seed: seed)[...]
            try other.prefill(text)
            place.keep(store, other, model)
            others.append([UInt8](try Data(contentsOf: URL(fileURLWithPath: store.path(of: text, other)))))
        }
        var random = Xoshiro256(seed: 2026)
        let runs = ProcessInfo.processInfo.environment["HEARTH_FUZZ_RUNS"].flatMap { Int($0) } ?? 60
        for _ in 0..<min(runs, 2000) {
            let (what, bytes) = damage(sound, others: others, &random)
            // By another process, which knows nothing of marks.
            try Data(bytes).write(to: URL(fileURLWithPath: path), options: .atomic)
            let first = try begin(whole, prefix, store, model)
            #expect(first.logits == expected, "\(what)")
            #expect(bytes == sound || first.found == 0, "\(what)")
            #expect(try content() == sound, "\(what)")
            let second = try begin(whole, prefix, store, model)
            #expect(second.found == 100 && second.logits == expected, "after \(what)")
        }
    }

    @Test("What is no file under a file's name is left alone, and costs nothing but computing")
    func noFile() throws {
        let model = try place.model()
        let store = PrefixCache(folder: try #require(model.artifactFolder))
        let whole = place.text(120), prefix = whole[..<100]
        let expected = try place.session(model).logits(after: whole[...]).row(0)
        let path = store.path(of: prefix, try place.session(model))
        let makers: [() throws -> Void] = [
            { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false) },
            { try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "/dev/zero") },
            { #expect(mkfifo(path, 0o600) == 0) },
        ]
        for make in makers {
            try make()
            let (found, logits) = try begin(whole, prefix, store, model)
            #expect(found == 0 && logits == expected)
            try FileManager.default.removeItem(atPath: path)
        }
        // A folder that is gone altogether.
        let nowhere = PrefixCache(folder: place.path + "/nowhere")
        #expect(try begin(whole, prefix, nowhere, model).logits == expected)
    }

    @Test("A file that was checked and then changed is checked again, within one run of the system")
    func marks() throws {
        let model = try place.model()
        let store = PrefixCache(folder: try #require(model.artifactFolder))
        let whole = place.text(120), prefix = whole[..<100]
        let expected = try place.session(model).logits(after: whole[...]).row(0)
        #expect(try begin(whole, prefix, store, model).found == 0)
        let path = store.path(of: prefix, try place.session(model))
        let mark = try Data(contentsOf: URL(fileURLWithPath: path + ".checked"))
        #expect(try begin(whole, prefix, store, model).found == 100)

        var bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
        bytes[bytes.count / 2] ^= 1
        try Data(bytes).write(to: URL(fileURLWithPath: path), options: .atomic)
        // The mark is there, and is another file's.
        #expect(try Data(contentsOf: URL(fileURLWithPath: path + ".checked")) == mark)
        let (found, logits) = try begin(whole, prefix, store, model)
        #expect(found == 0 && logits == expected)

        // A mark without a file goes with the next that is written.
        let orphan = store.folder + "/prefix-0000.kv.checked"
        try mark.write(to: URL(fileURLWithPath: orphan))
        let other = try place.session(model)
        try other.prefill(place.text(60)[...])
        place.keep(store, other, model)
        #expect(!FileManager.default.fileExists(atPath: orphan))
        #expect(FileManager.default.fileExists(atPath: path + ".checked"))
    }

    @Test("Who has mapped a file goes on with it when it is removed, or another takes its name")
    func replacedWhileMapped() throws {
        let model = try place.model()
        let store = PrefixCache(folder: try #require(model.artifactFolder))
        let whole = place.text(220), prefix = whole[..<200]
        let expected = try place.session(model).logits(after: whole[...]).row(0)
        _ = try begin(whole, prefix, store, model)
        let path = store.path(of: prefix, try place.session(model))
        for replacement in [nil, Data(repeating: 0x55, count: 100)] {
            let mapped = try place.session(model)
            store.bringBack(prefix, into: mapped, of: model, mustStop: { false })
            #expect(mapped.held.count == 200)
            if let replacement {
                try replacement.write(to: URL(fileURLWithPath: path), options: .atomic)
            } else {
                try FileManager.default.removeItem(atPath: path)
            }
            #expect(try mapped.logits(after: whole[200...]).row(0) == expected)
            _ = try begin(whole, prefix, store, model)
        }
    }

    @Test("Many who write the same beginning at once: one file, whole, and nothing beside it")
    func manyWriters() throws {
        let model = try place.model()
        let store = PrefixCache(folder: try #require(model.artifactFolder))
        let prefix = place.text(100)[...]
        let first = try place.session(model)
        try first.prefill(prefix)
        let path = store.path(of: prefix, first)
        place.keep(store, first, model)
        let sound = try Data(contentsOf: URL(fileURLWithPath: path))
        struct Sessions: @unchecked Sendable {
            // One for each thread.
            let all: [GemmaSession]
        }
        let sessions = Sessions(
            all: try (0..<4).map { _ in
                let session = try place.session(model)
                try session.prefill(prefix)
                return session
            })
        for _ in 0..<25 {
            try FileManager.default.removeItem(atPath: path)
            DispatchQueue.concurrentPerform(iterations: 4) { index in
                let group = DispatchGroup()
                store.keep(sessions.all[index], of: model, on: .global(), group, mustStop: { false })
                group.wait()
            }
            let names = try FileManager.default.contentsOfDirectory(atPath: store.folder)
            let endings = names.filter { $0.hasPrefix("prefix-") }.sorted().map { (name: String) -> [Substring] in
                Array(name.split(separator: ".").dropFirst())
            }
            #expect(endings == [["kv"], ["kv", "checked"]])
            #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == sound)
            let second = try place.session(model)
            store.bringBack(prefix, into: second, of: model, mustStop: { false })
            #expect(second.held == Array(prefix))
        }
    }
}
