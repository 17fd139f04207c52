import Foundation
import HearthCompute
import HearthRuntime
import HearthSystem
import HearthText

/// A text model that is started from its file, as an engine.
struct FileTextEngine: ModelEngine {
    let path: String
    let contextLength: Int?
    let threads: Int?
    let kernels: KernelSet
    /// Of the model's file; known beforehand, because reading the file would bring it into the page cache.
    let sha256: String

    /// Bytes of a model that are read for its digest at a time.
    private static let piece = 1 << 20

    func profile() async throws -> RuntimeProfile {
        let device = DeviceIdentity.current()
        let gguf = try await onOwnThread { try LanguageModel(path: path) }
        return RuntimeProfile(
            model: gguf.name ?? URL(fileURLWithPath: path).deletingPathExtension().lastPathComponent,
            modelSHA256: sha256, quantization: "", contextLength: contextLength ?? 0, computeUnits: "cpu",
            kernelSet: kernels.name, runtimeVersion: Hearth.version, osBuild: device.osBuild, device: device.model)
    }

    func workload() async throws -> Workload { Workload(compile: 0, load: 1, warmUp: 1) }

    func compile(_ progress: WorkProgress) async throws -> Compilation<String> { Compilation(path, reused: true) }

    func load(_ compiled: String, _ progress: WorkProgress) async throws -> TextGenerator {
        try await onOwnThread {
            try TextGenerator(
                model: LanguageModel(path: compiled), contextLength: contextLength, threads: threads, kernels: kernels)
        }
    }

    func warmUp(_ model: TextGenerator, _ progress: WorkProgress) async throws {
        _ = try await StartupProbe.generate(model, tokens: 1)
    }

    func interrupt(_ model: TextGenerator) {}
    func unload(_ model: TextGenerator) async {}

    private func onOwnThread<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread { continuation.resume(with: Swift.Result { try body() }) }
        }
    }

    /// The digest of a file.
    static func digest(of path: String) throws -> String {
        let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
        defer { try? file.close() }
        var hash = SHA256()
        while let bytes = try file.read(upToCount: piece), !bytes.isEmpty { hash.update(bytes) }
        return hash.finalize()
    }
}
