import Foundation
import HearthCompression
import HearthCoreMLFormat
import HearthSystem
import HearthTestSupport
import Testing

/// Palettes with a scale for each channel.
struct ScaledPaletteTests {
    /// Normal deviates in channels along `axis` whose magnitudes are powers of two apart.
    private func weight(_ shape: [Int], axis: Int) -> [Float] {
        var random = SeededNumbers(7)
        let inner = shape[(axis + 1)...].reduce(1, *)
        return (0..<shape.reduce(1, *)).map { index in
            let scale = Float(sign: .plus, exponent: -(index / inner % shape[axis]), significand: 1)
            return Half.rounded(Float(random.normal()) * scale)
        }
    }

    @Test(arguments: [0, 1], [nil, 4])
    func channelsOfDifferentMagnitudeLoseLittle(_ axis: Int, _ group: Int?) throws {
        let shape = [8, 8, 3, 3]
        let values = weight(shape, axis: axis)
        var palettization = Palettization(bits: 4, groupSize: group)
        palettization.hasChannelScales = true
        for elements in [WeightElements.halves(values), WeightElements(values)] {
            let made = try palettization.encode(elements, shape: shape, axis: axis)
            let scales = try #require(made.scales)
            #expect(scales.values.count == 8 && scales.blocks == (axis == 0 ? [8, 1, 1, 1] : [1, 8, 1, 1]))
            #expect(made.palettes.count == (group == nil ? 1 : 2))
            var isHalf = false
            if case .half = elements { isHalf = true }
            let inner = shape[(axis + 1)...].reduce(1, *)
            var noise = [Double](repeating: 0, count: 8)
            var signal = noise
            for (index, value) in values.enumerated() {
                let channel = index / inner % 8
                let level = made.palettes[channel * made.palettes.count / 8][Int(made.codes[index])]
                let product = level * scales.values[channel]
                noise[channel] += pow(Double(value) - Double(isHalf ? Half.rounded(product) : product), 2)
                signal[channel] += pow(Double(value), 2)
            }
            #expect(abs(noise.reduce(0, +) - made.quality.noise) <= made.quality.noise * 1e-6)
            // With one palette for all, the small channels would have only one or two levels.
            for channel in 0..<8 { #expect(noise[channel] < signal[channel] / 10, "channel \(channel)") }
        }
    }

    @Test func aChannelOfZerosStaysZero() throws {
        var values = weight([8, 40], axis: 0)
        for index in 40..<80 { values[index] = 0 }
        var palettization = Palettization(bits: 2)
        palettization.hasChannelScales = true
        let made = try palettization.encode(.halves(values), shape: [8, 40])
        #expect(made.scales?.values[1] == 0 && made.scales?.values.filter { $0 > 0 }.count == 7)
        #expect(made.quality.noise < made.quality.signal / 3)
    }

    /// The package holds a palette and, after it, the scales: the order that systems from iOS 26 on have.
    @Test(arguments: ["fp16", "fp32"]) func packagesHoldWhatTheirReportSays(_ name: String) throws {
        let folder = try TemporaryFolder()
        let source = try CoreMLPackage(path: Fixture.digits(name))
        var palettization = Palettization(bits: 3)
        palettization.hasChannelScales = true
        let report = try PackageCompressor(.palette(palettization), threads: 2).compress(
            source.path, to: folder["a.mlpackage"])
        let plain = try PackageCompressor(.palette(Palettization(bits: 3)), threads: 2).compress(
            source.path, to: folder["b.mlpackage"])
        let small = try CoreMLPackage(path: folder["a.mlpackage"])
        #expect(small.model.specificationVersion == 10 && report.version == 10)
        let error = { (report: CompressionReport) in report.tensors.reduce(0) { $0 + $1.squaredError } }
        #expect(report.tensors.count == plain.tensors.count && error(report) < error(plain))
        var before: [String: [Float]] = [:]
        for operation in source.body?.operations ?? [] where operation.type == "const" {
            guard let value = operation.attributes["val"], value.type.tensor?.dataType.isFloat == true,
                let output = operation.outputs.last
            else { continue }
            before[output.name] = try source.tensor(value).floats()
        }
        var all: [String: DenseWeight] = [:]
        for operation in small.body?.operations ?? [] {
            guard let output = operation.outputs.last?.name, let expression = try small.constantExpression(operation)
            else { continue }
            all[output] = try small.expanded(expression) { all[$0] }
        }
        for tensor in report.tensors {
            #expect(tensor.encoding.hasPrefix("scaled palette3"))
            let (old, new) = (try #require(before[tensor.name]), try #require(all[tensor.name]))
            #expect(new.shape == tensor.shape && all[tensor.name + "_palettized"] != nil)
            let noise = zip(old, new.values).reduce(0.0) { $0 + pow(Double($1.0) - Double($1.1), 2) }
            #expect(abs(noise - tensor.squaredError) <= max(noise * 1e-2, 1e-12), "\(tensor.name)")
        }
    }
}
