import Foundation
import HearthDelivery
import HearthTestSupport
import Testing

@Suite("Manifests", .timeLimit(.minutes(20)))
struct ModelManifestTests {
    private static let digest = String(repeating: "ab", count: 32)

    private static func json(_ change: (inout [String: Any]) -> Void = { _ in }) throws -> Data {
        var object: [String: Any] = [
            "schema": 1, "name": "bedtime-270m", "version": "1.2.0", "engine": "text", "quantization": "q8_0",
            "license": "Apache-2.0", "leastMemory": 600_000_000, "upgradeFrom": ["1.1.0"], "unknown": ["x": 1],
            "files": [file()],
        ]
        change(&object)
        return try JSONSerialization.data(withJSONObject: object)
    }

    private static func file(_ path: String = "model.gguf") -> [String: Any] {
        [
            "path": path, "bytes": 100_000, "sha256": digest, "urls": ["https://models.example/model.gguf"],
            "rangeDigests": ["size": 65536, "sha256": [digest, digest]], "unknown": true,
        ]
    }

    private func field(_ data: Data) -> String? {
        do {
            _ = try ModelManifest(json: data)
            return nil
        } catch {
            guard case .invalidManifest(let field, _) = error else { return "\(error)" }
            return field
        }
    }

    @Test("The example in docs/manifest.md is one, and shows every field")
    func documented() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..")
        let text = try String(contentsOf: root.appending(path: "docs/manifest.md"), encoding: .utf8)
        let blocks = text.components(separatedBy: "```").filter { $0.hasPrefix("json\n") }
        let example = try #require(blocks.first?.dropFirst(5))
        let manifest = try ModelManifest(json: Data(example.utf8))
        for value in Mirror(reflecting: manifest).children {
            let label = try #require(value.label)
            #expect(text.contains("| `\(label)` |"), "\(label) is not in the table")
            #expect(example.contains("\"\(label)\":"), "\(label) is not in the example")
        }
        for value in Mirror(reflecting: manifest.files[0]).children {
            let label = try #require(value.label)
            #expect(text.contains("| `files[].\(label)` |"), "\(label) is not in the table")
            #expect(example.contains("\"\(label)\":"), "\(label) is not in the example")
        }
    }

    @Test("A good manifest is read, written, and read again")
    func good() throws {
        let manifest = try ModelManifest(json: Self.json())
        #expect(manifest.name == "bedtime-270m")
        #expect(manifest.version == ModelVersion("1.2"))
        #expect(manifest.files[0].rangeDigests?.size == 65536)
        #expect(try ModelManifest(json: manifest.json()) == manifest)
    }

    @Test(
        "22 Paths that escape, or that mean two things",
        arguments: [
            "", "../x", "a/../x", "a/..", "./a", "/etc/passwd", "~/x", "C:\\x", "C:x", "a\\b", "a//b", "a/", "a\u{0}b",
            "a\nb", "a\u{202E}b", "a\u{200B}b", "a ", " a", "a.", "CON", "con.txt", "a/NUL/b",
            String(repeating: "x", count: 201), String(repeating: "x/", count: 9) + "x",
        ])
    func badPaths(path: String) throws {
        #expect(field(try Self.json { $0["files"] = [Self.file(path)] }) == "files[0].path")
    }

    @Test(
        "22 Twins: equal but for case or normal form, a file that is also a folder",
        arguments: [
            ("a.bin", "A.BIN"), ("é.bin", "e\u{301}.bin"), ("ﬁle", "file"), ("a", "a/b"), ("A", "a/b/c"), ("x", "x"),
        ])
    func twins(first: String, second: String) throws {
        #expect(field(try Self.json { $0["files"] = [Self.file(first), Self.file(second)] }) == "files")
    }

    @Test("Each field has its rule")
    func fields() throws {
        func changed(_ key: String, _ value: Any?) throws -> String? { field(try Self.json { $0[key] = value }) }
        func changedFile(_ key: String, _ value: Any?) throws -> String? {
            field(
                try Self.json {
                    var file = Self.file()
                    file[key] = value
                    $0["files"] = [file]
                })
        }
        #expect(try changed("schema", 2) == "schema")
        #expect(try changed("schema", nil) == "schema")
        for name in ["", "../x", "a/b", ".a", "-a", "ä", "nul", String(repeating: "x", count: 101)] {
            #expect(try changed("name", name) == "name")
        }
        for version in ["", "1.", "v1", "1.2.3.4.5", "1.-2", "99999999999", "١"] as [Any] + [1] {
            #expect(try changed("version", version) == "version")
        }
        #expect(try changed("engine", "") == "engine")
        #expect(try changed("leastMemory", -1) == "leastMemory")
        #expect(try changed("files", []) == "files")
        #expect(try changed("files", (0...1000).map { Self.file("f\($0)") }) == "files")
        for bytes in [0, -1, Int.max] { #expect(try changedFile("bytes", bytes) == "files[0].bytes") }
        #expect(try changedFile("bytes", 1.5) == "files[0].bytes")
        for sha in ["", "abc", Self.digest.uppercased(), Self.digest + "0"] {
            #expect(try changedFile("sha256", sha) == "files[0].sha256")
        }
        #expect(try changedFile("urls", ["http://example.org/m"]) == "files[0].urls")
        #expect(try changedFile("urls", Array(repeating: "https://e.org/m", count: 17)) == "files[0].urls")
        #expect(
            try changedFile("rangeDigests", ["size": 65536, "sha256": [Self.digest]]) == "files[0].rangeDigests.sha256")
        #expect(try changedFile("rangeDigests", ["size": 0, "sha256": []]) == "files[0].rangeDigests.size")
        #expect(try changedFile("path", nil) == "files[0].path")
    }

    @Test("A number that is none is named by its field", arguments: ["schema", "leastMemory", "bytes", "size"])
    func numbers(field name: String) throws {
        let text = String(decoding: try Self.json(), as: UTF8.self)
        let values = ["schema": "1", "leastMemory": "600000000", "bytes": "100000", "size": "65536"]
        let good = try #require(values[name])
        let place = try #require(
            [
                "schema": "schema", "leastMemory": "leastMemory", "bytes": "files[0].bytes",
                "size": "files[0].rangeDigests.size",
            ][name])
        func error(_ value: String) -> DeliveryError? {
            let json = text.replacingOccurrences(of: "\"\(name)\":\(good)", with: "\"\(name)\":\(value)")
            #expect(json.contains("\"\(name)\":\(value)"))
            do throws(DeliveryError) {
                _ = try ModelManifest(json: Data(json.utf8))
                return nil
            } catch { return error }
        }
        for value in ["1.5", "1e-2", "65536.5", "\"1\"", "true", "[1]", "{}"] {
            #expect(
                error(value) == .invalidManifest(field: place, reason: "it is not a whole number"), "\(value)")
        }
        for value in ["1e400", "-1e400", "99999999999999999999", "9223372036854775808"] {
            let reason = "it is not a whole number that fits into 64 bits"
            #expect(error(value) == .invalidManifest(field: place, reason: reason), "\(value)")
        }
        guard case .invalidManifest(place, _)? = error("-1") else {
            Issue.record("\(String(describing: error("-1")))")
            return
        }
        // A field that may be absent may be null.
        let ofNull = DeliveryError.invalidManifest(field: place, reason: "it is not a whole number")
        #expect(error("null") == (name == "leastMemory" ? nil : ofNull))
        // Whole, however it is written.
        #expect(error("\(good).0") == nil && error("\(good)e0") == nil)
    }

    @Test("What is no manifest: no JSON, too deep, too long")
    func noManifest() throws {
        #expect(field(Data("not json".utf8)) == "file")
        #expect(field(Data()) == "file")
        #expect(field(Data((String(repeating: "[", count: 200_000)).utf8)) == "file")
        #expect(field(Data(repeating: 32, count: 2 << 20)) == "file")
        #expect(field(Data("[]".utf8)) != nil)
    }

    @Test("Truncated and mutated manifests: an error or a manifest, never more")
    func fuzz() throws {
        let good = try Self.json()
        var generator = SeededNumbers.fresh()
        for _ in 0..<300 {
            var bytes = Array(good)
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                bytes[Int.random(in: bytes.indices, using: &generator)] = .random(in: 0...255, using: &generator)
            }
            if Bool.random(using: &generator) { bytes.removeLast(Int.random(in: 0..<bytes.count, using: &generator)) }
            if let manifest = try? ModelManifest(json: Data(bytes)) { try manifest.validate() }
        }
    }

    @Test("Versions compare by number")
    func versions() throws {
        let ordered = try ["0.9", "1", "1.0.1", "1.9", "1.10", "2.0.0.1"].map { try #require(ModelVersion($0)) }
        #expect(ordered.sorted() == ordered)
        #expect(ModelVersion("1") == ModelVersion("1.0.0"))
    }
}
