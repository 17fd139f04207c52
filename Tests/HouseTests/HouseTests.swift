import Foundation
import Testing

/// The rules of ARCHITECTURE.md that a test can check, over the sources as text.
@Suite("The house", .timeLimit(.minutes(10)))
struct HouseTests {
    static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    struct Source: Sendable {
        var path: String
        var target: String
        var lines: [Substring]
    }

    static let sources: [Source] = {
        let folder = root.appendingPathComponent("Sources")
        let paths = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String } ?? []
        return paths.filter { path in [".swift", ".c", ".h"].contains { path.hasSuffix($0) } }.sorted().compactMap {
            path in
            guard let text = try? String(contentsOf: folder.appendingPathComponent(path), encoding: .utf8) else {
                return nil
            }
            let target = path.split(separator: "/").first.map(String.init) ?? ""
            return Source(
                path: path, target: target, lines: text.split(separator: "\n", omittingEmptySubsequences: false))
        }
    }()

    /// Targets and their floors, from the table of ARCHITECTURE.md; the umbrella has none.
    static let floors: [String: Int?] = {
        let text = (try? String(contentsOf: root.appendingPathComponent("ARCHITECTURE.md"), encoding: .utf8)) ?? ""
        var floors: [String: Int?] = [:]
        for line in text.split(separator: "\n") where line.hasPrefix("| ") {
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            guard cells.count >= 3, cells[0] == "–" || Int(cells[0]) != nil, cells[1].hasPrefix("`") else { continue }
            floors.updateValue(Int(cells[0]), forKey: cells[1].trimmingCharacters(in: CharacterSet(charactersIn: "`")))
        }
        return floors
    }()

    /// Imports inside one floor that are meant.
    static let drawnSideways: Set<String> = []

    @Test("There is something to check")
    func notEmpty() {
        #expect(Self.sources.count > 30)
        #expect(Self.floors.count > 5)
    }

    @Test("A floor imports only floors below it")
    func importsGoDown() {
        for source in Self.sources where source.path.hasSuffix(".swift") {
            guard let entry = Self.floors[source.target] else {
                Issue.record("\(source.target) is not in the table of ARCHITECTURE.md")
                continue
            }
            for imported in source.lines.compactMap(Self.importedModule) {
                guard let below = Self.floors[imported] else { continue }
                guard let here = entry else { continue }  // the umbrella imports them all
                let isBelow = (below ?? .max) < here
                #expect(
                    isBelow || Self.drawnSideways.contains("\(source.target) > \(imported)"),
                    "\(source.path) imports \(imported)")
            }
        }
    }

    /// `internal import struct X.Y` names X.
    static func importedModule(_ line: Substring) -> String? {
        let words = line.split(separator: " ")
        guard let at = words.firstIndex(of: "import"), at <= 2,
            words[..<at].allSatisfy({
                $0.hasPrefix("@") || ["public", "internal", "private", "fileprivate", "package"].contains($0)
            })
        else { return nil }
        let kinds = ["struct", "class", "enum", "func", "protocol", "typealias", "var", "let"]
        let name = words[(at + 1)...].first { !kinds.contains(String($0)) }
        return name?.split(separator: ".").first.map(String.init)
    }

    @Test("Package.swift and ARCHITECTURE.md know the same targets")
    func targets() throws {
        let manifest = try String(contentsOf: Self.root.appendingPathComponent("Package.swift"), encoding: .utf8)
        let declared = manifest.matches(of: /\.(?:executableTarget|systemLibrary|target)\(\s*name: "(\w+)"/).map {
            String($0.1)
        }
        // What tests share lives under Tests, the fuzz targets under Fuzz, and both on no floor.
        let support = manifest.matches(of: /name: "(\w+)",[^()]*path: "(?:Tests|Fuzz)\//).map { String($0.1) }
        let house = Set(declared).subtracting(support)
        #expect(house == Set(Self.floors.keys))
        #expect(Set(Self.sources.map(\.target)) == house)
    }

    @Test("Nothing aborts on what comes from outside, and nothing is left for later")
    func forbiddenWords() {
        let forbidden = ["try!", "fatalError(", "as!", "TODO", "FIXME"]
        for source in Self.sources where source.path.hasSuffix(".swift") {
            for (index, line) in source.lines.enumerated() {
                for word in forbidden where line.contains(word) {
                    Issue.record("\(source.path):\(index + 1) has \(word)")
                }
            }
        }
    }

    @Test("What is promised stays small: under 600 public declarations, none of them in what only the program uses")
    func publicDeclarations() {
        var count = 0
        for source in Self.sources where source.path.hasSuffix(".swift") {
            let found = source.lines.count { line in
                let words = line.split(separator: " ").filter { !$0.hasPrefix("@") }
                return (words.first == "public" || words.dropFirst().first == "public") && !words.contains("import")
                    && !line.trimmingCharacters(in: .whitespaces).hasPrefix("//")
            }
            count += found
            if ["HearthCLI", "HearthSimulation", "HearthCalibration"].contains(source.target) {
                #expect(found == 0, "\(source.path)")
            }
        }
        #expect(count > 100 && count < 600)
    }

    @Test("No task-local value is a function: optimised code crashes where it sets one outside of tasks")
    func taskLocalFunctions() {
        for source in Self.sources where source.path.hasSuffix(".swift") {
            for (index, line) in source.lines.enumerated() where line.contains("@TaskLocal") {
                #expect(!line.contains("->"), "\(source.path):\(index + 1)")
            }
        }
    }

    @Test("Every fuzz target has a corpus, and none has more than 200 kB")
    func corpora() throws {
        let fuzz = Self.root.appendingPathComponent("Fuzz")
        var names: Set<String> = []
        for file in try FileManager.default.contentsOfDirectory(atPath: fuzz.path + "/HearthFuzz/Targets") {
            let text = try String(contentsOfFile: fuzz.path + "/HearthFuzz/Targets/" + file, encoding: .utf8)
            names.formUnion(text.matches(of: /FuzzTarget\(name: "([\w-]+)"/).map { String($0.1) })
        }
        #expect(names.count > 10)
        #expect(try Set(FileManager.default.contentsOfDirectory(atPath: fuzz.path + "/Corpus")) == names)
        for name in names {
            let folder = fuzz.path + "/Corpus/" + name
            let sizes = try FileManager.default.contentsOfDirectory(atPath: folder).map {
                try FileManager.default.attributesOfItem(atPath: "\(folder)/\($0)")[.size] as? Int ?? 0
            }
            #expect(!sizes.isEmpty && sizes.reduce(0, +) <= 200_000, "\(name)")
        }
    }

    @Test("Files can be read in one sitting")
    func length() {
        for source in Self.sources { #expect(source.lines.count <= 500, "\(source.path)") }
    }
}
