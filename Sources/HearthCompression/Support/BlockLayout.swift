/// A tensor cut into blocks of one size along each axis, and where the elements of each lie.
struct BlockLayout: Sendable {
    let shape: [Int]
    /// Blocks along each axis.
    let blocks: [Int]
    /// Blocks altogether.
    let count: Int
    /// Elements of a block.
    let blockSize: Int
    private let strides: [Int]
    /// The last axis that is cut; everything behind it lies together.
    private let lastCut: Int
    private let runLength: Int

    /// - Precondition: every size is a multiple of the number of blocks along its axis.
    init(_ shape: [Int], blocks: [Int]) {
        precondition(shape.count == blocks.count && zip(shape, blocks).allSatisfy { $1 > 0 && $0 % $1 == 0 })
        self.shape = shape
        self.blocks = blocks
        count = blocks.reduce(1, *)
        blockSize = zip(shape, blocks).reduce(1) { $0 * ($1.0 / $1.1) }
        var strides = [Int](repeating: 1, count: shape.count)
        for axis in shape.indices.dropLast().reversed() { strides[axis] = strides[axis + 1] * shape[axis + 1] }
        self.strides = strides
        lastCut = blocks.lastIndex { $0 > 1 } ?? 0
        runLength = shape.isEmpty ? 1 : shape[lastCut] / blocks[lastCut] * strides[lastCut]
    }

    /// A whole tensor as one block.
    init(whole shape: [Int]) { self.init(shape, blocks: shape.map { _ in 1 }) }

    /// One block for each `size` indices of an axis.
    init(_ shape: [Int], axis: Int, size: Int) {
        var blocks = shape.map { _ in 1 }
        if shape.indices.contains(axis), size > 0, shape[axis] % size == 0 { blocks[axis] = max(shape[axis] / size, 1) }
        self.init(shape, blocks: blocks)
    }

    /// The elements of block `index` as ranges of the tensor, row by row.
    func runs(_ index: Int) -> [Range<Int>] {
        guard !shape.isEmpty, blockSize > 0 else { return [0..<blockSize] }
        var starts = [0]
        var rest = index
        var places = [Int](repeating: 0, count: blocks.count)
        for axis in blocks.indices.reversed() {
            places[axis] = rest % blocks[axis]
            rest /= blocks[axis]
        }
        for axis in 0...lastCut {
            let size = shape[axis] / blocks[axis]
            let first = places[axis] * size
            let steps = axis == lastCut ? 1 : size
            starts = starts.flatMap { start in (0..<steps).map { start + (first + $0) * strides[axis] } }
        }
        return starts.map { $0..<$0 + runLength }
    }
}
