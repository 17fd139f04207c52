import Foundation
import HearthDelivery
import HearthSystem
import HearthTestSupport
import Testing

/// Archives are hostile until they were looked at.
@Suite("archives", .timeLimit(.minutes(20)))
struct ArchiveTests {
    private typealias Entry = ArchiveBuilder.Entry

    private static let manifest = Array("{}".utf8)
    private static let weights = LibraryFixture.content("weights", count: 70_000)
    private static let model = LibraryFixture.content("model", count: 700)

    private static func package(_ root: String = "Digits.mlpackage/") -> [Entry] {
        [
            Entry(root + "Manifest.json", manifest), Entry(root + "Data/com.apple.CoreML/model.mlmodel", model),
            Entry(root + "Data/com.apple.CoreML/weights/weight.bin", weights),
        ]
    }

    private static let files: [String: [UInt8]] = [
        "Manifest.json": manifest, "Data/com.apple.CoreML/model.mlmodel": model,
        "Data/com.apple.CoreML/weights/weight.bin": weights,
    ]

    /// Unpacks on a disk of its own.
    /// - Returns: the files by their paths.
    private func unpack(_ bytes: [UInt8], disk: any FileOperations = SimulatedDisk()) throws -> [String: [UInt8]] {
        let fixture = LibraryFixture(disk)
        let path = "\(fixture.home)/partial/a.part"
        try fixture.put(bytes, at: path)
        let format = try #require(ArchiveUnpacker.Format(bytes.prefix(512)))
        let unpacker = ArchiveUnpacker(files: disk, reserve: 0)
        do {
            let made = try unpacker.unpack(
                path, format, name: "a.zip", prefix: "\(fixture.home)/partial/a", check: {}, progress: { _, _ in })
            return try Dictionary(
                uniqueKeysWithValues: made.map { unpacked in
                    let content = try disk.readFile(unpacked.place, limit: 1 << 20)
                    #expect(unpacked.file.sha256 == SHA256.digest(of: content))
                    #expect(unpacked.file.bytes == content.count)
                    return (unpacked.file.path, content)
                })
        } catch {
            // What could not be unpacked leaves nothing.
            #expect(try disk.list("\(fixture.home)/partial") == ["a.part"])
            throw error
        }
    }

    /// What an archive is refused for, and the entry that is named.
    private func refusal(_ bytes: [UInt8]) -> (entry: String?, reason: String)? {
        do {
            _ = try unpack(bytes)
            return nil
        } catch DeliveryError.invalidArchive("a.zip", let entry, let reason) {
            return (entry, reason)
        } catch {
            return (nil, "another error: \(error)")
        }
    }

    private func expect(
        _ bytes: [UInt8], _ reason: String, entry: String? = nil, _ place: SourceLocation = #_sourceLocation
    ) {
        let found = refusal(bytes)
        #expect(found?.reason.contains(reason) == true, "\(String(describing: found))", sourceLocation: place)
        if let entry { #expect(found?.entry == entry, sourceLocation: place) }
    }

    // MARK: - What is read

    @Test("zip: deflated, stored, with descriptors, with 64-bit sizes, with a comment", arguments: [false, true])
    func zips(is64: Bool) throws {
        for change: (inout Entry) -> Void in [
            { _ in }, { $0.isDeflated = false }, { $0.hasDescriptor = true }, { $0.is64 = true },
            { ($0.is64, $0.hasDescriptor) = (true, true) },
        ] {
            let entries = Self.package().map { entry in
                var entry = entry
                change(&entry)
                return entry
            }
            #expect(try unpack(ArchiveBuilder.zip(entries, is64: is64)) == Self.files)
            #expect(
                try unpack(ArchiveBuilder.zip(entries, comment: "PK\u{5}\u{6} made by hand", is64: is64)) == Self.files)
        }
    }

    @Test("tar: plain and packed, ustar, pax and GNU's long names, several gzip streams, zeros at the end")
    func tars() throws {
        let plain = ArchiveBuilder.tar(Self.package())
        #expect(try unpack(plain) == Self.files)
        #expect(try unpack(plain + [UInt8](repeating: 0, count: 9000)) == Self.files)
        #expect(try unpack(ArchiveBuilder.tar(Self.package(), end: 1)) == Self.files)
        #expect(try unpack(ArchiveBuilder.gzip(plain)) == Self.files)
        #expect(
            try unpack(
                ArchiveBuilder.gzip(Array(plain.prefix(1000))) + ArchiveBuilder.gzip(Array(plain.dropFirst(1000))))
                == Self.files)
        #expect(try unpack(ArchiveBuilder.gzip(plain) + [0, 0, 0]) == Self.files)
        let pax = Self.package().map { entry in
            Entry("short", entry.bytes) {
                $0.extended = [("path", entry.name), ("mtime", "1.5"), ("comment", "a=b\nc")]
            }
        }
        #expect(try unpack(ArchiveBuilder.tar(pax)) == Self.files)
        let long = "Some-Rather-Long-Name-Of-A-Folder-0123456789012345678901234567890123456789/D.mlpackage/"
        var gnu = Self.package(long).flatMap { ArchiveBuilder.gnuLongName($0.name, $0.bytes) }
        gnu += [UInt8](repeating: 0, count: 1024)
        #expect(try unpack(gnu) == Self.files)
    }

    @Test("A top folder, two, none; what systems leave behind; other files beside; a bare model")
    func places() throws {
        for root in ["", "./", "Digits.mlpackage/", "a/Digits.mlpackage/", "model/", "./x/y.mlpackage/"] {
            let folders = root.isEmpty ? [] : [Entry(root)]
            #expect(try unpack(ArchiveBuilder.zip(folders + Self.package(root))) == Self.files, "\(root)")
            #expect(try unpack(ArchiveBuilder.tar(folders + Self.package(root))) == Self.files, "\(root)")
        }
        let beside = [
            Entry("README.md", [1]), Entry("__MACOSX/Digits.mlpackage/._Manifest.json", [2]),
            Entry("Digits.mlpackage/.DS_Store", [3]), Entry("Digits.mlpackage/Data/._x", [4]), Entry("LICENSE", []),
        ]
        #expect(try unpack(ArchiveBuilder.zip(beside + Self.package())) == Self.files)
        #expect(try unpack(ArchiveBuilder.zip([Entry("a/Old.mlmodel", Self.model)])) == ["Old.mlmodel": Self.model])
        let empty = Self.package() + [Entry("Digits.mlpackage/Data/empty")]
        #expect(try unpack(ArchiveBuilder.zip(empty)).count == 4)
        #expect(try unpack(ArchiveBuilder.tar(empty))["Data/empty"] == [])
    }

    // MARK: - What is refused

    @Test(
        "Paths that lead out, absolute ones, links and devices: none is written, the entry is named",
        arguments: [
            "../evil", "Digits.mlpackage/../../evil", "/etc/evil", "a\\..\\evil", "C:evil", "a//b",
            "Digits.mlpackage/./x",
            "__MACOSX/../evil", "nul\u{0}x", "a/CON", "~/evil", String(repeating: "d/", count: 9) + "x",
        ])
    func paths(_ name: String) {
        let found = refusal(ArchiveBuilder.zip(Self.package() + [Entry(name, [1])]))
        #expect(found?.entry == name, "\(String(describing: found))")
        if !name.contains("\0") {
            #expect(refusal(ArchiveBuilder.tar(Self.package() + [Entry(name, [1])]))?.entry == name)
        }
    }

    @Test("Links and devices")
    func links() {
        for (mode, reason) in [(0o120777, "link"), (0o020666, "neither"), (0o010666, "neither"), (0o140666, "neither")]
        {
            expect(
                ArchiveBuilder.zip(Self.package() + [Entry("Digits.mlpackage/l", [1]) { $0.mode = UInt32(mode) }]),
                reason,
                entry: "Digits.mlpackage/l")
        }
        for (kind, reason) in [
            ("1", "link"), ("2", "link"), ("3", "neither"), ("4", "neither"), ("6", "neither"), ("S", "sparse"),
        ] {
            let entry = Entry("Digits.mlpackage/l") { $0.kind = kind.utf8.first ?? 0 }
            expect(ArchiveBuilder.tar(Self.package() + [entry]), reason, entry: "Digits.mlpackage/l")
        }
    }

    @Test("Names that are one on some disk: the same, in other case, in another normal form; a file that is a folder")
    func twins() {
        for pair in [("x", "x"), ("x", "X"), ("é", "e\u{301}"), ("ß", "SS"), ("x", "x/y")] {
            let entries = [Entry("Digits.mlpackage/\(pair.0)", [1]), Entry("Digits.mlpackage/\(pair.1)", [2])]
            #expect(refusal(ArchiveBuilder.zip(Self.package() + entries)) != nil, "\(pair)")
            #expect(refusal(ArchiveBuilder.tar(Self.package() + entries)) != nil, "\(pair)")
        }
    }

    @Test("Cut anywhere: never a model", arguments: ["zip", "zip with descriptors", "tar", "tar.gz"])
    func cuts(kind: String) {
        let small = [Entry("D.mlpackage/Manifest.json", Self.manifest), Entry("D.mlpackage/Data/m", Self.model)]
        let bytes =
            switch kind {
            case "zip": ArchiveBuilder.zip(small)
            case "tar": ArchiveBuilder.tar(small, end: 1)
            case "tar.gz": ArchiveBuilder.gzip(ArchiveBuilder.tar(small, end: 1))
            default: ArchiveBuilder.zip(small.map { Entry($0.name, $0.bytes) { $0.hasDescriptor = true } })
            }
        for count in stride(from: 264, to: bytes.count, by: 7) {
            #expect(refusal(Array(bytes.prefix(count))) != nil, "\(count) of \(bytes.count)")
        }
        #expect(refusal(bytes) == nil)
    }

    @Test("Encrypted, packed in other ways, of other sizes, with other checksums, heads or descriptors")
    func zipLies() {
        func lie(_ change: @escaping (inout Entry) -> Void) -> [UInt8] {
            var entries = Self.package()
            change(&entries[1])
            return ArchiveBuilder.zip(entries)
        }
        let name = "Digits.mlpackage/Data/com.apple.CoreML/model.mlmodel"
        expect(lie { $0.flags = 1 }, "encrypted", entry: name)
        expect(lie { $0.method = 99 }, "encrypted", entry: name)
        expect(lie { $0.method = 12 }, "method 12", entry: name)
        expect(lie { $0.checksum = 7 }, "checksum", entry: name)
        expect(lie { $0.declaredBytes = 699 }, "more bytes", entry: name)
        expect(lie { $0.declaredBytes = 701 }, "fewer bytes", entry: name)
        expect(lie { $0.localName = name.uppercased() }, "name", entry: name)
        var bytes = ArchiveBuilder.zip(Self.package().map { Entry($0.name, $0.bytes) { $0.hasDescriptor = true } })
        let mark = ArchiveBuilder.word(0x0807_4b50, 4)
        if let at = bytes.indices.dropLast(4).first(where: { Array(bytes[$0..<$0 + 4]) == mark }) { bytes[at + 9] ^= 1 }
        expect(bytes, "descriptor")
        var overlapping = ArchiveBuilder.zip([Entry("a", Self.model), Entry("b", Self.model)])
        // The second entry of the directory points to the first.
        overlapping.replaceSubrange(overlapping.count - 22 - 5..<overlapping.count - 22 - 1, with: [0, 0, 0, 0])
        expect(overlapping, "over")
    }

    @Test("More than a model of its size can hold")
    func bombs() {
        expect(
            ArchiveBuilder.zip(Self.package() + [Entry("Digits.mlpackage/z", [1]) { $0.declaredBytes = 0xFFFF_FFF0 }]),
            "too much for a model of this size", entry: "Digits.mlpackage/z")
        expect(
            ArchiveBuilder.tar(
                Self.package() + [Entry("Digits.mlpackage/z", [1]) { $0.declaredBytes = 0x1_FFFF_FFFF }]),
            "more bytes", entry: "Digits.mlpackage/z")
        expect(ArchiveBuilder.zip((0..<4200).map { Entry("\($0)") }), "4096 entries")
        expect(ArchiveBuilder.tar((0..<4200).map { Entry("\($0)") }), "4096 entries")
        expect(ArchiveBuilder.zip(Self.package() + (0..<300).map { Entry("Digits.mlpackage/\($0)") }), "256 files")
    }

    @Test("No model in it, or several")
    func contents() {
        expect(ArchiveBuilder.zip([]), "no .mlpackage")
        expect(ArchiveBuilder.zip([Entry("model.gguf", [1])]), "GGUF file is pulled by its own address")
        expect(ArchiveBuilder.zip([Entry("A.mlmodelc/model.mil", [1])]), "compiled for Apple")
        expect(
            ArchiveBuilder.zip(Self.package("a.mlpackage/") + Self.package("b.mlpackage/")),
            "several models: a.mlpackage, b.mlpackage")
        expect(ArchiveBuilder.zip(Self.package() + [Entry("B.mlmodel", [1])]), "several models")
    }

    @Test("Damaged at random: refused, or what it was")
    func mutations() throws {
        var numbers = SeededNumbers(20_261_122)
        let sound = [
            ArchiveBuilder.zip(Self.package()),
            ArchiveBuilder.zip(Self.package().map { Entry($0.name, $0.bytes) { $0.is64 = true } }, is64: true),
            ArchiveBuilder.tar(Self.package()), ArchiveBuilder.gzip(ArchiveBuilder.tar(Self.package())),
        ]
        for round in 0..<200 {
            var bytes = sound[round % sound.count]
            for _ in 0..<Int.random(in: 1...4, using: &numbers) {
                // Heads and directories rather than weights.
                let at =
                    Bool.random(using: &numbers)
                    ? Int.random(in: 0..<1600, using: &numbers)
                    : bytes.count - 1 - Int.random(in: 0..<900, using: &numbers)
                bytes[at] = UInt8.random(in: 0...255, using: &numbers)
            }
            guard ArchiveUnpacker.Format(bytes.prefix(512)) != nil else { continue }
            do {
                let found = try unpack(bytes)
                // tar has no checksum of contents.
                if round % sound.count != 2 {
                    #expect(found.values.allSatisfy { Self.files.values.contains($0) }, "round \(round)")
                }
            } catch is DeliveryError {
                // Refused.
            }
        }
    }

    @Test("Every operation on the disk may fail, and nothing is left then")
    func faults() throws {
        let bytes = ArchiveBuilder.zip(Self.package())
        for number in 0..<400 {
            let disk = SimulatedDisk()
            let fixture = LibraryFixture(disk)
            try fixture.put(bytes, at: "\(fixture.home)/a.part")
            let faulty = FaultyFiles(disk, .failsOnce(call: number, code: EIO))
            do {
                let unpacker = ArchiveUnpacker(files: faulty, reserve: 0)
                let made = try unpacker.unpack(
                    "\(fixture.home)/a.part", .zip, name: "a", prefix: "\(fixture.home)/a", check: {},
                    progress: { _, _ in })
                #expect(made.count == 3)
                if faulty.calls.count <= number { return #expect(number > 10) }
            } catch let failure as FileFailure {
                #expect(failure.code == EIO)
                #expect(try disk.list(fixture.home) == ["a.part"], "call \(number)")
            }
        }
        Issue.record("it never came to an end")
    }
}
