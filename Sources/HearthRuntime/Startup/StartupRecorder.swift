internal import Foundation
internal import HearthSystem

/// Logs the starts of one program on one device.
package struct StartupRecorder: Sendable {
    private let log: StartupLog?
    private let device: DeviceIdentity
    private let processVersion: String

    /// - Parameter log: nil if there is no folder for it; then nothing is recorded.
    package init(log: StartupLog?, device: DeviceIdentity = .current(), processVersion: String) {
        self.log = log
        self.device = device
        self.processVersion = processVersion
    }

    /// Whether there is a log at all.
    package var isLogging: Bool { log != nil }

    /// Logs a start that a user asked for, as opposed to a measured one.
    /// - Parameters:
    ///   - times: of a successful preparation.
    ///   - residentFraction: how much of the model was in the page cache before (`PageCache.residentFraction`).
    /// - Returns: a notice for the user in one line, or nil; never an error.
    package func record(
        _ profile: RuntimeProfile, _ times: PreparationTimes, residentFraction: Double? = nil, steadyMS: Double? = nil
    ) async -> String? {
        guard let log else { return nil }
        let memory = ProcessMemory.current()
        return await log.record(
            StartupSample(
                kind: .init(reused: times.reused, residentFraction: residentFraction), times: times, steadyMS: steadyMS,
                peakResidentBytes: memory?.peakResident ?? 0, dirtyBytes: memory?.dirty ?? 0, device: device.model,
                osVersion: device.osVersion, profile: profile, processVersion: processVersion))
    }

    /// Logs a start.
    /// - Returns: a notice for the user in one line, or nil; never an error.
    package func record(_ sample: StartupSample) async -> String? { await log?.record(sample) ?? nil }

    /// A measured start in the form in which it is logged.
    package func sample(_ measurement: StartupMeasurement, as kind: StartupSample.Kind) -> StartupSample {
        StartupSample(
            kind: kind, times: measurement.times, steadyMS: measurement.steadyMS,
            peakResidentBytes: measurement.peakResidentBytes, dirtyBytes: measurement.dirtyBytes, device: device.model,
            osVersion: device.osVersion, profile: measurement.profile, processVersion: processVersion, isMeasured: true)
    }
}
