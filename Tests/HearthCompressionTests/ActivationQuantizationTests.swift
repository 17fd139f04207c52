import HearthCompression
import HearthCoreMLFormat
import HearthTestSupport
import Testing

/// Activations as integers: the codes of a range, and the program with pairs of `quantize` and `dequantize` in it.
struct ActivationQuantizationTests {
    private func ranges(_ path: String, least: Float, most: Float) throws -> [String: ActivationRange] {
        let function = try #require(try CoreMLPackage(path: path).function)
        let names = try #require(ActivationQuantization(function)).names
        return Dictionary(
            uniqueKeysWithValues: names.map { ($0, ActivationRange(least: least, most: most)) })
    }

    /// The scale and the zero point of every pair.
    private func codes(_ path: String) throws -> [(scale: Float, zero: Int)] {
        let package = try CoreMLPackage(path: path)
        var constants: [String: MILValue] = [:]
        var found: [(scale: Float, zero: Int)] = []
        for operation in package.body?.operations ?? [] {
            if operation.type == "const", let name = operation.outputs.first?.name {
                constants[name] = operation.attributes["val"]
            }
            guard operation.type == "quantize", let scale = operation.inputs["scale"]?.name.flatMap({ constants[$0] }),
                let zero = operation.inputs["zero_point"]?.name.flatMap({ constants[$0] })
            else { continue }
            found.append(
                (
                    try #require(try package.tensor(scale).floats()?.first),
                    try #require(try package.tensor(zero).integers()?.first)
                ))
        }
        return found
    }

    @Test(
        arguments: ["fp32", "fp16"],
        [
            (Float(0), Float(6)), (-1, 3), (-4, -1), (2, 9), (0, 0), (-1e-9, 1e-9), (-60000, 60000), (5, 5), (0, 1e-3),
            (Float(0), Float(bitPattern: 714)),
        ])
    func codesCoverTheRangeAndKeepZero(_ name: String, _ range: (least: Float, most: Float)) throws {
        let folder = try TemporaryFolder()
        let path = Fixture.digits(name)
        var compressor = PackageCompressor(.float16, threads: 1)
        compressor.activations = try ranges(path, least: range.least, most: range.most)
        _ = try compressor.compress(path, to: folder["a.mlpackage"])
        let found = try codes(folder["a.mlpackage"])
        #expect(found.count == compressor.activations.count && found.count > 20)
        for (scale, zero) in found {
            #expect(scale.isFinite && scale.isNormal && (-128...127).contains(zero))
            // Devices may multiply by the inverse, in half precision where the activation has it.
            #expect(name == "fp32" ? (1 / scale).isFinite : 1 / scale <= 65504, "\(scale)")
            for value in [range.least, 0, range.most, (range.least + range.most) / 2] {
                let code = min(max((Double(value) / Double(scale)).rounded(.toNearestOrEven) + Double(zero), -128), 127)
                let back = (code - Double(zero)) * Double(scale)
                // The ends of a range may be cut by what the zero point and the scale were rounded by.
                #expect(abs(back - Double(value)) <= Double(scale) * 0.76, "\(value): \(back), \(scale), \(zero)")
                if value == 0 { #expect(back == 0) }
            }
        }
    }

    @Test func everythingElseStays() throws {
        let folder = try TemporaryFolder()
        let path = Fixture.digits("fp32")
        let plain = try PackageCompressor(.linear(LinearQuantization()), threads: 1).compress(
            path, to: folder["a.mlpackage"])
        var compressor = PackageCompressor(.linear(LinearQuantization()), threads: 1)
        compressor.activations = try ranges(path, least: -4, most: 4)
        let report = try compressor.compress(path, to: folder["b.mlpackage"])
        #expect(plain.version == 7 && report.version == 8 && report.tensors == plain.tensors)
        let (before, after) = (
            try CoreMLPackage(path: folder["a.mlpackage"]), try CoreMLPackage(path: folder["b.mlpackage"])
        )
        #expect(before.model.description == after.model.description && before.body?.outputs == after.body?.outputs)
        let (old, new) = (before.body?.operations ?? [], after.body?.operations ?? [])
        let added = Set(new.flatMap(\.outputs).map(\.name)).subtracting(old.flatMap(\.outputs).map(\.name))
        // Three constants and two steps each.
        #expect(new.count == old.count + 5 * compressor.activations.count)
        let kept = new.filter { operation in !operation.outputs.contains { added.contains($0.name) } }
        #expect(kept.map(\.type) == old.map(\.type) && kept.map(\.outputs) == old.map(\.outputs))
        // A tensor that nothing is known of stays as it is.
        compressor.activations = ["nothing": ActivationRange(least: 0, most: 1)]
        _ = try compressor.compress(path, to: folder["c.mlpackage"])
        let same = try CoreMLPackage(path: folder["c.mlpackage"]).body?.operations ?? []
        #expect(same.map(\.type) == old.map(\.type))
    }
}
