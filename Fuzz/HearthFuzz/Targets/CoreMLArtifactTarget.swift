import Foundation
import HearthCompute
import HearthCoreML
import HearthCoreMLFormat
import HearthSystem

extension FuzzTarget {
    /// The plan of a vision artifact: it is refused when it is loaded, with the place, or it runs inside its memory; what is
    /// accepted is written again and read as the same.
    static let visionArtifact = FuzzTarget(name: "vision-artifact", longestInput: 16 << 10) {
        let compute = try Compute(kernels: KernelSet.selected(by: nil), threads: 1)
        return { bytes in
            guard let file = try? PlanFile.decoder.decode(PlanFile.self, from: Data(bytes)), file.problem() == nil
            else {
                return
            }
            PlanChecks.writeAgain(file)
            PlanChecks.run(file, compute)
        }
    } seeds: {
        var seeds: [String: [UInt8]] = [:]
        for (name, bytes) in try CoreMLChecks.cases("operations.json") {
            guard let package = try? CoreMLPackage(MappedFile(copying: bytes)),
                let model = try? CoreMLModel(package), let compiled = try? CompiledModel(model)
            else { continue }
            seeds["operation-\(name)"] = Array(try PlanFile.encoder.encode(compiled.file))
        }
        for place in ["ops/squeeze_fp32_ios16", "ops/mlp_fp32_ios16", "rectangles/nms", "pipelines/perclass"] {
            let model = try CoreMLModel(path: "\(Fixture.folder)/coreml/\(place).mlpackage")
            for storage in [WeightStorage.mapped, .compact] {
                let compiled = try CompiledModel(model, storage: storage)
                seeds["\(Fixture.flatName(place))-\(storage)"] = Array(try PlanFile.encoder.encode(compiled.file))
            }
        }
        return seeds
    }
}

private enum PlanChecks {
    /// Values; more would be slow, and say no more.
    private static let mostValues = 1 << 18

    static func writeAgain(_ file: PlanFile) {
        guard let encoded = try? file.encoded() else {
            require(false, "a plan that was read cannot be written")
            return
        }
        let sections = try? SectionFile(encoded, magic: PlanFile.magic, version: UInt32(CoreMLPlan.version))
        let bytes = try? sections?.array(1, of: UInt8.self)
        let again = bytes?.withBytes { try? PlanFile.decoder.decode(PlanFile.self, from: Data($0)) }
        require(again.map { $0.problem() == nil } == true, "a plan that was written cannot be read")
    }

    static func run(_ file: PlanFile, _ compute: Compute) {
        guard file.plan.arenaCount <= mostValues, file.plan.weightCount <= mostValues else { return }
        let weights = MappedFile(copying: [UInt8](repeating: 0, count: max(4, file.plan.weightCount * 4)))
        guard (try? CoreMLArtifact.check(file, weights, at: "plan.bin")) != nil else { return }
        let session: CoreMLSession
        do {
            session = try CoreMLSession(file, ModelWeights(weights, file, compute), compute)
        } catch {
            require(error is CoreMLError || error is ComputeError, "an error of another kind: \(error)")
            return
        }
        do {
            let results = try waiting { try await session.predict(session.dummyInputs()) }
            require(results.count <= file.interface.outputs.count, "more results than outputs")
        } catch {
            require(error is CoreMLError, "a plan that fails when it runs: \(error)")
        }
    }
}
