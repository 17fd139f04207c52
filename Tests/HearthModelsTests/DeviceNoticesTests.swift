import HearthModels
import HearthRuntime
import Synchronization
import Testing

@Suite("Why a model does less", .timeLimit(.minutes(20)))
struct DeviceNoticesTests {
    @Test("A reason is shown when it is new, and again after it has passed")
    func news() {
        let shown = Mutex<[String]>([])
        let notices = DeviceNotices { line in shown.withLock { $0.append(line) } }
        for reason in ["warm", "warm", nil, nil, "warm", "low battery", nil] { notices.tell(reason, .reduced) }
        #expect(shown.withLock { $0 } == ["warm", "warm", "low battery"])
    }

    @Test("A reason that has no words is not shown, and is forgotten")
    func wording() {
        let shown = Mutex<[String]>([])
        let notices = DeviceNotices(
            wording: { reason, level in level == .suspended ? nil : "\(reason)!" },
            show: { line in shown.withLock { $0.append(line) } })
        notices.tell("warm", .reduced)
        notices.tell("hot", .suspended)
        notices.tell("warm", .reduced)
        #expect(shown.withLock { $0 } == ["warm!", "warm!"])
    }
}
