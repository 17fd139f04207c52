import Foundation
import HearthSafety
import Testing

@Suite("Embedded files", .timeLimit(.minutes(20)))
struct EmbeddedFileTests {
    static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("Sources/CHearthLexicon/Files")

    @Test("Every file of the folder is in the program, as it is")
    func everyFile() throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path).filter {
            !$0.hasPrefix(".") && $0 != "README.md"
        }
        #expect(names.count >= FilterLanguage.allCases.count + 5)
        for name in names {
            let onDisk = try Data(contentsOf: Self.folder.appendingPathComponent(name))
            let embedded = try #require(EmbeddedFile.bytes(name), "\(name) is not named in files.c")
            #expect(Data(embedded) == onDisk, "\(name) is not what was embedded")
        }
    }

    @Test("What the sources ask for is there")
    func askedFor() throws {
        for language in FilterLanguage.allCases.map(Optional.some) + [nil] {
            for name in LexiconLibrary.files(for: language) { #expect(EmbeddedFile.text("\(name).txt") != nil) }
        }
        #expect(Lookalikes.shared.latin.count > 50)
        #expect(UnicodeTable.shared.fold(of: 0xFF21) == [0x61])  // full-width A
        #expect(UnicodeTable.shared.fold(of: 0x2F800) == [0x4E3D])  // the first of the last block of folds
        #expect(EmbeddedFile.bytes("no-such.txt") == nil)
    }
}
