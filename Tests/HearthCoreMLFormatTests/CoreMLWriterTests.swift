import Foundation
import HearthCoreMLFormat
import HearthSystem
import HearthTestSupport
import Testing

/// Writing: what was read comes out as the same bytes, and nothing half-made is ever left behind.
@Suite(.timeLimit(.minutes(20))) struct CoreMLWriterTests {
    @Test("every message of the fixtures, byte for byte")
    func messages() throws {
        for name in try CoreMLFixtures.packages("digits") + CoreMLFixtures.packages("ops") {
            let bytes = try CoreMLFixtures.parts(name).model
            let model = try CoreMLSpecification(wire: WireInput(MappedFile(copying: bytes)))
            #expect(model.encoded == bytes, "\(name)")
        }
    }

    @Test("messages that are written anew mean the same")
    func anew() throws {
        for name in try CoreMLFixtures.packages("digits") + CoreMLFixtures.packages("ops") {
            let model = try CoreMLPackage(path: CoreMLFixtures.path(name)).model
            let renewed = model.renewed
            let bytes = renewed.encoded
            let again = try CoreMLSpecification(wire: WireInput(MappedFile(copying: bytes)))
            #expect(again == model, "\(name)")
            #expect(again.renewed.encoded == bytes, "\(name)")
        }
    }

    @Test("a copied package reads equal and is the same, weights too")
    func packages() throws {
        let folder = try TemporaryFolder()
        for name in try CoreMLFixtures.packages("digits") + CoreMLFixtures.packages("ops") {
            let source = try CoreMLPackage(path: CoreMLFixtures.path(name))
            let target = folder.path("copy.mlpackage")
            try source.write(to: target, replacing: true)
            let copy = try CoreMLPackage(path: target)
            #expect(copy.model == source.model, "\(name)")
            let file = "Data/com.apple.CoreML/"
            for part in ["model.mlmodel", "weights/weight.bin"] {
                let (old, new) = ("\(source.path)/\(file)\(part)", "\(target)/\(file)\(part)")
                let expected = FileManager.default.contents(atPath: old)
                #expect(FileManager.default.contents(atPath: new) == expected, "\(name): \(part)")
            }
            // Identifiers stay, except that of a folder that holds nothing.
            let listed = source.manifest?.items.filter {
                FileManager.default.fileExists(atPath: "\(source.path)/Data/\($0.value.path)")
            }
            #expect(copy.manifest?.items == listed, "\(name)")
        }
        #expect(try folder.names() == ["copy.mlpackage"])
    }

    @Test("a bare model")
    func bare() throws {
        let folder = try TemporaryFolder()
        let name = "digits/neuralnetwork_fp32.mlmodel"
        try CoreMLPackage(path: CoreMLFixtures.path(name)).write(to: folder.path("copy.mlmodel"))
        #expect(try folder.bytes("copy.mlmodel") == CoreMLFixtures.bytes(name))
        #expect(try folder.names() == ["copy.mlmodel"])
    }

    @Test("a package of the program's own: weights of every width")
    func own() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("own.mlpackage")
        let writer = try CoreMLPackageWriter(path: path)
        var body = MILBlock()
        var expected: [[Int]] = []
        var random = SeededNumbers(seed: 2)
        for type in [MILDataType.uint1, .uint2, .uint3, .int4, .uint4, .uint6, .int8, .uint8, .int16, .uint32] {
            let count = 1 + random.below(40)
            let bytes = (0..<(type.byteCount(count) ?? 0)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            let weightType = try #require(WeightDataType(type))
            let place = try writer.append(weightType, count: count, bytes)
            #expect(place.offset % 64 == 0)
            expected.append(bytes.withUnsafeBytes { ElementDecoder.integers($0, type, count) })
            var constant = MILOperation(type: "const")
            let valueType = MILValueType(type, [count])
            constant.attributes = [
                MILEntry("name", MILValue(string: "w\(expected.count)")),
                MILEntry("val", MILValue(type: valueType, content: .blob(place))),
            ]
            constant.outputs = [MILNamedType("w\(expected.count)", valueType)]
            body.operations.append(constant)
        }
        body.outputs = ["y"]
        var identity = MILOperation(type: "identity")
        identity.inputs = [MILEntry("x", MILArgument([MILBinding(.name("x"))]))]
        identity.outputs = [MILNamedType("y", MILValueType(.float32, [1, 8]))]
        body.operations.append(identity)
        var model = try CoreMLPackage(path: CoreMLFixtures.path("ops/mlp_fp32_ios16.mlpackage")).model
        var function = try #require(model.program?.functions["main"])
        function.opset = "CoreML8"
        function.specializations = [MILEntry("CoreML8", body)]
        var program = MILProgram()
        program.functions = [MILEntry("main", function)]
        model.kind = .program(program)
        model.specificationVersion = 9
        try writer.finish(model)
        let package = try CoreMLPackage(path: path)
        let values = try package.body?.operations.dropLast().map { operation in
            try package.tensor(try #require(operation.attributes["val"])).integers()
        }
        #expect(values == expected)
        #expect(try folder.names() == ["own.mlpackage"])
    }

    @Test("what is not finished leaves nothing, and what is there stays")
    func unfinished() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("p.mlpackage")
        let source = try CoreMLPackage(path: CoreMLFixtures.path("ops/mlp_fp32_ios16.mlpackage"))
        do {
            let writer = try CoreMLPackageWriter(path: path)
            _ = try writer.append(.uint8, count: 3, [1, 2, 3])
            #expect(throws: FileError.self) { _ = try writer.append(.uint8, count: 3, [1, 2]) }
            #expect(throws: FileError.self) { _ = try writer.append(.uint8, count: 1, [1, 2]) }
            // The weights that the program refers to are not in it.
            #expect(throws: FileError.self) { try writer.finish(source.model) }
        }
        #expect(try folder.names().isEmpty)
        try source.write(to: path)
        let error = #expect(throws: FileError.self) { try source.write(to: path) }
        #expect(error?.kind == "unwritable")
        #expect(try CoreMLPackage(path: path).model == source.model)
        #expect(try folder.names() == ["p.mlpackage"])
        #expect(throws: FileError.self) { _ = try CoreMLPackageWriter(path: "/proc/none/x.mlpackage") }
    }
}

extension CoreMLSpecification {
    /// The same model with every message of its program marked as changed, so that all of it is written field by field.
    var renewed: CoreMLSpecification {
        guard case .program(let program) = kind else { return self }
        var copy = self
        copy.kind = .program(program.renewed)
        return copy
    }
}

extension MILProgram {
    fileprivate var renewed: MILProgram {
        var copy = self
        copy.origin.touch()
        copy.attributes = attributes.map(\.renewed)
        copy.functions = functions.map { entry in
            var function = entry.value
            function.inputs = function.inputs.map(\.renewed)
            function.specializations = function.specializations.map { MILEntry($0.key, $0.value.renewed) }
            return MILEntry(entry.key, function)
        }
        return copy
    }
}

extension MILEntry where Value == MILValue {
    fileprivate var renewed: MILEntry { MILEntry(key, value.renewed) }
}

extension MILBlock {
    fileprivate var renewed: MILBlock {
        var copy = self
        copy.outputs = outputs
        copy.operations = operations.map { operation in
            var copy = operation
            copy.inputs = operation.inputs.map { entry in
                MILEntry(
                    entry.key,
                    MILArgument(
                        entry.value.bindings.map { binding in
                            if case .value(let value) = binding.kind {
                                MILBinding(.value(value.renewed))
                            } else {
                                MILBinding(binding.kind)
                            }
                        }))
            }
            copy.outputs = operation.outputs.map(\.renewed)
            copy.attributes = operation.attributes.map(\.renewed)
            return copy
        }
        return copy
    }
}

extension MILNamedType {
    fileprivate var renewed: MILNamedType { MILNamedType(name, type.renewed) }
}

extension MILValueType {
    fileprivate var renewed: MILValueType {
        guard case .tensor(var tensor) = kind else { return self }
        tensor.dimensions = tensor.dimensions.map { MILDimension($0.size) }
        return MILValueType(tensor)
    }
}

extension MILValue {
    fileprivate var renewed: MILValue {
        switch content {
        case .blob(let reference):
            return MILValue(
                type: type.renewed,
                content: .blob(MILBlobReference(fileName: reference.fileName, offset: reference.offset)))
        case .immediate(let immediate):
            let kind: MILImmediate.Kind
            switch immediate.kind {
            case .tensor(var data):
                data.origin.touch()
                kind = .tensor(data)
            case .tuple(let values): kind = .tuple(values.map(\.renewed))
            case .list(let values): kind = .list(values.map(\.renewed))
            case .dictionary(let values): kind = .dictionary(values.map(\.renewed))
            }
            return MILValue(type: type.renewed, content: .immediate(MILImmediate(kind)))
        }
    }
}
