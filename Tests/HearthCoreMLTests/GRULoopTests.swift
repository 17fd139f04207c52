import HearthCoreML
import HearthCoreMLFormat
import HearthGraphProof
import HearthTestSupport
import Testing

/// Loops of programs that are PyTorch's GRU.
///
/// `HEARTH_SEED` sets which ones are spoiled how, `HEARTH_FUZZ_RUNS` how many.
@Suite("loops that are GRU layers", .timeLimit(.minutes(20)))
struct GRULoopTests {
    private static func layers(_ plan: CoreMLPlan) -> Int {
        plan.steps.count { if case .recurrent = $0.kernel { true } else { false } }
    }

    @Test(
        "as coremltools writes them: both directions, two layers, for iOS 15 in float32 and for iOS 17 in float16",
        arguments: [("flow/gru", 4), ("flow/gru17", 1)])
    func recognised(_ name: String, _ count: Int) throws {
        let session = try CoreMLSession(
            model: CoreMLModel(CoreMLPackage(path: VisionFixtures.path("\(name).mlpackage"))))
        #expect(Self.layers(session.plan) == count && session.plan.referenceSteps.isEmpty)
    }

    /// Changes one thing in the body of a loop: another function or sum, operands in another order or other ones, another number.
    private static func spoil(_ body: inout MILBlock, _ random: inout SeededNumbers) {
        let places = body.operations.indices.filter { !["const", "cast"].contains(body.operations[$0].type) }
        let place = places[random.below(places.count)]
        var operation = body.operations[place]
        let names = operation.inputs.indices.filter { operation.inputs[$0].value.name != nil }
        switch (operation.type, random.below(3)) {
        case ("sigmoid", 0), ("tanh", 0): operation.type = ["sigmoid", "tanh", "relu"][random.below(3)]
        case ("add", 0), ("mul", 0), ("sub", 0): operation.type = ["add", "mul", "sub", "maximum"][random.below(4)]
        case ("add", 1), ("mul", 1), ("sub", 1):
            let (x, y) = (names[0], names[1])
            let old = operation.inputs[x].value
            operation.inputs[x].value = operation.inputs[y].value
            operation.inputs[y].value = old
        default:
            guard !names.isEmpty else { return }
            let input = names[random.below(names.count)]
            // What was defined before, mostly of the same type; what does not fit is refused.
            let defined = body.inputs + body.operations[..<place].flatMap(\.outputs)
            let old = defined.first { $0.name == operation.inputs[input].value.name }
            let alike = defined.filter { $0.type == old?.type }
            let choices = alike.isEmpty || random.below(4) == 0 ? defined : alike
            let name = choices[random.below(choices.count)].name
            operation.inputs[input].value = MILArgument([MILBinding(.name(name))])
        }
        body.operations[place] = operation
    }

    /// The same loop with `minimum(h, h)` in it, which no layer has.
    private static func disguised(_ body: MILBlock) throws -> MILBlock {
        var body = body
        let last = try #require(body.operations.lastIndex { $0.type == "expand_dims" })
        let input = try #require(body.operations[last].inputs.firstIndex { $0.key == "x" })
        let state = try #require(body.operations[last].inputs[input].value.name)
        let type = try #require((body.inputs + body.operations.flatMap(\.outputs)).first { $0.name == state })
        var same = MILOperation(type: "minimum")
        same.inputs = ["x", "y"].map { MILEntry($0, MILArgument([MILBinding(.name(state))])) }
        same.outputs = [MILNamedType("\(state)_same", type.type)]
        body.operations[last].inputs[input].value = MILArgument([MILBinding(.name("\(state)_same"))])
        body.operations.insert(same, at: last)
        return body
    }

    @Test("are no other loops: spoiled ones give what they give written out", arguments: ["flow/gru", "flow/gru17"])
    func spoiled(_ name: String) async throws {
        var random = SeededNumbers.fresh("spoiled loops, \(name)")
        var (asLayers, writtenOut, refused) = (0, 0, 0)
        for round in 0..<3 * HostilePlanTests.runs {
            let plain = try VisionFixtures.changed(name) { block in
                let loops = block.operations.indices.filter { block.operations[$0].type == "while_loop" }
                for _ in 0...random.below(2) {
                    Self.spoil(&block.operations[loops[random.below(loops.count)]].blocks[1], &random)
                }
            }
            guard case .program(let program) = plain.model.kind else { return }
            let whole = try VisionFixtures.changed(name) { block in
                block = program.functions[0].value.specializations[0].value
                for index in block.operations.indices where block.operations[index].type == "while_loop" {
                    block.operations[index].blocks[1] = try Self.disguised(block.operations[index].blocks[1])
                }
            }
            let expected: CoreMLSession
            do {
                expected = try CoreMLSession(model: CoreMLModel(whole), threads: 1)
            } catch {
                #expect(throws: CoreMLError.self, "round \(round), \(error)") { try CoreMLModel(plain) }
                refused += 1
                continue
            }
            let found = try CoreMLSession(model: CoreMLModel(plain), threads: 1)
            #expect(Self.layers(expected.plan) == 0)
            let isWhole = Self.layers(found.plan) == (name == "flow/gru" ? 4 : 1)
            (asLayers, writtenOut) = (asLayers + (isWhole ? 1 : 0), writtenOut + (isWhole ? 0 : 1))
            let inputs = expected.interface.inputs.map { input in
                (
                    input.name,
                    CoreMLTensor(
                        shape: input.shape,
                        values: (0..<input.shape.reduce(1, *)).map { _ in Float(random.below(2000)) / 1000 - 1 })
                )
            }
            let given = Dictionary(uniqueKeysWithValues: inputs)
            let (a, b) = (try? await found.predict(given), try? await expected.predict(given))
            #expect((a == nil) == (b == nil), "round \(round)")
            for (output, tensor) in a ?? [:] {
                let other = b?[output]?.values ?? []
                let scale = other.reduce(1) { max($0, abs($1)) }
                // In float16 each round of a loop that is written out rounds its list.
                let limit: Float = name == "flow/gru" ? 1e-5 : 2e-3
                #expect(
                    VisionFixtures.difference(tensor.values, other) <= limit * scale, "round \(round), \(output)")
            }
        }
        #expect(asLayers > 0 && writtenOut > 0, "\((asLayers, writtenOut, refused))")
    }
}
