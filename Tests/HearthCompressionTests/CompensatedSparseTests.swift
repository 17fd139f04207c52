import Foundation
import HearthCompression
import HearthTestSupport
import Testing

/// Palettes that make up for their errors where the weight has zeros to keep.
struct CompensatedSparseTests {
    private typealias Layer = CompensatedPalettizationTests.Layer

    /// A layer most of whose weights are zeros.
    private func pruned(_ seed: UInt64, share: Double = 0.7, outputs: Int = 24, inputs: Int = 60) -> Layer {
        var random = SeededNumbers(seed)
        var layer = Layer(&random, groups: 1, outputs: outputs, inputs: inputs, samples: 200)
        let order = layer.weights.indices.sorted {
            (abs(layer.weights[$0]), $0) < (abs(layer.weights[$1]), $1)
        }
        for index in order.prefix(Int(Double(order.count) * share)) { layer.weights[index] = 0 }
        // What is wanted is what these weights make of inputs a little beside those that are given.
        layer.wanted = (0..<layer.samples).flatMap { sample in
            (0..<outputs).map { row in
                (0..<inputs).reduce(Double(layer.bias[row])) {
                    $0 + Double(layer.weights[row * inputs + $1])
                        * (layer.given[sample * inputs + $1] + 0.02 * random.normal())
                }
            }
        }
        return layer
    }

    private func encoded(
        _ layer: Layer, _ bits: Int, _ sparse: (forms: SparseForms, version: Int), groupSize: Int? = nil,
        threads: Int = 1
    ) throws -> CompensatedWeight {
        var palettization = CompensatedPalettization(
            Palettization(bits: bits, groupSize: groupSize), threads: threads)
        palettization.sparse = sparse
        return try palettization.encode(
            .halves(layer.weights), shape: layer.shape, bias: layer.bias, moments: layer.moments())
    }

    /// The result is never worse than with zeros in the palette, and the zeros stay zeros, whatever they could make up for.
    @Test(arguments: 0..<8) func zerosStayZerosAndOutputsAreNoWorse(_ seed: UInt64) throws {
        let layer = pruned(seed)
        for (bits, groupSize) in [(2, nil), (4, nil), (3, 8), (8, nil)] as [(Int, Int?)] {
            let dense = try encoded(layer, bits, (.never, 9), groupSize: groupSize)
            let sparse = try encoded(layer, bits, (.sameVersion, 9), groupSize: groupSize)
            #expect(sparse.output.noise <= dense.output.noise)
            guard let mask = sparse.mask else {
                #expect(sparse.values == dense.values)
                continue
            }
            let weight = try #require(sparse.weight)
            #expect(mask == weight.mask && mask.used <= layer.weights.count { $0 != 0 })
            #expect(zip(layer.weights, sparse.values).allSatisfy { $0.0 != 0 || $0.1 == 0 })
            // What a reader makes of mask, palettes and codes.
            var expanded = [Float](repeating: 0, count: layer.weights.count)
            for index in expanded.indices where mask.packed[index / 8] >> UInt8(index % 8) & 1 != 0 {
                let group = index / layer.inputs / (groupSize ?? layer.outputs)
                expanded[index] = weight.palettes[group][Int(weight.codes[index])]
            }
            #expect(expanded == sparse.values)
            let error = layer.error(sparse.values, sparse.bias ?? layer.bias)
            #expect(abs(sparse.output.noise - error) <= 1e-6 * error + 1e-6 * sparse.output.signal)
        }
        // Four bits and seven zeros in ten: nothing could be clearer.
        let sparse = try encoded(layer, 4, (.sameVersion, 9))
        let dense = try encoded(layer, 4, (.never, 9))
        #expect(sparse.mask != nil || sparse.output.noise >= 0.9 * dense.output.noise)
    }

    /// Before version 9 there are no sparse palettes: numbers as they are, where those take fewer bytes.
    @Test func olderVersionsKeepTheNumbersWhereTheseAreSmaller() throws {
        let layer = pruned(3, share: 0.9, outputs: 60, inputs: 80)
        let made = try encoded(layer, 6, (.sameVersion, 7))
        #expect(made.weight == nil && made.values == layer.weights)
        #expect(made.mask?.used == layer.weights.count { $0 != 0 })
        let error = layer.error(made.values, made.bias ?? layer.bias)
        #expect(abs(made.output.noise - error) <= 1e-6 * error + 1e-6 * made.output.signal)
        let full = try encoded(pruned(3, share: 0.3, outputs: 60, inputs: 80), 6, (.sameVersion, 7))
        #expect(full.weight != nil && full.mask == nil)
    }

    @Test func threadsChangeNothing() throws {
        let layer = pruned(5, outputs: 40, inputs: 300)
        let (one, three) = (
            try encoded(layer, 3, (.newest, 9)), try encoded(layer, 3, (.newest, 9), threads: 3)
        )
        #expect(one.values == three.values && one.bias == three.bias && one.mask == three.mask)
    }
}
