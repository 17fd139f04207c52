import HearthRuntime
import HearthStory
import HearthTestSupport
import HearthUI
import Testing

@Suite("Cards and the debug panel", .timeLimit(.minutes(20)))
struct PanelTests {
    @Test("each wish has a card with a sign of its own, and a title in each language")
    func cards() {
        for language in StoryLanguage.allCases {
            let cards = Wishes.all.map { WishCard($0, in: language) }
            #expect(cards.count > 40)
            #expect(Set(cards.map(\.emoji)).count == cards.count)
            #expect(Set(cards.map(\.title)).count == cards.count)
            #expect(cards.allSatisfy { $0.emoji.count == 1 && !$0.hint.isEmpty })
        }
        #expect(Wishes.wish("friendly-dragon").map { WishCard($0, in: .english).title } == "A friendly dragon")
        #expect(Wishes.wish("friendly-dragon").map { WishCard($0, in: .spanish).title } == "Un dragón amistoso")
    }

    private func report(
        _ state: ModelState, _ conditions: DeviceConditions = .calm, samples: [StartupSample] = [],
        system: SystemModelAvailability = .noFramework
    ) -> DebugReport {
        var budget = InferenceBudget()
        budget.update(conditions, at: .zero)
        return DebugReport(
            state: state, activity: .browsing, budget: budget, notice: nil, conditions: conditions, samples: samples,
            system: system)
    }

    private func value(_ rows: [DebugReport.Row], _ name: String) -> String? { rows.first { $0.name == name }?.value }

    @Test("a row for each condition: what was not measured says so, and is no zero")
    func conditions() {
        let bare = report(.cold, DeviceConditions())
        #expect(value(bare.device, "battery") == "mains")
        #expect(value(bare.device, "heat") == "not measured")
        #expect(value(bare.device, "memory") == "not measured")
        #expect(value(bare.device, "memory limit") == "none")
        let warm = report(
            .ready,
            DeviceConditions(
                batteryLevel: 0.574, isCharging: false, isLowPower: true, thermal: .serious, memoryPressure: .warning,
                memoryLimit: 3 << 30, memoryAvailable: 1 << 30, phase: .inactive, memoryTotal: 8 << 30,
                recentSessions: 4))
        #expect(value(warm.device, "battery") == "57 %, discharging")
        #expect(value(warm.device, "low power") == "on")
        #expect(value(warm.device, "heat") == "serious")
        #expect(value(warm.device, "memory") == "8 GiB")
        #expect(value(warm.device, "memory limit") == "3 GiB")
        #expect(value(warm.device, "phase") == "inactive")
        #expect(value(warm.model, "budget") == "reduced")
        #expect(Set(warm.device.map(\.id)).count == warm.device.count)
    }

    @Test("the tier is the one that the conditions and the system's own model allow, with the reason")
    func tier() throws {
        let tight = DeviceConditions(memoryAvailable: 1 << 30, memoryTotal: 1 << 30)
        #expect(value(report(.cold, tight).model, "tier") == "small")
        let system = report(.cold, tight, system: .available).model
        #expect(value(system, "tier") == "system" && value(system, "system model") == "available")
        let off = report(.cold, tight, system: .notEnabled).model
        #expect(value(off, "tier") == "small")
        #expect(off.first { $0.name == "system model" }?.note == "Apple Intelligence is not switched on.")
    }

    @Test("the state comes with its progress or its reason, and VoiceOver reads both")
    func state() {
        #expect(report(.warming(progress: 0.456)).model.first?.spoken == "warming, 45 %")
        #expect(report(.failed(message: "no such file")).model.first?.spoken == "failed, no such file")
        #expect(report(.ready).model.first?.spoken == "ready")
    }

    @Test("the latest starts come first, at most twenty, each with its steps")
    func starts() throws {
        let samples = (0..<30).map { StartupSamples.sample($0 == 29 ? .coldCompile : .warm, number: $0) }
        let rows = report(.ready, samples: samples).starts
        #expect(rows.count == 20)
        #expect(Set(rows.map(\.id)).count == 20)
        let first = try #require(rows.first)
        // 80.25 + 3 + 12.5
        #expect(first.name == "cold-compile" && first.value == "96 ms")
        #expect(first.note == "compile 80 ms, load 3.0 ms, first inference 13 ms, 29 B dirty")
        #expect(rows.last?.name == "warm")
    }

    @Test("long starts are in seconds")
    func seconds() {
        let rows = report(.ready, samples: [StartupSamples.sample(firstMS: 12_345)]).starts
        #expect(rows.first?.value == "12.3 s")
    }
}
