/// How much an operation computes: multiplications and additions, or elements that it looks at. At most Int.max.
extension GraphOperation {
    package func work(_ inputs: [[Int]?], _ results: [[Int]]) -> Int {
        func product(_ sizes: [Int]) -> Int {
            var result = 1
            for size in sizes {
                let (next, overflow) = result.multipliedReportingOverflow(by: max(size, 1))
                if overflow { return .max }
                result = next
            }
            return result
        }
        func shape(_ index: Int) -> [Int] { index < inputs.count ? inputs[index] ?? [] : [] }
        let moved = product(results[0])
        switch self {
        case .convolution:
            return product(results[0] + shape(1).dropFirst())
        case .transposedConvolution(let geometry):
            return product(results[0] + [shape(1)[0] / max(geometry.groups, 1)] + geometry.kernel)
        case .pool(let geometry):
            return product(results[0] + geometry.kernel)
        case .linear:
            return product(results[0] + [shape(1).last ?? 1])
        case .matmul(let transposeX, _):
            return product(results[0] + [shape(0)[shape(0).count - (transposeX ? 2 : 1)]])
        case .attention:
            let lengths = [shape(1).suffix(2).first ?? 1, 2]
            return product(results[0].dropLast() + lengths + [max(shape(0).last ?? 1, results[0].last ?? 1)])
        case .localResponseNorm(let size, _, _, _):
            return product(results[0] + [min(size, results[0][1])])
        case .nonMaximumSuppression:
            // Every box may be compared with every one that stays, and looks at all its scores.
            let compared = product(shape(0).dropLast() + [results[0][1]])
            let looked = product(shape(1))
            return compared > Int.max - looked ? .max : compared + looked
        case .recurrent(let recurrence):
            let width = shape(2).last ?? 1
            return product(results[0] + [width, recurrence.kind.gates])
        case .topK(let axis, _):
            return product(shape(0) + [Int.bitWidth - shape(0)[axis].leadingZeroBitCount])
        default:
            return max(moved, product(shape(0)))
        }
    }
}
