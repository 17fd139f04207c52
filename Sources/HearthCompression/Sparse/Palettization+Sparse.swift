internal import CHearthCompression
internal import HearthSystem

/// Palettes for weights with many zeros: an element is 0, or one of the levels.
extension Palettization {
    /// Levels beside 0: codes are bytes, and 0 needs one while levels are looked for.
    private var sparseLevels: Int { min(1 << bits, 255) }
    private static let rounds = 8

    /// How many elements would be left out, about: the zeros, or what the palette of all has nearest to 0 if that is more.
    func leftOut(_ elements: WeightElements, _ dense: PalettizedWeight, _ isCancelled: () -> Bool) throws -> Int {
        let zeros = elements.count - (try SparseMask(elements, isCancelled: isCancelled).used)
        guard dense.palettes.count == 1, let palette = dense.palettes.first,
            let least = palette.indices.min(by: { abs(palette[$0]) < abs(palette[$1]) })
        else { return zeros }
        return max(zeros, dense.codes.reduce(0) { $0 + ($1 == UInt8(least) ? 1 : 0) })
    }

    /// Levels and indices where zeros need neither. Elements nearer to 0 than to a level become 0 too.
    ///
    /// The error is not above that of `dense`: its levels with 0 beside them are one of the two beginnings; the other is
    /// the optimum for what is not zero. Both are improved in turns, elements to their nearest level, levels to their means.
    /// - Parameter dense: the same palettization with zeros.
    package func encodeWithoutZeros(
        _ elements: WeightElements, shape: [Int], axis: Int, dense: PalettizedWeight, isCancelled: () -> Bool
    ) throws -> PalettizedWeight {
        let layout = layout(shape, axis: axis)
        let grid: PaletteSolver.Grid = if case .half = elements { .float16 } else { .float32 }
        let solver = PaletteSolver(levels: sparseLevels, grid: grid)
        var result = PalettizedWeight(
            bits: bits, groups: layout.blocks, palettes: [], codes: [UInt8](repeating: 0, count: elements.count),
            quality: SignalRatio())
        var isPresent = [Bool](repeating: false, count: elements.count)
        for group in 0..<layout.count {
            let runs = layout.runs(group)
            let part = elements.gathered(runs)
            var starts: [[Float]] = []
            if let levels = try solver.solve(withoutZeros: part, isCancelled) { starts.append(levels) }
            if dense.palettes.indices.contains(group) { starts.append(dense.palettes[group]) }
            var best: SparseFit?
            for start in starts {
                let levels = Self.levels(start)
                guard levels.count <= 256, levels.count - 1 <= 1 << bits else { continue }
                let fit = try SparseFit(part, levels, isCancelled).improved(part, grid, Self.rounds, isCancelled)
                if fit.quality.noise < best?.quality.noise ?? .infinity { best = fit }
            }
            let fit = try best ?? SparseFit(part, [0], isCancelled)
            result.quality = result.quality + fit.quality
            let others = fit.levels.filter { $0 != 0 }
            result.palettes.append(others + [Float](repeating: 0, count: 1 << bits - others.count))
            let zero = UInt8(fit.levels.firstIndex(of: 0) ?? 0)
            var next = 0
            for run in runs {
                for place in run {
                    let code = fit.codes[next]
                    next += 1
                    isPresent[place] = code != zero
                    result.codes[place] = code > zero ? code - 1 : code == zero ? 0 : code
                }
            }
        }
        if !isPresent.contains(true), !isPresent.isEmpty {
            // The one element that is there all the same is 0.
            result.palettes[0] = [Float](repeating: 0, count: 1 << bits)
        }
        result.mask = try SparseMask(isPresent.count, isCancelled: isCancelled) { isPresent[$0] }
        return result
    }

    /// Levels in order with 0 among them.
    private static func levels(_ levels: [Float]) -> [Float] {
        (levels.filter { $0 != 0 } + [0]).sorted().reduce(into: []) { if $0.last != $1 { $0.append($1) } }
    }
}

extension PalettizedWeight {
    /// Takes the levels 0 out, and what has them: palettes hold 0 among their levels up to here.
    /// - Parameter values: what the codes stand for.
    mutating func leaveZeros(_ values: [Float], _ isCancelled: () -> Bool) throws {
        let mask = try SparseMask(values.count, isCancelled: isCancelled) { values[$0] != 0 }
        let perGroup = max(codes.count / max(palettes.count, 1), 1)
        let zerosBefore = palettes.map { levels in
            levels.reduce(into: [UInt8(0)]) { $0.append(($0.last ?? 0) + ($1 == 0 ? 1 : 0)) }
        }
        codes = codes.enumerated().map { index, code in
            let group = min(index / perGroup, palettes.count - 1)
            return palettes[group][Int(code)] == 0 ? 0 : code - zerosBefore[group][Int(code)]
        }
        palettes = palettes.map { levels in
            let others = levels.filter { $0 != 0 }
            return others + [Float](repeating: 0, count: max(0, 1 << bits - others.count))
        }
        // Of a weight of zeros only one element is there, which is 0.
        if mask.used == 1, values.first == 0 { palettes[0] = [Float](repeating: 0, count: 1 << bits) }
        self.mask = mask
    }
}

extension PaletteSolver {
    /// The levels of the elements that are not zero; nil if all are zero.
    func solve(withoutZeros elements: WeightElements, _ isCancelled: () -> Bool) throws -> [Float]? {
        let mask = try SparseMask(elements, isCancelled: isCancelled)
        switch elements {
        case .half(let bits):
            var rest: [UInt16] = []
            rest.reserveCapacity(mask.used)
            bits.withBase { base in mask.forEach { if base[$0] & 0x7fff != 0 { rest.append(base[$0]) } } }
            return rest.isEmpty ? nil : try solve(.half(FlatArray(rest)), isCancelled: isCancelled)
        case .single(let values):
            var rest: [Float] = []
            rest.reserveCapacity(mask.used)
            values.withBase { base in mask.forEach { if base[$0] != 0 { rest.append(base[$0]) } } }
            return rest.isEmpty ? nil : try solve(WeightElements(rest), isCancelled: isCancelled)
        }
    }
}

/// Levels with 0 among them, and each element's nearest.
private struct SparseFit {
    let levels: [Float]
    let codes: [UInt8]
    let quality: SignalRatio

    init(_ elements: WeightElements, _ levels: [Float], _ isCancelled: () -> Bool) throws {
        self.levels = levels
        (codes, quality) = try Palettization.assign(elements, levels, isCancelled)
    }

    /// The fit after levels moved to the means of their elements, as long as that helps; 0 stays where it is.
    func improved(
        _ elements: WeightElements, _ grid: PaletteSolver.Grid, _ rounds: Int, _ isCancelled: () -> Bool
    ) throws -> SparseFit {
        var best = self
        for _ in 0..<rounds {
            var weights = [Double](repeating: 0, count: best.levels.count)
            var sums = weights
            for start in stride(from: 0, to: elements.count, by: Palettization.piece) {
                if isCancelled() { throw CancellationError() }
                let values = elements.floats([start..<min(start + Palettization.piece, elements.count)])
                best.codes.withUnsafeBufferPointer { codes in
                    guard let codes = codes.baseAddress else { return }
                    hc_level_sums(values, nil, codes + start, values.count, 0, &weights, &sums)
                }
            }
            let moved = best.levels.indices.map { index -> Float in
                guard best.levels[index] != 0, weights[index] > 0 else { return best.levels[index] }
                let mean = sums[index] / weights[index]
                return grid == .float16 ? hc_half_to_float(hc_half_from_double(mean)) : Float(mean)
            }
            guard moved != best.levels, zip(moved, moved.dropFirst()).allSatisfy({ $0 < $1 }) else { break }
            let next = try SparseFit(elements, moved, isCancelled)
            guard next.quality.noise < best.quality.noise else { break }
            best = next
        }
        return best
    }
}
