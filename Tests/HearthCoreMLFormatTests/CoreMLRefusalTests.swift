import Foundation
import HearthCoreMLFormat
import HearthSystem
import HearthTestSupport
import Testing

/// Packages that have to be refused: which error, which file, which field.
@Suite(.timeLimit(.minutes(20))) struct CoreMLRefusalTests {
    private func refusal(_ path: String, sourceLocation: SourceLocation = #_sourceLocation) -> FileError? {
        let error = #expect(throws: FileError.self, sourceLocation: sourceLocation) {
            try CoreMLPackage(path: path).requireDefinedOperations()
        }
        if let error {
            #expect(!error.location.field.isEmpty, sourceLocation: sourceLocation)
            #expect(error.location.file.hasPrefix(path), sourceLocation: sourceLocation)
            let isOneLine = error.localizedDescription.allSatisfy { !$0.isNewline }
            #expect(isOneLine, sourceLocation: sourceLocation)
        }
        return error
    }

    @Test(
        "the damaged packages",
        arguments: [
            ("no_manifest", "missing", "", "Manifest.json"),
            (
                "manifest_escape", "leavesPackage", "Manifest.json",
                "itemInfoEntries[228e9b3a-f9d0-46bb-90ed-b972f6990e2b].path"
            ),
            ("model_truncated", "beyondFile", "model.mlmodel", "mlProgram"),
            (
                "bad_sentinel", "malformed", "model.mlmodel",
                "operations[1](const 'l_weight').attributes[val].blobFileValue.offset"
            ),
            (
                "blob_type_wrong", "wrongType", "model.mlmodel",
                "operations[1](const 'l_weight').attributes[val].blobFileValue.type"
            ),
            ("weights_truncated", "tensorBeyondFile", "model.mlmodel", "attributes[val].blobFileValue.offset"),
            ("unknown_op", "unknownOperations", "model.mlmodel", "mlProgram.operations"),
        ])
    func damaged(name: String, kind: String, file: String, field: String) {
        let error = refusal(CoreMLFixtures.path("bad/\(name).mlpackage"))
        #expect(error?.kind == kind)
        #expect(error?.location.file.hasSuffix(file) == true)
        #expect(error?.location.field.hasSuffix(field) == true, "\(error?.location.field ?? "")")
    }

    @Test("all unknown operations at once")
    func unknownOperations() {
        let text = refusal(CoreMLFixtures.path("bad/unknown_op.mlpackage"))?.localizedDescription ?? ""
        #expect(text.hasPrefix("8 operations that Core ML does not define: rely 'input_5' at operations[10], "))
        #expect(text.split(separator: "rely").count == 9)
    }

    /// A copy of a package that the test may spoil.
    private func copy(_ name: String, in folder: TemporaryFolder) throws -> String {
        let path = folder.path("copy.mlpackage")
        try FileManager.default.copyItem(atPath: CoreMLFixtures.path(name), toPath: path)
        return path
    }

    private func manifest(_ edit: (inout [String: Any]) -> Void) throws -> FileError? {
        let folder = try TemporaryFolder()
        let path = try copy("ops/mlp_fp32_ios16.mlpackage", in: folder)
        let file = URL(fileURLWithPath: "\(path)/Manifest.json")
        var object = try #require(try JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [String: Any])
        edit(&object)
        try JSONSerialization.data(withJSONObject: object).write(to: file)
        return refusal(path)
    }

    @Test("manifests")
    func manifests() throws {
        #expect(try manifest { $0["fileFormatVersion"] = "1.0.1" }?.kind == "unsupported")
        #expect(try manifest { $0["fileFormatVersion"] = "1.0" }?.kind == "malformed")
        #expect(try manifest { $0["fileFormatVersion"] = "-1.0.0" }?.kind == "malformed")
        #expect(try manifest { $0["fileFormatVersion"] = 1 }?.kind == "wrongType")
        #expect(try manifest { $0["fileFormatVersion"] = nil }?.kind == "missing")
        #expect(try manifest { $0["itemInfoEntries"] = [1] }?.kind == "missing")
        #expect(try manifest { $0["rootModelIdentifier"] = "x" }?.kind == "undefinedName")
        let path = { (path: String) in
            try self.manifest { object in
                object["itemInfoEntries"] = [
                    "a": ["path": path, "name": "n", "author": "a", "description": "d"]
                ]
                object["rootModelIdentifier"] = "a"
            }
        }
        for outside in ["/etc/passwd", "../../x", "com.apple.CoreML/../../..//x", "a//b", ".", "", "a/./b", "a\u{0}b"] {
            #expect(try path(outside)?.kind == "leavesPackage", "\(outside)")
        }
        #expect(try path("com.apple.CoreML/none")?.kind == "missing")
        #expect(try path("com.apple.CoreML")?.kind == "unreadable")
        let incomplete = try manifest { object in
            var entries = object["itemInfoEntries"] as? [String: [String: Any]] ?? [:]
            for key in entries.keys { entries[key]?["author"] = nil }
            object["itemInfoEntries"] = entries
        }
        #expect(incomplete?.kind == "missing")
        #expect(incomplete?.location.field.hasSuffix("].author") == true)
        #expect(incomplete?.location.file.hasSuffix("Manifest.json") == true)
        let folder = try TemporaryFolder()
        for text in ["", "[]", "{", "null", String(repeating: "[", count: 100_000), "{\"a\":\u{1}}"] {
            let package = try copy("ops/mlp_fp32_ios16.mlpackage", in: folder)
            try Data(text.utf8).write(to: URL(fileURLWithPath: "\(package)/Manifest.json"))
            #expect(refusal(package)?.kind == "malformed")
            try FileManager.default.removeItem(atPath: package)
        }
    }

    @Test("a text model is called what it is")
    func textModel() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("model.gguf")
        for (start, kind) in [("GGUF\u{3}\0\0\0", "unreadable"), ("GGU", "beyondFile"), ("GGML\u{3}", "malformed")] {
            try Data(start.utf8).write(to: URL(fileURLWithPath: path))
            let error = refusal(path)
            #expect((error?.kind == "unreadable") == (kind == "unreadable"), "\(start)")
            #expect(error?.localizedDescription.contains("a GGUF file") == (kind == "unreadable"), "\(start)")
        }
    }

    @Test(
        "links that lead out of the package are not followed; links inside are",
        arguments: [
            "Manifest.json", "Data/com.apple.CoreML/model.mlmodel", "Data/com.apple.CoreML/weights/weight.bin",
            "Data/com.apple.CoreML/weights", "Data",
        ])
    func links(part: String) throws {
        let folder = try TemporaryFolder()
        let path = try copy("ops/mlp_fp32_ios16.mlpackage", in: folder)
        let (inside, outside) = ("\(path)/moved", folder.path("outside"))
        try FileManager.default.moveItem(atPath: "\(path)/\(part)", toPath: outside)
        try FileManager.default.createSymbolicLink(atPath: "\(path)/\(part)", withDestinationPath: outside)
        #expect(refusal(path)?.kind == "leavesPackage")
        try FileManager.default.moveItem(atPath: outside, toPath: inside)
        try FileManager.default.removeItem(atPath: "\(path)/\(part)")
        try FileManager.default.createSymbolicLink(atPath: "\(path)/\(part)", withDestinationPath: inside)
        _ = try CoreMLPackage(path: path)
        // The package itself may be reached through a link.
        let link = folder.path("link")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
        _ = try CoreMLPackage(path: link + "/")
    }

    @Test("a weight file that the program has no business with")
    func weightNames() throws {
        for name in ["@model_path/../../../outside.bin", "/etc/passwd", "@model_path//etc/passwd", "", "@model_path/"] {
            let folder = try TemporaryFolder()
            let path = try copy("ops/mlp_fp32_ios16.mlpackage", in: folder)
            let package = try CoreMLPackage(path: path)
            var model = package.model
            let program = try #require(model.program)
            model.kind = .program(
                try #require(program.replacingBlobs { MILBlobReference(fileName: name, offset: $0.offset) }))
            try Data(model.encoded).write(
                to: URL(fileURLWithPath: "\(path)/Data/com.apple.CoreML/model.mlmodel"))
            #expect(refusal(path)?.kind == "leavesPackage", "\(name)")
        }
    }

    @Test("what is no model")
    func others() throws {
        let folder = try TemporaryFolder()
        #expect(refusal(folder.path("none.mlpackage"))?.kind == "unreadable")
        #expect(refusal(try folder.write([], "empty.mlmodel"))?.kind == "missing")
        #expect(refusal(try folder.write(Array("GGUF".utf8) + [3, 0, 0, 0], "x.mlmodel")) != nil)
        // A model of another kind is kept and not read; others have content, pipelines models, and a bare program no weights.
        let other = try folder.write([0x08, 0x04, 0x82, 0x13, 0x00], "other.mlmodel")
        #expect(try CoreMLPackage(path: other).model.kindName == "bayesianProbitRegressor")
        let vectors = try folder.write([0x08, 0x04, 0xea, 0x12, 0x00], "vectors.mlmodel")
        #expect(refusal(vectors)?.kind == "missing")
        let pipeline = try folder.write([0x08, 0x04, 0xd2, 0x0c, 0x00], "pipeline.mlmodel")
        #expect(refusal(pipeline)?.kind == "missing")
        let bare = try folder.write(CoreMLFixtures.parts("ops/mlp_fp32_ios16.mlpackage").model, "bare.mlmodel")
        #expect(refusal(bare)?.kind == "missing")
    }
}
