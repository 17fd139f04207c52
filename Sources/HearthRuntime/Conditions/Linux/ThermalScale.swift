/// Turns a temperature and a zone's trip points into a step of heat.
///
/// Trip points are where the kernel acts: at `passive` it slows processors down, at `hot` it warns, at `critical` it
/// switches the device off. So a zone is
///
/// - critical at the lowest hot point, and `criticalMargin` below the lowest critical one;
/// - serious at the highest passive point, and `seriousMargin` below the lowest critical one. Governors of Arm boards have two
///   passive points, the first where they begin to watch and the second which they hold;
/// - fair at the lowest passive point, `fairMargin` below the highest, and `fairFromCritical` below the lowest
///   critical one.
///
/// `active` points switch fans, which is no trouble. Points that cannot be meant (0, negative, above `plausible`) are
/// what firmware leaves in places that it does not use.
package struct ThermalScale: Sendable, Equatable {
    /// Degrees below the critical point from which work has to stop; a busy processor gains five within seconds.
    var criticalMargin = 5.0
    /// Degrees below the critical point from which less work has to be done.
    var seriousMargin = 15.0
    /// Degrees below the passive point from which it is warm.
    var fairMargin = 10.0
    /// Degrees below the critical point from which it is warm.
    var fairFromCritical = 25.0
    /// Degrees that a working sensor of a working device can show.
    var plausible = -40.0...150.0

    package init() {}

    package struct Trip: Sendable, Equatable {
        package enum Kind: String, Sendable { case active, passive, hot, critical }
        var kind: Kind
        var celsius: Double

        package init(kind: Kind, celsius: Double) {
            self.kind = kind
            self.celsius = celsius
        }
    }

    /// What firmware means and does not merely leave in its place.
    func isMeant(_ trip: Trip) -> Bool { trip.celsius > 0 && plausible.contains(trip.celsius) && trip.kind != .active }

    /// nil if there is no trip point for hot.
    package func state(celsius: Double, trips: [Trip]) -> ThermalState? {
        let meant = trips.filter(isMeant)
        guard !meant.isEmpty else { return nil }
        let passive = meant.filter { $0.kind == .passive }.map(\.celsius)
        let hot = meant.filter { $0.kind == .hot }.map(\.celsius).min() ?? .infinity
        let critical = meant.filter { $0.kind == .critical }.map(\.celsius).min() ?? .infinity
        let lowest = passive.min() ?? .infinity
        let highest = passive.max() ?? .infinity
        if celsius >= min(hot, critical - criticalMargin) { return .critical }
        if celsius >= min(highest, critical - seriousMargin) { return .serious }
        if celsius >= min(lowest, highest - fairMargin, critical - fairFromCritical) { return .fair }
        return .nominal
    }
}
