#if os(iOS)
internal import BackgroundTasks
internal import Foundation

/// Compiles a model while the device charges and nobody uses it, by a `BGProcessingTask`, so that the next start is a warm one.
///
///     BackgroundPreparation.register("com.example.prepare") { try await runner.prepare(); await runner.release() }
///     try BackgroundPreparation.schedule("com.example.prepare")       // when the app goes to the background
///
/// The identifier has to be in `BGTaskSchedulerPermittedIdentifiers`, and `processing` in `UIBackgroundModes`.
public enum BackgroundPreparation {
    /// To be called before the app has finished launching, once an identifier.
    /// - Parameter work: ends soon when its task is cancelled; is asked for again where it was cut off or failed.
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

    /// Asks the system to run the work when the device is on power.
    /// - Throws: what the system answers where background work is switched off or the identifier is not permitted.
    public static func schedule(_ identifier: String) throws {
        let request = BGProcessingTaskRequest(identifier: identifier)
        request.requiresExternalPower = true
        request.requiresNetworkConnectivity = false
        try BGTaskScheduler.shared.submit(request)
    }

    /// Sendable: completed once, by the work's end.
    private struct Granted: @unchecked Sendable { let task: BGTask }
}
#endif
