import Foundation
import HearthCompression
import HearthTestSupport
import Testing

/// Codes by the definition: value ≈ scale · (code − zero point), every code the nearest one.
struct LinearQuantizationTests {
    private func restored(_ weight: LinearWeight, _ index: Int, _ block: Int) -> Double {
        let code = weight.isSigned ? Int(weight.codes[index]) : Int(UInt8(bitPattern: weight.codes[index]))
        return Double(weight.scales[block]) * Double(code - weight.zeroPoints[block])
    }

    @Test(arguments: [8, 4], [false, true]) func everyCodeIsTheNearest(_ bits: Int, _ isAsymmetric: Bool) throws {
        var random = SeededNumbers(UInt64(bits))
        let shape = [6, 8, 3]
        let values = (0..<144).map { Float(random.normal() * pow(10, Double($0 / 24) - 3)) }
        let limits = isAsymmetric ? 0...(1 << bits - 1) : -(1 << (bits - 1) - 1)...(1 << (bits - 1) - 1)
        for granularity in [LinearQuantization.Granularity.tensor, .channel, .block(4)] {
            let form = LinearQuantization(bits: bits, granularity: granularity, isAsymmetric: isAsymmetric)
            let weight = try form.encode(WeightElements(values), shape: shape)
            let blocks = granularity == .tensor ? [1, 1, 1] : granularity == .channel ? [6, 1, 1] : [6, 2, 1]
            #expect(weight.blocks == blocks && weight.scales.count == blocks.reduce(1, *))
            var noise = 0.0
            for (index, value) in values.enumerated() {
                let (channel, input) = (index / 24, index / 3 % 8)
                let block = granularity == .tensor ? 0 : granularity == .channel ? channel : channel * 2 + input / 4
                let off = abs(Double(value) - restored(weight, index, block))
                noise += off * off
                for code in limits {
                    let other = Double(weight.scales[block]) * Double(code - weight.zeroPoints[block])
                    #expect(off <= abs(Double(value) - other) * (1 + 1e-6))
                }
                // The scale reaches the largest value: nothing is off by more than half a step (and, with a rounded
                // zero point, by another half).
                #expect(off <= Double(weight.scales[block]) * (isAsymmetric ? 1.01 : 0.51))
            }
            #expect(abs(noise - weight.quality.noise) <= 1e-6 * noise)
        }
    }

    @Test func symmetricScaleIsTheLargestMagnitudeOver127() throws {
        let weight = try LinearQuantization().encode(WeightElements([0, 1, -2.54, 0, 0, 0]), shape: [2, 3])
        #expect(
            weight.scales == [2.54 / 127, 1] && weight.zeroPoints == [0, 0] && weight.codes == [0, 50, -127, 0, 0, 0])
    }

    @Test func asymmetricRangeContainsZero() throws {
        let weight = try LinearQuantization(granularity: .tensor, isAsymmetric: true)
            .encode(WeightElements([1, 2.55]), shape: [2])
        #expect(abs(weight.scales[0] - 0.01) < 1e-7 && weight.zeroPoints == [0])
        #expect(weight.codes.map { UInt8(bitPattern: $0) } == [100, 255])
    }

    @Test(arguments: [false, true]) func theSearchedScaleLosesLess(_ isAsymmetric: Bool) throws {
        var random = SeededNumbers(5)
        var values = (0..<512).map { _ in Float(random.normal()) }
        values[7] = 9
        let plain = LinearQuantization(bits: 4, granularity: .tensor, isAsymmetric: isAsymmetric)
        var searching = plain
        searching.searchesScale = true
        let (a, b) = (
            try plain.encode(WeightElements(values), shape: [512]),
            try searching.encode(WeightElements(values), shape: [512])
        )
        #expect(b.quality.noise < a.quality.noise * 0.9)
    }

    @Test func halvesOfTinyValuesHaveAScale() throws {
        let weight = try LinearQuantization().encode(.halves([0x1p-24, -0x1p-24, 0, 0x1p-23]), shape: [1, 4])
        #expect(weight.scales == [0x1p-24] && weight.codes == [1, -1, 0, 2])
    }
}
