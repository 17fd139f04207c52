/// A value whose size is the number of places where a mask holds, which is known only when the model runs.
enum MaskedValue {
    typealias TensorID = GraphBuilder.TensorID

    /// The places, as `non_zero` lists them.
    case places(mask: TensorID)
    /// Sizes that are computed from such a value.
    case sizes(MaskedSizes)
    /// A row for each place, computed for all places of the mask: its first axes are those of the mask, or 1.
    case rows(mask: TensorID, all: TensorID)
    /// What the converter adds against negative places: places are never negative, so the other side is never taken.
    case isNotNegative, fromTheEnd

    var isPlaces: Bool { if case .places = self { true } else { false } }
}

/// Numbers of which some are the number of places of a mask.
struct MaskedSizes {
    var mask: GraphBuilder.TensorID
    /// nil for the number of places.
    var list: [Int?]
    /// Whether it is a number, and not a list of one.
    var isScalar = false

    /// Element by element, as far as the result does not depend on the number of places in another way.
    static func pair(_ operation: String, _ a: Int?, _ b: Int?) -> Int?? {
        switch (operation, a, b) {
        case ("mul", let size, 1?), ("mul", 1?, let size), ("real_div", let size, 1?), ("floor_div", let size, 1?):
            return .some(size)
        case ("real_div", nil, nil), ("floor_div", nil, nil): return 1
        case ("mul", let a?, let b?):
            let (product, overflow) = a.multipliedReportingOverflow(by: b)
            return overflow ? nil : .some(product)
        case ("real_div", let a?, let b?), ("floor_div", let a?, let b?):
            return b > 0 && a >= 0 && a % b == 0 ? .some(a / b) : nil
        // A size is never negative.
        case ("equal", nil, let b?) where b < 0: return 0
        case ("equal", let a?, let b?): return a == b ? 1 : 0
        default: return nil
        }
    }
}
