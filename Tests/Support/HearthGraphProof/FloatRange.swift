/// What float32 arithmetic may make of a number, however its steps are ordered: the number in double precision and the
/// interval in which float32 has to stay.
///
/// Each operation widens the interval by four units in the last place of float32: kernels round a few times, and folding
/// constants into each other rounds them once more. What an ill-conditioned step makes of the width is computed by that step
/// on the ends of the interval, so that it is neither a false alarm nor a hole.
///
/// Values between 2^100 and 2^156 may or may not have overflowed, for a scale of up to 2^24 that is multiplied in earlier
/// or later moves that point; beyond it they certainly have.
struct FloatRange {
    var value: Double
    var low: Double
    var high: Double
    /// Whether float32 may have no number here. Where it has none for certain, `value` is none.
    var isOpen = false

    static let unit = 0x1p-22
    /// Around the least normal number digits are lost, and a sum of a few of those.
    static let tiny = 0x1p-120
    private static let overflowMayBegin = 0x1p100
    private static let overflowIsCertain = 0x1p156

    init(_ value: Double) { (self.value, low, high) = (value, value, value) }

    init(_ value: Double, _ low: Double, _ high: Double, isOpen: Bool = false) {
        (self.value, self.low, self.high, self.isOpen) = (value, low, high, isOpen)
        settle()
    }

    static let open = FloatRange(0, -.infinity, .infinity, isOpen: true)
    static let notANumber = FloatRange(.nan)

    /// Not a number, or infinite, on every way to compute it.
    var isCertainlyNone: Bool { !isOpen && !value.isFinite }

    /// The result of a rounding operation, whose exact interval this is. Rounding keeps the sign.
    /// - Parameter magnitude: of what was added up to it, where that is more than the result.
    func rounded(_ magnitude: Double = 0) -> FloatRange {
        guard !isOpen, value.isFinite else { return self }
        var result = self
        result.low -= Self.unit * max(abs(low), magnitude) + Self.tiny
        result.high += Self.unit * max(abs(high), magnitude) + Self.tiny
        if low >= 0, magnitude == 0 { result.low = max(result.low, 0) }
        if high <= 0, magnitude == 0 { result.high = min(result.high, 0) }
        result.settle()
        return result
    }

    private mutating func settle() {
        if isOpen { return }
        guard value.isFinite else {
            // Certain only where both ends say the same.
            if value.isNaN ? !(low.isNaN && high.isNaN) : low != high { self = .open }
            return
        }
        guard low.isFinite, high.isFinite else {
            self = .open
            return
        }
        if low > Self.overflowIsCertain {
            self = FloatRange(.infinity)
        } else if high < -Self.overflowIsCertain {
            self = FloatRange(-.infinity)
        } else if max(abs(low), abs(high)) > Self.overflowMayBegin {
            self = .open
        }
    }

    /// Whether float32 may have computed `found`.
    func allows(_ found: Float) -> Bool {
        if isOpen { return true }
        guard value.isFinite else { return !found.isFinite }
        guard found.isFinite else { return false }
        // Steps that were put together round in another order: the widths of a few of them add up.
        let slack = Self.unit * abs(value) + 0x1p-126
        return Double(found) >= value - 3 * (value - low) - slack && Double(found) <= value + 3 * (high - value) + slack
    }

    /// Whether a check against it means something: known to three digits, or for certain no number.
    var isSharp: Bool {
        if isOpen { return false }
        return !value.isFinite || high - low <= 1e-3 * abs(value) || high - low <= 1e-30
    }

    // MARK: - Arithmetic

    static func + (a: FloatRange, b: FloatRange) -> FloatRange {
        FloatRange(a.value + b.value, a.low + b.low, a.high + b.high, isOpen: a.isOpen || b.isOpen).rounded()
    }

    static prefix func - (a: FloatRange) -> FloatRange {
        FloatRange(-a.value, -a.high, -a.low, isOpen: a.isOpen)
    }

    static func - (a: FloatRange, b: FloatRange) -> FloatRange { a + -b }

    static func * (a: FloatRange, b: FloatRange) -> FloatRange {
        if a.isOpen || b.isOpen { return .open }
        let value = a.value * b.value
        guard value.isFinite else { return a.isExact && b.isExact ? FloatRange(value) : .open }
        let corners = [a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high]
        return FloatRange(value, corners.min() ?? value, corners.max() ?? value).rounded()
    }

    var isExact: Bool { low == high || value.isNaN }

    static func / (a: FloatRange, b: FloatRange) -> FloatRange {
        if a.isOpen || b.isOpen { return .open }
        let value = a.value / b.value
        guard value.isFinite, a.value.isFinite, b.value.isFinite else {
            return (a.isExact || (a.low > 0) == (a.high > 0)) && b.isExact ? FloatRange(value) : .open
        }
        // Through zero, or where the reciprocal may have been rounded to zero or infinity.
        guard b.low > 0 || b.high < 0, min(abs(b.low), abs(b.high)) > 0x1p-120 else { return .open }
        let corners = [a.low / b.low, a.low / b.high, a.high / b.low, a.high / b.high]
        return FloatRange(value, corners.min() ?? value, corners.max() ?? value).rounded()
    }

    /// The greater of two. What is not a number stays so.
    static func greater(_ a: FloatRange, _ b: FloatRange) -> FloatRange {
        if a.isOpen || b.isOpen { return .open }
        if a.value.isNaN || b.value.isNaN { return .notANumber }
        return FloatRange(max(a.value, b.value), max(a.low, b.low), max(a.high, b.high))
    }

    static func lesser(_ a: FloatRange, _ b: FloatRange) -> FloatRange { -greater(-a, -b) }

    static func power(_ a: FloatRange, _ b: FloatRange, _ compute: (Double, Double) -> Double) -> FloatRange {
        if a.isOpen || b.isOpen { return .open }
        let value = compute(a.value, b.value)
        guard value.isFinite else { return a.isExact && b.isExact ? FloatRange(value) : .open }
        let bases = a.isExact ? [a.value] : [a.low, a.high, (a.low + a.value) / 2, (a.high + a.value) / 2]
        var found = bases.flatMap { x in [b.low, b.high].map { compute(x, $0) } } + [value]
        if a.low < 0, a.high > 0 { found += [b.low, b.high].map { compute(0, $0) } }
        guard found.allSatisfy(\.isFinite) else { return .open }
        return FloatRange(value, found.min() ?? value, found.max() ?? value).rounded()
    }

    /// A function of one number.
    /// - Parameter isRounded: whether computing it rounds, as an error of argument and result.
    func mapped(isRounded: Bool, _ compute: (Double) -> Double) -> FloatRange {
        if isOpen { return .open }
        let y = compute(value)
        if value.isInfinite || value.isNaN { return FloatRange(y) }
        let fudge = isRounded ? Self.unit : 0
        var (from, to) = (low - fudge * abs(low), high + fudge * abs(high))
        if low >= 0 { from = max(from, 0) }
        if high <= 0 { to = min(to, 0) }
        var points = [from, to, (from + value) / 2, (to + value) / 2]
        if from < 0, to > 0 { points.append(0) }
        let found = from == to ? [y] : points.map(compute) + [y]
        guard y.isFinite else {
            // Where every argument in reach gives the same, this is certain.
            return found.allSatisfy({ y.isNaN ? $0.isNaN : $0 == y }) ? FloatRange(y) : .open
        }
        guard found.allSatisfy(\.isFinite) else { return .open }
        let result = FloatRange(y, found.min() ?? y, found.max() ?? y)
        return isRounded ? result.rounded() : result
    }
}
