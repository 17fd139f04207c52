import Testing

@testable import HearthRuntime

@Suite("Model tier")
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
        #expect(
            policy.decide(total: 8_200_000_000, limit: nil, available: nil).reason
                == "The large model needs 1.27 GB of 8.2 GB.")
        #expect(
            policy.decide(total: 8_200_000_000, limit: 1_000_000_000, available: 900_000_000).reason
                == "The large model needs 1.27 GB, too much of 1 GB; the small one fits.")
        #expect(
            policy.decide(total: 8_200_000_000, limit: nil, available: 150_000_000).reason
                == "The small model needs 100 MB that cannot be dropped, too much of 150 MB available now; stories come from the library."
        )
    }

    @Test(
        "Bytes for people",
        arguments: [
            (0, "0 B"), (999, "999 B"), (1000, "1 kB"), (1_234, "1.23 kB"), (12_345, "12.3 kB"), (123_456, "123 kB"),
            (999_499, "999 kB"), (999_500, "1 MB"), (1_070_000_000, "1.07 GB"), (Int.max, "9.22 EB"), (-4, "0 B"),
        ])
    func bytes(count: Int, text: String) {
        #expect(ByteText.text(count) == text)
    }
}
