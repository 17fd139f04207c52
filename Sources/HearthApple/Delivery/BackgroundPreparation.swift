#if os(iOS)
internal import BackgroundTasks
internal import Foundation

/// Compiles a model while the device is charging and idle, using a `BGProcessingTask`, so that the next start is warm.
///
///     BackgroundPreparation.register("com.example.prepare") { try await runner.prepare(); await runner.release() }
///     try BackgroundPreparation.schedule("com.example.prepare")       // when the app goes to the background
///
/// The identifier has to be in `BGTaskSchedulerPermittedIdentifiers`, and `processing` in `UIBackgroundModes`.
public enum BackgroundPreparation {
    /// Registers the work of an identifier. Call it once per identifier, before the app has finished launching.
    /// - Parameter work: the work; it must end soon after its task is cancelled, and is rescheduled if it was cancelled or
    ///   failed.
    public static func register(_ identifier: String, work: @escaping @Sendable () async throws -> Void) {
        BGTaskScheduler.shared.register(forTaskWithIdentifier: identifier, using: nil) { task in
            let granted = Granted(task: task)
            let running = Task(priority: .utility) {
                let isDone = (try? await work()) != nil && !Task.isCancelled
                if !isDone { try? schedule(identifier) }
                granted.task.setTaskCompleted(success: isDone)
            }
            task.expirationHandler = { running.cancel() }
        }
    }

    /// Asks the system to run the work while the device is connected to power.
    /// - Throws: the system's error if background work is disabled or the identifier is not permitted.
    public static func schedule(_ identifier: String) throws {
        let request = BGProcessingTaskRequest(identifier: identifier)
        request.requiresExternalPower = true
        request.requiresNetworkConnectivity = false
        try BGTaskScheduler.shared.submit(request)
    }

    /// Sendable: completed once, when the work ends.
    private struct Granted: @unchecked Sendable { let task: BGTask }
}
#endif
