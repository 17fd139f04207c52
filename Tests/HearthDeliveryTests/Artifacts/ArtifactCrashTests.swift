import Foundation
import HearthSystem
import Testing

@testable import HearthDelivery

/// Publishing with one thing going wrong, at every place where something can: what is found afterwards is whole, or
/// nothing.
@Suite("Artifact cache: failures and loss of power", .timeLimit(.minutes(2)))
struct ArtifactCrashTests {
    private func operations(_ prepare: (ArtifactFixture) throws -> Void = { _ in }) throws -> Int {
        let fixture = try ArtifactFixture()
        try prepare(fixture)
        let files = FaultyFiles(.none)
        try fixture.publish(fixture.cache(files))
        return files.operations
    }

    @Test("Every operation fails once")
    func everyOperationFailsOnce() throws {
        let count = try operations()
        #expect(count > 25)
        for index in 0..<count {
            let fixture = try ArtifactFixture()
            let files = FaultyFiles(.once(index))
            let made = try? fixture.publish(fixture.cache(files))
            #expect(files.hasFailed)
            #expect(fixture.isSound(fixture.cache()), "operation \(index)")
            // Whatever was left is swept up by the next one, which succeeds.
            withExtendedLifetime(made) {}
            try fixture.publish(fixture.cache())
            #expect(fixture.open(fixture.cache()) != nil)
            #expect(fixture.names().filter { !$0.hasSuffix(".damaged") } == [ArtifactFixture.digest], "operation \(index)")
        }
    }

    @Test("Every operation fails once while an old artifact is there: old or new, never none")
    func openingFailsOnce() throws {
        for index in 0..<12 {
            let fixture = try ArtifactFixture()
            try fixture.publish(fixture.cache())
            _ = fixture.open(fixture.cache(FaultyFiles(.once(index))))
            #expect(fixture.isSound(fixture.cache()))
            try fixture.publish(fixture.cache())
            #expect(fixture.open(fixture.cache()) != nil, "operation \(index)")
        }
    }

    @Test("Power is lost before every operation")
    func powerLoss() throws {
        let count = try operations()
        for index in 0...count {
            for seed in 1...6 as ClosedRange<UInt64> {
                let fixture = try ArtifactFixture()
                let files = FaultyFiles(.powerLoss(index))
                let made = try? fixture.publish(fixture.cache(files))
                withExtendedLifetime(made) {}
                files.loseUnsynchronized(seed: seed &+ UInt64(index) &* 1000)
                let later = fixture.cache(boot: "after the loss")
                #expect(fixture.isSound(later), "operation \(index), seed \(seed)")
                try fixture.publish(later)
                #expect(fixture.open(later) != nil, "operation \(index), seed \(seed)")
            }
        }
    }

    @Test("What was reported as published survives the loss of power")
    func durable() throws {
        let count = try operations()
        for seed in 1...40 as ClosedRange<UInt64> {
            let fixture = try ArtifactFixture()
            let files = FaultyFiles(.powerLoss(count))
            try fixture.publish(fixture.cache(files))
            files.loseUnsynchronized(seed: seed)
            #expect(fixture.open(fixture.cache(boot: "after the loss")) != nil, "seed \(seed)")
            #expect(fixture.isSound(fixture.cache(boot: "after the loss")))
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
