import HearthDelivery
import Testing

/// What the library decides, as tables.
@Suite("Library: decisions", .timeLimit(.minutes(20)))
struct LibraryDecisionTests {
    @Test(
        "Names from addresses",
        arguments: [
            (
                "https://huggingface.co/ggml-org/gemma-3-270m-it-GGUF/resolve/main/gemma-3-270m-it-Q8_0.gguf",
                "gemma-3-270m-it-Q8_0"
            ),
            (
                "https://huggingface.co/ggml-org/gemma-3-270m-it-GGUF/blob/main/gemma-3-270m-it-Q8_0.gguf?download=true",
                "gemma-3-270m-it-Q8_0"
            ),
            ("https://huggingface.co/me/tiny-teller-GGUF/resolve/main/model.gguf", "tiny-teller"),
            ("https://huggingface.co/me/tiny/resolve/v2/q8/ggml-model-q4_0.gguf", "tiny"),
            ("http://127.0.0.1:8080/hearth%20nano.gguf", "hearth-nano"),
            ("https://example.org/.gguf", "gguf"), ("https://example.org/", nil), ("https://example.org", nil),
            ("https://example.org/..%2F..%2Fetc%2Fpasswd", "etc-passwd"),
        ] as [(String, String?)])
    func names(url: String, name: String?) {
        #expect(ModelName.suggested(forPath: PullRequest.path(of: PullRequest.fileAddress(url))) == name)
    }

    @Test("A hub's page becomes the file; other addresses stay")
    func addresses() {
        #expect(
            PullRequest.fileAddress("https://huggingface.co/o/r/blob/main/f.gguf?x=1")
                == "https://huggingface.co/o/r/resolve/main/f.gguf?x=1")
        #expect(
            PullRequest.fileAddress("https://hf.co/o/r/resolve/main/d/f.gguf")
                == "https://huggingface.co/o/r/resolve/main/d/f.gguf")
        #expect(PullRequest.fileAddress("https://x.org/o/r/blob/main/f") == "https://x.org/o/r/blob/main/f")
    }

    @Test("Which version is current")
    func current() {
        func candidate(_ version: String, _ sequence: Int, _ isWhole: Bool = true) -> VersionSelection.Candidate {
            .init(version: version, sequence: sequence, isWhole: isWhole)
        }
        func selection(_ activated: [String], pinned: String? = nil) -> VersionSelection.Stored {
            var value = VersionSelection()
            value.activated = activated
            value.pinned = pinned
            return .value(value)
        }
        let all = [candidate("1", 1), candidate("2", 2), candidate("3", 3)]
        let rows: [(VersionSelection.Stored, [VersionSelection.Candidate], String?)] = [
            (.missing, all, nil),  // installed, never compiled
            (.unreadable, all, "3"),
            (.unreadable, [candidate("1", 1), candidate("2", 2, false)], "1"),
            (selection(["1", "2"]), all, "2"),
            (selection(["2", "1"]), all, "1"),  // rolled back
            (selection(["1", "3"], pinned: "2"), all, "2"),
            (selection(["1", "2"], pinned: "9"), all, "2"),
            (selection(["1", "2"]), [candidate("1", 1), candidate("2", 2, false)], "1"),
            (selection(["1", "2"]), [candidate("3", 3)], nil),
            (selection([]), all, nil),
        ]
        for (stored, candidates, expected) in rows {
            #expect(VersionSelection.current(of: stored, among: candidates) == expected, "\(stored)")
        }
    }

    @Test("What is evicted, in which order")
    func eviction() {
        func candidate(
            _ name: String, _ sequence: Int, _ storage: StorageClass = .kept, blobs: [String: Int]? = nil,
            artifact: Int = 0, current: Bool = true, pinned: Bool = false, leased: Bool = false
        ) -> EvictionPlan.Candidate {
            .init(
                name: name, version: "1", storage: storage, blobs: blobs ?? [name: 100], artifactBytes: artifact,
                sequence: sequence, isCurrent: current, isPinned: pinned, isLeased: leased)
        }
        func plan(_ candidates: [EvictionPlan.Candidate], _ budget: Int) -> ([String], Int) {
            let plan = EvictionPlan(candidates, budget: budget)
            return (plan.evicted.map { candidates[$0].name }, plan.remaining)
        }
        let three = [candidate("a", 3), candidate("b", 1), candidate("c", 2)]
        #expect(plan(three, 300) == ([], 300))
        #expect(plan(three, 299) == (["b"], 200))
        #expect(plan(three, 0) == (["b", "c", "a"], 0))
        #expect(
            plan([candidate("k", 1), candidate("p", 9, .purgeable), candidate("old", 99, current: false)], 100)
                == (["old", "p"], 100))
        #expect(
            plan([candidate("a", 1, leased: true), candidate("b", 2, pinned: true), candidate("c", 3)], 0) == (
                ["c"], 200
            ))
        // Shared bytes go with the last that needs them.
        #expect(
            plan([candidate("a", 1, blobs: ["x": 100]), candidate("b", 2, blobs: ["x": 100, "y": 10])], 105) == (
                ["a", "b"], 0
            ))
        #expect(plan([candidate("a", 1, artifact: 50), candidate("b", 2)], 200) == (["a"], 100))
    }

    @Test("The order of uses survives any clock")
    func clock() {
        #expect(UsageClock.next(after: [], now: 5) == 5000)
        #expect(UsageClock.next(after: [5000, 7], now: 5) == 5001)
        #expect(UsageClock.next(after: [9000], now: -3) == 9001)
        #expect(UsageClock.next(after: [.max, -4], now: 1) == 1000)
        #expect(UsageClock.next(after: [], now: .nan) == 1)
        #expect(UsageClock.next(after: [], now: .infinity) == 1)
        let use = LastUse(sequence: 1_700_000_000_123, time: 1_700_000_000)
        #expect(LastUse(text: use.text) == use)
        #expect(LastUse(sequence: 1, time: 0).text.count == use.text.count)
        for text in ["", "\0\0\0", "1", "a b", "1 2 3", "-1 5", "99999999999999999999 1"] {
            #expect(LastUse(text: text) == nil, "\(text)")
        }
    }
}
