import Foundation
import HearthCompute
import HearthCoreML
import HearthModels
import HearthSystem
import Testing

@Suite("Opening Core ML models", .timeLimit(.minutes(20)))
struct CoreMLOpeningTests {
    private static let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Fixtures/coreml/flow/functions.mlpackage").path

    @Test("A function of a package runs; a function of a compiled model is an error that names it")
    func functions() throws {
        let folder = NSTemporaryDirectory() + "hearth-opening-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let kernels = try KernelSet.selected(by: nil)
        let opened = try CoreMLOpening(usesArtifacts: false, function: "wide").session(Self.package, kernels: kernels)
        #expect(!opened.isCompiled)
        #expect(throws: FileError.self) {
            try CoreMLOpening(function: "none").session(Self.package, kernels: kernels)
        }

        let compiler = CoreMLCompiler(folders: HearthFolders(data: folder, cache: folder), kernels: kernels)
        let artifact = try compiler.compile(Self.package).artifact.path
        #expect(try CoreMLOpening().session(artifact, kernels: kernels).isCompiled)
        #expect(throws: ModelCatalogError.compiledFunction(artifact, function: "wide")) {
            try CoreMLOpening(function: "wide").session(artifact, kernels: kernels)
        }
    }
}
