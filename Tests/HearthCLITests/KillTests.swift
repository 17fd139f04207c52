import Foundation
import HearthDelivery
import HearthSystem
import HearthTestSupport
import Testing

/// Ended the hard way at any moment of any change: the next start finds the old state or the new one, whole, and what is
/// left over does not add up.
@Suite("SIGKILL", .serialized, .timeLimit(.minutes(20)))
struct KillTests {
    /// `HEARTH_SLOW_TESTS=1` kills far more often.
    private static let isThorough = ProcessInfo.processInfo.environment["HEARTH_SLOW_TESTS"] != nil

    private static func file(_ name: String) -> [UInt8] {
        (try? Data(contentsOf: URL(fileURLWithPath: HearthProcess.fixture(name)))).map(Array.init) ?? []
    }
    private static let old = file("gemma3-q8_0.gguf")
    private static let new = file("gemma3-f16.gguf")
    private static let other = file("gemma2-q8_0.gguf")
    private static let digests = Set([old, new, other].map { SHA256.digest(of: $0) })

    /// An archive of a Core ML package of the fixtures.
    private static func archive(_ name: String) -> [UInt8] {
        let package = HearthProcess.fixture("../coreml/digits/\(name).mlpackage")
        return (try? ArchiveBuilder.entries(of: package, under: "Digits.mlpackage/")).map { ArchiveBuilder.zip($0) }
            ?? []
    }
    private static let archives = ["/old.zip": archive("fp32"), "/new.zip": archive("pal4")]

    /// A home, a server with two versions of one model and another model, and what was done to them.
    private final class Scene {
        let home: String
        let library: ModelLibrary
        private let server: MisbehavingServer

        init() throws {
            home = try HearthProcess.temporaryFolder() + "/home"
            library = ModelLibrary(folders: HearthFolders(data: home, cache: home))
            server = try MisbehavingServer { request in
                let bytes =
                    ["/old/m.gguf": old, "/new/m.gguf": new, "/other.gguf": other][request.path]
                    ?? archives[request.path]
                return bytes.map { MisbehavingServer.reply(request, $0, tag: "\"\(request.path)\"") }
                    ?? .init(status: 404)
            }
        }

        deinit {
            server.stop()
            try? FileManager.default.removeItem(atPath: (home as NSString).deletingLastPathComponent)
        }

        func url(_ path: String) -> String { server.url(path) }

        func run(_ words: [String]) throws -> HearthProcess.Outcome {
            try HearthProcess.run(words, environment: ["HEARTH_HOME": home, "HEARTH_BACKGROUND": "0"])
        }

        func runWell(_ words: String...) throws {
            let outcome = try run(words)
            #expect(outcome.status == 0, "\(words): \(outcome.error)")
        }

        func kill(_ words: [String], after seconds: Double) throws {
            _ = try HearthProcess.run(
                words, environment: ["HEARTH_HOME": home, "HEARTH_BACKGROUND": "0"], signal: SIGKILL, after: seconds)
        }

        /// Everything in the home but folders, and the mark of an artifact that was verified again: one whose files are of the
        /// same tick of the clock has it.
        func files() throws -> [String] {
            try FileManager.default.subpathsOfDirectory(atPath: home).filter {
                var isFolder: ObjCBool = false
                return FileManager.default.fileExists(atPath: "\(home)/\($0)", isDirectory: &isFolder)
                    && !isFolder.boolValue && !$0.hasSuffix("/settled")
            }.sorted()
        }

        /// Makes temporary files of the memo of sources old enough to belong to nobody.
        func ageTemporaryFiles() throws {
            for name in try files() where name.hasSuffix(".tmp") {
                var times = [timeval(tv_sec: 1_700_000_000, tv_usec: 0), timeval(tv_sec: 1_700_000_000, tv_usec: 0)]
                utimes("\(home)/\(name)", &times)
            }
        }

        func save() throws { try copy(home, saved) }
        func restore() throws { try copy(saved, home) }
        private var saved: String { home + "-saved" }
        private func copy(_ from: String, _ to: String) throws {
            try? FileManager.default.removeItem(atPath: to)
            try FileManager.default.copyItem(atPath: from, toPath: to)
        }

        /// Every file of a package is the one of its record.
        private func checkPackage(_ model: InstalledModel, _ note: String) throws {
            let found = try FileManager.default.subpathsOfDirectory(atPath: model.path).filter { path in
                model.record.files.contains { $0.path == path }
            }
            #expect(found.count == model.record.files.count, "\(note)")
            for file in model.record.files {
                let bytes = try Data(contentsOf: URL(fileURLWithPath: "\(model.path)/\(file.path)"))
                #expect(SHA256.digest(of: bytes) == file.sha256, "\(note): \(file.path)")
            }
        }

        /// Every version that is listed is whole and has the right bytes.
        func check(_ note: String) throws {
            let listing = library.listing()
            #expect(listing.notices.isEmpty, "\(note): \(listing.notices)")
            for model in listing.models {
                #expect(model.isWhole, "\(note)")
                if model.engine == .coreml {
                    try checkPackage(model, note)
                    continue
                }
                let bytes = try Data(contentsOf: URL(fileURLWithPath: model.path))
                #expect(SHA256.digest(of: bytes) == model.sha256 && digests.contains(model.sha256), "\(note)")
            }
        }
    }

    @Test("12: pull of archives, while they are downloaded, unpacked, installed and compiled, and prune in between")
    func case12_archives() throws {
        let scene = try Scene()
        let addresses = ["/old.zip", "/new.zip"].map { scene.url($0) }
        let whole = try scene.run(["pull", addresses[0], "--name", "d"])
        #expect(whole.status == 0, "\(whole.error)")
        var random = SeededNumbers.fresh()
        for kill in 0..<(Self.isThorough ? 200 : 30) {
            let words = kill % 5 == 4 ? ["prune"] : ["pull", addresses[(kill + 1) % 2], "--name", "d"]
            try scene.kill(words, after: .random(in: 0.002...max(0.05, whole.seconds), using: &random))
            #expect(scene.library.current("d") != nil, "after kill \(kill)")
            try scene.check("kill \(kill)")
        }
        for address in addresses { try scene.runWell("pull", address, "--name", "d") }
        try scene.ageTemporaryFiles()
        try scene.runWell("prune")
        let left = try scene.files()

        let unharmed = try Scene()
        for path in ["/old.zip", "/new.zip"] { try unharmed.runWell("pull", unharmed.url(path), "--name", "d") }
        try unharmed.runWell("prune")
        #expect(try left == unharmed.files())
    }

    @Test("12: pull, while it downloads, installs and compiles, and prune in between")
    func case12_pull() throws {
        let scene = try Scene()
        let addresses = [scene.url("/old/m.gguf"), scene.url("/new/m.gguf")]
        let whole = try scene.run(["pull", addresses[0]])
        #expect(whole.status == 0, "\(whole.error)")
        var random = SeededNumbers.fresh()
        var most = 0
        for kill in 0..<(Self.isThorough ? 200 : 40) {
            let words = kill % 4 == 3 ? ["prune"] : ["pull", addresses[(kill + 1) % 2]]
            // Most instants are in the part of the run that does something.
            try scene.kill(words, after: .random(in: 0.002...max(0.05, whole.seconds), using: &random))
            #expect(scene.library.current("m") != nil, "after kill \(kill)")
            try scene.check("kill \(kill)")
            most = max(most, scene.library.totalBytes())
        }
        // Two versions, what was compiled from them, and one unfinished download of each.
        #expect(most < 3 * (Self.old.count + Self.new.count) + 4_000_000)
        try scene.runWell("pull", addresses[0])
        try scene.runWell("pull", addresses[1])
        try scene.ageTemporaryFiles()
        try scene.runWell("prune")
        let left = try scene.files()

        let unharmed = try Scene()
        for path in ["/old/m.gguf", "/new/m.gguf"] { try unharmed.runWell("pull", unharmed.url(path)) }
        try unharmed.runWell("prune")
        #expect(try left == unharmed.files())
    }

    /// A change of what is installed, after two versions of `m` and one of `other`.
    enum Change: String, CaseIterable, CustomTestStringConvertible {
        case prune, remove, rollback

        var testDescription: String { rawValue }
        var words: [String] {
            switch self {
            // Room for the other model, and not for two versions of this one.
            case .prune: ["prune", "--to", "1300KB"]
            case .remove: ["remove", "m"]
            case .rollback: ["rollback", "m", "--version", String(SHA256.digest(of: KillTests.old).prefix(12))]
            }
        }
        /// How many versions there are afterwards.
        var versionsLeft: Int { self == .rollback ? 3 : self == .prune ? 2 : 1 }
    }

    @Test("12: prune, remove and rollback", arguments: Change.allCases)
    func case12_changes(change: Change) throws {
        let scene = try Scene()
        for path in ["/old/m.gguf", "/new/m.gguf", "/other.gguf"] { try scene.runWell("pull", scene.url(path)) }
        try scene.save()
        let before = try scene.files()
        let whole = try scene.run(change.words)
        #expect(whole.status == 0, "\(whole.error)")
        try scene.runWell("prune")
        let after = try scene.files()
        #expect(scene.library.listing().models.count == change.versionsLeft)
        #expect(change == .rollback || after.count < before.count)

        var random = SeededNumbers.fresh()
        let versions = [Self.old, Self.new].map { String(SHA256.digest(of: $0).prefix(12)) }
        for kill in 0..<(Self.isThorough ? 60 : 8) {
            try scene.restore()
            try scene.kill(change.words, after: .random(in: 0...whole.seconds, using: &random))
            try scene.check("\(change) \(kill)")
            #expect(scene.library.current("other") != nil)
            let current = scene.library.current("m")?.version
            switch change {
            case .prune: #expect(current == versions[1])
            case .remove: #expect(current.map(versions.contains) ?? true)
            case .rollback: #expect(current.map(versions.contains) == true)
            }
            // The same command again finishes it, and nothing is left of the first one.
            let again = try scene.run(change.words)
            #expect(again.status == 0 || (change == .remove && again.status == 3), "\(again.error)")
            try scene.runWell("prune")
            #expect(try scene.files() == after, "\(change) \(kill)")
        }
    }
}
