/// The inference of the classifier; `Training/safety/network.py` is equivalent.
struct MeaningNetwork {
    let model: MeaningModel

    private typealias Lanes = SIMD16<Float>
    private static let hidden = MeaningModel.hidden

    /// Returns the logits: harm, then one per theme.
    func scores(_ part: SentencePart) -> [Float] {
        let pooled = pool(part.words, segment: 0) + pool(part.contextWords, segment: 1)
        var inner = model.denseBias
        Self.multiply(pooled, model.dense, into: &inner)
        for index in inner.indices { inner[index] = max(inner[index], 0) }
        var result = model.outputBias
        for (row, value) in inner.enumerated() where value != 0 {
            for column in result.indices { result[column] += value * model.output[row * result.count + column] }
        }
        result[0] += linear(part.features) + linear(part.contextFeatures) + model.featureBias
        return result
    }

    /// The sum of the features' weights, with the feature vector scaled to unit length.
    private func linear(_ features: Set<Int>) -> Float {
        guard !features.isEmpty else { return 0 }
        let sum = features.reduce(0) { $0 + Int(model.features[$1]) }
        return Float(sum) * model.featureStep / Float(features.count).squareRoot()
    }

    /// The maximum and mean of each unit over the words.
    private func pool(_ words: [Int32], segment: Int) -> [Float] {
        var result = [Float](repeating: 0, count: 2 * Self.hidden)
        guard !words.isEmpty else { return result }
        let columns = model.columns
        // Zero padding before the first word and after the last.
        var rows = [Float](repeating: 0, count: (words.count + 2) * columns)
        for (index, word) in words.enumerated() { read(word, into: &rows, at: (index + 1) * columns) }
        let bias = Array(model.segments[segment * Self.hidden..<(segment + 1) * Self.hidden])
        var unit = bias
        for index in 0..<words.count {
            unit = bias
            // Each window covers three consecutive rows.
            Self.multiply(rows[index * columns..<(index + 3) * columns], model.kernel, into: &unit)
            for column in 0..<Self.hidden where unit[column] > 0 {
                result[column] = max(result[column], unit[column])
                result[Self.hidden + column] += unit[column]
            }
        }
        for column in 0..<Self.hidden { result[Self.hidden + column] /= Float(words.count) }
        return result
    }

    private func read(_ word: Int32, into rows: inout [Float], at start: Int) {
        let bytes = model.columns / 2
        let first = Int(word) * bytes
        for index in 0..<bytes {
            let byte = model.vectors[first + index]
            rows[start + 2 * index] = (Float(byte & 15) - 7.5) * model.steps[2 * index]
            rows[start + 2 * index + 1] = (Float(byte >> 4) - 7.5) * model.steps[2 * index + 1]
        }
    }

    /// Adds vector × matrix, whose rows have `hidden` values.
    private static func multiply(
        _ vector: some RandomAccessCollection<Float>, _ matrix: [Float], into sum: inout [Float]
    ) {
        matrix.withUnsafeBytes { matrix in
            sum.withUnsafeMutableBytes { sum in
                let stride = MemoryLayout<Lanes>.stride
                // Processes two SIMD vectors at a time, which stay in registers.
                for half in 0..<hidden / 32 {
                    let offset = 2 * half * stride
                    var left = sum.loadUnaligned(fromByteOffset: offset, as: Lanes.self)
                    var right = sum.loadUnaligned(fromByteOffset: offset + stride, as: Lanes.self)
                    var at = offset
                    for value in vector {
                        left += value * matrix.loadUnaligned(fromByteOffset: at, as: Lanes.self)
                        right += value * matrix.loadUnaligned(fromByteOffset: at + stride, as: Lanes.self)
                        at += hidden * MemoryLayout<Float>.size
                    }
                    sum.storeBytes(of: left, toByteOffset: offset, as: Lanes.self)
                    sum.storeBytes(of: right, toByteOffset: offset + stride, as: Lanes.self)
                }
            }
        }
    }
}
