#if canImport(Metal)
internal import Foundation
internal import Metal
internal import Synchronization

/// A binary archive of Metal's: compiled pipelines, for the next start.
final class MetalArchive: Sendable {
    private let device: any MTLDevice
    /// nil where Metal has no archives, as in a simulator.
    private let archive: (any MTLBinaryArchive)?
    /// The file that the archive was read from; Metal may read from it later, too.
    private let file: URL
    private let content: [UInt8]
    /// Whether it holds more than `content`.
    private let hasMore = Mutex(false)

    /// - Parameter content: an earlier result of `bytes()`; empty for none.
    init(_ device: any MTLDevice, content: [UInt8]) {
        self.device = device
        file = FileManager.default.temporaryDirectory.appendingPathComponent("hearth-\(UUID()).metalarchive")
        if !content.isEmpty, (try? Data(content).write(to: file)) != nil {
            let descriptor = MTLBinaryArchiveDescriptor()
            descriptor.url = file
            if let earlier = try? device.makeBinaryArchive(descriptor: descriptor) {
                (archive, self.content) = (earlier, content)
                return
            }
        }
        // Metal may refuse what it wrote once; then it begins anew.
        (archive, self.content) = (try? device.makeBinaryArchive(descriptor: MTLBinaryArchiveDescriptor()), [])
    }

    deinit { try? FileManager.default.removeItem(at: file) }

    /// A pipeline, from the archive or compiled and added to it.
    /// - Throws: errors of Metal.
    func pipeline(_ descriptor: MTLComputePipelineDescriptor) throws -> any MTLComputePipelineState {
        guard let archive else {
            return try device.makeComputePipelineState(descriptor: descriptor, options: [], reflection: nil)
        }
        descriptor.binaryArchives = [archive]
        if !content.isEmpty,
            let found = try? device.makeComputePipelineState(
                descriptor: descriptor, options: .failOnBinaryArchiveMiss, reflection: nil)
        {
            return found
        }
        let made = try device.makeComputePipelineState(descriptor: descriptor, options: [], reflection: nil)
        // One that cannot be stored is compiled again by the next start.
        hasMore.withLock { hasMore in
            if (try? archive.addComputePipelineFunctions(descriptor: descriptor)) != nil { hasMore = true }
        }
        return made
    }

    /// The archive as a file; empty where there are none.
    /// - Throws: errors of Metal and of files.
    func bytes() throws -> [UInt8] {
        guard let archive, hasMore.withLock({ $0 }) else { return content }
        let written = file.appendingPathExtension("new")
        defer { try? FileManager.default.removeItem(at: written) }
        try archive.serialize(to: written)
        return [UInt8](try Data(contentsOf: written))
    }
}
#endif
