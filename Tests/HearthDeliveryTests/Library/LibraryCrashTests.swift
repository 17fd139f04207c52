import Foundation
import HearthDelivery
import HearthSystem
import HearthTestSupport
import Testing

/// Changes of the library, cut at every step: afterwards it is old or new, and whole.
@Suite("Library: crashes", .timeLimit(.minutes(20)))
struct LibraryCrashTests {
    /// More errors a call and more losses of power a step, for a quiet machine.
    private static let isThorough = ProcessInfo.processInfo.environment["HEARTH_SLOW_TESTS"] != nil

    /// A change of the library, and what the name `m` may stand for before and after.
    enum Change: String, CaseIterable, CustomTestStringConvertible {
        case install, first, upgrade, remove, evict, pin

        var testDescription: String { rawValue }
        var before: String? {
            self == .install || self == .first ? nil : self == .upgrade || self == .pin ? "v1" : "v2"
        }
        var after: String? {
            switch self {
            case .install: nil  // installed and not compiled: not current
            case .first, .upgrade: "v2"
            case .remove, .pin: "v0"
            case .evict: nil
            }
        }

        /// The library before: made without faults, everything on the disk.
        func prepare(_ fixture: LibraryFixture) throws {
            switch self {
            case .install, .first: break
            case .upgrade: try fixture.install("m", "v1")
            case .pin:
                try fixture.install("m", "v0")
                try fixture.install("m", "v1")
            case .remove:
                try fixture.install("m", "v0")
                try fixture.install("m", "v2")
            case .evict: try fixture.install("m", "v2")
            }
            try fixture.install("other", "o1")
        }

        /// The change itself; what it needs was put down before, not forced to the disk.
        func run(_ library: ModelLibrary, _ candidate: ModelLibrary.Candidate) throws {
            switch self {
            case .install: _ = try library.install(candidate)
            case .first, .upgrade:
                let record = try library.install(candidate)
                try library.activate(name: "m", version: record.version)
            case .pin: try library.pin(name: "m", version: "v0")
            case .remove: _ = try library.remove(name: "m", version: "v2")
            case .evict: _ = try library.prune(to: 3000)
            }
        }
    }

    /// One run on a new disk: the fault, what is left, and the library that a new process finds there.
    private func attempt(
        _ change: Change, _ faults: FaultyFiles.Fault..., then end: (SimulatedDisk) -> Void = { $0.killProcess() }
    ) throws -> (fixture: LibraryFixture, calls: Int, failed: Bool) {
        let disk = SimulatedDisk()
        let fixture = LibraryFixture(disk)
        try change.prepare(fixture)
        // "other" was used last, so that "m" is evicted first.
        if change == .evict, let other = fixture.library.current("other") { _ = fixture.library.use(other) }
        let candidate = try fixture.candidate("m", "v2")
        let faulty: FaultyFiles =
            switch faults.first {
            case .some(let fault): FaultyFiles(disk, fault)
            case .none: FaultyFiles(disk)
            }
        var failed = false
        do {
            try change.run(LibraryFixture(faulty).library, candidate)
        } catch {
            #expect(error is DeliveryError, "\(error)")
            failed = true
        }
        end(disk)
        return (LibraryFixture(disk), faulty.calls.count, failed)
    }

    /// Old or new, every listed current version whole and of the right bytes, and the other model untouched.
    private func check(_ fixture: LibraryFixture, _ change: Change, mustBeNew: Bool, _ note: String) throws {
        let bytes = try fixture.bytes("m")
        let old = change.before.map { LibraryFixture.content($0) }
        let new = change.after.map { LibraryFixture.content($0) }
        #expect(bytes == new || (!mustBeNew && bytes == old), "\(change) \(note)")
        #expect(try fixture.bytes("other") == LibraryFixture.content("o1"), "\(change) \(note)")
        let listing = fixture.library.listing()
        #expect(listing.notices.isEmpty, "\(change) \(note): \(listing.notices)")
        for model in listing.models {
            #expect(model.isWhole)
            let bytes = try fixture.disk.readFile(model.path, limit: 1 << 20)
            #expect(LibraryFixture.digest(bytes) == model.sha256, "\(change) \(note)")
        }
    }

    /// The change is rebuilt, by a process that nothing happens to; then nothing is left over.
    private func checkRepetition(_ fixture: LibraryFixture, _ change: Change, _ note: String) throws {
        do {
            try change.run(fixture.library, try fixture.candidate("m", "v2"))
        } catch DeliveryError.notInstalled where change == .remove {
            // It was removed before the fault.
        }
        try check(fixture, change, mustBeNew: true, note)
        _ = try fixture.library.prune()
        let models = fixture.library.listing().models
        let known = models.flatMap { model in
            [
                model.path, "/manifests/\(model.name)/\(model.version).json", "/selections/\(model.name).json",
                "/uses/\(model.name)@\(model.version)", "/leases/\(model.name)@\(model.version)",
            ]
        }
        for path in fixture.allFiles() where !path.hasSuffix("/library.lock") && !path.contains("/Artifacts/") {
            #expect(known.contains { path.hasSuffix($0) }, "left over: \(path) (\(change) \(note))")
        }
    }

    @Test("12: killed at every step of every change", arguments: Change.allCases)
    func case12_killAtEachStep(change: Change) throws {
        let whole = try attempt(change)
        #expect(!whole.failed)
        try check(whole.fixture, change, mustBeNew: true, "whole")
        #expect(whole.calls > 10)
        for step in 0..<whole.calls {
            let (fixture, _, _) = try attempt(change, .dies(call: step))
            try check(fixture, change, mustBeNew: false, "killed before call \(step)")
            try checkRepetition(fixture, change, "after a kill before call \(step)")
        }
    }

    @Test(
        "13: every system call fails once; the library is old or new, and the next attempt succeeds",
        arguments: Change.allCases)
    func case13_everyCallFailsOnce(change: Change) throws {
        let calls = try attempt(change).calls
        let codes = [EIO, ENOSPC, EACCES]
        var failures = 0
        for step in 0..<calls {
            for code in Self.isThorough ? codes : [codes[step % codes.count]] {
                let (fixture, _, failed) = try attempt(change, .failsOnce(call: step, code: code), then: { _ in })
                failures += failed ? 1 : 0
                // What reported success has happened.
                try check(fixture, change, mustBeNew: !failed && change != .evict, "call \(step) failed with \(code)")
                try checkRepetition(fixture, change, "after call \(step) failed with \(code)")
            }
        }
        #expect(failures > 5)
    }

    @Test("13: short writes, and a disk that is full after any number of bytes")
    func case13_shortWritesAndFullDisk() throws {
        let (short, _, failed) = try attempt(.upgrade, .shortWrites(7))
        #expect(!failed)
        try check(short, .upgrade, mustBeNew: true, "short writes")
        for room in stride(from: 0, to: 900, by: 23) {
            let disk = SimulatedDisk()
            let fixture = LibraryFixture(disk)
            try Change.upgrade.prepare(fixture)
            let candidate = try fixture.candidate("m", "v2")
            let full = LibraryFixture(FaultyFiles(disk, .fills(afterBytes: room))).library
            do {
                try Change.upgrade.run(full, candidate)
            } catch let error as DeliveryError {
                guard case .diskFull = error else {
                    Issue.record("\(error)")
                    continue
                }
            }
            try check(fixture, .upgrade, mustBeNew: false, "\(room) bytes of room")
            try checkRepetition(fixture, .upgrade, "\(room) bytes of room")
        }
    }

    @Test(
        "14: power lost at every step; what was not forced to the disk is dropped in any order",
        arguments: Change.allCases)
    func case14_powerLoss(change: Change) throws {
        let calls = try attempt(change).calls
        for step in 0...calls {
            for seed in 0..<(Self.isThorough ? 4 : 1) {
                var numbers = SeededNumbers(step * 100 + seed)
                let (fixture, _, _) = try attempt(change, .dies(call: step)) { $0.losePower(using: &numbers) }
                // A change that reported success is on the disk.
                try check(fixture, change, mustBeNew: step == calls, "power lost before call \(step), seed \(seed)")
                try checkRepetition(fixture, change, "power lost before call \(step), seed \(seed)")
            }
        }
    }
}
