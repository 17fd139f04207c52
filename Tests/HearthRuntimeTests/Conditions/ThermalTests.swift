import HearthRuntime
import HearthTestSupport
import Testing

@Suite("Heat of a Linux device", .timeLimit(.minutes(20)))
struct ThermalTests {
    typealias Trip = ThermalScale.Trip

    /// Trip points of known devices, then temperatures with what they mean.
    static let scales: [(name: String, trips: [Trip], steps: [(Double, ThermalState?)])] = [
        (
            "critical only", [Trip(kind: .critical, celsius: 100)],
            [
                (20, .nominal), (74.9, .nominal), (75, .fair), (84.9, .fair), (85, .serious), (94.9, .serious),
                (95, .critical), (130, .critical), (-20, .nominal),
            ]
        ),
        (
            "passive and critical", [Trip(kind: .passive, celsius: 84), Trip(kind: .critical, celsius: 110)],
            [(73, .nominal), (74, .fair), (83, .fair), (84, .serious), (104, .serious), (105, .critical)]
        ),
        (
            "two passive points of an Arm board",
            [
                Trip(kind: .passive, celsius: 70), Trip(kind: .passive, celsius: 85),
                Trip(kind: .critical, celsius: 115),
            ],
            [(69, .nominal), (70, .fair), (84, .fair), (85, .serious), (110, .critical)]
        ),
        (
            "hot before critical", [Trip(kind: .hot, celsius: 90), Trip(kind: .critical, celsius: 105)],
            [(79, .nominal), (80, .fair), (89, .fair), (90, .critical)]
        ),
        (
            "passive only", [Trip(kind: .passive, celsius: 60)],
            [(49, .nominal), (50, .fair), (60, .serious), (140, .serious)]
        ),
        ("fans only", [Trip(kind: .active, celsius: 50), Trip(kind: .active, celsius: 70)], [(20, nil), (99, nil)]),
        (
            "points that cannot be meant",
            [Trip(kind: .passive, celsius: 0), Trip(kind: .critical, celsius: -274), Trip(kind: .hot, celsius: 3000)],
            [(50, nil), (99, nil)]
        ),
        (
            "one point among those", [Trip(kind: .passive, celsius: 0), Trip(kind: .critical, celsius: 100)],
            [(50, .nominal), (95, .critical)]
        ),
        ("none", [], [(50, nil)]),
    ]

    @Test("Steps by distance to the trip points", arguments: scales.indices)
    func scale(row: Int) {
        let (name, trips, steps) = Self.scales[row]
        for (celsius, expected) in steps {
            #expect(ThermalScale().state(celsius: celsius, trips: trips) == expected, "\(name) at \(celsius)")
        }
    }

    @Test("Warmer is never cooler, whatever the points")
    func monotonic() {
        var random = SeededNumbers(seed: 3)
        let kinds: [Trip.Kind] = [.active, .passive, .hot, .critical]
        for _ in 0..<300 {
            let trips = (0..<Int(random.next() % 5)).map { _ in
                Trip(kind: kinds[Int(random.next() % 4)], celsius: Double(Int(random.next() % 200)) - 30)
            }
            let states = stride(from: -40.0, through: 150, by: 1).map { celsius in
                ThermalScale().state(celsius: celsius, trips: trips).map {
                    ThermalState.allCases.firstIndex(of: $0) ?? -1
                }
            }
            let known = states.compactMap(\.self)
            #expect(known == known.sorted())
            #expect(known.isEmpty || known.count == states.count)
        }
    }

    /// Zones as files: temperature and the critical point; nil for a file that is not there.
    static let zones: [(name: String, zones: [(temp: String?, critical: String?)], state: ThermalState?)] = [
        ("no zones", [], nil),
        ("one", [("50000", "100000")], .nominal),
        ("the hottest counts", [("50000", "100000"), ("96000", "100000"), ("80000", "100000")], .critical),
        ("garbage", [("hot", "100000")], .unknown),
        ("garbage that knows nothing either", [("hot", nil)], .unknown),
        ("empty", [("", "100000")], .unknown),
        ("unreadable", [(nil, "100000")], .unknown),
        ("a number no sensor can mean", [("-274000", "100000")], .unknown),
        ("more than a number holds", [("99999999999999999999", "100000")], .unknown),
        ("another one can be read", [("hot", "100000"), ("76000", "100000")], .fair),
        ("the only one that knows what is hot cannot be read", [("hot", "100000"), ("76000", nil)], .unknown),
        ("nobody knows what is hot", [("50000", nil), ("76000", "0")], nil),
        ("nobody knows, and a radio is off", [("50000", nil), (nil, "-32768000")], nil),
        ("a point of garbage", [("50000", "very")], nil),
    ]

    @Test("Several sensors", arguments: zones.indices)
    func files(row: Int) throws {
        let (name, zones, expected) = Self.zones[row]
        let tree = try DeviceTree()
        defer { tree.remove() }
        for (index, zone) in zones.enumerated() {
            let folder = "/sys/class/thermal/thermal_zone\(index)"
            try tree.write(folder + "/type", "acpitz\n")
            if let temp = zone.temp { try tree.write(folder + "/temp", temp + "\n") }
            if let critical = zone.critical {
                try tree.write(folder + "/trip_point_0_type", "critical\n")
                try tree.write(folder + "/trip_point_0_temp", critical + "\n")
            }
        }
        #expect(ThermalZones(root: tree.root).state == expected, "\(name)")
    }
}
