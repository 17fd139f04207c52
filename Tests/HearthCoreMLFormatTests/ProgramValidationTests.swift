import HearthCoreMLFormat
import HearthSystem
import HearthTestSupport
import Testing

/// Programs that are well-formed messages and break one rule each.
@Suite(.timeLimit(.minutes(20))) struct ProgramValidationTests {
    /// Opens a fixture after `edit`, in memory.
    private func refusal(
        _ name: String = "ops/resnet_fp32_ios16.mlpackage", version: Int? = nil,
        _ edit: (inout MILProgram) throws -> Void
    ) throws -> FileError? {
        let parts = try CoreMLFixtures.parts(name)
        let weights = parts.weights.map { [WeightFiles.usualName: MappedFile(copying: $0)] } ?? [:]
        var model = try CoreMLSpecification(wire: WireInput(MappedFile(copying: parts.model)))
        var program = try #require(model.program)
        try edit(&program)
        model.kind = .program(program)
        if let version { model.specificationVersion = version }
        do throws(FileError) {
            _ = try CoreMLPackage(MappedFile(copying: model.encoded), weights: weights)
            return nil
        } catch {
            #expect(!error.location.field.isEmpty)
            return error
        }
    }

    /// Changes the body of the only function.
    private func body(_ program: inout MILProgram, _ edit: (inout MILBlock) -> Void) {
        edit(&program.functions[0].value.specializations[0].value)
    }

    @Test("the unchanged program is accepted, and so is one that is written anew")
    func accepted() throws {
        #expect(try refusal { _ in } == nil)
        #expect(try refusal { $0.documentation = "changed" } == nil)
        // Every message on the way to the name is written anew, everything else copied.
        #expect(
            try refusal { program in
                body(&program) { block in
                    for index in block.operations.indices {
                        block.operations[index].attributes["note"] = MILValue(string: "x")
                    }
                }
            } == nil)
    }

    @Test("versions and operation sets")
    func versions() throws {
        #expect(try refusal(version: 8) { _ in }?.location.field == "mlProgram.functions[main].opset")
        #expect(try refusal(version: 5) { _ in }?.kind == "unsupported")
        #expect(try refusal(version: 11) { _ in }?.location.field == "specificationVersion")
        #expect(try refusal { $0.version = 2 }?.location.field == "mlProgram.version")
        let renamed = try refusal { $0.functions[0].value.specializations[0].key = "CoreML5" }
        #expect(renamed?.kind == "missing")
        #expect(renamed?.location.field.hasSuffix("block_specializations[CoreML6]") == true)
        #expect(try refusal { $0.functions[0].key = "other" }?.kind == "missing")
        #expect(try refusal { $0.functions.append($0.functions[0]) }?.kind == "duplicateName")
    }

    @Test("names")
    func names() throws {
        let kinds = try [
            refusal { program in body(&program) { $0.operations[3].outputs[0].name = $0.operations[2].outputs[0].name }
            },
            refusal { program in body(&program) { $0.operations[3].outputs[0].name = "x" } },
            refusal { program in body(&program) { $0.operations[3].outputs[0].name = "1st" } },
            refusal { program in body(&program) { $0.operations.remove(at: 3) } },
            refusal { program in body(&program) { $0.outputs = ["nowhere"] } },
            refusal { program in body(&program) { $0.outputs = [] } },
            refusal { program in body(&program) { $0.operations[0].attributes.append($0.operations[0].attributes[0]) }
            },
        ].map { $0?.kind }
        #expect(
            kinds == [
                "duplicateName", "duplicateName", "malformed", "undefinedName", "undefinedName", "missing",
                "duplicateName",
            ])
        let described = try refusal { $0.functions[0].value.inputs[0].name = "other" }
        #expect(described?.kind == "undefinedName")
    }

    @Test("names of a nested block end with it")
    func nestedNames() throws {
        func nested(used: String, inner: [String] = ["t", "t"]) throws -> String? {
            try refusal { program in
                body(&program) { block in
                    var condition = MILOperation(type: "cond")
                    condition.blocks = inner.map { name in
                        var part = MILBlock()
                        var step = MILOperation(type: "identity")
                        step.inputs = [MILEntry("x", MILArgument([MILBinding(.name("x"))]))]
                        step.outputs = [MILNamedType(name, MILValueType(.float32, [1]))]
                        part.operations = [step]
                        part.outputs = [name]
                        return part
                    }
                    condition.outputs = [MILNamedType("chosen", MILValueType(.float32, [1]))]
                    var after = MILOperation(type: "identity")
                    after.inputs = [MILEntry("x", MILArgument([MILBinding(.name(used))]))]
                    after.outputs = [MILNamedType("after", MILValueType(.float32, [1]))]
                    block.operations += [condition, after]
                }
            }?.kind
        }
        #expect(try nested(used: "chosen") == nil)
        #expect(try nested(used: "t") == "undefinedName")
        #expect(try nested(used: "chosen", inner: ["x", "t"]) == "duplicateName")
    }

    @Test("constants: types, sizes, places")
    func constants() throws {
        func constant(_ edit: (inout MILOperation) -> Void) throws -> String? {
            try refusal { program in
                body(&program) { block in
                    // The first weight in the file.
                    let index = block.operations.firstIndex {
                        if case .blob? = $0.attributes["val"]?.content { true } else { false }
                    }
                    if let index { edit(&block.operations[index]) }
                }
            }?.kind
        }
        func value(_ operation: inout MILOperation, _ edit: (inout MILValue) -> Void) {
            for index in operation.attributes.indices where operation.attributes[index].key == "val" {
                edit(&operation.attributes[index].value)
            }
        }
        func reference(_ offset: UInt64) -> (inout MILOperation) -> Void {
            { operation in
                value(&operation) { $0.content = .blob(.init(fileName: WeightFiles.usualName, offset: offset)) }
            }
        }
        #expect(try constant { _ in } == nil)
        #expect(try constant { $0.outputs[0].type = MILValueType(.float16, [1]) } == "wrongType")
        #expect(try constant { $0.attributes["val"] = nil } == "missing")
        #expect(try constant(reference(65)) == "misaligned")
        #expect(try constant(reference(0)) == "tensorBeyondFile")
        #expect(try constant(reference(1 << 63)) == "tensorBeyondFile")
        #expect(try constant(reference(128)) == "malformed")
        for shape in [[1 << 30, 1 << 30, 1 << 30], [2, 3], [0], []] {
            let kind = try constant { operation in
                operation.outputs[0].type = MILValueType(.float32, shape)
                value(&operation) { $0.type = MILValueType(.float32, shape) }
            }
            #expect(kind == (shape.count == 3 ? "sizeOverflow" : "malformed"), "\(shape)")
        }
        for data in [
            MILTensorData(floats: [1, 2]), MILTensorData(ints: [1]), MILTensorData(strings: ["a"]),
            MILTensorData(bytes: [0, 0, 0]),
        ] {
            let kind = try constant { operation in
                operation.outputs[0].type = MILValueType(.float32, [1])
                value(&operation) {
                    $0.type = MILValueType(.float32, [1])
                    $0.content = .immediate(MILImmediate(.tensor(data)))
                }
            }
            #expect(kind == "malformed" || kind == "wrongType")
        }
    }

    @Test("compressed weights: where parameters stand, and whether they fit")
    func compressed() throws {
        func palette(_ name: String, _ edit: (inout MILOperation) -> Void) throws -> FileError? {
            try refusal(name) { program in
                body(&program) { block in
                    if let index = block.operations.firstIndex(where: { $0.type == "constexpr_lut_to_dense" }) {
                        edit(&block.operations[index])
                    }
                }
            }
        }
        let old = "digits/pal4.mlpackage"
        let new = "digits/ios18_pal4_group8.mlpackage"
        #expect(try palette(old) { _ in } == nil)
        #expect(try palette(new) { _ in } == nil)
        #expect(try palette(old) { $0.attributes["lut"] = nil }?.kind == "missing")
        #expect(try palette(new) { $0.inputs["lut"] = nil }?.kind == "missing")
        #expect(
            try palette(old) { $0.inputs = [MILEntry("lut", MILArgument([.init(.value(MILValue(string: "")))]))] }?.kind
                == "malformed")
        #expect(try palette(new) { $0.attributes["lut"] = MILValue(string: "") }?.kind == "malformed")
        #expect(try palette(old) { $0.type = "constexpr_blockwise_shift_scale" }?.kind == "malformed")
        #expect(try palette(old) { $0.type = "constexpr_new" }?.kind == "unsupported")
        #expect(try palette(new) { $0.outputs[0].type = MILValueType(.float16, [1, 2]) }?.kind == "malformed")
        #expect(try palette(old) { $0.outputs[0].type = MILValueType(.float32, [16, 3, 3, 3]) }?.kind == "malformed")
        let lut = try palette(old) { operation in
            operation.attributes["lut"] = MILValue(
                type: MILValueType(.float16, [3]),
                content: .immediate(.init(.tensor(.init(bytes: [0, 0, 0, 0, 0, 0])))))
        }
        #expect(lut?.kind == "malformed")
        #expect(lut?.location.field.hasSuffix(".lut") == true, "\(lut?.location.field ?? "")")
    }

    @Test("a weight file's header and records")
    func weightFile() throws {
        let parts = try CoreMLFixtures.parts("ops/resnet_fp32_ios16.mlpackage")
        let original = try #require(parts.weights)
        func kind(_ edit: (inout [UInt8]) -> Void) -> String? {
            var bytes = original
            edit(&bytes)
            do throws(FileError) {
                _ = try CoreMLPackage(
                    MappedFile(copying: parts.model), weights: [WeightFiles.usualName: MappedFile(copying: bytes)])
                return nil
            } catch {
                return error.kind
            }
        }
        #expect(kind { _ in } == nil)
        #expect(kind { $0[4] = 1 } == "unsupported")
        #expect(kind { $0[0] = 1 } == "malformed")
        #expect(kind { $0 = [] } == "truncated")
        #expect(kind { $0.removeLast() } == "tensorBeyondFile")
        #expect(kind { $0[64 + 4] = 99 } == "unsupported")
        #expect(kind { $0[64 + 8] ^= 4 } == "malformed")
        #expect(kind { $0[64 + 15] = 0x80 } == "tensorBeyondFile")
        #expect(kind { $0[64 + 16] ^= 64 } == "malformed")
        // Reserved bytes hold anything in old files.
        #expect(kind { $0[64 + 40] = 1 } == nil)
    }
}
