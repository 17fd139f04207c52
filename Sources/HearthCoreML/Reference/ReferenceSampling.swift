internal import Foundation
internal import HearthSystem

/// Values at places that are computed, numbers that are drawn, and parts that are replaced.
extension ReferenceExecutor {
    func sampled(
        _ x: CoreMLTensor, _ places: CoreMLTensor, _ sampling: GraphSampling, _ shape: [Int]
    ) throws -> CoreMLTensor {
        let (channels, height, width) = (x.shape[1], x.shape[2], x.shape[3])
        let positions = shape[2] * shape[3]
        var result = CoreMLTensor(shape: shape)
        var checkpoint = Checkpoint(of: channels, isStopped)
        for position in 0..<shape[0] * positions {
            try checkpoint.pass()
            let (picture, place) = position.quotientAndRemainder(dividingBy: positions)
            let column = Self.sane(places.values[position * 2], width)
            let row = Self.sane(places.values[position * 2 + 1], height)
            let taps = Self.taps(column, row, width, height, sampling)
            for channel in 0..<channels {
                let plane = (picture * channels + channel) * height * width
                var sum = 0.0
                for tap in taps {
                    sum += tap.share * (tap.place.map { Double(x.values[plane + $0]) } ?? tap.value)
                }
                result.values[(picture * channels + channel) * positions + place] = Float(sum)
            }
        }
        return result
    }

    /// A coordinate not so far away that its integers would overflow.
    private static func sane(_ value: Float, _ size: Int) -> Double {
        guard value.isFinite else { return -2 * Double(size) - 2 }
        return Double(min(max(value, -0x1p30), 0x1p30))
    }

    private struct Tap {
        /// The offset in the plane; nil for the number used outside.
        var place: Int?
        var value: Double
        var share: Double
    }

    private static func taps(
        _ column: Double, _ row: Double, _ width: Int, _ height: Int, _ sampling: GraphSampling
    ) -> [Tap] {
        if case .outside(let value) = sampling.border,
            column < 0 || row < 0 || column > Double(width - 1) || row > Double(height - 1)
        {
            return [Tap(place: nil, value: Double(value), share: 1)]
        }
        func tap(_ x: Double, _ y: Double, _ share: Double) -> Tap {
            guard let x = inside(Int(x), width, sampling.border), let y = inside(Int(y), height, sampling.border)
            else {
                if case .constant(let value) = sampling.border {
                    return Tap(place: nil, value: Double(value), share: share)
                }
                return Tap(place: nil, value: 0, share: share)
            }
            return Tap(place: y * width + x, value: 0, share: share)
        }
        if sampling.isNearest {
            return [tap(column.rounded(.toNearestOrEven), row.rounded(.toNearestOrEven), 1)]
        }
        let (x, y) = (column.rounded(.down), row.rounded(.down))
        let (right, down) = (column - x, row - y)
        return [
            tap(x, y, (1 - right) * (1 - down)), tap(x + 1, y, right * (1 - down)),
            tap(x, y + 1, (1 - right) * down), tap(x + 1, y + 1, right * down),
        ].filter { $0.share != 0 }
    }

    /// The element at a place; nil outside of a picture without padding.
    private static func inside(_ index: Int, _ size: Int, _ border: GraphSampling.Border) -> Int? {
        if (0..<size).contains(index) { return index }
        switch border {
        case .constant: return nil
        case .outside, .replicate: return min(max(index, 0), size - 1)
        case .reflect:
            guard size > 1 else { return 0 }
            let period = 2 * (size - 1)
            let place = ((index % period) + period) % period
            return place < size ? place : period - place
        case .symmetric:
            let period = 2 * size
            let place = ((index % period) + period) % period
            return place < size ? place : period - 1 - place
        }
    }

    func drawn(_ random: GraphRandom, _ x: CoreMLTensor?, _ shape: [Int]) throws -> CoreMLTensor {
        var generator = Xoshiro256(seed: random.seed ?? .random(in: 0 ... .max))
        func unit() -> Double { Double(generator.next() >> 11) * 0x1p-53 }
        let count = shape.reduce(1, *)
        var checkpoint = Checkpoint(of: 1, isStopped)
        var values: [Float] = []
        values.reserveCapacity(count)
        switch random.distribution {
        case .uniform(let low, let high):
            for _ in 0..<count {
                try checkpoint.pass()
                let value = Float(Double(low) + unit() * (Double(high) - Double(low)))
                values.append(low < high ? min(value, high.nextDown) : value)
            }
        case .normal(let mean, let deviation):
            for _ in 0..<count {
                try checkpoint.pass()
                // Box–Muller; 1 − u is never 0.
                let radius = (-2 * log(1 - unit())).squareRoot()
                values.append(Float(Double(mean) + Double(deviation) * radius * cos(2 * .pi * unit())))
            }
        case .bernoulli(let probability):
            for _ in 0..<count {
                try checkpoint.pass()
                values.append(unit() < Double(probability) ? 1 : 0)
            }
        case .categorical(let isLogarithm):
            guard let x, let classes = x.shape.last, let samples = shape.last else { break }
            for row in 0..<x.count / classes {
                let weights = x.values[row * classes..<(row + 1) * classes].map(Double.init)
                let top = weights.max() ?? 0
                let shares = isLogarithm ? weights.map { exp($0 - top) } : weights.map { max($0, 0) }
                let total = shares.reduce(0, +)
                for _ in 0..<samples {
                    try checkpoint.pass()
                    var rest = unit() * total
                    let place = shares.firstIndex { share in
                        rest -= share
                        return rest < 0
                    }
                    values.append(Float(place ?? classes - 1))
                }
            }
        }
        return CoreMLTensor(shape: shape, values: values)
    }

    /// x with an update; a begin that does not leave room is moved to where there is some.
    func updated(
        _ x: CoreMLTensor, _ update: CoreMLTensor, _ begin: CoreMLTensor, _ step: [Int]
    ) throws -> CoreMLTensor {
        var result = x
        let strides = GraphShape.strides(x.shape)
        let first = x.shape.indices.map { axis in
            let reach = (update.shape[axis] - 1) * step[axis]
            let place = Self.place(begin.values[axis], x.shape[axis])
            return min(max(place, max(-reach, 0)), x.shape[axis] - 1 - max(reach, 0))
        }
        let offset = zip(first, strides).reduce(0) { $0 + $1.0 * $1.1 }
        var index = [Int](repeating: 0, count: x.shape.count)
        var checkpoint = Checkpoint(of: x.shape.count, isStopped)
        for value in update.values {
            try checkpoint.pass()
            var target = offset
            for axis in index.indices { target += index[axis] * step[axis] * strides[axis] }
            result.values[target] = value
            for axis in index.indices.reversed() {
                index[axis] += 1
                if index[axis] < update.shape[axis] { break }
                index[axis] = 0
            }
        }
        return result
    }
}
