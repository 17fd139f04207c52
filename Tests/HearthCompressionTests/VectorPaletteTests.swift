import Foundation
import HearthCompression
import HearthCoreMLFormat
import HearthSystem
import HearthTestSupport
import Testing

/// Palettes whose levels are vectors of neighbouring channels.
struct VectorPaletteTests {
    private func palettization(_ bits: Int, _ size: Int, group: Int? = nil) -> Palettization {
        var palettization = Palettization(bits: bits, groupSize: group)
        palettization.vectorSize = size
        return palettization
    }

    /// Channels along `axis` in pairs that are almost the same.
    private func pairs(_ shape: [Int], axis: Int) -> [Float] {
        var random = SeededNumbers(11)
        let inner = shape[(axis + 1)...].reduce(1, *)
        var values: [Float] = []
        for index in 0..<shape.reduce(1, *) {
            let isSecond = index / inner % shape[axis] % 2 == 1
            let normal = Float(random.normal())
            values.append(Half.rounded(isSecond ? values[index - inner] + normal / 10 : normal))
        }
        return values
    }

    @Test(arguments: [0, 1], [nil, 16]) func pairsThatAreAlikeShareAnIndex(_ axis: Int, _ group: Int?) throws {
        let shape = axis == 0 ? [64, 8, 3] : [8, 64, 3]
        let values = pairs(shape, axis: axis)
        for elements in [WeightElements.halves(values), WeightElements(values)] {
            let made = try palettization(4, 2, group: group).encode(elements, shape: shape, axis: axis)
            #expect(made.codes.count == values.count / 2 && made.palettes.count == (group == nil ? 1 : 4))
            #expect(made.palettes.allSatisfy { $0.count == 32 } && made.vector?.size == 2 && made.vector?.axis == axis)
            let inner = shape[(axis + 1)...].reduce(1, *)
            let noise = values.indices.reduce(0.0) { sum, index in
                let channel = index / inner % shape[axis]
                let outer = index / (inner * shape[axis])
                let place = (outer * shape[axis] / 2 + channel / 2) * inner + index % inner
                let palette = made.palettes[channel * made.palettes.count / shape[axis]]
                return sum + pow(Double(values[index]) - Double(palette[Int(made.codes[place]) * 2 + channel % 2]), 2)
            }
            #expect(abs(noise - made.quality.noise) <= noise * 1e-3)
            // Two bits for each element, as these have.
            let single = try palettization(2, 1, group: group).encode(elements, shape: shape, axis: axis)
            #expect(noise < single.quality.noise / 3, "\(noise), \(single.quality.noise)")
        }
    }

    @Test func asManyLevelsAsVectorsLoseNothing() throws {
        let values = pairs([8, 16], axis: 0)
        let made = try palettization(8, 4).encode(.halves(values), shape: [8, 16])
        #expect(made.quality.noise == 0)
    }

    /// Squares of these numbers are beyond single precision.
    @Test(arguments: [-110, 110]) func magnitudesMakeNoDifference(_ exponent: Int) throws {
        let values = pairs([16, 24], axis: 0)
        let unit = Float(sign: .plus, exponent: exponent, significand: 1)
        let usual = try palettization(4, 2).encode(WeightElements(values), shape: [16, 24])
        let made = try palettization(4, 2).encode(WeightElements(values.map { $0 * unit }), shape: [16, 24])
        #expect(made.codes == usual.codes)
        #expect(made.palettes == usual.palettes.map { $0.map { $0 * unit } })
        let noise = usual.quality.noise * Double(unit) * Double(unit)
        #expect(abs(made.quality.noise - noise) <= noise * 1e-6 && made.quality.decibels.isFinite)
    }

    @Test func cancellingStopsTheWork() {
        #expect(throws: CancellationError.self) {
            let elements = WeightElements.halves(pairs([8, 16], axis: 0))
            _ = try palettization(4, 2).encode(elements, shape: [8, 16], isCancelled: { true })
        }
    }

    /// A weight with ten outputs has no vectors of four.
    @Test(arguments: [2, 4]) func packagesHoldWhatTheirReportSays(_ size: Int) throws {
        let folder = try TemporaryFolder()
        let source = try CoreMLPackage(path: Fixture.digits("fp16"))
        let report = try PackageCompressor(.palette(palettization(4, size)), threads: 2).compress(
            source.path, to: folder["a.mlpackage"])
        let small = try CoreMLPackage(path: folder["a.mlpackage"])
        #expect(small.model.specificationVersion == 9 && small.model.description == source.model.description)
        let encodings = Set(report.tensors.map(\.encoding))
        #expect(encodings == (size == 2 ? ["palette4 of 2"] : ["palette4", "palette4 of 4"]))
        for operation in source.body?.operations ?? [] {
            guard let tensor = report.tensors.first(where: { $0.name == operation.outputs.last?.name }),
                let value = operation.attributes["val"],
                let made = small.body?.operations.first(where: { $0.outputs.last?.name == tensor.name }),
                let expression = try small.constantExpression(made)
            else { continue }
            let (old, new) = (try #require(try source.tensor(value).floats()), try small.expanded(expression))
            #expect(new.shape == tensor.shape)
            let noise = zip(old, new.values).reduce(0.0) { $0 + pow(Double($1.0) - Double($1.1), 2) }
            #expect(abs(noise - tensor.squaredError) <= max(noise * 1e-2, 1e-12), "\(tensor.name)")
        }
        #expect(report.tensors.count > 10)
    }

    @Test func vectorsOfMoreThanTheFormatHasAreRefused() throws {
        let folder = try TemporaryFolder()
        #expect(throws: CompressionError.self) {
            _ = try PackageCompressor(.palette(palettization(4, 65))).compress(
                Fixture.digits("fp16"), to: folder["a.mlpackage"])
        }
    }
}
