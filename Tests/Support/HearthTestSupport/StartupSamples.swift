import Foundation
package import HearthRuntime

/// Starts for tests.
package enum StartupSamples {
    package static let profile = RuntimeProfile(
        model: "nano", modelSHA256: "ab12", quantization: "F16", contextLength: 1024, computeUnits: "cpu",
        kernelSet: "avx2", runtimeVersion: "1", osBuild: "Debian 12", device: "board")

    package static func sample(
        _ kind: StartupSample.Kind = .warm, number: Int = 0, firstMS: Double = 12.5, model: String = "nano",
        change: (inout RuntimeProfile) -> Void = { _ in }
    ) -> StartupSample {
        var profile = profile
        profile.model = model
        change(&profile)
        return StartupSample(
            kind: kind,
            times: PreparationTimes(
                reused: kind != .coldCompile, compileMS: kind == .coldCompile ? 80.25 : 1, loadMS: 3,
                firstInferenceMS: firstMS),
            steadyMS: number.isMultiple(of: 2) ? 0.5 : nil, peakResidentBytes: 50 << 20, dirtyBytes: number,
            device: "board", osVersion: "Debian 12", profile: profile,
            time: Date(timeIntervalSince1970: 1_700_000_000 + Double(number)), processVersion: "0.1.0",
            isMeasured: number.isMultiple(of: 3))
    }

    /// A folder of its own; the caller removes it.
    package static func folder() throws -> String {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("hearth-log-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        return path
    }
}
