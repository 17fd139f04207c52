import Foundation
import HearthDelivery
import HearthSystem
import Testing

@Suite("Artifact cache", .timeLimit(.minutes(20)))
struct ArtifactCacheTests {
    let fixture: ArtifactFixture
    let cache: ArtifactCache

    init() throws {
        fixture = try ArtifactFixture()
        cache = fixture.cache()
    }

    @Test("What was published is found, by every later look")
    func roundTrip() throws {
        #expect(fixture.open(cache) == nil)
        let made = try fixture.publish(cache)
        #expect(!made.reused)
        #expect(made.artifact.bytes == ArtifactFixture.bytes.count + 4)
        let found = try #require(fixture.open(cache))
        #expect(found.record.content == ArtifactFixture.content)
        #expect(found.record.source == ArtifactFixture.source)
        #expect(found.path(of: "tokens.bin") == fixture.path("tokens.bin"))
        #expect(found.path(of: "artifact.json") == nil && found.path(of: "../x") == nil)
        #expect(try Data(contentsOf: URL(fileURLWithPath: fixture.path("tokens.bin"))) == Data(ArtifactFixture.bytes))
        #expect(fixture.names() == [ArtifactFixture.digest])
        #expect(cache.verify(ArtifactFixture.digest) == true)
    }

    @Test("artifact.json is one JSON object")
    func recordIsJSON() throws {
        try fixture.publish(cache)
        let data = try Data(contentsOf: URL(fileURLWithPath: fixture.path("artifact.json")))
        let object = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        let artifact = try #require(object["artifact"] as? [String: Any])
        #expect(artifact["digest"] as? String == ArtifactFixture.digest)
        #expect(artifact["kind"] as? String == "test")
    }

    @Test("A second maker uses what the first one made")
    func secondPublisher() throws {
        let first = try fixture.publish(cache)
        let second = try fixture.publish(cache, bytes: [1, 2, 3])
        #expect(second.reused && second.artifact.bytes == first.artifact.bytes)
        #expect(fixture.names() == [ArtifactFixture.digest])
    }

    @Test("Many makers at once: one artifact, no leftovers")
    func manyPublishers() async throws {
        let folder = fixture.folder
        let reused = try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    let result: (artifact: Artifact<ArtifactFixture.Content>, reused: Bool) =
                        try ArtifactCache(folder: folder, boot: "first").publish(
                            ArtifactFixture.digest, kind: "test", profile: [:], source: ArtifactFixture.source
                        ) { writer in
                            try ArtifactFixture.bytes.withUnsafeBytes { try writer.write("tokens.bin", $0) }
                            return ArtifactFixture.content
                        }
                    return result.reused
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(reused.count { !$0 } == 1)
        #expect(fixture.names() == [ArtifactFixture.digest])
        #expect(fixture.isSound(cache))
    }

    @Test("Every byte of the record counts")
    func damagedRecord() throws {
        try fixture.publish(cache)
        let original = try Data(contentsOf: URL(fileURLWithPath: fixture.path("artifact.json")))
        for index in 0..<original.count {
            var bytes = Array(original)
            bytes[index] ^= 0x11
            #expect(ArtifactRecord<ArtifactFixture.Content>.decoded(bytes) == nil, "byte \(index)")
        }
        for count in 0..<original.count {
            #expect(ArtifactRecord<ArtifactFixture.Content>.decoded(Array(original.prefix(count))) == nil)
        }
    }

    @Test("What is damaged is set aside, one generation, and made again")
    func damagedIsSetAside() throws {
        let damages: [(ArtifactFixture) throws -> Void] = [
            { try $0.change("artifact.json") { $0[200] ^= 1 } },
            { try $0.change("artifact.json") { $0.removeLast(10) } },
            { try $0.change("tokens.bin") { $0.removeLast() } },
            { try $0.change("tokens.bin") { $0.append(0) } },
            { try FileManager.default.removeItem(atPath: $0.path("plan.bin")) },
            { try FileManager.default.removeItem(atPath: $0.path("artifact.json")) },
            {
                try FileManager.default.removeItem(atPath: $0.path("plan.bin"))
                try FileManager.default.createSymbolicLink(
                    atPath: $0.path("plan.bin"), withDestinationPath: $0.path("tokens.bin"))
            },
        ]
        for damage in damages {
            try fixture.publish(cache)
            try damage(fixture)
            #expect(fixture.open(cache) == nil)
            #expect(fixture.names() == [ArtifactFixture.digest + ".damaged"])
            #expect(try !fixture.publish(cache).reused)
            #expect(fixture.isSound(cache))
        }
        #expect(fixture.names().count == 2)
    }

    @Test("An artifact of another kind, or under another digest, is foreign")
    func foreign() throws {
        try fixture.publish(cache)
        #expect(cache.open(ArtifactFixture.digest, kind: "vision", ArtifactFixture.Content.self) == nil)
        try fixture.publish(cache)
        let other = String(ArtifactFixture.digest.reversed())
        try FileManager.default.moveItem(
            atPath: "\(fixture.folder)/\(ArtifactFixture.digest)", toPath: "\(fixture.folder)/\(other)")
        #expect(fixture.open(cache, other) == nil)
        for name in ["", "..", "../x", "a", String(repeating: "A", count: 64), ArtifactFixture.digest + "/"] {
            #expect(fixture.open(cache, name) == nil)
            #expect(throws: DeliveryError.self) { try fixture.publish(cache, name) }
            #expect(!cache.remove(name))
        }
    }

    @Test("A folder that a user names is opened, and stays as it is where it is no artifact")
    func namedFolder() throws {
        func open(_ kind: String = ArtifactFixture.kind) -> Artifact<ArtifactFixture.Content>? {
            ArtifactCache.open(
                folder: "\(fixture.folder)/\(ArtifactFixture.digest)", kind: kind, ArtifactFixture.Content.self)
        }
        try fixture.publish(cache)
        #expect(open()?.record.content == ArtifactFixture.content)
        #expect(open("vision") == nil)
        #expect(fixture.names() == [ArtifactFixture.digest])
        // Other programs name folders by a digest, too.
        try FileManager.default.removeItem(atPath: fixture.path("artifact.json"))
        #expect(open() == nil)
        #expect(fixture.names() == [ArtifactFixture.digest])
        #expect(FileManager.default.fileExists(atPath: fixture.path("tokens.bin")))
    }

    @Test("Bytes that changed without a trace are found by verifying")
    func verify() throws {
        #expect(cache.verify(ArtifactFixture.digest) == nil)
        try fixture.publish(cache)
        try fixture.change("tokens.bin", leavesTrace: false) { $0[4321] ^= 0x80 }
        #expect(fixture.open(cache) != nil)  // in the boot that wrote it, lengths and times are enough
        #expect(cache.verify(ArtifactFixture.digest) == false)
        #expect(fixture.open(cache) == nil)
    }

    @Test("A file that was written to is looked at again, and trusted again where it is the same")
    func writtenLater() throws {
        try fixture.publish(cache)
        try fixture.change("tokens.bin") { _ in }
        #expect(fixture.open(cache) != nil)
        #expect(FileManager.default.fileExists(atPath: fixture.path("settled")))
        try fixture.change("tokens.bin") { $0[4321] ^= 0x80 }
        #expect(fixture.open(cache) == nil)
        #expect(fixture.open(fixture.cache(boot: "second")) == nil)
    }

    @Test("A file whose time is that of the last look may have been written after it")
    func sameTick() throws {
        try fixture.publish(cache)
        try fixture.change("tokens.bin") { $0[4321] ^= 0x80 }
        // Publishing looks once more itself where its files are as new as its record.
        try? FileManager.default.removeItem(atPath: fixture.path("settled"))
        for (name, time) in [("artifact.json", 1000.0), ("tokens.bin", 1000), ("plan.bin", 900)] {
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSince1970: time)], ofItemAtPath: fixture.path(name))
        }
        #expect(fixture.open(cache) == nil)
    }

    @Test("After a restart of the system every byte is checked, once")
    func laterBoot() throws {
        try fixture.publish(cache)
        let later = fixture.cache(boot: "second")
        #expect(fixture.open(later) != nil)
        #expect(FileManager.default.fileExists(atPath: fixture.path("settled")))
        // Settled: from here on lengths and times are enough, in any boot.
        try fixture.change("tokens.bin", leavesTrace: false) { $0[7] ^= 1 }
        #expect(fixture.open(fixture.cache(boot: "third")) != nil)
        #expect(cache.verify(ArtifactFixture.digest) == false)

        try fixture.publish(cache)
        try fixture.change("tokens.bin") { $0[7] ^= 1 }
        #expect(fixture.open(later) == nil)
        try fixture.publish(fixture.cache(boot: ""))
        try fixture.change("tokens.bin") { $0[7] ^= 1 }
        #expect(fixture.open(fixture.cache(boot: "")) == nil, "an unknown boot is a later one")
    }

    @Test("What is in use is not removed; what is not, is")
    func leases() throws {
        var artifact: Artifact<ArtifactFixture.Content>? = try fixture.publish(cache).artifact
        #expect(cache.isInUse(ArtifactFixture.digest))
        #expect(!cache.remove(ArtifactFixture.digest))
        #expect(cache.prune(to: 0).isEmpty)
        let second = try #require(fixture.open(cache))
        artifact = nil
        #expect(!cache.remove(ArtifactFixture.digest))
        withExtendedLifetime((artifact, second)) {}
    }

    @Test("Removing")
    func removing() throws {
        try fixture.publish(cache)
        #expect(!cache.isInUse(ArtifactFixture.digest))
        #expect(cache.remove(ArtifactFixture.digest))
        #expect(fixture.names().isEmpty)
        #expect(cache.remove(ArtifactFixture.digest), "gone already")
    }

    @Test("Pruning begins with what was used least lately")
    func pruning() throws {
        let digests = (0..<4).map { String(repeating: String($0), count: 64) }
        for (age, digest) in digests.enumerated() {
            try fixture.publish(cache, digest)
            let date = Date(timeIntervalSinceNow: -86_400 * Double(age + 1))
            try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: fixture.path("used", digest))
        }
        #expect(cache.list().map(\.digest) == digests)
        #expect(cache.list().allSatisfy { $0.bytes > 5000 && $0.profile["model"] == "a" && $0.kind == "test" })
        let each = cache.totalBytes() / 4
        #expect(cache.prune(to: each * 2 + 10) == [digests[3], digests[2]])
        #expect(cache.list().map(\.digest) == [digests[0], digests[1]])
        #expect(cache.prune(to: 1 << 40).isEmpty)
    }

    @Test("A sweep takes what dead makers left, and nothing else")
    func sweeping() throws {
        try fixture.publish(cache)
        let manager = FileManager.default
        for name in [".building-dead", ".building-orphan", ".removing-half"] {
            try manager.createDirectory(atPath: "\(fixture.folder)/\(name)/deep", withIntermediateDirectories: true)
            try Data([1]).write(to: URL(fileURLWithPath: "\(fixture.folder)/\(name)/tokens.bin"))
        }
        try Data().write(to: URL(fileURLWithPath: "\(fixture.folder)/.building-dead.lock"))
        try Data().write(to: URL(fileURLWithPath: "\(fixture.folder)/a file of somebody"))
        // A living one: its lock is held.
        try manager.createDirectory(atPath: "\(fixture.folder)/.building-alive", withIntermediateDirectories: true)
        let lockPath = "\(fixture.folder)/.building-alive.lock"
        try Data().write(to: URL(fileURLWithPath: lockPath))
        let files = SystemFiles()
        let lease = try #require(Lease(files.open(lockPath, .update, permissions: 0), shared: false, files: files))
        cache.sweep()
        #expect(
            fixture.names() == [
                ".building-alive", ".building-alive.lock", ArtifactFixture.digest, "a file of somebody",
            ])
        withExtendedLifetime(lease) {}
    }

    @Test("A maker that throws leaves nothing")
    func throwing() throws {
        struct Stop: Error {}
        #expect(throws: Stop.self) {
            let _: (artifact: Artifact<ArtifactFixture.Content>, reused: Bool) = try cache.publish(
                ArtifactFixture.digest, kind: "test", profile: [:], source: ArtifactFixture.source
            ) { writer in
                try ArtifactFixture.bytes.withUnsafeBytes { try writer.write("tokens.bin", $0) { _ in throw Stop() } }
                return ArtifactFixture.content
            }
        }
        #expect(fixture.names().isEmpty)
    }

    @Test("A file taken over from another artifact outlives it")
    func adopting() throws {
        let first = try fixture.publish(cache).artifact
        let digest = String(repeating: "e", count: 64)
        let adopted: (artifact: Artifact<ArtifactFixture.Content>, reused: Bool) = try cache.publish(
            digest, kind: "test", profile: [:], source: ArtifactFixture.source
        ) { writer in
            try writer.adopt(#require(first.record.files.first { $0.name == "tokens.bin" }), from: first.path)
            return ArtifactFixture.content
        }
        try FileManager.default.removeItem(atPath: first.path)
        let path = try #require(adopted.artifact.path(of: "tokens.bin"))
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == Data(ArtifactFixture.bytes))
        #expect(cache.verify(digest) == true)
    }

    @Test("The memo holds as long as the file is the same")
    func memo() throws {
        let memo = SourceMemo(path: fixture.root + "/sources.json")
        let path = fixture.root + "/model"
        try Data([1, 2, 3]).write(to: URL(fileURLWithPath: path))
        let source = try #require(SourceIdentity(path: path))
        let entry = SourceMemo.Entry(source: source, sha256: "ab", name: "m", quantization: "Q8_0", contextLength: 9)
        #expect(memo.entry(of: source) == nil)
        memo.remember(entry)
        #expect(memo.entry(of: source) == entry)
        try Data([1, 2, 4]).write(to: URL(fileURLWithPath: path))
        try FileManager.default.setAttributes([.modificationDate: Date(timeIntervalSince1970: 5)], ofItemAtPath: path)
        #expect(memo.entry(of: try #require(SourceIdentity(path: path))) == nil)
        try Data("[{".utf8).write(to: URL(fileURLWithPath: fixture.root + "/sources.json"))
        #expect(memo.entry(of: source) == nil)
        memo.remember(entry)
        #expect(memo.entry(of: source) == entry)
    }
}
