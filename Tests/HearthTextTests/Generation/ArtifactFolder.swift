import Dispatch
import Foundation
import HearthCompute
import HearthSystem
import HearthTestSupport
import HearthText
import HearthTokenizer

/// A folder of its own for compiled models, sessions of them, and beginnings of texts that are kept there.
final class ArtifactFolder {
    let path: String

    init() throws {
        path = FileManager.default.temporaryDirectory.appendingPathComponent("hearth-prefix-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func model(_ name: String = "gemma3-q4_0.gguf", context: Int = 256) throws -> TextModel {
        let compiler = TextCompiler(
            folders: HearthFolders(data: path, cache: path), kernels: try KernelSet.form(nil))
        return try TextModel(artifact: compiler.compile(GemmaFixtures.path(name), contextLength: context).artifact)
    }

    func session(
        _ model: TextModel, _ format: KVCacheFormat = .float16, context: Int = 256
    ) throws -> GemmaSession {
        try GemmaSession(
            configuration: model.configuration, weights: model.weights, kernels: KernelSet.form(nil),
            threads: 1, context: context, cacheFormat: format, maximumStep: 128)
    }

    func text(_ count: Int, seed: Int = 37) -> [TokenID] {
        [2] + (1..<count).map { TokenID(4 + $0 * seed % 500) }
    }

    func keep(_ store: PrefixCache, _ session: GemmaSession, _ model: TextModel) {
        let group = DispatchGroup()
        store.keep(session, of: model, on: .global(), group, mustStop: { false })
        group.wait()
    }
}
