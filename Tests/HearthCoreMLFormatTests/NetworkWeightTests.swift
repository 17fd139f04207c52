import HearthCoreMLFormat
import HearthSystem
import Testing

/// Codes of weights of networks as floats.
@Suite(.timeLimit(.minutes(20))) struct NetworkWeightTests {
    /// 24 codes, [4 channels that go in, 2 that come out of each group, 3].
    private func weights(_ scales: [Float], groups: Int) throws -> NeuralNetworkWeights {
        let message = NeuralNetworkWeights.message(
            codes: (0..<24).map { UInt8($0) }, bits: 8, scales: scales, biases: scales.map { -$0 })
        let weights = try NeuralNetworkWeights(wire: WireInput(MappedFile(copying: message)))
        return try #require(weights.filling([4, 2, 3], outputs: 1, groups: groups))
    }

    /// The scales of a deconvolution in groups are those of all channels that come out, group by group; coremltools writes as many
    /// as one group has.
    @Test func scalesOfAGroupedDeconvolution() throws {
        for (scales, groups) in [
            ([Float(1), 2, 4, 8], 2), ([1, 2], 2), ([1, 2], 1), ([3], 2), ([1, 2, 4, 8, 16, 32, 64, 128], 4),
        ] {
            let found = try #require(try weights(scales, groups: groups).floats(), "\(scales)")
            for (index, value) in found.enumerated() {
                let (group, output) = (index / 6 * groups / 4, index / 3 % 2)
                let channel = scales.count == 2 * groups ? group * 2 + output : scales.count == 2 ? output : 0
                #expect(value == scales[channel] * Float(index) - scales[channel], "\(scales), \(groups): \(index)")
            }
        }
        for (scales, groups) in [([Float(1), 2, 4, 8], 1), ([1, 2, 4], 2), ([1, 2, 4, 8, 16, 32], 3)] {
            #expect(try weights(scales, groups: groups).floats() == nil, "\(scales), \(groups)")
        }
    }
}
