// swift-format-ignore-file
// UIKit: UIApplication and its notifications, background tasks, UIDevice with its battery, UIImage, UIColor, delegates. Declarations only: nothing runs.
// Apple's documentation: "UIKit", "UIApplication", "UIDevice". Classes are isolated to the main actor there as here.
@_exported import CoreGraphics
@_exported import Foundation

public struct UIBackgroundTaskIdentifier: RawRepresentable, Hashable, Sendable { public let rawValue: Int; public init(rawValue: Int) { self.rawValue = rawValue }; public static let invalid = UIBackgroundTaskIdentifier(rawValue: 0) }
public protocol UIApplicationDelegate: NSObjectProtocol {}
@MainActor open class UIResponder: NSObject {}
@MainActor open class UIApplication: UIResponder {
    public enum State: Int, Sendable { case active, inactive, background }
    public struct LaunchOptionsKey: RawRepresentable, Hashable, Sendable { public let rawValue: String; public init(rawValue: String) { self.rawValue = rawValue } }
    public class var shared: UIApplication { fatalError() }
    open var applicationState: State { fatalError() }
    open var isIdleTimerDisabled: Bool { get { fatalError() } set {} }
    open var isProtectedDataAvailable: Bool { fatalError() }
    open var backgroundTimeRemaining: TimeInterval { fatalError() }
    open func beginBackgroundTask(expirationHandler handler: (@MainActor @Sendable () -> Void)? = nil) -> UIBackgroundTaskIdentifier { fatalError() }
    open func beginBackgroundTask(withName taskName: String?, expirationHandler handler: (@MainActor @Sendable () -> Void)? = nil) -> UIBackgroundTaskIdentifier { fatalError() }
    open func endBackgroundTask(_ identifier: UIBackgroundTaskIdentifier) {}
    nonisolated public class var didReceiveMemoryWarningNotification: NSNotification.Name { fatalError() }
    nonisolated public class var didEnterBackgroundNotification: NSNotification.Name { fatalError() }
    nonisolated public class var willEnterForegroundNotification: NSNotification.Name { fatalError() }
    nonisolated public class var didBecomeActiveNotification: NSNotification.Name { fatalError() }
    nonisolated public class var willResignActiveNotification: NSNotification.Name { fatalError() }
    nonisolated public class var willTerminateNotification: NSNotification.Name { fatalError() }
    nonisolated public class var protectedDataWillBecomeUnavailableNotification: NSNotification.Name { fatalError() }
    nonisolated public class var protectedDataDidBecomeAvailableNotification: NSNotification.Name { fatalError() }
}
@MainActor open class UIDevice: NSObject {
    public enum BatteryState: Int, Sendable { case unknown, unplugged, charging, full }
    public class var current: UIDevice { fatalError() }
    open var name: String { fatalError() }
    open var model: String { fatalError() }
    open var systemName: String { fatalError() }
    open var systemVersion: String { fatalError() }
    open var isBatteryMonitoringEnabled: Bool { get { fatalError() } set {} }
    open var batteryState: BatteryState { fatalError() }
    open var batteryLevel: Float { fatalError() }
    nonisolated public class var batteryLevelDidChangeNotification: NSNotification.Name { fatalError() }
    nonisolated public class var batteryStateDidChangeNotification: NSNotification.Name { fatalError() }
}
open class UIImage: NSObject, @unchecked Sendable {
    public convenience init?(named name: String) { fatalError() }
    public convenience init?(data: Data) { fatalError() }
    public convenience init?(contentsOfFile path: String) { fatalError() }
    public convenience init(cgImage: CGImage) { fatalError() }
    open var cgImage: CGImage? { fatalError() }
    open var size: CGSize { fatalError() }
    open var scale: CGFloat { fatalError() }
    open func jpegData(compressionQuality: CGFloat) -> Data? { fatalError() }
    open func pngData() -> Data? { fatalError() }
}
open class UIColor: NSObject, @unchecked Sendable {}
