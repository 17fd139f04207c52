// swift-format-ignore-file
// MetricKit: the manager, its subscriber, payloads by their JSON. Declarations only: nothing runs.
// Apple's documentation: "MetricKit", "MXMetricManager", "MXMetricManagerSubscriber", "MXMetricPayload", "MXDiagnosticPayload"
import Foundation
import os
open class MXMetricPayload: NSObject { open func jsonRepresentation() -> Data { fatalError() }; open var timeStampBegin: Date { fatalError() }; open var timeStampEnd: Date { fatalError() }
    open var applicationExitMetrics: MXAppExitMetric? { fatalError() }; open var memoryMetrics: MXMemoryMetric? { fatalError() } }
open class MXAppExitMetric: NSObject {
    open var foregroundExitData: MXForegroundExitData { fatalError() }
    open var backgroundExitData: MXBackgroundExitData { fatalError() }
}
open class MXForegroundExitData: NSObject { open var cumulativeMemoryResourceLimitExitCount: Int { fatalError() }; open var cumulativeAbnormalExitCount: Int { fatalError() } }
open class MXBackgroundExitData: NSObject { open var cumulativeMemoryResourceLimitExitCount: Int { fatalError() }; open var cumulativeMemoryPressureExitCount: Int { fatalError() } }
open class MXMemoryMetric: NSObject { open var peakMemoryUsage: Measurement<UnitInformationStorage> { fatalError() } }
open class MXDiagnosticPayload: NSObject { open func jsonRepresentation() -> Data { fatalError() } }
public protocol MXMetricManagerSubscriber: NSObjectProtocol {
    func didReceive(_ payloads: [MXMetricPayload])
    func didReceive(_ payloads: [MXDiagnosticPayload])
}
extension MXMetricManagerSubscriber { public func didReceive(_ payloads: [MXMetricPayload]) {}; public func didReceive(_ payloads: [MXDiagnosticPayload]) {} }
open class MXMetricManager: NSObject {
    public class var shared: MXMetricManager { fatalError() }
    open var pastPayloads: [MXMetricPayload] { fatalError() }
    open func add(_ subscriber: any MXMetricManagerSubscriber) {}
    open func remove(_ subscriber: any MXMetricManagerSubscriber) {}
    open class func makeLogHandle(category: String) -> OSLog { fatalError() }
}
