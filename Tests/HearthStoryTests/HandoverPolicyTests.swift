import HearthCompute
import HearthRuntime
import HearthStory
import Testing

@Suite("Hand-over policy", .timeLimit(.minutes(20)))
struct HandoverPolicyTests {
    typealias Row = (
        reason: HandoverReason, told: Int, hasWaited: Bool, isChosen: Bool, decision: HandoverPolicy.Decision
    )

    /// The table of the policy's documentation, each row once at each of its borders.
    static let rows: [Row] = [
        (.heat, 0, false, false, .handOver), (.heat, 0, true, true, .handOver), (.heat, 1, false, false, .wait),
        (.heat, 1, true, false, .handOver), (.heat, 40, true, true, .handOver),
        (.memory, 0, false, false, .handOver), (.memory, 1, false, false, .wait), (.memory, 1, true, true, .handOver),
        (.background, 0, false, false, .handOver), (.background, 9, false, true, .wait),
        (.background, 9, true, false, .handOver),
        (.unavailable, 0, false, true, .handOver), (.unavailable, 2, false, false, .wait),
        (.unavailable, 2, true, false, .handOver),
        (.size, 0, false, true, .handOver), (.size, 3, false, false, .handOver), (.theme, 0, false, true, .handOver),
        (.stopped, 0, true, true, .handOver), (.stopped, 11, true, false, .handOver), (.stopped, 12, true, true, .end),
        (.missing, 0, false, false, .handOver), (.missing, 0, false, true, .refuse),
        (.language, 0, false, false, .handOver), (.language, 0, false, true, .refuse),
        (.failed, 0, false, false, .handOver), (.failed, 0, false, true, .refuse), (.failed, 1, false, true, .handOver),
        (.failed, 1, true, false, .handOver),
    ]

    @Test("What becomes of a story", arguments: rows.indices)
    func decisions(index: Int) {
        let row = Self.rows[index]
        let situation = HandoverPolicy.Situation(
            row.reason, told: row.told, hasWaited: row.hasWaited, isChosen: row.isChosen)
        #expect(HandoverPolicy().decide(situation) == row.decision, "\(row)")
    }

    @Test("What was begun is waited for, told or not")
    func begun() {
        let policy = HandoverPolicy()
        #expect(policy.decide(.init(.heat, told: 0, hasBegun: true)) == .wait)
        #expect(policy.decide(.init(.heat, told: 0, hasBegun: true, hasWaited: true)) == .handOver)
        #expect(policy.decide(.init(.failed, told: 0, hasBegun: true, isChosen: true)) == .refuse)
        #expect(policy.decide(.init(.size, told: 0, hasBegun: true)) == .handOver)
    }

    @Test("Every reason is in the table")
    func complete() { #expect(Set(Self.rows.map(\.reason)) == Set(HandoverReason.allCases)) }

    @Test("A child never meets an error that it cannot mend, and waiting has an end")
    func invariants() {
        for reason in HandoverReason.allCases {
            for told in [0, 1, 5, 12, 100] {
                for hasWaited in [false, true] {
                    let decision = HandoverPolicy().decide(.init(reason, told: told, hasWaited: hasWaited))
                    #expect(decision != .refuse)
                    if hasWaited || told == 0 { #expect(decision != .wait) }
                    if told == 0 { #expect(decision == .handOver) }
                }
            }
        }
    }

    @Test("What keeps a model from beginning")
    func obstacles() {
        func obstacle(_ conditions: DeviceConditions, loaded: Bool = false) -> HandoverReason? {
            HandoverPolicy().obstacle(conditions, needs: nil, isLoaded: loaded)
        }
        #expect(obstacle(.calm) == nil)
        #expect(obstacle(DeviceConditions(thermal: .fair)) == nil)
        #expect(obstacle(DeviceConditions(thermal: .unknown)) == nil)
        #expect(obstacle(DeviceConditions(isLowPower: true)) == nil)
        #expect(obstacle(DeviceConditions(thermal: .serious)) == .heat)
        #expect(obstacle(DeviceConditions(thermal: .serious), loaded: true) == nil)
        #expect(obstacle(DeviceConditions(thermal: .critical), loaded: true) == .heat)
        #expect(obstacle(DeviceConditions(memoryPressure: .warning)) == .memory)
        #expect(obstacle(DeviceConditions(thermal: .critical, memoryPressure: .critical)) == .memory)
        #expect(obstacle(DeviceConditions(phase: .background)) == .background)
    }

    @Test("A model that the device cannot carry is not begun with, and what nobody measures rules nothing out")
    func sizes() {
        let needs = ModelNeeds(mapped: 1_500_000_000, dirty: 200_000_000)
        let small = DeviceConditions(memoryAvailable: 1_500_000_000, memoryTotal: 2_000_000_000)
        #expect(HandoverPolicy().obstacle(small, needs: needs) == .size)
        let large = DeviceConditions(memoryAvailable: 6_000_000_000, memoryTotal: 8_000_000_000)
        #expect(HandoverPolicy().obstacle(large, needs: needs) == nil)
        #expect(HandoverPolicy().obstacle(.calm, needs: needs) == nil)
    }

    @Test("Errors mean what they say, wherever they were wrapped")
    func reasons() {
        struct Other: Error {}
        let failed = { RunnerError.failed(message: "", cause: $0) }
        let foreign = StoryError.languageNotSpoken(.spanish, modelLanguages: ["en"])
        #expect(HandoverReason(failed(foreign), .calm) == .language)
        #expect(HandoverReason(foreign, .calm) == .language)
        #expect(HandoverReason(failed(ComputeError.outOfMemory(bytes: 1)), .calm) == .memory)
        #expect(HandoverReason(Other(), DeviceConditions(thermal: .critical)) == .failed)
        let gone = RunnerError.unavailable(reason: "")
        #expect(HandoverReason(gone, DeviceConditions(thermal: .critical)) == .heat)
        #expect(HandoverReason(gone, .calm) == .unavailable)
    }
}
