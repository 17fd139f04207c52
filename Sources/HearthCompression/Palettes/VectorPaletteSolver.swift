internal import CHearthCompression

/// Palettes whose levels are vectors of a few elements: k-means by splitting (Linde, Buzo and Gray, 1980).
///
/// Not the optimum, as for single elements: each level is split in two along the axis in which its vectors spread most, and all
/// levels are fitted again, until there are enough. The same input gives the same palette.
struct VectorPaletteSolver {
    /// A power of two, up to 256.
    let levels: Int
    /// Elements of a level.
    let size: Int
    /// Whether levels are numbers of half precision.
    let isHalf: Bool

    /// Vectors that levels are fitted to first, at even intervals.
    private static let sample = 1 << 15
    /// Vectors between two looks at whether the work is still wanted.
    private static let piece = 1 << 12

    /// The levels, one after the other.
    /// - Parameter vectors: at least one, one after the other.
    func solve(_ vectors: [Float], _ isCancelled: () -> Bool) throws -> [Float] {
        let count = vectors.count / size
        let step = max(1, count / Self.sample)
        let some =
            step == 1
            ? vectors : stride(from: 0, to: count, by: step).flatMap { vectors[$0 * size..<($0 + 1) * size] }
        var centers = (0..<size).map { part -> Float in
            let sum = stride(from: part, to: some.count, by: size).reduce(0.0) { $0 + Double(some[$1]) }
            return Float(sum / Double(some.count / size))
        }
        while centers.count < levels * size {
            centers = try split(centers, some, isCancelled)
            centers = try fitted(centers, some, rounds: centers.count < levels * size ? 6 : 24, isCancelled)
        }
        if step > 1 { centers = try fitted(centers, vectors, rounds: 1, isCancelled) }
        return isHalf ? centers.map { hc_half_to_float(hc_half_from_double(Double($0))) } : centers
    }

    /// The nearest level of each vector, and its squared distance.
    func assign(
        _ vectors: [Float], _ centers: [Float], _ isCancelled: () -> Bool
    ) throws -> (codes: [UInt8], errors: [Float]) {
        let count = vectors.count / size
        var codes = [UInt8](repeating: 0, count: count)
        var errors = [Float](repeating: 0, count: count)
        for start in stride(from: 0, to: count, by: Self.piece) {
            if isCancelled() { throw CancellationError() }
            vectors.withUnsafeBufferPointer { vectors in
                centers.withUnsafeBufferPointer { centers in
                    for index in start..<min(start + Self.piece, count) {
                        var (best, least) = (0, Float.infinity)
                        for center in 0..<centers.count / size {
                            var distance: Float = 0
                            for part in 0..<size {
                                let off = vectors[index * size + part] - centers[center * size + part]
                                distance += off * off
                            }
                            if distance < least { (best, least) = (center, distance) }
                        }
                        codes[index] = UInt8(best)
                        errors[index] = least
                    }
                }
            }
        }
        return (codes, errors)
    }

    /// Twice as many levels.
    private func split(_ centers: [Float], _ vectors: [Float], _ isCancelled: () -> Bool) throws -> [Float] {
        let (codes, _) = try assign(vectors, centers, isCancelled)
        var squares = [Double](repeating: 0, count: centers.count)
        var counts = [Int](repeating: 0, count: centers.count / size)
        for (index, code) in codes.enumerated() {
            counts[Int(code)] += 1
            for part in 0..<size {
                let off = Double(vectors[index * size + part] - centers[Int(code) * size + part])
                squares[Int(code) * size + part] += off * off
            }
        }
        return counts.indices.flatMap { center -> [Float] in
            let own = center * size..<(center + 1) * size
            var (low, high) = (Array(centers[own]), Array(centers[own]))
            guard let widest = own.max(by: { squares[$0] < squares[$1] }), counts[center] > 0 else { return low + high }
            let half = Float((squares[widest] / Double(counts[center])).squareRoot() / 2)
            low[widest - own.lowerBound] -= half
            high[widest - own.lowerBound] += half
            return low + high
        }
    }

    /// Levels moved to the means of the vectors that are nearest to them, in turns, as long as that helps. A level that no vector
    /// is nearest to goes to the vector that is farthest from its own, where there are not too many to look for it.
    private func fitted(
        _ centers: [Float], _ vectors: [Float], rounds: Int, _ isCancelled: () -> Bool
    ) throws -> [Float] {
        var centers = centers
        var before = Double.infinity
        for _ in 0..<rounds {
            let (codes, distances) = try assign(vectors, centers, isCancelled)
            var errors = distances
            let error = errors.reduce(0.0) { $0 + Double($1) }
            guard error < before * (1 - 1e-6) else { break }
            before = error
            var sums = [Double](repeating: 0, count: centers.count)
            var counts = [Int](repeating: 0, count: centers.count / size)
            for (index, code) in codes.enumerated() {
                counts[Int(code)] += 1
                for part in 0..<size { sums[Int(code) * size + part] += Double(vectors[index * size + part]) }
            }
            for center in counts.indices {
                if counts[center] > 0 {
                    for place in center * size..<(center + 1) * size {
                        centers[place] = Float(sums[place] / Double(counts[center]))
                    }
                } else if codes.count <= 2 * Self.sample, let far = errors.indices.max(by: { errors[$0] < errors[$1] }),
                    errors[far] > 0
                {
                    for part in 0..<size { centers[center * size + part] = vectors[far * size + part] }
                    errors[far] = 0
                }
            }
        }
        return centers
    }
}
