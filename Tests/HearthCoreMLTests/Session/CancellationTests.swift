import Foundation
import HearthCompute
import HearthCoreML
import HearthCoreMLFormat
import HearthGraphProof
import HearthTestSupport
import Testing

/// One step may take seconds: it ends in its middle where nobody waits for it any more.
@Suite("cancelling inferences", .timeLimit(.minutes(20)))
struct CancellationTests {
    private static func session(_ graph: CoreMLGraph) throws -> CoreMLSession {
        let (plan, requests) = try PlanBuilder(graph).build()
        let weights = try PackedWeights(plan, requests, graph)
        let interface = CoreMLInterface(
            inputs: [.init(name: "x", shape: graph.tensors[graph.inputs[0]].shape, image: nil, type: .float32)],
            outputs: [.init(name: "y", kind: .tensor, shape: graph.tensors[graph.outputs[0]].shape, result: 0)],
            labels: nil, metadata: [:])
        return try CoreMLSession(
            PlanFile(plan: plan, interface: interface), ModelWeights(weights.floats),
            Compute(kernels: KernelSet.selected(by: nil), threads: 1))
    }

    /// A step of more than 10¹² multiplications, by kernels: some minutes on one thread.
    private static func huge() -> CoreMLGraph {
        var maker = GraphMaker()
        let x = maker.input([1, 16, 1024, 1024])
        return maker.finished(maker.convolution(x, 16, kernel: 65, pad: 32))
    }

    /// The same by plain loops: a convolution in three dimensions.
    private static func plain() -> CoreMLGraph {
        var maker = GraphMaker()
        let x = maker.input([1, 8, 32, 128, 128])
        let weight = maker.weights([8, 8, 9, 9, 9])
        let sides = [4, 4, 4]
        return maker.finished(
            maker.step(
                .convolution(
                    GraphConvolution(
                        kernel: [9, 9, 9], strides: [1, 1, 1], dilations: [1, 1, 1], before: sides, after: sides,
                        groups: 1)), [x, weight, nil], [1, 8, 32, 128, 128]))
    }

    @Test("a cancelled task ends the step that runs", .timeLimit(.minutes(20)), arguments: [true, false])
    func midStep(_ hasKernel: Bool) async throws {
        let session = try Self.session(hasKernel ? Self.huge() : Self.plain())
        #expect(session.plan.referenceSteps.isEmpty == hasKernel)
        let inputs = session.dummyInputs()
        // On threads of their own: other tests may keep the shared ones for minutes.
        let (here, there) = (OwnExecutor(), OwnExecutor())
        await withTaskExecutorPreference(here) {
            let task = Task(executorPreference: there) { try await session.predict(inputs) }
            usleep(300_000)
            let start = ContinuousClock.now
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            // Milliseconds; the bound is for machines on which everything waits.
            #expect(start.duration(to: .now) < .seconds(60))
            // The session is as good as before for whoever comes next: it begins, and is cancelled in turn.
            let next = Task(executorPreference: there) { try await session.predict(inputs) }
            usleep(50_000)
            next.cancel()
            await #expect(throws: CancellationError.self) { try await next.value }
        }
        withExtendedLifetime((here, there)) {}
    }

    @Test("one who leaves while waiting takes nobody else's inference along")
    func waiting() async throws {
        var maker = GraphMaker()
        let x = maker.input([1, 16, 64, 64])
        let session = try Self.session(maker.finished(maker.convolution(x, 32)))
        let inputs = session.dummyInputs()
        let expected = try await session.predict(inputs)
        await withTaskGroup(of: Bool.self) { group in
            for index in 0..<60 {
                group.addTask {
                    let task = Task { try await session.predict(inputs) }
                    if index % 2 == 0 { task.cancel() }
                    let result = try? await task.value
                    return result == expected || index % 2 == 0 && result == nil
                }
            }
            for await isRight in group { #expect(isRight) }
        }
        #expect(try await session.predict(inputs) == expected)
    }
}
