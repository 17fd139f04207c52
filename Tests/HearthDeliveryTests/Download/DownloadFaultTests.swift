import Foundation
import HearthDelivery
import HearthSystem
import HearthTestSupport
import Testing

/// The disk fails, the process dies, the power goes.
@Suite("Download faults", .timeLimit(.minutes(20)))
struct DownloadFaultTests {
    typealias Server = MisbehavingServer

    private func fetch(_ files: any FileOperations, _ server: Server, sha256: String? = nil) async throws
        -> DownloadedFile
    {
        try await Downloader(
            limits: DownloadFixture.limits, files: files, environment: DownloadFixture.environment
        ).download(DownloadRequest(urls: [server.url()], sha256: sha256), into: "/partial")
    }

    /// A server that cuts the first connection, so that retrying and resuming are part of the run.
    private static func answer(_ bytes: [UInt8]) -> @Sendable (Server.Request) -> Server.Reply {
        { request in
            var reply = Server.reply(request, bytes)
            if request.range == nil { reply.cutAfter = bytes.count / 3 }
            return reply
        }
    }

    @Test("13a Each file operation fails once in turn: a clear error or success, and the next download is right")
    func everyOperationFailsOnce() async throws {
        let bytes = DownloadFixture.bytes(60_000)
        try await DownloadFixture.serving(Self.answer(bytes)) { server in
            let rehearsal = FaultyFiles(SimulatedDisk())
            _ = try await fetch(rehearsal, server)
            #expect(Set(["open", "write", "stat", "mkdir", "flock", "statvfs", "list"]).isSubset(of: rehearsal.calls))
            for call in rehearsal.calls.indices {
                let disk = SimulatedDisk()
                do {
                    let file = try await fetch(FaultyFiles(disk, .failsOnce(call: call, code: EIO)), server)
                    #expect(try disk.readFile(file.path, limit: 1 << 20) == bytes)
                } catch let error as DeliveryError {
                    guard case .storage = error else {
                        Issue.record("\(rehearsal.calls[call]): \(error)")
                        continue
                    }
                }
                let file = try await fetch(disk, server)
                #expect(try disk.readFile(file.path, limit: 1 << 20) == bytes, "after \(rehearsal.calls[call])")
            }
        }
    }

    @Test("13b Short writes, a disk that fills up, a disk that is full already")
    func fullDisk() async throws {
        let bytes = DownloadFixture.bytes(60_000)
        try await DownloadFixture.serving(Self.answer(bytes)) { server in
            let disk = SimulatedDisk()
            let file = try await fetch(FaultyFiles(disk, .shortWrites(1000)), server)
            #expect(try disk.readFile(file.path, limit: 1 << 20) == bytes)
            await #expect {
                try await fetch(FaultyFiles(SimulatedDisk(), .fills(afterBytes: 30_000)), server)
            } throws: {
                if case DeliveryError.diskFull = $0 { true } else { false }
            }
            await #expect {
                try await fetch(FaultyFiles(SimulatedDisk(), .freeSpace(50_000)), server)
            } throws: {
                if case DeliveryError.diskFull(_, 60_000, 50_000) = $0 { true } else { false }
            }
        }
    }

    @Test("12 The process dies at any operation: the next one goes on, and the bytes are right")
    func death() async throws {
        let bytes = DownloadFixture.bytes(60_000)
        try await DownloadFixture.serving(Self.answer(bytes)) { server in
            let rehearsal = FaultyFiles(SimulatedDisk())
            _ = try await fetch(rehearsal, server)
            var resumed = 0
            for call in rehearsal.calls.indices {
                let disk = SimulatedDisk()
                _ = try? await fetch(FaultyFiles(disk, .dies(call: call)), server)
                disk.killProcess()
                let file = try await fetch(disk, server)
                #expect(try disk.readFile(file.path, limit: 1 << 20) == bytes)
                if file.resumedFrom > 0 { resumed += 1 }
            }
            #expect(resumed > 0)
        }
    }

    @Test("14 Power is lost at any operation and un-synced writes with it: the bytes are right, without a digest too")
    func powerLoss() async throws {
        let bytes = DownloadFixture.bytes(60_000)
        var generator = SeededNumbers.fresh()
        try await DownloadFixture.serving(Self.answer(bytes)) { server in
            let rehearsal = FaultyFiles(SimulatedDisk())
            _ = try await fetch(rehearsal, server)
            for call in rehearsal.calls.indices {
                let disk = SimulatedDisk()
                _ = try? await fetch(FaultyFiles(disk, .dies(call: call)), server)
                disk.losePower(using: &generator)
                // A new run of the system: the journal must not be believed beyond what it vouches for.
                for name in (try? disk.list("/partial")) ?? [] where name.hasSuffix(".journal") {
                    let journal = try disk.readFile("/partial/\(name)", limit: 1 << 20)
                    let text = String(decoding: journal, as: UTF8.self)
                        .replacing(PartialJournal.currentBoot(), with: String(repeating: "0", count: 36))
                    let file = try disk.open("/partial/\(name)", .update, permissions: 0)
                    try disk.writeAll(Array(text.utf8), to: file)
                    disk.close(file)
                }
                let file = try await fetch(disk, server)
                #expect(try disk.readFile(file.path, limit: 1 << 20) == bytes)
            }
        }
    }

    @Test("14b What a journal vouches for outlives a loss of power, and it vouches for all but the last bytes")
    func checkpoints() throws {
        let bytes = DownloadFixture.bytes(120_000)
        var limits = DownloadFixture.limits
        (limits.checkpointBytes, limits.checkpointSeconds) = (10_000, .infinity)
        var generator = SeededNumbers.fresh()
        for _ in 0..<40 {
            let disk = SimulatedDisk()
            try disk.makeFolders("/partial")
            let request = DownloadRequest(urls: ["https://models.example/m.gguf"])
            let place = PartialPlace(folder: "/partial", request: request, boot: "this run")
            let partial = try PartialFile(new: place, files: disk, limits: limits)
            try partial.describe(source: "s", total: bytes.count, validator: .tag("\"x\""))
            // What is vouched for, as it grew: the next forced write begins when the one before has ended, so that all
            // but the latest is on the disk.
            var history = [0]
            for step in 0..<Int.random(in: 1...30, using: &generator) {
                let range = step * 4000..<(step + 1) * 4000
                try bytes[range].withUnsafeBytes { try partial.write($0, at: range.lowerBound) }
                let isPatient = Bool.random(using: &generator)
                repeat {
                    try partial.checkpointIfDue(now: Double(step))
                    let vouched = try claims(disk).reduce(0) { $0 + $1.range.count }
                    if vouched > history[history.count - 1] { history.append(vouched) }
                } while isPatient && history[history.count - 1] + limits.checkpointBytes <= range.upperBound
            }
            partial.close()
            disk.losePower(using: &generator)
            var left = 0
            for claim in try claims(disk) {
                let part = try disk.readFile(claim.part, limit: 1 << 20)
                #expect(part.count >= claim.range.upperBound)
                let claimed = part.dropFirst(claim.range.lowerBound).prefix(claim.range.count)
                #expect(claimed.elementsEqual(bytes[claim.range]))
                left += claim.range.count
            }
            #expect(left >= history.dropLast().last ?? 0, "\(history)")
        }
    }

    /// What the journals of a folder tell to the next run of the system.
    private func claims(_ disk: SimulatedDisk) throws -> [(part: String, range: Range<Int>)] {
        try ((try? disk.list("/partial")) ?? []).filter { $0.hasSuffix(".journal") }.flatMap { name in
            let journal = PartialJournal(try disk.readFile("/partial/\(name)", limit: 1 << 20), boot: "the next run")
            return (journal?.ranges.ranges ?? []).map { ("/partial/\(journal?.header.part ?? "")", $0) }
        }
    }

    @Test("A journal is believed up to its first broken line; after a restart of the system, as far as it vouches")
    func journal() throws {
        let header = PartialJournal.Header(
            boot: "A", part: "k.1.part", source: "s", total: 100, validator: .tag("\"x\""))
        let line = PartialJournal.line(header)
        let first = "w 0 10\n"
        let vouched = line + first + "s \(line.utf8.count + first.utf8.count)\n"
        let text = vouched + "w 10 20\nw 50 10\nd 5 2\n"
        func ranges(_ text: String, _ boot: String) -> [Range<Int>]? {
            PartialJournal(Array(text.utf8), boot: boot)?.ranges.ranges
        }
        #expect(ranges(text, "A") == [0..<5, 7..<30, 50..<60])
        #expect(ranges(text, "B") == [0..<5, 7..<10])
        #expect(ranges(text + "w 60", "A") == [0..<5, 7..<30, 50..<60])
        #expect(ranges(vouched + "w 10 x\nw 10 20\n", "A") == [0..<10])
        #expect(ranges(vouched + "\0\0\0\0\nw 10 20\n", "A") == [0..<10])
        #expect(ranges(vouched + "w 10 99999999999999999999\n", "A") == [0..<10])
        #expect(ranges(vouched + "s 9999\nw 10 20\n", "A") == [0..<10], "nothing vouches for what comes after it")
        // The second run's own lines count in the second run, the first one's unvouched never again.
        var second = header
        second.boot = "B"
        #expect(ranges(text + PartialJournal.line(second) + "w 90 5\n", "B") == [0..<5, 7..<10, 90..<95])
        #expect(ranges("w 0 10\n", "A") == nil)
        #expect(ranges("", "A") == nil)
    }
}
