import Foundation
import Testing

/// The rules of ARCHITECTURE.md that a test can check, over the sources as text.
@Suite("The house", .timeLimit(.minutes(20)))
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

    @Test("A target depends on what it imports, and on nothing else of this package")
    func dependencies() throws {
        let manifest = try String(contentsOf: Self.root.appendingPathComponent("Package.swift"), encoding: .utf8)
        let targets = manifest.matches(
            of: /\.(?:executableTarget|target|testTarget)\(\s*name: "(\w+)",\s*dependencies: \[([^\]]*)\]/)
        #expect(targets.count > 30)
        for target in targets {
            let name = String(target.1)
            let declared = Set(target.2.matches(of: /"(\w+)"/).map { String($0.1) })
            let folders = ["Sources/", "Tests/", "Tests/Support/"].map { Self.root.path + "/" + $0 + name }
            guard let folder = folders.first(where: { FileManager.default.fileExists(atPath: $0) }) else { continue }
            var imported: Set<String> = []
            for path in FileManager.default.enumerator(atPath: folder)?.compactMap({ $0 as? String }) ?? []
            where path.hasSuffix(".swift") {
                let text = try String(contentsOfFile: folder + "/" + path, encoding: .utf8)
                imported.formUnion(
                    text.split(separator: "\n").compactMap {
                        Self.importedModule($0.drop { $0 == " " })
                    })
            }
            #expect(declared.subtracting(imported) == [], "\(name) does not use these")
            #expect(
                imported.subtracting(declared).filter { $0.hasPrefix("Hearth") || $0.hasPrefix("CHearth") } == [],
                "\(name) does not declare these")
        }
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
        #expect(count > 100 && count < 600, "\(count)")
    }

    @Test("Memory is handled without Swift's checks in the files of UnsafeMemory.txt only, each with a reason")
    func unsafeMemory() throws {
        let list = try String(
            contentsOf: Self.root.appendingPathComponent("Tests/HouseTests/UnsafeMemory.txt"), encoding: .utf8)
        let allowed = Set(list.split(separator: "\n").filter { $0.hasSuffix(".swift") }.map(String.init))
        let signs = ["Unsafe", "unsafeBitCast", "OpaquePointer", "Unmanaged<", "nonisolated(unsafe)"]
        let found = Self.sources.filter { source in
            source.path.hasSuffix(".swift")
                && source.lines.contains { line in
                    !line.drop { $0 == " " }.hasPrefix("//") && signs.contains { line.contains($0) }
                }
        }
        #expect(found.count > 50)
        let paths = Set(found.map(\.path))
        #expect(paths.subtracting(allowed).sorted() == [], "not in the list")
        #expect(allowed.subtracting(paths).sorted() == [], "no longer need it")
    }

    @Test("No task-local value is a function: optimised code crashes where it sets one outside of tasks")
    func taskLocalFunctions() {
        for source in Self.sources where source.path.hasSuffix(".swift") {
            for (index, line) in source.lines.enumerated() where line.contains("@TaskLocal") {
                #expect(!line.contains("->"), "\(source.path):\(index + 1)")
            }
        }
    }

    /// A script that a test wrote itself can be open for writing in a child of another test, and be "busy" when it is run.
    @Test("Scripts that tests run are written by ShellScript")
    func scripts() throws {
        let tests = Self.root.appendingPathComponent("Tests").path
        let paths = FileManager.default.enumerator(atPath: tests)?.compactMap { $0 as? String } ?? []
        let shell = Data(("#!/" + "bin").utf8)
        let writing = try paths.filter { $0.hasSuffix(".swift") }.filter {
            try Data(contentsOf: URL(fileURLWithPath: "\(tests)/\($0)")).range(of: shell) != nil
        }
        #expect(writing == ["Support/HearthTestSupport/ShellScript.swift"])
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

    /// Old names and phrases, each with what is said now. Case does not count.
    static let retired: [(old: String, now: String)] = [
        ("may be " + "defended", "non-inferior"), ("half as " + "fast again", "1.5 times as fast"),
        ("kept " + "beginning", "prefix cache"), ("prefix " + "store", "prefix cache"),
        ("Prefix" + "Store", "PrefixCache"), ("what a start " + "cost", "startup time"),
        ("what each start " + "cost", "startup times"), ("random " + "lives", "random runs"),
        ("equal " + "lives", "equal runs"), ("LowRank" + "Path", "LaurelBlock"),
        ("hasPerLayer" + "Parts", "hasPerLayerEmbeddings"), ("is" + "Defended", "isNonInferior"),
    ]

    /// Types that were renamed, because other packages have types of these names or because the names said too little.
    static let retiredTypes: Set<String> = [
        "LanguageModel", "GenerationOptions", "Tokenizer", "LayerCache", "CacheFormat", "CacheSnapshot", "TextListener",
        "StopFlag", "VisionModel", "VisionSession", "VisionPlan", "VisionCompiler", "VisionEngine", "VisionTensor",
        "ProgramBuilder", "NetworkBuilder", "PipelineBuilder", "GraphEmitter", "ImageInput", "PictureInput", "Picture",
        "PictureClassifier", "PictureDecoder", "World", "Facts", "Episode", "Handover", "Markup", "WebAddress",
        "HTTPRequest", "HTTPResponse", "Hearth", "FormatError",
    ]

    @Test("Retired terms stay retired, in code and in prose")
    func retiredTerms() throws {
        let endings = ["swift", "c", "h", "js", "html", "md", "py", "json", "run", "check", "api", "docs"]
        let places = ["Sources", "Tests", "Fuzz", "Examples", "Benchmarks", "docs", "scripts", "Packaging", "Tools"]
        var paths = try FileManager.default.contentsOfDirectory(atPath: Self.root.path)
            .filter { $0.hasSuffix(".md") && $0 != "CHANGELOG.md" || $0 == "Package.swift" }
        for place in places {
            let below = FileManager.default.enumerator(atPath: Self.root.path + "/" + place)?.compactMap {
                $0 as? String
            }
            paths += (below ?? []).map { place + "/" + $0 }
        }
        let read = paths.filter { path in
            !path.contains("/Fixtures/") && !path.contains("/.build/")
                && endings.contains { path.hasSuffix("." + $0) || path.hasSuffix("/" + $0) }
        }
        #expect(read.count > 500)
        // One search for all terms: the first one that is found says enough.
        let old = Self.retired.map(\.old).joined(separator: "|")
        let types =
            #"\b(?:struct|class|enum|actor|protocol|typealias)\s+(?:"#
            + Self.retiredTypes.sorted().joined(separator: "|") + #")\b"#
        for path in read {
            guard let text = try? String(contentsOfFile: Self.root.path + "/" + path, encoding: .utf8) else { continue }
            if let found = text.range(of: old, options: [.regularExpression, .caseInsensitive]) {
                let now = Self.retired.first { $0.old.lowercased() == text[found].lowercased() }?.now ?? ""
                Issue.record("\(path) says '\(text[found])': say '\(now)'")
            }
            guard path.hasPrefix("Sources/"), path.hasSuffix(".swift") else { continue }
            if let found = text.range(of: types, options: .regularExpression) {
                Issue.record("\(path) declares '\(text[found])', a name that was given up")
            }
        }
    }

    @Test("Files can be read in one sitting")
    func length() {
        for source in Self.sources { #expect(source.lines.count <= 500, "\(source.path)") }
    }
}
