import Foundation
import HearthDelivery
import HearthSystem
import HearthTestSupport
import Testing

/// Publishing with one thing going wrong, at every place where something can: what is found afterwards is whole, or
/// nothing.
@Suite("Artifact cache: failures and loss of power", .timeLimit(.minutes(20)))
struct ArtifactCrashTests {

    private func operations() throws -> Int {
        let fixture = try ArtifactFixture()
        let files = FaultyFiles()
        try fixture.publish(fixture.cache(files))
        return files.calls.count
    }

    /// A simulated disk with the folder that the fixture expects.
    private func disk(_ fixture: ArtifactFixture) throws -> SimulatedDisk {
        let disk = SimulatedDisk()
        try disk.makeFolders(fixture.root)
        var path = fixture.root
        while let slash = path.lastIndex(of: "/") {
            path = String(path[..<slash])
            try disk.synchronizeFolder(path.isEmpty ? "/" : path)
        }
        return disk
    }

    @Test("Every operation fails once", arguments: [EIO, ENOSPC, EACCES])
    func everyOperationFailsOnce(code: Int32) throws {
        let count = try operations()
        #expect(count > 25)
        for index in 0..<count {
            let fixture = try ArtifactFixture()
            let made = try? fixture.publish(
                fixture.cache(FaultyFiles(SystemFiles(), .failsOnce(call: index, code: code))))
            #expect(fixture.isSound(fixture.cache()), "operation \(index)")
            withExtendedLifetime(made) {}
            // Whatever was left is swept up by the next one, which succeeds.
            try fixture.publish(fixture.cache())
            #expect(fixture.open(fixture.cache()) != nil)
            #expect(
                fixture.names().filter { !$0.hasSuffix(".damaged") } == [ArtifactFixture.digest], "operation \(index)")
        }
    }

    @Test("Opening fails at every operation: later it is there, or can be made again")
    func openingFailsOnce() throws {
        for index in 0..<16 {
            let fixture = try ArtifactFixture()
            try fixture.publish(fixture.cache())
            _ = fixture.open(fixture.cache(FaultyFiles(SystemFiles(), .failsOnce(call: index, code: EIO))))
            #expect(fixture.isSound(fixture.cache()))
            try fixture.publish(fixture.cache())
            #expect(fixture.open(fixture.cache()) != nil, "operation \(index)")
        }
    }

    @Test("The disk fills up, writes are short, locks mean nothing")
    func otherFaults() throws {
        for bytes in [0, 1, 4096, 5000, 5003, 5004, 5100] {
            let fixture = try ArtifactFixture()
            #expect(throws: DeliveryError.self) {
                try fixture.publish(fixture.cache(FaultyFiles(SystemFiles(), .fills(afterBytes: bytes))))
            }
            #expect(fixture.names().isEmpty, "\(bytes)")
        }
        let fixture = try ArtifactFixture()
        try fixture.publish(fixture.cache(FaultyFiles(SystemFiles(), .shortWrites(7))))
        #expect(fixture.open(fixture.cache()) != nil && fixture.isSound(fixture.cache()))
        let other = try ArtifactFixture()
        try other.publish(other.cache(FaultyFiles(SystemFiles(), .ignoresLocks)))
        #expect(other.isSound(other.cache()))
    }

    @Test("Power is lost before every operation: whole or nothing, and the next start mends it")
    func powerLoss() throws {
        let count = try operations()
        for index in 0...count + 2 {
            for seed in 1...8 as ClosedRange<UInt64> {
                let fixture = try ArtifactFixture()
                let disk = try disk(fixture)
                let made = try? fixture.publish(fixture.cache(FaultyFiles(disk, .dies(call: index))))
                withExtendedLifetime(made) {}
                var random = SeededNumbers(seed: seed &* 1000 &+ UInt64(index))
                disk.losePower(using: &random)
                let later = fixture.cache(disk, boot: "after the loss")
                #expect(fixture.isSound(later, disk), "operation \(index), seed \(seed)")
                try fixture.publish(later)
                #expect(fixture.open(later) != nil, "operation \(index), seed \(seed)")
                #expect(fixture.isSound(later, disk), "operation \(index), seed \(seed)")
            }
        }
    }

    @Test("What was reported as published survives the loss of power")
    func durable() throws {
        for seed in 1...60 as ClosedRange<UInt64> {
            let fixture = try ArtifactFixture()
            let disk = try disk(fixture)
            try fixture.publish(fixture.cache(disk))
            var random = SeededNumbers(seed: seed)
            disk.losePower(using: &random)
            let later = fixture.cache(disk, boot: "after the loss")
            #expect(fixture.open(later) != nil, "seed \(seed)")
            #expect(fixture.isSound(later, disk))
        }
    }

    @Test("The folder cannot be written to")
    func readOnly() throws {
        let cache = ArtifactCache(folder: "/proc/nothing/Artifacts", boot: "first")
        #expect(throws: DeliveryError.self) {
            let _: (artifact: Artifact<ArtifactFixture.Content>, reused: Bool) = try cache.publish(
                ArtifactFixture.digest, kind: "test", profile: [:], source: ArtifactFixture.source
            ) { _ in ArtifactFixture.content }
        }
        #expect(cache.list().isEmpty && cache.prune(to: 0).isEmpty)
        #expect(cache.open(ArtifactFixture.digest, kind: "test", ArtifactFixture.Content.self) == nil)
    }
}
