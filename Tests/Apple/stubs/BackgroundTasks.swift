// swift-format-ignore-file
// BackgroundTasks: the scheduler, processing, refresh and continued-processing tasks and their requests. Declarations only: nothing runs.
// Apple's documentation: "BackgroundTasks", "BGTaskScheduler", "BGProcessingTask", "BGContinuedProcessingTask" (iOS 26)
import Foundation
open class BGTask: NSObject {
    open var identifier: String { fatalError() }
    open var expirationHandler: (@Sendable () -> Void)? { get { fatalError() } set {} }
    open func setTaskCompleted(success: Bool) {}
}
open class BGProcessingTask: BGTask {}
open class BGAppRefreshTask: BGTask {}
@available(iOS 26.0, *) open class BGContinuedProcessingTask: BGTask {
    open var title: String { fatalError() }
    open var subtitle: String { fatalError() }
    open var progress: Progress { fatalError() }
    open func updateTitle(_ title: String, subtitle: String) {}
}
open class BGTaskRequest: NSObject {
    open var identifier: String { fatalError() }
    open var earliestBeginDate: Date? { get { fatalError() } set {} }
}
open class BGProcessingTaskRequest: BGTaskRequest {
    public init(identifier: String) { fatalError() }
    open var requiresNetworkConnectivity: Bool { get { fatalError() } set {} }
    open var requiresExternalPower: Bool { get { fatalError() } set {} }
}
open class BGAppRefreshTaskRequest: BGTaskRequest { public init(identifier: String) { fatalError() } }
@available(iOS 26.0, *) open class BGContinuedProcessingTaskRequest: BGTaskRequest {
    public enum SubmissionStrategy: Int, Sendable { case fail, queue }
    public struct Resources: OptionSet, Sendable { public let rawValue: Int; public init(rawValue: Int) { self.rawValue = rawValue }; public static let gpu = Resources(rawValue: 1) }
    public init(identifier: String, title: String, subtitle: String) { fatalError() }
    open var strategy: SubmissionStrategy { get { fatalError() } set {} }
    open var requiredResources: Resources { get { fatalError() } set {} }
}
open class BGTaskScheduler: NSObject, @unchecked Sendable {
    public class var shared: BGTaskScheduler { fatalError() }
    public struct Error: Swift.Error { public enum Code: Int, Sendable { case unavailable = 1, tooManyPendingTaskRequests, notPermitted }; public var code: Code { fatalError() } }
    @discardableResult open func register(forTaskWithIdentifier identifier: String, using queue: DispatchQueue?, launchHandler: @escaping @Sendable (BGTask) -> Void) -> Bool { fatalError() }
    open func submit(_ taskRequest: BGTaskRequest) throws {}
    open func cancel(taskRequestWithIdentifier identifier: String) {}
    open func cancelAllTaskRequests() {}
    open func pendingTaskRequests() async -> [BGTaskRequest] { fatalError() }
}
