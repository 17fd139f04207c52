/// A slice with begin, end and step along each axis, resolved to elements as Python does it.
struct PythonSlice {
    /// The first element along each axis, and how many.
    let first: [Int], sizes: [Int]
    let step: [Int]
    /// The sizes without the axes that go.
    let remaining: [Int]

    /// nil where lists are of other lengths than the shape, or a step is 0.
    init?(
        shape: [Int], begin: [Int], end: [Int], step: [Int], isBeginOpen: [Bool], isEndOpen: [Bool], isDropped: [Bool]
    ) {
        let rank = shape.count
        guard begin.count == rank, end.count == rank, step.count == rank, isBeginOpen.count == rank,
            isEndOpen.count == rank, isDropped.count == rank
        else { return nil }
        var (first, sizes) = (begin, shape)
        let step = shape.indices.map { isDropped[$0] ? 1 : step[$0] }
        let range = -GraphLimits.integer...GraphLimits.integer
        for axis in shape.indices {
            let (size, step) = (shape[axis], step[axis])
            guard step != 0, range.contains(step), range.contains(begin[axis]), range.contains(end[axis]) else {
                return nil
            }
            // Places beyond the axis are moved to its ends.
            func clamped(_ index: Int) -> Int {
                let positive = index < 0 ? index + size : index
                return step > 0 ? min(max(positive, 0), size) : min(max(positive, -1), size - 1)
            }
            let start = isBeginOpen[axis] ? (step > 0 ? 0 : size - 1) : clamped(begin[axis])
            let end = isEndOpen[axis] ? (step > 0 ? size : -1) : clamped(end[axis])
            first[axis] = start
            sizes[axis] =
                isDropped[axis] ? 1 : step > 0 ? (end - start + step - 1) / step : (start - end - step - 1) / -step
        }
        self.first = first
        self.sizes = sizes
        self.step = step
        remaining = shape.indices.filter { !isDropped[$0] }.map { sizes[$0] }
    }
}
