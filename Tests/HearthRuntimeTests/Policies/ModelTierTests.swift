import HearthRuntime
import Testing

@Suite("Model tier", .timeLimit(.minutes(20)))
struct ModelTierTests {
    static let mega = 1_000_000

    /// Memory in megabytes, for a large model of 1000 mapped + 200 and a small one of 200 mapped + 100.
    static let table: [(total: Int?, limit: Int?, available: Int?, tier: ModelTier)] = [
        (8000, nil, 6000, .large),
        (2000, nil, 1500, .large),  // 1200 of 2000 is exactly the working share
        (1999, nil, 1500, .small),
        (500, nil, 400, .small),  // 300 of 500
        (499, nil, 400, .libraryOnly),
        (8000, nil, 400, .large),  // 200 of 400 available
        (8000, nil, 399, .small),
        (8000, nil, 200, .small),
        (8000, nil, 199, .libraryOnly),
        (8000, 1000, 900, .small),  // the limit is less than the device
        (8000, 100, 90, .libraryOnly),
        (1000, 8000, 900, .small),  // a limit beyond what there is
        (nil, 4000, nil, .large),
        (4000, nil, nil, .large),
        (nil, nil, nil, .small),
        (nil, nil, 90000, .small),
        (0, nil, 0, .libraryOnly),
        (-5, nil, -1, .libraryOnly),
    ]

    @Test("Which model fits", arguments: table.indices)
    func rows(row: Int) {
        let (total, limit, available, tier) = Self.table[row]
        var policy = ModelTierPolicy()
        policy.large = ModelNeeds(mapped: 1000 * Self.mega, dirty: 200 * Self.mega)
        policy.small = ModelNeeds(mapped: 200 * Self.mega, dirty: 100 * Self.mega)
        let decision = policy.decide(
            total: total.map { $0 * Self.mega }, limit: limit.map { $0 * Self.mega },
            available: available.map { $0 * Self.mega })
        #expect(decision.tier == tier)
        #expect(isOneSentence(decision.reason), "\(decision.reason)")
    }

    @Test("Absurd needs do not overflow")
    func absurd() {
        var policy = ModelTierPolicy()
        policy.large = ModelNeeds(mapped: .max, dirty: .max)
        policy.small = ModelNeeds(mapped: -7, dirty: .min)
        #expect(policy.decide(total: .max, limit: nil, available: nil).tier == .small)
        #expect(policy.small.total == 0)
    }

    @Test("Reasons")
    func reasons() {
        let policy = ModelTierPolicy()
        let gibi = 1 << 30
        #expect(
            policy.decide(total: 8 * gibi, limit: nil, available: nil).reason
                == "The large model needs 1.18 GiB of 8 GiB.")
        #expect(
            policy.decide(total: 8 * gibi, limit: gibi, available: gibi).reason
                == "The large model needs 1.18 GiB, too much of 1 GiB; the small one fits.")
        #expect(
            policy.decide(total: 8 * gibi, limit: nil, available: 150 << 20).reason
                == "The small model needs 95.4 MiB that cannot be dropped, too much of 150 MiB available now; "
                + "stories come from the library.")
    }

    @Test("The system's own model stands between the large model and the small one, where it answers")
    func system() {
        let policy = ModelTierPolicy()
        let roomy = DeviceConditions(memoryAvailable: 6 << 30, memoryTotal: 8 << 30)
        let tight = DeviceConditions(memoryAvailable: 1 << 30, memoryTotal: 1 << 30)
        let tiny = DeviceConditions(memoryAvailable: 100 << 20, memoryTotal: 256 << 20)
        #expect(policy.decide(roomy, system: .available).tier == .large)
        #expect(policy.decide(tight).tier == .small)
        #expect(policy.decide(tight, system: .available).tier == .system)
        #expect(policy.decide(tiny).tier == .libraryOnly)
        #expect(policy.decide(tiny, system: .available).tier == .system)
        #expect(isOneSentence(policy.decide(tiny, system: .available).reason))
        for missing in SystemModelAvailability.allCases where missing != .available {
            for conditions in [roomy, tight, tiny] {
                #expect(policy.decide(conditions, system: missing) == policy.decide(conditions))
            }
            #expect(isOneSentence(missing.reason))
        }
    }

    @Test(
        "Bytes for people",
        arguments: [
            (0, "0 B"), (999, "999 B"), (1023, "1023 B"), (1024, "1 KiB"), (1260, "1.23 KiB"), (12_595, "12.3 KiB"),
            (126_000, "123 KiB"), (1_048_063, "1023 KiB"), (1_048_064, "1 MiB"), (1_070_000_000, "1020 MiB"),
            (Int.max, "8 EiB"), (-4, "0 B"),
        ])
    func bytes(count: Int, text: String) {
        #expect(ByteText.text(count) == text)
    }
}
