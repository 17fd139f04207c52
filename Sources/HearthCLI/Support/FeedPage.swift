import HearthImages
import HearthRuntime
import HearthServer
import HearthVision
import Synchronization

/// The page of `hearth watch --page`: connects the frames of a feed with their results.
final class FeedPage: Sendable {
    private struct State {
        /// Frames whose results are still to come, by number.
        var frames: [Int: (name: String?, picture: OrientedImage)] = [:]
        var submitted = 0
    }
    private let server: FeedServer
    private let monitor: any DeviceMonitor
    private let state = Mutex(State())

    /// The longer side of pictures on the page.
    private static let size = 720

    /// - Throws: `ServerError`.
    init(port: Int, model: String, monitor: any DeviceMonitor) throws {
        (server, self.monitor) = (try FeedServer(port: port, model: model), monitor)
    }

    /// The address of the page.
    var url: String { server.url }

    /// Takes the next frame, before its result.
    func submit(_ frame: Frame) {
        state.withLock { state in
            state.frames[state.submitted] = (frame.name, frame.picture)
            state.submitted += 1
        }
    }

    /// Takes the result of a frame.
    func take(_ record: FrameRecord<Seen>) {
        let frame = state.withLock { $0.frames.removeValue(forKey: record.frame) }
        let conditions = monitor.current()
        let power = conditions.batteryLevel.map { "\(Int(($0 * 100).rounded())) % battery" } ?? "mains"
        let moment = FeedMoment(
            frame: record.frame, decision: record.decision.rawValue, budget: record.budget.rawValue,
            ms: record.milliseconds, results: record.output?.feedResults ?? [], reason: record.reason,
            heat: conditions.thermal?.rawValue, memory: conditions.memoryPressure.rawValue,
            power: conditions.isLowPower ? "\(power), low-power mode" : power)
        let shown = record.decision == .drop ? nil : frame
        guard let picture = shown?.picture else { return server.show(moment, name: nil, picture: nil) }
        server.show(moment, name: shown?.name) { Self.encoded(picture) }
    }

    func stop() async { await server.stop() }

    private static func encoded(_ picture: OrientedImage) -> [UInt8]? {
        let longer = max(picture.width, picture.height)
        let share = min(1, Double(size) / Double(longer))
        let target = ImageTarget(
            ImageSize(
                width: max(1, Int(Double(picture.width) * share)), height: max(1, Int(Double(picture.height) * share))),
            crop: .scaleFill)
        // A small picture is enlarged by the page.
        guard let scaled = try? picture.scaled(to: target) else { return nil }
        return try? ImageEncoder.jpeg(scaled, name: "frame")
    }
}

extension Seen {
    fileprivate var feedResults: [FeedMoment.Result] {
        switch self {
        case .classifications(let results):
            results.map { FeedMoment.Result(label: $0.label, confidence: $0.confidence) }
        case .detections(let results):
            results.map { result in
                let box = result.box
                return FeedMoment.Result(
                    label: result.label, confidence: result.confidence,
                    box: .init(x: box.x, y: box.y, width: box.width, height: box.height))
            }
        }
    }
}
