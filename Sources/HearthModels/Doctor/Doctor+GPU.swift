internal import Foundation
internal import HearthGPU
internal import HearthSystem

extension Doctor {
    /// Devices that `--compute gpu` can use, and their cached pipelines. It is not an error to have none.
    func gpus() -> [DoctorCheck] {
        let devices: [GPUDeviceInfo]
        do {
            devices = try GPUDeviceInfo.all(environment: environment)
        } catch {
            return [.ok("gpu", error == .noLoader ? "none: no Vulkan loader" : "none: \(error.localizedDescription)")]
        }
        let folders = HearthFolders(environment: environment)
        let entries = folders.map { GPUPipelineCache.all(folders: $0) } ?? []
        return devices.map { device in
            let name = devices.count > 1 ? "gpu \(device.number)" : "gpu"
            let memory = ByteSize.binary(device.memoryBytes)
            let own = entries.filter { $0.device == device.name }
            let current = own.filter { $0.isCurrent && $0.identity == device.identity }
            let detail =
                "\(device.name): \(device.kind.rawValue), \(device.driver), \(memory); "
                + Self.caches(current: current, stale: own.count - current.count)
            guard device.isFit else {
                return .warning(
                    name, detail, todo: "Update its driver: models need \(GPUDeviceInfo.needs) to run on it.")
            }
            return .ok(name, detail)
        }
    }

    private static func caches(current: [GPUPipelineCache.Entry], stale: Int) -> String {
        let bytes = ByteSize.binary(current.reduce(0) { $0 + $1.byteCount })
        let kept =
            current.isEmpty
            ? "no pipeline cache"
            : current.count == 1 ? "1 pipeline cache of \(bytes)" : "\(current.count) pipeline caches of \(bytes)"
        return stale > 0 ? "\(kept), \(stale) of other drivers or shaders" : kept
    }
}
