import Foundation
import HearthGPU
import Testing

/// Whether this machine has a device; where it has none, tests are skipped, and say so.
let hasDevice: Bool = (try? GPUDeviceInfo.preferred(environment: ProcessInfo.processInfo.environment)) != nil

/// The device by each of the forms of shaders that it runs: those that reduce within subgroups if it can, and the portable ones.
let devices: [GPUDeviceInfo] = {
    guard let info = try? GPUDeviceInfo.preferred(environment: ProcessInfo.processInfo.environment) else { return [] }
    return info.usesSubgroups ? [info, info.withoutSubgroups] : [info]
}()

@Suite("Shaders", .timeLimit(.minutes(20)))
struct GPUShaderTests {
    static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
    static let compiler: String? = ["/usr/bin", "/usr/local/bin", "/opt/homebrew/bin"].map { $0 + "/glslangValidator" }
        .first { FileManager.default.isExecutableFile(atPath: $0) }

    private func device() throws -> GPUDevice {
        try GPUDevice(.preferred(environment: ProcessInfo.processInfo.environment))
    }

    @Test(
        "Every shader that is checked in is what its source gives", .enabled(if: compiler != nil, "no glslangValidator")
    )
    func sources() throws {
        let process = Process()
        process.executableURL = Self.root.appendingPathComponent("scripts/shaders")
        process.arguments = ["--verify"]
        let pipe = Pipe()
        process.standardError = pipe
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        let said = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        #expect(process.terminationStatus == 0, "\(said)")
    }

    @Test("Every source has its SPIR-V and its source for Metal, and the program knows it")
    func complete() throws {
        let folder = Self.root.appendingPathComponent("Sources/CHearthShaders/Files")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        let sources = Set(names.filter { $0.hasSuffix(".comp") }.map { String($0.dropLast(5)) })
        #expect(sources == Set(GPUShader.allCases.map(\.rawValue)))
        // Shaders that reduce have a second form.
        let forms = sources.union(GPUShader.withSubgroups.map { $0.rawValue + ".subgroups" })
        #expect(forms == Set(names.filter { $0.hasSuffix(".spv") }.map { String($0.dropLast(4)) }))
        #expect(forms == Set(names.filter { $0.hasSuffix(".metal") }.map { String($0.dropLast(6)) }))
        #expect(GPUShader.withSubgroups == [.attention, .axis, .cut, .layer, .match, .norm])
    }

    @Test(
        "The sources for Metal have the constants that pipelines set, by number and type",
        arguments: GPUShader.allCases, [false, true])
    func metalConstants(shader: GPUShader, usesSubgroups: Bool) throws {
        if usesSubgroups && !GPUShader.withSubgroups.contains(shader) { return }
        let name = usesSubgroups ? shader.rawValue + ".subgroups" : shader.rawValue
        let file = Self.root.appendingPathComponent("Sources/CHearthShaders/Files/\(name).metal")
        let text = try String(contentsOf: file, encoding: .utf8)
        let functions = text.matches(of: #/constant (\w+) \w+ \[\[function_constant\((\d+)\)\]\];/#)
        let macros = text.matches(of: #/#ifndef SPIRV_CROSS_CONSTANT_ID_(\d+)\n/#).compactMap { Int($0.output.1) }
        #expect(macros == shader.macros)
        #expect(functions.allSatisfy { $0.output.1 == "uint" })
        let keys = [
            GPUCommands.productKey(.f32, tokens: 1), GPUCommands.embedKey(.f32), GPUCommands.storeKey(.float16),
            GPUCommands.attentionKey(.float16), GPUCommands.convolveKey(.direct),
        ]
        let key = keys.first { $0.shader == shader }.map { usesSubgroups ? $0.withSubgroups : $0 }
        let count = key?.constants.count ?? 0
        #expect(key.map { $0.usesSubgroups == usesSubgroups } ?? true)
        #expect((functions.compactMap { Int($0.output.2) } + macros).sorted() == Array(0..<count))
        // Arguments are its only resource, and memory is found by its address.
        #expect(text.contains("kernel void main0(constant Arguments& a [[buffer(0)]], "))
        #expect(!text.contains("[[buffer(1)]]") && text.contains("as_type<ulong>"))
    }

    /// A stretch of the blocks that an independent implementation expanded.
    struct Blocks: Decodable {
        struct Kind: Decodable {
            var ggml_type: UInt32
            var raw_offset: Int
            var raw_bytes: Int
            var value_offset: Int
            var values: Int
        }
        var types: [Kind]
    }

    @Test(
        "Blocks of every format decode to the bit as elsewhere, and products of one and of many tokens follow",
        .enabled(if: hasDevice, "no Vulkan device"), arguments: devices, [GPUBuffer.Place.near, .closed])
    func blocks(info: GPUDeviceInfo, place: GPUBuffer.Place) throws {
        let folder = Self.root.appendingPathComponent("Tests/Fixtures/gemma")
        let kinds = try JSONDecoder().decode(
            Blocks.self, from: Data(contentsOf: folder.appendingPathComponent("blocks.json"))
        ).types
        let raw = [UInt8](try Data(contentsOf: folder.appendingPathComponent("blocks.raw")))
        let values = try Data(contentsOf: folder.appendingPathComponent("blocks.f32"))
        let device = try GPUDevice(info)
        var seen: Set<GPUMatrix.Format> = []
        for kind in kinds {
            guard let format = GPUMatrix.Format(rawValue: kind.ggml_type) else { continue }
            seen.insert(format)
            let count = kind.values
            let expected = values.withUnsafeBytes { bytes in
                (0..<count).map {
                    bytes.loadUnaligned(fromByteOffset: 4 * (kind.value_offset + $0), as: Float.self)
                }
            }
            let bytes = Array(raw[kind.raw_offset..<kind.raw_offset + kind.raw_bytes])
            // Rows of the same blocks: for a group of sixteen, in which threads have two, and a few for another one.
            let rowCount = 19
            let weights = GPUWeightMemory(device, place, pieceBytes: 4096)
            let matrix = GPUMatrix(
                format: format, rows: rowCount, columns: count, rowBytes: kind.raw_bytes,
                at: try [[UInt8]](repeating: bytes, count: rowCount).flatMap { $0 }.withUnsafeBytes {
                    try weights.keep($0)
                })
            let tokens = try GPUBuffer(device, byteCount: 8, .shared)
            try [UInt32(1), 0].withUnsafeBytes { try tokens.upload($0) }
            let inputs = 9
            let x = (0..<inputs * count).map { Float($0 % 11) - 5 }
            let input = try GPUBuffer(device, byteCount: 4 * x.count, place)
            try input.upload(x)
            let hidden = try GPUBuffer(device, byteCount: 8 * count, place)
            let many = try GPUBuffer(device, byteCount: 4 * rowCount * inputs, place)
            let one = try GPUBuffer(device, byteCount: 4 * rowCount, place)
            let alone = try GPUBuffer(device, byteCount: 4 * rowCount * inputs, place)
            try device.submit { commands throws(GPUError) in
                try commands.embed(
                    tokens.place, count: 2, from: matrix, scale: 2, into: GPURows(hidden.place, stride: count))
                let rows = GPURows(input.place, stride: count)
                try commands.multiply(matrix, rows, count: inputs, into: GPURows(many.place, stride: rowCount))
                try commands.multiply(matrix, rows, count: 1, into: GPURows(one.place, stride: rowCount), cap: 3)
                for token in 0..<inputs {
                    try commands.multiply(
                        matrix, rows.rows(from: token), count: 1,
                        into: GPURows(alone.place, stride: rowCount).rows(from: token))
                }
            }
            let decoded = try hidden.floats(count: 2 * count)
            #expect(decoded == (expected + expected).map { 2 * $0 }, "\(format)")
            let sums = try many.floats(count: rowCount * inputs)
            // A token's bits do not depend on the others.
            #expect(try alone.floats(count: rowCount * inputs).map(\.bitPattern) == sums.map(\.bitPattern), "\(format)")
            for token in 0..<inputs {
                let terms = (0..<count).map { Double(expected[$0]) * Double(x[token * count + $0]) }
                let sum = terms.reduce(0, +), size = terms.reduce(0) { $0 + abs($1) }
                for row in 0..<rowCount {
                    #expect(abs(Double(sums[rowCount * token + row]) - sum) <= 1e-6 * size, "\(format), token \(token)")
                }
                if token == 0 {
                    let capped = try one.floats(count: rowCount)
                    #expect(abs(Double(capped[rowCount - 1]) - 3 * tanh(sum / 3)) < 1e-4, "\(format)")
                }
            }
        }
        #expect(seen == Set(GPUMatrix.Format.allCases))
    }

    @Test(
        "Norms, with and without gain, written and added", .enabled(if: hasDevice, "no Vulkan device"),
        arguments: devices)
    func norms(info: GPUDeviceInfo) throws {
        let device = try GPUDevice(info)
        let (count, heads, width) = (3, 2, 70)
        let x = (0..<count * heads * width).map { Float(sin(Double($0))) }
        let gain = (0..<width).map { 1 + Float($0) / 100 }
        let (input, gains) = (
            try GPUBuffer(device, byteCount: 4 * x.count), try GPUBuffer(device, byteCount: 4 * width)
        )
        try input.upload(x)
        try gains.upload(gain)
        let stride = heads * width
        let outputs = try (0..<3).map { _ in try GPUBuffer(device, byteCount: 4 * x.count) }
        for output in outputs { try output.upload([Float](repeating: 1, count: x.count)) }
        func rows(_ buffer: GPUBuffer) -> GPURows { GPURows(buffer.place, stride: stride) }
        try device.submit { commands throws(GPUError) in
            try commands.normalize(
                rows(input), count: count, heads: heads, width: width, gain: gains.place, epsilon: 1e-6,
                into: rows(outputs[0]))
            try commands.add(
                rows(input), count: count, width: stride, normalizedBy: nil, epsilon: 1e-6, to: rows(outputs[1]))
            try commands.add(
                rows(input), count: count, width: width, normalizedBy: gains.place, epsilon: 1e-6,
                to: rows(outputs[2]))
        }
        func expected(_ at: Int, head: Int) -> Double {
            let start = at / width * width
            let squares = x[start..<start + width].reduce(0.0) { $0 + Double($1) * Double($1) }
            return Double(x[at]) / (squares / Double(width) + 1e-6).squareRoot() * Double(gain[at % width])
        }
        let found = try outputs.map { try $0.floats(count: x.count) }
        for at in x.indices {
            #expect(abs(Double(found[0][at]) - expected(at, head: 0)) < 1e-5)
            #expect(abs(Double(found[1][at]) - Double(x[at]) - 1) < 1e-6)
            let isFirstHead = at % stride < width
            #expect(abs(Double(found[2][at]) - (isFirstHead ? expected(at, head: 0) + 1 : 1)) < 1e-5)
        }
    }

    @Test("Rotation, gates", .enabled(if: hasDevice, "no Vulkan device"))
    func rotationAndGates() throws {
        let device = try device()
        let (count, heads, width) = (2, 3, 10)
        let x = (0..<count * heads * width).map { Float($0) / 10 - 3 }
        let angles = (0..<count).flatMap { token in
            let turns = (0..<width / 2).map { Double(token + 1) / Double($0 + 1) }
            return turns.map { Float(cos($0)) } + turns.map { Float(sin($0)) }
        }
        let (rotated, table) = (
            try GPUBuffer(device, byteCount: 4 * x.count), try GPUBuffer(device, byteCount: 4 * angles.count)
        )
        let (gate, up) = (try GPUBuffer(device, byteCount: 4 * x.count), try GPUBuffer(device, byteCount: 4 * x.count))
        try rotated.upload(x)
        try table.upload(angles)
        try gate.upload(x.map { 5 * $0 })
        try up.upload(x)
        try device.submit { commands throws(GPUError) in
            try commands.rotate(
                GPURows(rotated.place, stride: heads * width), count: count, heads: heads, width: width,
                angles: table.place)
            try commands.gate(
                GPURows(gate.place, stride: heads * width), up: GPURows(up.place, stride: heads * width), count: count,
                width: heads * width)
        }
        let turned = try rotated.floats(count: x.count), gated = try gate.floats(count: x.count)
        for at in x.indices {
            let (token, pair) = (at / (heads * width), at % (width / 2))
            let isLow = at % width < width / 2
            let partner = isLow ? at + width / 2 : at - width / 2
            let (c, s) = (angles[token * width + pair], angles[token * width + width / 2 + pair])
            #expect(abs(turned[at] - (isLow ? x[at] * c - x[partner] * s : x[at] * c + x[partner] * s)) < 1e-5)
            let z = 5 * Double(x[at])
            let gelu = 0.5 * z * (1 + tanh(0.7978845608028654 * (z + 0.044715 * z * z * z)))
            #expect(abs(Double(gated[at]) - gelu * Double(x[at])) < 1e-4)
        }
    }

    @Test(
        "Work that does not end in time is an error, and so is all that follows",
        .enabled(if: hasDevice, "no Vulkan device"))
    func timeouts() throws {
        let device = try device()
        let buffer = try GPUBuffer(device, byteCount: 64 << 20)
        device.timeoutMS = 0
        #expect(throws: GPUError.timedOut(milliseconds: 0)) {
            try device.submit { commands throws(GPUError) in
                for _ in 0..<8 {
                    try commands.gate(
                        GPURows(buffer.place, stride: 4096), up: GPURows(buffer.place, stride: 4096), count: 4096,
                        width: 4096)
                }
            }
        }
        #expect(throws: GPUError.deviceLost) { try device.submit { _ in } }
        #expect(throws: GPUError.deviceLost) { _ = try GPUBuffer(device, byteCount: 4) }
    }

    @Test("What the driver says of its memory is a limit", .enabled(if: hasDevice, "no Vulkan device"))
    func budget() throws {
        let device = try device()
        try device.require(bytes: 0)
        if let available = device.availableBytes {
            #expect((0...device.info.memoryBytes).contains(available))
            #expect(throws: GPUError.outOfMemory(bytes: 1 << 60)) { try device.require(bytes: 1 << 60) }
        } else {
            try device.require(bytes: 1 << 60)
        }
    }

    @Test("More memory than there is, is refused", .enabled(if: hasDevice, "no Vulkan device"))
    func memory() throws {
        let device = try device()
        #expect(throws: GPUError.outOfMemory(bytes: 1 << 50)) { _ = try GPUBuffer(device, byteCount: 1 << 50) }
        // And it goes on.
        let buffer = try GPUBuffer(device, byteCount: 8)
        try buffer.upload([3, 4])
        #expect(try buffer.floats(count: 2) == [3, 4])
    }
}
