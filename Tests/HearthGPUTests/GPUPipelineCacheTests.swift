import Foundation
import HearthGPU
import HearthSystem
import HearthTestSupport
import Testing

@Suite("Pipeline caches", .timeLimit(.minutes(20)))
struct GPUPipelineCacheTests {
    @Test(
        "What a driver compiled comes back as it was, and nothing that was changed does",
        .enabled(if: hasDevice, "no Vulkan device"))
    func files() throws {
        let folder = try TemporaryFolder()
        let info = try GPUDeviceInfo.preferred(environment: ProcessInfo.processInfo.environment)
        let cache = GPUPipelineCache(cacheFolder: folder.path)
        #expect(cache.find(for: info) == .missing && cache.drift(for: info) == nil && cache.entries().isEmpty)

        let device = try GPUDevice(info)
        try device.prepare([GPUPipelineKey(.norm), GPUPipelineKey(.gate)])
        #expect(device.pipelineMS > 0)
        let bytes = try device.cacheBytes()
        try cache.keep(bytes, for: info)
        #expect(cache.find(for: info) == .used(bytes))
        let entry = try #require(cache.entries().first)
        #expect(entry.device == info.name && entry.byteCount == bytes.count && entry.isCurrent)
        // The driver takes it.
        try GPUDevice(info, cache: bytes).prepare([GPUPipelineKey(.norm)])

        let path = cache.path(for: info)
        let whole = try Data(contentsOf: URL(fileURLWithPath: path))
        for at in [0, whole.count / 2, whole.count - 1] {
            var damaged = whole
            damaged[at] ^= 0x20
            try damaged.write(to: URL(fileURLWithPath: path))
            guard case .refused = cache.find(for: info) else {
                Issue.record("byte \(at)")
                continue
            }
        }
        for count in [0, 10, whole.count - 1] {
            try whole.prefix(count).write(to: URL(fileURLWithPath: path))
            guard case .refused = cache.find(for: info) else {
                Issue.record("\(count) bytes")
                continue
            }
        }
        // Bytes that are whole and no cache of the driver's cost compiling, and no more.
        try GPUDevice(info, cache: Array("no cache of anybody's".utf8)).prepare([GPUPipelineKey(.norm)])
    }

    @Test("What drifted is named", .enabled(if: hasDevice, "no Vulkan device"))
    func drift() throws {
        let folder = try TemporaryFolder()
        let info = try GPUDeviceInfo.preferred(environment: ProcessInfo.processInfo.environment)
        let cache = GPUPipelineCache(cacheFolder: folder.path)
        try cache.keep([1, 2, 3], for: info)
        let path = cache.path(for: info)
        let text = try String(contentsOfFile: path, encoding: .isoLatin1)
        let other = folder.path + "/GPU/other.pipelines"
        try FileManager.default.removeItem(atPath: path)
        try text.replacingOccurrences(of: info.shaderDigest, with: String(repeating: "0", count: 64))
            .write(toFile: other, atomically: true, encoding: .isoLatin1)
        #expect(cache.drift(for: info) == "the shaders changed")
        #expect(cache.entries().map(\.isCurrent) == [false])
        try text.replacingOccurrences(of: info.identity, with: "0-0-0")
            .write(toFile: other, atomically: true, encoding: .isoLatin1)
        #expect(cache.drift(for: info) == "the driver changed")
    }

    @Test(
        "Pipelines of one form of the shaders are not those of the other",
        .enabled(if: devices.count > 1, "no device with subgroups"))
    func forms() throws {
        let folder = try TemporaryFolder()
        let cache = GPUPipelineCache(cacheFolder: folder.path)
        let (subgroups, portable) = (devices[0], devices[1])
        #expect(subgroups.shaderDigest != portable.shaderDigest && subgroups.kernelSet != portable.kernelSet)
        #expect(subgroups.identity == portable.identity)
        try cache.keep([1], for: subgroups)
        #expect(cache.find(for: portable) == .missing && cache.drift(for: portable) == "the shaders changed")
        try cache.keep([2], for: portable)
        #expect(cache.find(for: subgroups) == .used([1]) && cache.find(for: portable) == .used([2]))
        #expect(cache.entries().map(\.isCurrent) == [true, true])
        // A file under the other's name is refused, too.
        try FileManager.default.removeItem(atPath: cache.path(for: portable))
        try FileManager.default.moveItem(atPath: cache.path(for: subgroups), toPath: cache.path(for: portable))
        #expect(cache.find(for: portable) == .refused(reason: "the shaders changed"))
    }

    @Test("With an artifact, what no longer applies is removed", .enabled(if: hasDevice, "no Vulkan device"))
    func artifacts() throws {
        let home = try TemporaryFolder()
        let folders = HearthFolders(data: home.path, cache: home.path)
        let info = try GPUDeviceInfo.preferred(environment: ProcessInfo.processInfo.environment)
        let cache = GPUPipelineCache(artifactFolder: folders.artifacts + "/some")
        try cache.keep([1, 2, 3], for: info)
        let text = try String(contentsOfFile: cache.path(for: info), encoding: .isoLatin1)
        func write(_ name: String, _ text: String) throws {
            try text.write(
                toFile: "\(folders.artifacts)/some/\(name).pipelines", atomically: true, encoding: .isoLatin1)
        }
        try write("driver", text.replacingOccurrences(of: info.identity, with: "0-0-0"))
        try write("shaders", text.replacingOccurrences(of: info.shaderDigest, with: String(repeating: "0", count: 64)))
        try write("device", text.replacingOccurrences(of: info.name, with: "another device"))
        #expect(cache.entries().count == 4)
        // That of models without an artifact comes first.
        try GPUPipelineCache(cacheFolder: folders.cache).keep([4], for: info)
        #expect(GPUPipelineCache.all(folders: folders).map(\.byteCount) == [1, 3, 3, 3, 3])
        cache.removeOthers(of: info)
        #expect(Set(cache.entries().map(\.device)) == [info.name, "another device"])
        #expect(cache.find(for: info) == .used([1, 2, 3]) && cache.drift(for: info) == nil)
    }

    @Test("A device that is named by a number that none has is an error", .enabled(if: hasDevice, "no Vulkan device"))
    func choice() throws {
        #expect(throws: GPUError.noDevice) { _ = try GPUDeviceInfo.preferred(environment: ["HEARTH_GPU": "99"]) }
        #expect(try GPUDeviceInfo.preferred(environment: ["HEARTH_GPU": "0"]).number == 0)
    }
}
