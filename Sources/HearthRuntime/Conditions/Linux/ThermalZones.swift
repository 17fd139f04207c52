internal import HearthSystem

/// The thermal zones of the kernel (`/sys/class/thermal/thermal_zone*`), each a sensor with its trip points.
package struct ThermalZones: Sendable {
    struct Zone: Sendable, Equatable {
        /// Such as `acpitz`, `x86_pkg_temp` or `cpu-thermal`.
        var name: String
        /// nil if the sensor cannot be read, or says what no sensor can measure.
        var celsius: Double?
        var trips: [ThermalScale.Trip]
    }

    var zones: [Zone]
    var scale = ThermalScale()

    /// More zones and points than any known device has.
    private static let mostZones = 256
    private static let mostTrips = 32

    init(zones: [Zone]) { self.zones = zones }

    package init(root: String) {
        let folder = root + "/sys/class/thermal"
        let names = SmallFile.names(in: folder).filter { $0.hasPrefix("thermal_zone") }
        zones = names.prefix(Self.mostZones).map { Self.zone("\(folder)/\($0)", name: $0) }
    }

    /// The hottest opinion of all zones. Zones that cannot be read are left out as long as another one can: a radio that is
    /// off has no temperature. Where none can, the heat is unknown; where none says what is hot, nobody measures it.
    package var state: ThermalState? {
        let readable = zones.filter { $0.celsius != nil }
        guard !readable.isEmpty else { return zones.isEmpty ? nil : .unknown }
        return readable.compactMap { state(of: $0) }.max { Self.rank($0) < Self.rank($1) }
            ?? (hasDeafZone ? .unknown : nil)
    }

    /// The zone whose opinion counts, and its temperature.
    var source: String? {
        guard let state else { return nil }
        guard let zone = zones.first(where: { self.state(of: $0) == state }), let celsius = zone.celsius else {
            return "thermal zones, none of which can be read"
        }
        return "thermal zone \(zone.name), \(Int(celsius.rounded())) °C"
    }

    /// Whether a zone that knows what is hot cannot be read.
    private var hasDeafZone: Bool {
        zones.contains { $0.celsius == nil && $0.trips.contains(where: scale.isMeant) }
    }

    private func state(of zone: Zone) -> ThermalState? {
        zone.celsius.flatMap { scale.state(celsius: $0, trips: zone.trips) }
    }

    private static func rank(_ state: ThermalState) -> Int { ThermalState.allCases.firstIndex(of: state) ?? 0 }

    private static func zone(_ folder: String, name: String) -> Zone {
        var trips: [ThermalScale.Trip] = []
        for index in 0..<mostTrips {
            guard let kind = SmallFile.text("\(folder)/trip_point_\(index)_type", limit: 64) else { break }
            guard let kind = ThermalScale.Trip.Kind(rawValue: kind),
                let celsius = celsius("\(folder)/trip_point_\(index)_temp")
            else { continue }
            trips.append(ThermalScale.Trip(kind: kind, celsius: celsius))
        }
        let reading = celsius("\(folder)/temp").flatMap { ThermalScale().plausible.contains($0) ? $0 : nil }
        let type = SmallFile.text("\(folder)/type", limit: 64) ?? ""
        return Zone(name: type.isPlainName ? type : name, celsius: reading, trips: trips)
    }

    /// A file of thousandths of a degree.
    private static func celsius(_ path: String) -> Double? {
        SmallFile.text(path, limit: 64).flatMap { Int($0) }.map { Double($0) / 1000 }
    }
}
