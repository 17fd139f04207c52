/// Updates that are written into a tensor. Indices count from the end where they are negative, and are kept inside.
package struct GraphScatter: Sendable, Equatable, Codable {
    /// Where an update goes.
    enum Target: Sendable, Equatable, Codable {
        /// Slice i of the updates to slice indices[i], along an axis.
        case slices(axis: Int)
        /// Element (i, … j …) of the updates to element (i, … indices[i, … j …] …).
        case elements(axis: Int)
        /// The last axis of the indices holds places in the first axes of the data.
        case places
    }

    /// What becomes of the old value and the update.
    enum Mode: String, Sendable, Codable { case add, sub, mul, div, max, min, update }

    var target: Target
    var mode: Mode

    /// Whether shapes go together.
    func fits(_ data: [Int], indices: [Int], updates: [Int]) -> Bool {
        switch target {
        case .slices(let axis):
            data.indices.contains(axis)
                && updates == Array(data[..<axis]) + indices + Array(data[(axis + 1)...])
        case .elements(let axis):
            data.indices.contains(axis) && updates == indices && updates.count == data.count
                && data.indices.allSatisfy { $0 == axis || data[$0] == updates[$0] }
        case .places:
            indices.last.map { (1...max(data.count, 1)).contains($0) && $0 <= data.count } == true
                && updates == Array(indices.dropLast()) + Array(data[(indices.last ?? 0)...])
        }
    }
}
