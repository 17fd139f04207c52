import Foundation
import HearthServer
import HearthSystem
import HearthTestSupport
import Testing

/// The page's font for systems without a Chinese one. `kai.txt` says which characters the font has, because WOFF2 is not read here.
@Suite("The page's font", .timeLimit(.minutes(20)))
struct PageFontTests {
    private static let sources = TestServer.root + "/Sources/"
    private static let fonts = sources + "CHearthPage/Fonts/"

    private static func text(_ path: String) throws -> String {
        try String(contentsOfFile: sources + path, encoding: .utf8)
    }

    /// The files of a folder, with their names.
    private static func texts(in folder: String, endings: [String]) throws -> [String: String] {
        let paths = FileManager.default.enumerator(atPath: sources + folder)?.compactMap { $0 as? String } ?? []
        return try Dictionary(
            uniqueKeysWithValues: paths.filter { path in endings.contains { path.hasSuffix($0) } }.map {
                ($0, try text(folder + "/" + $0))
            })
    }

    /// Digests and characters of `kai.txt`.
    private static func list() throws -> (digests: [String: String], characters: Set<Unicode.Scalar>) {
        let lines = try text("CHearthPage/Fonts/kai.txt").split(separator: "\n")
        let words = lines.filter { $0.hasPrefix("# ") }.map { $0.split(separator: " ") }
        let digests = words.filter { $0.count == 3 && $0[1].hasSuffix(".woff2") }.map { (String($0[1]), String($0[2])) }
        let characters = lines.filter { !$0.hasPrefix("# ") }.flatMap(\.unicodeScalars)
        return (Dictionary(uniqueKeysWithValues: digests), Set(characters))
    }

    /// Ideographs, and the punctuation that only they have.
    private static func isChinese(_ scalar: Unicode.Scalar) -> Bool {
        (0x2E80...0xFFEF).contains(scalar.value) || (0x20000...0x3FFFF).contains(scalar.value)
    }

    @Test("It has every Chinese character of the stories and of the page; otherwise run scripts/make-page-font")
    func characters() throws {
        let has = try Self.list().characters
        #expect(has.count > 3755 && !has.contains("龘"))
        var shown = try Self.texts(in: "CHearthPage/Files", endings: [".html", ".js"])
        shown.merge(try Self.texts(in: "CHearthStories/Tales/zh-Hans", endings: [""])) { $1 }
        shown.merge(try Self.texts(in: "HearthStory", endings: [".swift", ".json"])) { $1 }
        shown["zh-Hans.json"] = try Self.text("CHearthStories/Files/zh-Hans.json")
        // What the filter says in place of a word or of the rest of a story.
        shown["zh-Hans.txt"] = try Self.text("CHearthLexicon/Files/zh-Hans.txt").split(separator: "\n")
            .compactMap { line in
                if line.hasPrefix("@") { return line }
                guard !line.hasPrefix("#"), let arrow = line.firstIndex(of: ">") else { return nil }
                return line[arrow...]
            }.joined(separator: "\n")
        var all: Set<Unicode.Scalar> = []
        for (name, text) in shown.sorted(by: { $0.key < $1.key }) {
            let characters = Set(text.unicodeScalars.filter(Self.isChinese))
            let missing = characters.subtracting(has).map(String.init).sorted()
            #expect(missing == [], "\(name)")
            all.formUnion(characters)
        }
        #expect(shown.count > 80 && all.count > 2000)
    }

    @Test("The style sheet asks for these fonts, and for nothing that they lack a block of")
    func styleSheet() throws {
        let (digests, characters) = try Self.list()
        #expect(Set(digests.keys) == ["kai.woff2", "kai-name.woff2"])
        let style = try Self.text("CHearthPage/Files/style.css")
        for (name, digest) in digests {
            #expect(try FileDigest.sha256(Self.fonts + name) == digest)
            #expect(style.contains("url(\"\(name)?\(digest.prefix(8))\") format(\"woff2\")"))
        }
        let faces = style.matches(of: /@font-face \{[^}]*url\("(kai[^?]*)[^}]*unicode-range: ([^;]*);/)
        #expect(faces.map { String($0.1) } == ["kai.woff2", "kai-name.woff2", "kai.woff2"])
        for face in faces {
            let ranges = face.2.matches(of: /U\+([0-9A-F]+)(?:-([0-9A-F]+))?/).compactMap { range in
                UInt32(range.1, radix: 16).map { low in low...(range.2.flatMap { UInt32($0, radix: 16) } ?? low) }
            }
            func isAsked(_ scalar: Unicode.Scalar) -> Bool { ranges.contains { $0.contains(scalar.value) } }
            if face.1 == "kai.woff2" {
                #expect(characters.allSatisfy(isAsked))
            } else {
                #expect(Set(characters.filter(isAsked)) == ["中", "文"])
            }
        }
    }

    @Test("It is served as a font that stays the same under its address; its licence is beside it")
    func serving() async throws {
        #expect(try Self.text("CHearthPage/Fonts/OFL.txt").contains("SIL OPEN FONT LICENSE Version 1.1"))
        try await TestServer.run(ready: false) { server in
            for name in ["kai.woff2", "kai-name.woff2"] {
                let answer = try await server.get("/page/\(name)?12345678")
                #expect(answer.status == 200)
                #expect(answer.header("Content-Type") == "font/woff2")
                #expect(answer.header("Cache-Control") == "max-age=31536000, immutable")
                #expect(answer.header("X-Content-Type-Options") == "nosniff")
                #expect(answer.header("Cross-Origin-Resource-Policy") == "same-origin")
                #expect(answer.header("Content-Security-Policy")?.contains("font-src 'self';") == true)
                #expect(answer.body == [UInt8](try Data(contentsOf: URL(fileURLWithPath: Self.fonts + name))))
            }
            #expect(try await server.get("/page/style.css").header("Cache-Control") == "no-cache")
            #expect(try await server.get("/page/OFL.txt").status == 404)
        }
    }
}
